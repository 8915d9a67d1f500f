"""Recordings of any kind go through the line at the level of speech."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from voicebench.errors import ConfigError
from voicebench.line import active_level_dbov, apply_file, preset
from voicebench.line.apply import read_recording

pytestmark = pytest.mark.unit


def tone(rate: int, seconds: float = 2.0, amplitude: float = 0.5) -> NDArray[np.float64]:
    samples: NDArray[np.float64] = amplitude * np.sin(2.0 * np.pi * 1000.0 * np.arange(round(rate * seconds)) / rate)
    return samples


@pytest.mark.parametrize(
    ("name", "rate", "channels"),
    [("a.wav", 8_000, 1), ("a.wav", 16_000, 1), ("a.wav", 44_100, 2), ("a.flac", 48_000, 2), ("a.ogg", 22_050, 1)],
)
def test_any_format_comes_out_as_16_khz_at_26_dbov_below(tmp_path: Path, name: str, rate: int, channels: int) -> None:
    source, heard, report = tmp_path / name, tmp_path / "out.wav", tmp_path / "report.json"
    soundfile.write(source, np.tile(tone(rate)[:, None], channels), rate)
    returned = apply_file(source, heard, preset("pstn"), seed=3, report_path=report)
    info = soundfile.info(heard)
    assert (info.samplerate, info.channels, info.subtype) == (16_000, 1, "PCM_16")
    assert info.frames == pytest.approx(32_000 + 1_024, abs=0 if name != "a.ogg" else 200)
    samples, _ = soundfile.read(heard, dtype="int16")
    assert active_level_dbov(samples, 16_000).active_dbov == pytest.approx(-26.0, abs=0.3)
    assert json.loads(report.read_text()) == returned.to_json()
    assert returned.gain_db == pytest.approx(-26.0 + 9.03, abs=0.1)
    assert returned.sent.active_dbov == pytest.approx(-26.0, abs=0.02)


def test_resampling_on_reading_moves_nothing(tmp_path: Path) -> None:
    clicks = np.zeros(48_000)
    clicks[[4_800, 24_000]] = 0.9
    soundfile.write(tmp_path / "a.wav", clicks, 48_000)
    samples = read_recording(tmp_path / "a.wav")
    assert samples.size == 16_000
    assert np.argsort(samples)[-2:].tolist() in ([1_600, 8_000], [8_000, 1_600])


def test_channels_are_averaged(tmp_path: Path) -> None:
    left = np.full(1_600, 0.5)
    soundfile.write(tmp_path / "a.wav", np.stack([left, np.zeros_like(left)], axis=1), 16_000)
    assert read_recording(tmp_path / "a.wav") == pytest.approx(8192.0)


def test_silence_is_sent_as_it_is(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(16_000), 16_000)
    report = apply_file(tmp_path / "a.wav", tmp_path / "b.wav", preset("clean"))
    assert (report.gain_db, report.sent.active_dbov) == (0.0, -math.inf)
    assert '"sent": {"active_dbov": null, "rms_dbov": null, "activity": 0.0}' in json.dumps(report.to_json())
    assert not soundfile.read(tmp_path / "b.wav")[0].any()


def test_the_leg_can_be_chosen(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(16_000), 16_000)
    apply_file(tmp_path / "a.wav", tmp_path / "caller.wav", preset("pstn"))
    apply_file(tmp_path / "a.wav", tmp_path / "agent.wav", preset("pstn"), leg="agent_to_caller")
    assert soundfile.read(tmp_path / "caller.wav")[0].any()
    assert not soundfile.read(tmp_path / "agent.wav")[0].any()


def test_equal_seeds_write_equal_files(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", tone(16_000), 16_000)
    for name, seed in (("b", 1), ("c", 1), ("d", 2)):
        apply_file(tmp_path / "a.wav", tmp_path / f"{name}.wav", preset("pstn"), seed=seed)
    first, again, other = ((tmp_path / f"{name}.wav").read_bytes() for name in "bcd")
    assert first == again != other


def test_inputs_that_are_no_recordings_are_explained(tmp_path: Path) -> None:
    (tmp_path / "text.wav").write_text("hello")
    soundfile.write(tmp_path / "empty.wav", np.zeros(0), 16_000)
    soundfile.write(tmp_path / "nan.wav", np.full(100, np.nan), 16_000, subtype="FLOAT")
    soundfile.write(tmp_path / "slow.wav", np.zeros(100), 1_000)
    for name, message in [
        ("none.wav", "no such file"),
        ("text.wav", "not readable as audio"),
        ("empty.wav", "holds no samples"),
        ("nan.wav", "no numbers"),
        ("slow.wav", "1000 Hz; the line takes 4000 to 384000 Hz"),
    ]:
        with pytest.raises(ConfigError, match=message):
            apply_file(tmp_path / name, tmp_path / "out.wav", preset("clean"))
    assert not (tmp_path / "out.wav").exists()


@pytest.mark.parametrize(
    ("out", "report", "message"),
    [
        ("out.mp3", None, "writes WAV"),
        ("no/out.wav", None, "existing folder"),
        ("a.wav", None, "is the input"),
        ("out.wav", "no/report.json", "existing folder"),
    ],
)
def test_outputs_that_cannot_be_written_are_refused_first(
    tmp_path: Path, out: str, report: str | None, message: str
) -> None:
    soundfile.write(tmp_path / "a.wav", tone(16_000), 16_000)
    kept = (tmp_path / "a.wav").read_bytes()
    with pytest.raises(ConfigError, match=message):
        apply_file(
            tmp_path / "a.wav", tmp_path / out, preset("clean"), report_path=tmp_path / report if report else None
        )
    assert (tmp_path / "a.wav").read_bytes() == kept
    assert not (tmp_path / "out.wav").exists()


@pytest.mark.parametrize("subtype", ["GSM610", "IMA_ADPCM", "MS_ADPCM", "G721_32", "ULAW", "ALAW"])
def test_wav_files_of_telephone_codecs_are_read_to_their_end(tmp_path: Path, subtype: str) -> None:
    soundfile.write(tmp_path / "a.wav", tone(8_000, 3.0), 8_000, subtype=subtype)
    samples = read_recording(tmp_path / "a.wav")
    assert samples.size == pytest.approx(48_000, abs=700)  # codecs fill their last block
    assert np.sqrt(np.mean(samples * samples)) == pytest.approx(0.5 / math.sqrt(2) * 32_768, rel=0.08)


def test_channels_that_cancel_each_other_out_are_refused_and_one_can_be_chosen(tmp_path: Path) -> None:
    left = tone(16_000)
    soundfile.write(tmp_path / "a.wav", np.stack([left, -left], axis=1), 16_000)
    with pytest.raises(ConfigError, match=r"cancel each other out .* --channel 1"):
        apply_file(tmp_path / "a.wav", tmp_path / "out.wav", preset("clean"))
    first, second = (read_recording(tmp_path / "a.wav", channel) for channel in (1, 2))
    assert first == pytest.approx(left * 32_768, abs=1.0)
    assert first == pytest.approx(-second, abs=1.0)


@pytest.mark.parametrize("channel", [0, 3, -1])
def test_a_channel_that_is_not_there_is_refused(tmp_path: Path, channel: int) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros((100, 2)), 16_000)
    with pytest.raises(ConfigError, match=f"no channel {channel}; it has 2, counted from 1"):
        read_recording(tmp_path / "a.wav", channel)
