"""The verbs of the line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voicebench.cli import main
from voicebench.line import CODECS, presets, sample_speech

pytestmark = pytest.mark.unit


def exit_code(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ending:
        main(list(arguments))
    return int(ending.value.code or 0)


def test_list_names_every_preset_with_all_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("line", "list", "--json") == 0
    listed = json.loads(capsys.readouterr().out)["presets"]
    assert [one["name"] for one in listed] == [each.name for each in presets()]
    assert listed[2]["caller_to_agent"]["loss"] == {"model": "bernoulli", "p": 0.005}


def test_apply_sends_stereo_of_any_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    speech = np.repeat(sample_speech()[: 3 * 16_000, None] / 32768.0, 2, axis=1)
    soundfile.write(tmp_path / "a.flac", speech, 11_025)
    done = exit_code(
        "line", "apply", str(tmp_path / "a.flac"), str(tmp_path / "b.wav"), "--preset", "car", "--report",
        str(tmp_path / "r.json"),
    )  # fmt: skip
    assert done == 0
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["codec"] == "amr_nb 12.2"
    assert report["snr_db"] == pytest.approx(10.0, abs=0.8)
    assert soundfile.info(tmp_path / "b.wav").samplerate == 16_000


def test_apply_explains_what_it_cannot_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.wav").write_text("no sound")
    assert exit_code("line", "apply", str(tmp_path / "a.wav"), str(tmp_path / "b.wav"), "--preset", "car") == 2
    assert "not readable as audio" in capsys.readouterr().err


def test_report_writes_a_page_and_two_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("line", "report", "--preset", "car", "--out", str(tmp_path / "car.md")) == 0
    written = capsys.readouterr().out.split()
    assert written == [
        str(tmp_path / name) for name in ("car.md", "car-caller_to_agent.svg", "car-agent_to_caller.svg")
    ]
    assert (tmp_path / "car.md").read_text(encoding="utf-8").startswith("# The line `car`")


def test_bench_prints_times_real_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("bench", "line", "--json", "--seconds", "1") == 0
    speeds = json.loads(capsys.readouterr().out)["speeds"]
    assert len(speeds) == 2 * len(presets()) + len(CODECS)
    assert {"kind", "name", "leg", "codec", "times_real_time", "frame_p99_ms", "missing"} == set(speeds[0])
