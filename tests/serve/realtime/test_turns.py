"""Server VAD: where turns begin and end."""

from __future__ import annotations

import numpy as np
import pytest

from tests.agent.phone import say
from voicebench.serve.realtime.turns import Started, Stopped, TurnDetector

pytestmark = pytest.mark.audio


def found(detector: TurnDetector, samples: np.ndarray[tuple[int], np.dtype[np.int16]], chunk: int) -> list[object]:
    return [event for at in range(0, len(samples), chunk) for event in detector.receive(samples[at : at + chunk])]


def test_a_turn_begins_before_its_first_word_and_ends_with_the_silence_after_it() -> None:
    speech = say((1.0, "Where is my parcel?"))
    samples = np.concatenate([speech, np.zeros(16_000, np.int16)])
    started, stopped = found(TurnDetector(0.5, 300, 500), samples, 320)
    assert isinstance(started, Started)
    assert isinstance(stopped, Stopped)
    assert 500 <= started.audio_start_ms <= 1_000
    end_ms = len(speech) / 16
    assert end_ms + 300 <= stopped.audio_end_ms <= end_ms + 620
    assert len(stopped.samples) / 16 == stopped.audio_end_ms - started.audio_start_ms


def test_the_chunks_in_which_audio_comes_change_nothing() -> None:
    samples = np.concatenate([say((0.5, "Hello there."), (2.5, "It is me.")), np.zeros(16_000, np.int16)])
    times = [
        [getattr(event, "audio_end_ms", None) or getattr(event, "audio_start_ms", None) for event in events]
        for events in (found(TurnDetector(), samples, chunk) for chunk in (320, 441, 7_000))
    ]
    assert times[0] == times[1] == times[2]
    assert len(times[0]) == 4


def test_a_turn_without_end_is_cut() -> None:
    sentence = say((0.0, "and then I went to the shop and then I went home and then I went to the shop again"))
    stretch = np.tile(sentence, 8)
    events = found(TurnDetector(0.5, 300, 2_000), stretch, 320)
    stops = [event for event in events if isinstance(event, Stopped)]
    assert len(stops[0].samples) == 20 * 16_000


def test_silence_is_no_turn() -> None:
    noise = np.random.default_rng(1).normal(0, 10, 48_000).astype(np.int16)
    assert found(TurnDetector(), noise, 320) == []
