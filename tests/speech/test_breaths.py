"""A breath is no word, whatever a recognizer writes on it; and the words that it writes on breaths stay when spoken."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from voicebench.line import Line, preset
from voicebench.speech.asr import load_recognizer
from voicebench.speech.asr_hallucinations import is_breath, voiced_s
from voicebench.speech.tts import load_voice

pytestmark = pytest.mark.audio

RATE = 16_000
Pcm = npt.NDArray[np.int16]


def breath(seed: int, *, seconds: float, low_hz: float, high_hz: float, dbov: float) -> Pcm:
    """Noise of a band that swells and fades, with silence around it."""
    noise = np.random.default_rng(seed)
    spectrum = np.fft.rfft(noise.standard_normal(round(seconds * RATE)))
    hz = np.fft.rfftfreq(round(seconds * RATE), 1 / RATE)
    spectrum[(hz < low_hz) | (hz > high_hz)] = 0
    sound = np.fft.irfft(spectrum)
    sound *= np.sin(np.pi * np.arange(len(sound)) / len(sound))
    sound *= 10 ** (dbov / 20) / np.sqrt(np.mean(sound**2))
    whole = np.concatenate([np.zeros(RATE // 5), sound, np.zeros(RATE // 3)])
    whole += noise.standard_normal(len(whole)) * 10 ** (-70 / 20)
    return np.clip(np.round(whole * 32768), -32768, 32767).astype(np.int16)


def over(line: str, samples: Pcm) -> Pcm:
    leg = Line(preset(line).caller_to_agent, leg="caller_to_agent", seed=5)
    padded = np.concatenate([np.zeros(6_400, np.int16), samples, np.zeros(8_000 + -len(samples) % 320, np.int16)])
    return np.concatenate([leg.push(frame, None, None) for frame in padded.reshape(-1, 320)])


BREATHS = [
    breath(2, seconds=1.5, low_hz=800, high_hz=2_000, dbov=-25),
    breath(5, seconds=0.7, low_hz=800, high_hz=7_500, dbov=-32),
    breath(11, seconds=1.4, low_hz=1_500, high_hz=7_500, dbov=-32),
    breath(16, seconds=0.3, low_hz=200, high_hz=2_000, dbov=-27),
    breath(22, seconds=1.1, low_hz=200, high_hz=3_500, dbov=-19),
    breath(28, seconds=1.3, low_hz=800, high_hz=2_000, dbov=-23),
]


@pytest.mark.parametrize("number", range(len(BREATHS)))
def test_a_breath_on_which_words_are_written_is_none(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    recognizer = load_recognizer("tiny.en")
    heard = recognizer.transcribe(BREATHS[number])
    assert (heard.text, heard.filtered) == ("", "no_speech")
    monkeypatch.setattr("voicebench.speech.asr.is_breath", lambda *_, **__: False)
    assert recognizer.transcribe(BREATHS[number]).text in ("You", "Ha!", "Shh.", "uh"), (
        "nothing is written here: no case"
    )


@pytest.mark.parametrize("line", ["clean", "pstn", "bad_signal"])
@pytest.mark.parametrize("voice", ["joe", "heart"])
@pytest.mark.parametrize("words", ["You.", "Thank you.", "Six."])
def test_the_same_words_stay_when_they_are_spoken(words: str, voice: str, line: str) -> None:
    samples = over(line, load_voice(voice).synthesize(words, seed=2))
    assert voiced_s(samples) >= 0.06
    assert not is_breath(samples, no_speech_prob=1.0)
    heard = load_recognizer("tiny.en").transcribe(samples)
    assert heard.filtered is None
    assert heard.text
    assert line != "clean" or heard.text.strip(".").lower() in (words[:-1].lower(), "6", "yo")


def test_only_a_voice_is_voiced() -> None:
    seconds = np.arange(RATE) / RATE
    vowel = sum(np.sin(2 * np.pi * 120 * harmonic * seconds) / harmonic for harmonic in range(1, 20))
    assert voiced_s(np.round(3_000 * np.asarray(vowel)).astype(np.int16)) == pytest.approx(0.98)
    assert voiced_s(np.zeros(RATE, np.int16)) == 0.0
    assert voiced_s(np.zeros(100, np.int16)) == 0.0
    assert voiced_s(BREATHS[0]) == 0.0
