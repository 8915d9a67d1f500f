"""P.56 measures speech while it is spoken."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from voicebench.line.data import sample_speech
from voicebench.line.level import P56, active_level_dbov, gain_db, rms_dbov

pytestmark = pytest.mark.unit

RATE = 16_000


def tone(seconds: float, dbov: float, rate: int = RATE) -> NDArray[np.float64]:
    amplitude = 32768.0 * 10.0 ** (dbov / 20.0) * math.sqrt(2.0)
    samples: NDArray[np.float64] = amplitude * np.sin(2.0 * np.pi * 1000.0 * np.arange(round(seconds * rate)) / rate)
    return samples


def pcm(samples: NDArray[np.float64]) -> NDArray[np.int16]:
    return np.rint(samples).astype(np.int16)


def method_b(samples: NDArray[np.int16], rate: int) -> float:
    """P.56 method B a sample at a time, with plain floats: a second opinion on the vectorised one."""
    decay, hangover = math.exp(-1.0 / (rate * 0.03)), math.ceil(rate * 0.2)
    thresholds = [2.0**power / 32768.0 for power in range(15)]
    counts, idle = [0] * 15, [hangover] * 15
    smooth = envelope = energy = 0.0
    for value in (samples / 32768.0).tolist():
        energy += value * value
        smooth = decay * smooth + (1.0 - decay) * abs(value)
        envelope = decay * envelope + (1.0 - decay) * smooth
        for index, threshold in enumerate(thresholds):
            if envelope >= threshold:
                idle[index] = 0
            elif idle[index] < hangover:
                idle[index] += 1
            else:
                break
            counts[index] += 1
    points = [
        (10.0 * math.log10(energy / count), 20.0 * math.log10(threshold))
        for count, threshold in zip(counts, thresholds, strict=True)
        if count
    ]
    for (low, low_threshold), (high, high_threshold) in pairwise(points):
        before, after = low - low_threshold - 15.9, high - high_threshold - 15.9
        if before > 0.0 >= after:
            return low + (high - low) * before / (before - after)
    raise AssertionError("no threshold lies at the margin")


@pytest.mark.parametrize("rate", [8_000, 16_000])
@pytest.mark.parametrize("dbov", [-40.0, -26.0, -15.0])
def test_a_steady_tone_is_as_loud_as_it_is(rate: int, dbov: float) -> None:
    measured = active_level_dbov(pcm(tone(10.0, dbov, rate)), rate)
    assert measured.active_dbov == pytest.approx(dbov, abs=0.05)
    assert measured.rms_dbov == pytest.approx(dbov, abs=0.01)
    assert measured.activity == pytest.approx(1.0, abs=0.01)


def test_long_pauses_lower_the_mean_but_not_the_active_level() -> None:
    """20 s of tone, 20 s of nothing: the hangover and the attack of 30 ms weigh less than 0.1 dB."""
    measured = active_level_dbov(pcm(np.concatenate([tone(20.0, -26.0), np.zeros(20 * RATE)])), RATE)
    assert measured.active_dbov == pytest.approx(-26.0, abs=0.1)
    assert measured.rms_dbov == pytest.approx(-29.01, abs=0.02)
    assert measured.activity == pytest.approx(0.5, abs=0.01)


def test_short_pauses_are_bridged_by_the_hangover() -> None:
    """Bursts of 300 ms with gaps of 100 ms count as speech throughout: the active level is the mean."""
    burst = np.concatenate([tone(0.3, -20.0), np.zeros(RATE // 10)])
    measured = active_level_dbov(pcm(np.tile(burst, 50)), RATE)
    assert measured.active_dbov == pytest.approx(-20.0 + 10.0 * math.log10(0.75), abs=0.05)


def test_the_speech_that_is_shipped_has_its_level_by_the_recursion_of_the_standard() -> None:
    """A fixed file, 17.8 s of two voices that are -26 dBov each, measured here and by the standard's own recursion."""
    samples = sample_speech()
    assert active_level_dbov(samples, RATE).active_dbov == pytest.approx(-26.155, abs=0.005)
    assert active_level_dbov(samples, RATE).active_dbov == pytest.approx(method_b(samples, RATE), abs=0.001)


@pytest.mark.parametrize("seed", [1, 2])
def test_speech_like_bursts_measure_as_by_the_recursion_of_the_standard(seed: int) -> None:
    generator = np.random.default_rng(seed)
    loudness = np.repeat(generator.choice([0.0, 0.02, 0.3, 1.0], 40), RATE // 10)
    samples = pcm(loudness * generator.normal(0.0, 3000.0, loudness.size))
    assert active_level_dbov(samples, RATE).active_dbov == pytest.approx(method_b(samples, RATE), abs=0.001)


def test_faint_noise_between_the_words_is_not_speech() -> None:
    generator = np.random.default_rng(3)
    speech = np.concatenate([tone(20.0, -26.0), np.zeros(20 * RATE)])
    noisy = pcm(speech + generator.normal(0.0, 18.0, speech.size))
    assert active_level_dbov(noisy, RATE).active_dbov == pytest.approx(-26.0, abs=0.1)


def test_silence_has_no_level_and_needs_no_gain() -> None:
    silent = active_level_dbov(np.zeros(RATE, dtype=np.int16), RATE)
    assert silent == P56(-math.inf, -math.inf, 0.0)
    assert gain_db(silent) == 0.0
    assert active_level_dbov(np.zeros(0, dtype=np.int16), RATE) == silent
    assert rms_dbov(np.zeros(0, dtype=np.int16)) == -math.inf


def test_gain_brings_speech_to_the_nominal_level() -> None:
    loud = tone(5.0, -14.0)
    gain = gain_db(active_level_dbov(pcm(loud), RATE))
    assert gain == pytest.approx(-12.0, abs=0.05)
    assert active_level_dbov(pcm(loud * 10.0 ** (gain / 20.0)), RATE).active_dbov == pytest.approx(-26.0, abs=0.02)


def test_a_full_scale_square_wave_is_0_dbov() -> None:
    square = np.full(RATE, -32768, dtype=np.int16)
    assert rms_dbov(square) == 0.0


def test_other_than_mono_int16_is_refused() -> None:
    with pytest.raises(ValueError, match="int16"):
        active_level_dbov(np.zeros((10, 2), dtype=np.int16), RATE)
