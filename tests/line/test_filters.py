"""The filters have the response of their tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from voicebench.line.filters import FILTERS, IRS_SEND_DB, design, telephone_filter

pytestmark = pytest.mark.unit


def response_db(name: str, rate_hz: int, frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
    taps = design(FILTERS[name], rate_hz)
    phase = np.exp(-2j * np.pi * np.outer(frequencies, np.arange(taps.size)) / rate_hz)
    response: NDArray[np.float64] = 20.0 * np.log10(np.abs(phase @ taps) + 1e-9)
    return response


@pytest.mark.parametrize("rate_hz", [8_000, 16_000])
def test_irs_send_follows_p48_relative_to_1_khz(rate_hz: int) -> None:
    band = np.array([hertz for hertz in IRS_SEND_DB if 300 <= hertz <= 3400], dtype=np.float64)
    expected = np.array([IRS_SEND_DB[int(hertz)] - IRS_SEND_DB[1000] for hertz in band])
    assert response_db("irs", rate_hz, band) == pytest.approx(expected, abs=0.5)
    between = np.arange(300.0, 3401.0, 10.0)
    curve = np.interp(between, list(IRS_SEND_DB), list(IRS_SEND_DB.values())) - IRS_SEND_DB[1000]
    assert response_db("irs", rate_hz, between) == pytest.approx(curve, abs=2.0)


@pytest.mark.parametrize("rate_hz", [8_000, 16_000])
@pytest.mark.parametrize("name", ["irs", "telephone"])
def test_what_is_below_100_hz_is_40_db_down(name: str, rate_hz: int) -> None:
    assert response_db(name, rate_hz, np.arange(10.0, 101.0, 5.0)).max() <= -40.0


def test_the_telephone_band_is_flat_and_ends() -> None:
    assert response_db("telephone", 8_000, np.arange(400.0, 3301.0, 10.0)) == pytest.approx(0.0, abs=0.2)
    assert response_db("telephone", 8_000, np.array([300.0, 3400.0])) == pytest.approx(-0.5, abs=0.1)
    assert response_db("telephone", 16_000, np.arange(4000.0, 8000.0, 50.0)).max() <= -39.0


@given(cuts=st.lists(st.integers(0, 1000), max_size=12))
@settings(max_examples=25, deadline=None)
def test_any_chunking_gives_the_same_bits(cuts: list[int]) -> None:
    samples = np.rint(np.random.default_rng(6).normal(0.0, 4000.0, 1000))
    fir = telephone_filter("irs", 8_000)
    chunks = [fir.process(chunk) for chunk in np.split(samples, sorted(cuts))]
    assert np.array_equal(np.concatenate(chunks), telephone_filter("irs", 8_000).process(samples))


@pytest.mark.parametrize("rate_hz", [8_000, 16_000])
def test_the_delay_is_10_ms_and_the_phase_linear(rate_hz: int) -> None:
    taps = design(IRS_SEND_DB, rate_hz)
    assert np.array_equal(taps, taps[::-1])
    assert taps.size // 2 == rate_hz // 100
    assert telephone_filter("irs", rate_hz).delay_samples == 160
