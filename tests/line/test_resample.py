"""Resampling delays by 2 ms, keeps the band, and does not care how it is fed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from voicebench.line.resample import Resampler

pytestmark = pytest.mark.unit

RATES = [(16_000, 8_000), (8_000, 16_000), (44_100, 16_000), (16_000, 16_000)]


def noise(size: int) -> NDArray[np.float64]:
    return np.rint(np.random.default_rng(5).normal(0.0, 4000.0, size))


def amplitude_through(from_hz: int, to_hz: int, tone_hz: float) -> float:
    """Amplitude of a tone of amplitude 10000 after conversion, by its largest sample energy away from the edges."""
    tone = 10_000.0 * np.sin(2.0 * np.pi * tone_hz * np.arange(from_hz) / from_hz)
    out = Resampler(from_hz, to_hz).process(tone)[to_hz // 10 :]
    return float(np.sqrt(2.0 * np.mean(out**2)))


@pytest.mark.parametrize(("from_hz", "to_hz"), RATES)
@given(cuts=st.lists(st.integers(0, 2000), max_size=12))
@settings(max_examples=15, deadline=None)
def test_any_chunking_gives_the_same_bits(from_hz: int, to_hz: int, cuts: list[int]) -> None:
    samples = noise(2000)
    whole = Resampler(from_hz, to_hz).process(samples)
    resampler = Resampler(from_hz, to_hz)
    chunks = [resampler.process(chunk) for chunk in np.split(samples, sorted(cuts))]
    assert np.array_equal(np.concatenate(chunks), whole)
    assert whole.size == -(-2000 * to_hz // from_hz)


@pytest.mark.parametrize(("from_hz", "to_hz"), RATES)
def test_an_impulse_comes_out_2_ms_later(from_hz: int, to_hz: int) -> None:
    impulse = np.zeros(from_hz // 10)
    impulse[from_hz // 50] = 10_000.0
    peak = int(np.argmax(np.abs(Resampler(from_hz, to_hz).process(impulse))))
    assert peak == to_hz // 50 + to_hz // 500
    assert Resampler(from_hz, to_hz).delay_samples == 32


@pytest.mark.parametrize(("from_hz", "to_hz"), RATES[:2])
@pytest.mark.parametrize("tone_hz", [50.0, 1000.0, 3400.0])
def test_the_telephone_band_passes_unchanged(from_hz: int, to_hz: int, tone_hz: float) -> None:
    assert 20.0 * np.log10(amplitude_through(from_hz, to_hz, tone_hz) / 10_000.0) == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("tone_hz", [4700.0, 6000.0, 7900.0])
def test_what_would_alias_into_the_band_is_gone(tone_hz: float) -> None:
    assert 20.0 * np.log10(amplitude_through(16_000, 8_000, tone_hz) / 10_000.0) < -70.0


def test_upsampling_leaves_no_image() -> None:
    tone = 10_000.0 * np.sin(2.0 * np.pi * 3000.0 * np.arange(8_000) / 8_000)
    out = Resampler(8_000, 16_000).process(tone)[1_600:14_400]
    spectrum = np.abs(np.fft.rfft(out * np.hanning(out.size)))
    image = spectrum[out.size * 4_600 // 16_000 :].max()
    assert 20.0 * np.log10(image / spectrum.max()) < -70.0


def test_silence_and_a_constant_pass_exactly() -> None:
    assert not Resampler(8_000, 16_000).process(np.zeros(800)).any()
    constant = Resampler(8_000, 16_000).process(np.full(800, 1000.0))
    assert constant[100:] == pytest.approx(1000.0, abs=0.02)
