"""Voices say the same thing the same way, at the same level, and without padding."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from voicebench.errors import ModelMissing
from voicebench.line.level import active_level_dbov
from voicebench.speech.piper_tts import load_piper
from voicebench.speech.tts import load_voice

pytestmark = pytest.mark.audio

VOICES = ("joe", "joe-high", "joe-slow", "heart", "heart-low")
TEXT = "Thanks for calling Fernwood Supply. Could you give me your order number?"


@pytest.mark.parametrize("name", VOICES)
def test_active_speech_level_is_that_of_the_line(name: str) -> None:
    samples = load_voice(name).synthesize(TEXT)
    assert samples.dtype == np.int16
    assert active_level_dbov(samples, 16_000).active_dbov == pytest.approx(-26.0, abs=1.2)
    assert int(np.abs(samples).max()) < 32000


@pytest.mark.parametrize("name", VOICES)
def test_no_padding_at_the_ends(name: str) -> None:
    samples = np.abs(load_voice(name).synthesize(TEXT).astype(np.int32))
    loud = np.flatnonzero(samples > samples.max() * 0.02)
    assert loud[0] / 16_000 < 0.08
    assert (len(samples) - loud[-1]) / 16_000 < 0.08


def test_equal_text_voice_and_seed_give_equal_samples_in_another_process_too() -> None:
    program = (
        "import hashlib; from voicebench.speech.tts import load_voice\n"
        "for name in ('joe', 'heart'):\n"
        f"    print(hashlib.sha256(load_voice(name).synthesize({TEXT!r}, seed=3).tobytes()).hexdigest())\n"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    for name, other in zip(("joe", "heart"), elsewhere, strict=True):
        voice = load_voice(name)
        voice.synthesize("Something else in between.", seed=1)
        assert hashlib.sha256(voice.synthesize(TEXT, seed=3).tobytes()).hexdigest() == other


def test_the_seed_is_that_of_the_noise_in_the_voice() -> None:
    heart = load_voice("heart")
    first, second = heart.synthesize(TEXT, seed=1), heart.synthesize(TEXT, seed=2)
    assert len(first) == len(second)
    assert (first != second).any()


def test_variants_change_pitch_and_pace_apart_from_each_other() -> None:
    lengths = {name: len(load_voice(name).synthesize(TEXT)) for name in VOICES}
    assert lengths["joe-high"] == pytest.approx(lengths["joe"], rel=0.1)
    assert lengths["heart-low"] == pytest.approx(1.1 * lengths["heart"], rel=0.1)
    assert lengths["joe-slow"] == pytest.approx(1.2 * lengths["joe"], rel=0.08)
    assert _pitch_hz("joe-high") == pytest.approx(1.18 * _pitch_hz("joe"), rel=0.08)
    assert _pitch_hz("heart-low") == pytest.approx(0.83 * _pitch_hz("heart"), rel=0.08)


@pytest.mark.parametrize("text", ["", "  ", "...", "?!"])
def test_nothing_to_say_is_an_empty_array(text: str) -> None:
    for name in ("joe", "heart"):
        samples = load_voice(name).synthesize(text)
        assert samples.dtype == np.int16
        assert samples.shape == (0,)


def test_one_loaded_model_a_process() -> None:
    assert load_voice("joe") is load_voice("joe")
    assert load_voice("joe").engine is load_voice("joe-slow").engine


def test_an_absent_engine_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelMissing, match=r"pip install piper-tts==1\.8\.0"):
        load_piper({}, "piper-tts==1.8.0")


def _pitch_hz(name: str) -> float:
    """Median fundamental over voiced 40 ms frames, by the highest peak of the autocorrelation."""
    samples = load_voice(name).synthesize("Could you read that back to me, please?").astype(np.float64)
    found = []
    for at in range(0, len(samples) - 640, 320):
        frame = samples[at : at + 640] * np.hanning(640)
        spectrum = np.abs(np.fft.rfft(frame, 2048)) ** 2
        correlation = np.fft.irfft(spectrum)[:640]
        lag = 40 + int(np.argmax(correlation[40:260]))
        if correlation[0] > 1e8 and correlation[lag] > 0.5 * correlation[0]:
            found.append(16_000 / lag)
    return float(np.median(found))
