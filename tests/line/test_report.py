"""What a line did is told: in figures for a call, and on a page with a figure for people."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from tests.line.installed import installed
from voicebench.errors import ConfigError
from voicebench.line import CODECS, FRAME, LEGS, Line, bursts, line_speeds, preset, presets, sample_speech, write_report
from voicebench.line.figure import Panel, Series, draw
from voicebench.line.loss import ReplayLoss
from voicebench.line.settings import LegSettings

pytestmark = pytest.mark.unit

SVG = "{http://www.w3.org/2000/svg}"


def test_a_call_is_told_what_its_line_really_did() -> None:
    line = Line(preset("bad_signal").caller_to_agent, leg="caller_to_agent", seed=11)
    line.process(sample_speech())
    report = json.loads(json.dumps(line.measured().to_json(), allow_nan=False))
    missing = [packet for packet in line.packets if packet.concealed]
    runs = list(bursts(line.packets))
    assert report["codec"] == "amr_nb 5.9"
    assert report["sent"] == sample_speech().size // FRAME == report["received"] + report["lost"] + report["late"]
    assert report["concealed"] == len(missing)
    assert report["mean_burst"] == pytest.approx(len(missing) / len(runs))
    assert (report["lost_rate"], report["late_rate"]) == (report["lost"] / 891, report["late"] / 891)
    assert report["reordered"] > 100
    assert report["network_delay_ms"]["mean"] == pytest.approx(150.0, abs=4.0)
    assert report["delay_ms"] == pytest.approx(210.0 + 4.0 + 39 / 8, abs=0.1)
    assert report["speech_dbov"] == pytest.approx(-26.15, abs=0.1)
    assert report["snr_db"] == pytest.approx(report["speech_dbov"] - report["noise_dbov"])
    assert report["snr_db"] == pytest.approx(20.0, abs=0.3)
    assert 0.0 <= report["e_model"]["r"] < 30.0
    assert 1.0 <= report["e_model"]["mos"] < 2.0


def test_a_leg_that_carried_nothing_is_told_too() -> None:
    report = Line(preset("voip_wifi").caller_to_agent, leg="caller_to_agent", seed=1).measured().to_json()
    assert (report["sent"], report["lost_rate"], report["network_delay_ms"], report["snr_db"]) == (0, 0.0, None, None)
    assert report["delay_ms"] == 124.0
    assert json.dumps(report, allow_nan=False)


def test_a_better_line_has_a_better_rating() -> None:
    ratings = []
    for name in ("pstn", "voip_wifi", "bad_signal"):
        line = Line(preset(name).agent_to_caller, leg="agent_to_caller", seed=1)
        line.process(sample_speech())
        rating = line.measured().e_model
        assert rating is not None
        ratings.append(rating.mos)
    assert ratings == sorted(ratings, reverse=True)


def test_a_report_is_a_page_with_a_figure_of_each_leg(tmp_path: Path) -> None:
    written = write_report("voip_wifi", preset("voip_wifi"), 3, tmp_path / "wifi.md")
    assert [path.name for path in written] == ["wifi.md", "wifi-caller_to_agent.svg", "wifi-agent_to_caller.svg"]
    page = written[0].read_text(encoding="utf-8")
    line = Line(preset("voip_wifi").caller_to_agent, leg="caller_to_agent", seed=3)
    line.process(sample_speech())
    assert "![spectrum, level and lost packets](wifi-caller_to_agent.svg)" in page
    assert f"{line.measured().lost} lost" in page
    assert "| SNR | " in page
    assert "| E-model | R " in page
    assert "`concealment: pitch`" in page
    for path in written[1:]:
        figure = ET.fromstring(path.read_text(encoding="utf-8"))
        titles = {text.text for text in figure.iter(f"{SVG}text")}
        assert {"spectrum, dB", "level, dBov", "packets that were missing", "said", "heard", "lost"} <= titles
        assert len(list(figure.iter(f"{SVG}polyline"))) == 4


def test_reports_of_equal_seeds_are_equal(tmp_path: Path) -> None:
    one, again, other = (
        write_report("mobile", preset("mobile"), seed, tmp_path / f"{name}.md")[1].read_bytes()
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert one == again != other


def test_a_report_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="name a file in an existing folder"):
        write_report("clean", preset("clean"), 1, tmp_path / "no" / "a.md")


def test_the_figure_puts_points_where_the_axes_say() -> None:
    panel = Panel("a & b", "s", (0.0, 10.0), (-80.0, 0.0), (0, 5, 10), (-80, 0), (
        Series("line", (0.0, 10.0, 5.0), (-80.0, 0.0, -200.0)), Series("marks", (5.0,)), Series("none", ())
    ))  # fmt: skip
    figure = ET.fromstring(draw([panel]))
    [line] = figure.iter(f"{SVG}polyline")
    assert line.get("points") == "60.0,156.0 740.0,30.0 400.0,156.0"
    [marks] = figure.iter(f"{SVG}path")
    assert marks.get("d") == "M400.0 30V156"
    assert "a & b" in {text.text for text in figure.iter(f"{SVG}text")}


def test_the_bench_times_every_preset_on_both_legs_and_every_codec() -> None:
    speeds = list(line_speeds(1.0))
    assert [(one.name, one.leg) for one in speeds if one.kind == "preset"] == [
        (each.name, leg) for each in presets() for leg in LEGS
    ]
    assert [one.name for one in speeds if one.kind == "codec"] == list(CODECS)
    for one in speeds:
        assert (one.missing is None) == installed(one.codec)
        assert one.missing or (one.times_real_time > 0.0 and one.frame_p99_ms > 0.0)


def test_a_lost_burst_is_found_on_the_recording(tmp_path: Path) -> None:
    """The gap is where the log's turn and the filters say."""
    import hashlib

    text = "sequence\n50\n51\n52\n"
    (tmp_path / "lost.csv").write_text(text)
    file = {"path": str(tmp_path / "lost.csv"), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    loss = ReplayLoss.model_validate({"file": file})
    line = Line(LegSettings(codec="g711u", loss=loss, delay_ms=33.0, buffer_ms=20.0), leg="caller_to_agent", seed=1)
    tone = np.rint(8000 * np.sin(np.arange(100 * FRAME) * 0.3)).astype(np.int16)
    heard = line.process(tone)
    [burst] = bursts(line.packets)
    assert burst.packets[0].turn_ms is not None
    start = round((burst.packets[0].turn_ms * 16) + line.filter_samples)
    assert np.abs(heard[start - 600 : start - 64]).max() > 7000
    assert not heard[start + 32 : start + 3 * FRAME - 96].any()
    assert np.abs(heard[start + 3 * FRAME + 32 : start + 4 * FRAME]).max() > 7000
