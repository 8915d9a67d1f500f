"""The E-model gives the values that the recommendation gives."""

from __future__ import annotations

import pytest

from voicebench.line.codecs import CODECS
from voicebench.line.emodel import IMPAIRMENTS, Conditions, mos, rate

pytestmark = pytest.mark.unit


def r(codec: str, kbps: float | None = None, **conditions: float | None) -> float:
    rating = rate(codec, kbps, Conditions(**conditions))  # type: ignore[arg-type]
    assert rating is not None
    return rating.r


def test_defaults_give_93_2() -> None:
    assert r("g711u") == pytest.approx(93.2, abs=0.05)


@pytest.mark.parametrize(
    ("rating", "score"), [(-1.0, 1.0), (0.0, 1.0), (50.0, 2.58), (60.0, 3.10), (70.0, 3.60), (80.0, 4.02), (90.0, 4.34),
                          (93.2, 4.41), (100.0, 4.5)]
)  # fmt: skip
def test_scores_are_those_of_annex_b(rating: float, score: float) -> None:
    assert mos(rating) == pytest.approx(score, abs=0.006)


def test_codecs_and_loss_take_off_what_g113_and_equation_7_29_say() -> None:
    assert r("g711u") - r("gsm") == pytest.approx(20.0)
    assert r("g711u") - r("amr_nb", 12.2) == pytest.approx(5.0)
    assert r("g711u") - r("g711u", concealed=0.02, mean_burst=1.0) == pytest.approx(95 * 2 / (2 + 25.1))
    bare = Conditions(concealed=0.02, mean_burst=1.0, conceals=False)
    rating = rate("g711u", None, bare)
    assert rating is not None
    assert r("g711u") - rating.r == pytest.approx(95 * 2 / (2 + 4.3))
    bursty = r("g711u") - r("g711u", concealed=0.02, mean_burst=3.0)
    assert bursty == pytest.approx(95 * 2 / (2 / (3 * 0.98) + 25.1))


def test_delay_weighs_beyond_150_ms_as_figure_of_g114() -> None:
    assert r("g711u") - r("g711u", delay_ms=100.0) == pytest.approx(2.0, abs=1.5)
    assert r("g711u", delay_ms=150.0) > 85.0
    assert r("g711u", delay_ms=400.0) == pytest.approx(60.0, abs=6.0)
    assert r("g711u", delay_ms=100.0) > r("g711u", delay_ms=200.0) > r("g711u", delay_ms=300.0)


def test_noise_and_echo_take_off_more_the_louder_they_are() -> None:
    assert r("g711u") > r("g711u", noise_dbov=-60.0) > r("g711u", noise_dbov=-46.0) > r("g711u", noise_dbov=-36.0)
    echoes = [r("g711u", delay_ms=150.0, echo_loss_db=loss) for loss in (55.0, 45.0, 30.0)]
    assert echoes == sorted(echoes, reverse=True)


def test_wideband_stands_on_its_own_scale_and_opus_on_none() -> None:
    assert r("none") == 129.0
    assert r("amr_wb", 12.65) == 116.0
    rating = rate("none", None, Conditions())
    assert rating is not None
    assert rating.mos == pytest.approx(4.41, abs=0.01)
    assert rate("opus_wb", 24.0, Conditions()) is None


def test_all_other_codecs_have_values_and_quality_rises_with_the_rate() -> None:
    named = {(name, kbps) for name, kind in CODECS.items() for kbps in kind.kbps or (None,) if "opus" not in name}
    assert set(IMPAIRMENTS) == named
    amr = [IMPAIRMENTS["amr_nb", kbps].ie for kbps in sorted(CODECS["amr_nb"].kbps)]
    assert amr == sorted(amr, reverse=True)
    assert all(values.source for values in IMPAIRMENTS.values())
