from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from voicebench.metrics import recording_activity, voice_activity

pytestmark = pytest.mark.unit

RATE = 16_000
Pcm = npt.NDArray[np.int16]


def noise(seconds: float, dbov: float, seed: int = 1) -> Pcm:
    samples = np.random.default_rng(seed).normal(0.0, 32768.0 * 10.0 ** (dbov / 20.0), round(seconds * RATE))
    return np.clip(np.round(samples), -32768, 32767).astype(np.int16)


def channel(total_s: float, *speech: tuple[float, float], dbov: float = -26.0, line_dbov: float = -65.0) -> Pcm:
    samples = noise(total_s, line_dbov)
    for start, end in speech:
        samples[round(start * RATE) : round(end * RATE)] = noise(end - start, dbov, seed=2)
    return samples


def test_line_noise_is_no_speech_and_speech_is_found_to_5_ms() -> None:
    assert voice_activity(channel(3.0), RATE) == []
    assert voice_activity(channel(3.0, (1.0, 2.0)), RATE) == [(1.0, 2.0)]
    ((start, end),) = voice_activity(channel(3.0, (1.007, 2.012)), RATE)
    assert start == pytest.approx(1.007, abs=0.005)
    assert end == pytest.approx(2.012, abs=0.005)


def test_speech_just_over_the_threshold_counts_and_just_under_does_not() -> None:
    assert voice_activity(channel(2.0, (0.5, 1.5), dbov=-44.0), RATE) == [(0.5, 1.5)]
    assert voice_activity(channel(2.0, (0.5, 1.5), dbov=-47.0), RATE) == []


def test_pauses_under_300_ms_are_merged_and_longer_ones_are_not() -> None:
    assert voice_activity(channel(3.0, (0.5, 1.0), (1.28, 2.0)), RATE) == [(0.5, 2.0)]
    assert voice_activity(channel(3.0, (0.5, 1.0), (1.32, 2.0)), RATE) == [(0.5, 1.0), (1.32, 2.0)]


def test_a_click_is_no_speech() -> None:
    assert voice_activity(channel(2.0, (0.5, 0.54)), RATE) == []
    assert voice_activity(channel(2.0, (0.5, 0.56)), RATE) == [(0.5, 0.56)]


def test_speech_to_the_very_end_ends_there() -> None:
    assert voice_activity(channel(2.0, (1.0, 2.0)), RATE) == [(1.0, 2.0)]


def test_a_loud_background_is_not_taken_for_speech() -> None:
    babble = channel(6.0, (2.0, 3.0), dbov=-24.0, line_dbov=-41.0)
    ((start, end),) = voice_activity(babble, RATE)
    assert start == pytest.approx(2.0, abs=0.02)
    assert end == pytest.approx(3.0, abs=0.02)


def test_a_channel_that_is_nearly_all_speech_is_still_speech() -> None:
    assert voice_activity(channel(4.0, (0.1, 3.9)), RATE) == [(0.1, 3.9)]


def test_nothing_to_measure_is_no_speech() -> None:
    assert voice_activity(np.zeros(0, np.int16), RATE) == []
    assert voice_activity(np.zeros(RATE, np.int16), RATE) == []


def test_another_rate_gives_the_same_times() -> None:
    assert voice_activity(channel(3.0, (1.0, 2.0))[::2], RATE // 2) == [(1.0, 2.0)]


def wav(*channels: Pcm) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, np.stack(channels, axis=1), RATE, format="WAV", subtype="PCM_16")
    return file.getvalue()


def test_left_is_the_caller_and_right_the_agent() -> None:
    caller, agent = recording_activity(wav(channel(3.0, (2.0, 2.5)), channel(3.0, (0.5, 1.0))))
    assert (caller, agent) == ([(2.0, 2.5)], [(0.5, 1.0)])


@pytest.mark.parametrize("recording", [b"no wav", wav(channel(0.5))])
def test_what_is_no_stereo_wav_is_refused(recording: bytes) -> None:
    with pytest.raises(ValueError, match="recording"):
        recording_activity(recording)
