"""Every voice's samples are trimmed, joined, pitched and levelled alike."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from voicebench.speech.audio import finish, join_chunks, trim_silence

pytestmark = pytest.mark.unit

RATE = 24_000


def tone(seconds: float, hz: float = 200.0) -> npt.NDArray[np.float32]:
    return np.sin(2 * np.pi * hz * np.arange(int(seconds * RATE)) / RATE).astype(np.float32) * np.float32(0.5)


def silence(seconds: float) -> npt.NDArray[np.float32]:
    return np.zeros(int(seconds * RATE), np.float32)


def test_silence_at_both_ends_is_cut_to_thirty_milliseconds() -> None:
    trimmed = trim_silence(np.concatenate([silence(0.5), tone(1.0), silence(0.7)]), RATE)
    assert len(trimmed) == RATE * 1.06
    assert np.flatnonzero(trimmed)[0] == int(0.03 * RATE) + 1


def test_less_silence_than_that_is_kept_and_nothing_but_silence_is_nothing() -> None:
    assert len(trim_silence(np.concatenate([silence(0.01), tone(0.5)]), RATE)) == RATE * 0.51
    assert len(trim_silence(silence(1.0), RATE)) == 0
    assert len(trim_silence(silence(0.001), RATE)) == 0


def test_sentences_are_joined_with_a_pause_that_ends_no_turn() -> None:
    padded = np.concatenate([silence(0.4), tone(0.5), silence(0.4)])
    joined = join_chunks([padded, silence(1.0), padded], RATE)
    quiet = np.flatnonzero(joined)
    assert np.diff(quiet).max() / RATE == pytest.approx(0.16, abs=0.001)
    assert len(join_chunks([], RATE)) == 0


def test_pitch_and_gain() -> None:
    plain = finish(tone(1.0), RATE, pitch=1.0, gain_db=0.0)
    raised = finish(tone(1.0), RATE, pitch=1.25, gain_db=-6.0206)
    assert plain.dtype == np.int16
    assert (len(plain), len(raised)) == (16_000, 12_800)
    assert abs(int(plain.max()) - 16384) < 40
    assert abs(int(raised.max()) - 8192) < 40
    assert int(np.argmax(np.abs(np.fft.rfft(raised[:12_800])))) * 16_000 / 12_800 == pytest.approx(250.0)


def test_overshoot_is_clipped_and_not_wrapped() -> None:
    loud = finish(tone(0.5), RATE, pitch=1.0, gain_db=20.0)
    assert (loud.max(), loud.min()) == (32767, -32768)
