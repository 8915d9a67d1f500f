"""Words that Whisper writes where nobody spoke, on kept recordings; and short answers in the same noise, which stay."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from voicebench.speech.asr import load_recognizer
from voicebench.speech.asr_hallucinations import hallucination

pytestmark = pytest.mark.audio

RATE = 16_000
DATA = Path(__file__).parent / "data"
NOISES = ("babble-1", "babble-2", "babble-3", "car-1", "car-2", "line", "pink", "street")
ANSWERS = {
    "yes": ("yes",),
    "no": ("no",),
    "nine": ("9", "nine"),
    "digits": ("2208", "22008"),  # tiny.en doubles a zero; what matters is that it is not dropped
    "bye": ("okaybye",),
}


def recording(name: str) -> npt.NDArray[np.int16]:
    samples, rate = soundfile.read(DATA / f"{name}.flac", dtype="int16")
    assert rate == RATE
    return np.asarray(samples, dtype=np.int16)


def letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def test_every_recording_is_listened_to_and_small() -> None:
    names = {*(f"noise-{name}" for name in NOISES), *(f"answer-{name}" for name in ANSWERS)}
    assert {path.stem for path in DATA.glob("*.flac")} == names
    assert max(path.stat().st_size for path in DATA.glob("*.flac")) < 60_000


@pytest.mark.parametrize("model", ["tiny.en", "base"])
@pytest.mark.parametrize("name", NOISES)
def test_what_is_written_on_noise_is_dropped_and_why_is_told(
    name: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    def note(text: str, *, seconds: float, no_speech_prob: float, avg_logprob: float) -> str | None:
        written.append(text)
        return hallucination(text, seconds=seconds, no_speech_prob=no_speech_prob, avg_logprob=avg_logprob)

    monkeypatch.setattr("voicebench.speech.asr.hallucination", note)
    heard = load_recognizer(model).transcribe(recording(f"noise-{name}"))
    assert any(letters(text) for text in written), "the model writes nothing here: no case"
    assert (heard.text, heard.filtered) == ("", "no_speech")
    assert heard.no_speech_prob > 0.35


@pytest.mark.parametrize("model", ["tiny.en", "base"])
@pytest.mark.parametrize("name", ANSWERS)
def test_a_short_answer_in_noise_is_kept(name: str, model: str) -> None:
    heard = load_recognizer(model).transcribe(recording(f"answer-{name}"))
    assert letters(heard.text) in ANSWERS[name]
    assert heard.filtered is None


def test_the_base_model_reads_digits_in_the_noise_of_a_car() -> None:
    assert letters(load_recognizer("base").transcribe(recording("answer-digits")).text) == "2208"
