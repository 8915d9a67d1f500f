from __future__ import annotations

from statistics import mean, stdev

import pytest

from voicebench.serve.timing import draw_ttft_ms

pytestmark = pytest.mark.unit


def test_draws_have_the_mean_and_the_spread_that_were_asked_for() -> None:
    draws = [draw_ttft_ms(300, 40, seed=1, call_id=f"call-{i}", number=i % 9) for i in range(2000)]
    assert mean(draws) == pytest.approx(300, abs=3)
    assert stdev(draws) == pytest.approx(40, abs=2)


def test_a_draw_depends_on_seed_call_and_number_alone() -> None:
    def draw(seed: int = 1, call_id: str = "a", number: int = 2) -> float:
        return draw_ttft_ms(300, 40, seed=seed, call_id=call_id, number=number)

    assert draw() == draw()
    assert len({draw(), draw(seed=2), draw(call_id="b"), draw(number=3)}) == 4


def test_no_draw_is_negative_and_without_spread_it_is_the_mean() -> None:
    assert min(draw_ttft_ms(10, 50, seed=0, call_id="c", number=i) for i in range(200)) == 0.0
    assert draw_ttft_ms(123.4, 0, seed=0, call_id="c", number=0) == 123.4
