from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from voicebench.caller.speech_listener import CallerListener
from voicebench.speech.vad import FRAME, Vad

pytestmark = pytest.mark.unit

QUIET = np.zeros(FRAME, np.int16)


def buzz(frames: int) -> npt.NDArray[np.int16]:
    """A glottal buzz at 120 Hz through one resonance: speech for a detector, made of arithmetic alone."""
    n = np.arange(frames * FRAME)
    pulses = ((n * 120) % 16_000 < 120).astype(np.float64)
    formant = np.exp(-np.arange(400) / 60.0) * np.cos(2 * np.pi * 700 * np.arange(400) / 16_000)
    wave = np.convolve(pulses, formant)[: len(n)]
    samples: npt.NDArray[np.int16] = (wave / np.abs(wave).max() * 9_000).astype(np.int16)
    return samples


def hear(listener: CallerListener, samples: npt.NDArray[np.int16]) -> list[bool]:
    return [listener.hear(frame) for frame in samples.reshape(-1, FRAME)]


def test_speech_begins_once_and_ends_with_its_last_frame() -> None:
    listener = CallerListener(Vad())
    hear(listener, np.tile(QUIET, 20))

    begins = hear(listener, buzz(40))
    hear(listener, np.tile(QUIET, 35))

    assert begins.count(True) == 1
    assert begins.index(True) <= 4
    assert listener.last_speech == 59
    assert (listener.quiet_frames, listener.is_speaking) == (35, False)


def test_a_click_is_no_speech() -> None:
    listener = CallerListener(Vad())

    assert not any(hear(listener, np.concatenate([np.tile(QUIET, 20), buzz(2), np.tile(QUIET, 20)])))
    assert listener.take() is None


def test_what_was_heard_holds_the_speech_and_some_silence_around_it() -> None:
    listener = CallerListener(Vad())
    speech = buzz(40)
    hear(listener, np.concatenate([np.tile(QUIET, 20), speech, np.tile(QUIET, 35)]))

    heard = listener.take()

    assert heard is not None
    assert 20 <= heard.start <= 22
    assert heard.end == 60
    assert heard.speech_frames == heard.end - heard.start
    assert len(heard.samples) <= (10 + 40 + 15) * FRAME
    assert np.array_equal(heard.samples[-15 * FRAME - len(speech) + 3 * FRAME : -15 * FRAME], speech[3 * FRAME :])
    assert listener.take() is None


def test_peeking_forgets_nothing() -> None:
    listener = CallerListener(Vad())
    hear(listener, np.concatenate([np.tile(QUIET, 20), buzz(40)]))
    peeked = listener.peek()
    hear(listener, np.concatenate([buzz(20), np.tile(QUIET, 20)]))
    taken = listener.take()

    assert peeked is not None
    assert taken is not None
    assert (peeked.end, taken.end) == (60, 80)
    assert peeked.start == taken.start
