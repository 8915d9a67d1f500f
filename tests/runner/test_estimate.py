"""Estimates before the first call."""

from __future__ import annotations

import pytest

from voicebench.config import Pipeline, load_pipeline
from voicebench.runner.estimate import estimate

pytestmark = pytest.mark.unit


def model(name: str, *overrides: str) -> Pipeline:
    return load_pipeline("fast", ["channel=text", f"agent.llm.model={name}", *overrides])


def test_a_usual_call_of_a_known_model_costs_its_tokens() -> None:
    told = estimate(model("gpt-4.1-mini"), 40, 10, 1, [])
    assert told.usd == pytest.approx(10 * 12 * (5_000 * 0.4 + 40 * 1.6) / 1e6)
    assert told.wall_s == 10 * 12.5 + 5.0
    assert str(told).startswith("10 of 40 calls to make: about 2 min and $0.25 (a usual call: 12 s, 12 requests")


def test_workers_share_the_time_and_not_the_money() -> None:
    alone, shared = (estimate(model("gpt-4.1-mini"), 10, 10, workers, []) for workers in (1, 4))
    assert shared.wall_s == 3 * 12.5 + 5.0
    assert shared.usd == alone.usd


def test_a_model_without_a_price_is_unknown_unless_the_pipeline_has_one() -> None:
    assert estimate(model("nobody-1"), 1, 1, 1, []).usd is None
    assert "a cost that is unknown" in str(estimate(model("nobody-1"), 1, 1, 1, []))
    priced = model("nobody-1", "prices={nobody-1: {input_mtok: 1, output_mtok: 0}}")
    assert estimate(priced, 1, 1, 1, []).usd == pytest.approx(0.06)


def test_what_is_done_takes_nothing() -> None:
    told = estimate(model("reference"), 4, 0, 2, [])
    assert (told.wall_s, told.usd) == (0.0, 0.0)


def test_a_caller_that_a_model_plays_costs_its_own_tokens() -> None:
    played = ["caller.kind=llm", "caller.llm.model=gpt-4o-mini-2024-07-18"]
    told = estimate(model("reference", *played), 10, 10, 1, [])
    assert told.usd == pytest.approx(10 * 8 * (2_500 * 0.15 + 20 * 0.6) / 1e6)
    assert told.wall_s == 10 * 8.5 + 5.0
    assert estimate(model("reference", "caller.kind=llm"), 10, 10, 1, []).usd == 0.0
    assert estimate(model("reference", "caller.kind=llm", "caller.llm.model=nobody-1"), 1, 1, 1, []).usd is None
