"""The detector hears a voice over the line's noise and over babble, and lets go between words."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from voicebench.errors import ConfigError
from voicebench.speech.tts import load_voice
from voicebench.speech.vad import FRAME, Vad

pytestmark = pytest.mark.audio

Samples = npt.NDArray[np.int16]
SENTENCE = "I would like to check on my order, please. It was placed last week."
RATE = 16_000


def at_level(samples: npt.NDArray[np.float64], dbov: float) -> npt.NDArray[np.float64]:
    scaled: npt.NDArray[np.float64] = samples / np.sqrt(np.mean(samples**2)) * 32768.0 * 10.0 ** (dbov / 20.0)
    return scaled


def white(count: int, dbov: float) -> npt.NDArray[np.float64]:
    return at_level(np.random.default_rng(7).standard_normal(count), dbov)


def babble(count: int, dbov: float) -> npt.NDArray[np.float64]:
    texts = ("Could you tell me where the nearest station is?", "My sister worked there for seven years or so.")
    voices = [load_voice(name).synthesize(text) for name in ("joe", "heart", "heart-low") for text in texts]
    spread = [np.roll(np.resize(voice, count), 9000 * index).astype(np.float64) for index, voice in enumerate(voices)]
    return at_level(np.sum(spread, axis=0), dbov)


def heard(samples: npt.NDArray[np.float64] | Samples, vad: Vad | None = None) -> npt.NDArray[np.bool_]:
    vad = vad or Vad()
    pcm = np.clip(np.rint(samples), -32768, 32767).astype(np.int16)
    return np.array([vad.is_speech(pcm[at : at + FRAME]) for at in range(0, len(pcm) - FRAME + 1, FRAME)])


def call(noise: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], int, int]:
    """Three seconds of noise, a sentence in it, noise again; and the frames where the sentence is."""
    speech = load_voice("heart").synthesize(SENTENCE)
    samples = noise.copy()
    samples[3 * RATE : 3 * RATE + len(speech)] += speech
    return samples, 3 * RATE // FRAME, (3 * RATE + len(speech)) // FRAME


def longest_run(frames: npt.NDArray[np.bool_]) -> int:
    return max((len(run) for run in "".join("x" if frame else " " for frame in frames).split()), default=0)


@pytest.mark.parametrize("dbov", [-65.0, -55.0])
def test_digital_silence_and_line_noise_are_not_speech(dbov: float) -> None:
    assert not heard(np.zeros(5 * RATE)).any()
    assert not heard(white(5 * RATE, dbov)).any()


@pytest.mark.parametrize(("kind", "dbov"), [("line", -65.0), ("white", -46.0), ("babble", -41.0), ("babble", -36.0)])
def test_a_sentence_is_heard_from_its_start_and_released_at_its_end(kind: str, dbov: float) -> None:
    count = 10 * RATE
    samples, start, stop = call(babble(count, dbov) if kind == "babble" else white(count, dbov))
    frames = heard(samples)
    assert frames[start : start + 10].any()
    assert frames[start:stop].mean() > 0.45
    assert frames[start + 100 : stop].any()
    assert longest_run(frames[stop + 5 :]) <= 5


def test_a_pause_within_a_sentence_is_shorter_than_a_turn_end() -> None:
    samples, start, stop = call(white(10 * RATE, -65.0))
    spoken = np.flatnonzero(heard(samples)[start:stop])
    assert np.diff(spoken).max() * 0.02 < 0.5


def test_unbroken_speech_does_not_shut_its_own_gate() -> None:
    joe = load_voice("joe")
    long = np.concatenate([joe.synthesize(SENTENCE)] * 6)
    vad = Vad()
    frames = heard(long, vad)
    first, last = frames[: len(frames) // 3].mean(), frames[-len(frames) // 3 :].mean()
    assert last > 0.8 * first > 0.4
    assert vad.gate_dbov <= -30.0


def test_a_loud_tone_raises_the_gate_to_its_cap_and_silence_lowers_it_to_its_floor() -> None:
    vad = Vad(gate_db=6.0)
    heard(at_level(np.sin(2 * np.pi * 300 * np.arange(4 * RATE) / RATE), -20.0), vad)
    assert vad.gate_dbov == -30.0
    heard(white(4 * RATE, -46.0), vad)
    assert vad.gate_dbov == pytest.approx(-40.0, abs=0.6)
    heard(np.zeros(4 * RATE), vad)
    assert vad.gate_dbov == -52.0


def test_equal_frames_give_equal_answers() -> None:
    samples, _, _ = call(white(6 * RATE + RATE * 4, -40.0))
    assert (heard(samples) == heard(samples)).all()


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ConfigError, match="aggressiveness 4"):
        Vad(aggressiveness=4)
    with pytest.raises(ConfigError, match="gate_db"):
        Vad(gate_db=-1.0)
    with pytest.raises(ValueError, match=r"int16\[320\]"):
        Vad().is_speech(np.zeros(160, np.int16))
