"""Cost: dated prices, cached tokens once, each part apart, and unknown where it is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest

from voicebench.metrics.cost import Service, call_cost, request_usd, total_cost
from voicebench.record.exchanges import (
    AgentAsrExchange,
    AgentTtsExchange,
    CallerAsrExchange,
    CallerTtsExchange,
    Exchange,
)
from voicebench.record.figures import CallCost, PartCost
from voicebench.record.spans import LlmSpan

pytestmark = pytest.mark.unit

DAY = date(2026, 8, 1)
LOCAL = Service("own", local=True)
SERVICES = {"agent": Service("gpt-4.1-mini"), "caller": LOCAL, "asr": LOCAL, "tts": LOCAL}
MILLION = 1_000_000


def llm(
    tokens_in: int | None, tokens_out: int | None, cached: int | None = None, ttft_ms: float | None = 300.0, **more: Any
) -> LlmSpan:
    return LlmSpan(
        start_ns=0,
        end_ns=1,
        ttft_ms=ttft_ms,
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        cached_tokens=cached,
        **more,
    )


RECOGNISED: dict[str, Any] = {
    **dict.fromkeys(("sha256", "text"), ""),
    **dict.fromkeys(("no_speech_prob", "avg_logprob", "compression_ratio"), 0),
    "filtered": None,
}
SYNTHESISED: dict[str, Any] = {"voice": "v", "seed": 1, "samples": 1, "sha256": "", "start_ns": 0}


def recognised(samples: int) -> AgentAsrExchange:
    return AgentAsrExchange(span_id="s", samples=samples, audio_start_ns=0, audio_end_ns=1, charge_ms=0, **RECOGNISED)


def synthesised(text: str) -> AgentTtsExchange:
    return AgentTtsExchange(text=text, charge_ms=0, **SYNTHESISED)


def cost(*trace: LlmSpan, prices: Any = None, exchanges: Sequence[Exchange] = (), **services: Service) -> CallCost:
    return call_cost(trace, exchanges, {**SERVICES, **services}, prices or {}, DAY)


def test_tokens_are_priced_for_each_part_apart() -> None:
    told = cost(llm(MILLION, 0), llm(0, MILLION), llm(None, None, ttft_ms=None))
    assert told.agent == PartCost(model="gpt-4.1-mini", usd=2.0, reason=None)  # 0.40 in, 1.60 out
    assert told.caller == PartCost(model="own", usd=0.0, reason="runs on this machine")
    assert (told.usd, told.on) == (2.0, "2026-08-01")


def test_cached_tokens_are_counted_once() -> None:
    assert cost(llm(MILLION, 0, cached=500_000)).usd == 0.5 * 0.4 + 0.5 * 0.1


@pytest.mark.parametrize(
    ("service", "reason"),
    [
        (Service("nobody-1"), "no price for model 'nobody-1' there"),
        (Service("gpt-4.1-mini", "http://127.0.0.1:8000/v1"), "no price for model 'gpt-4.1-mini' there"),
    ],
)
def test_a_model_without_a_price_is_unknown_and_never_free(service: Service, reason: str) -> None:
    told = cost(llm(10, 10), agent=service)
    assert (told.usd, told.agent.usd) == (None, None)
    assert reason in str(told.agent.reason)
    assert told.asr.usd == 0.0


def test_an_answer_without_usage_is_unknown() -> None:
    told = cost(llm(10, 10), llm(None, None))
    assert (told.usd, told.agent.reason) == (None, "unknown: an answer came without its usage")


def test_a_price_of_the_pipeline_goes_first_and_cached_tokens_cost_the_same_without_their_own() -> None:
    prices = {"gpt-4.1-mini": {"input_mtok": 2.0, "output_mtok": 8.0, "cache_read_mtok": None}}
    assert cost(llm(MILLION, MILLION, cached=500_000), prices=prices).usd == 10.0
    prices["gpt-4.1-mini"]["cache_read_mtok"] = 1.0
    assert cost(llm(MILLION, MILLION, cached=500_000), prices=prices).usd == 9.5


def test_audio_tokens_are_among_the_input_and_have_their_price() -> None:
    used = llm(MILLION, 0, input_audio_tokens=400_000)
    assert cost(used, agent=Service("gpt-realtime")).usd == pytest.approx(0.6 * 4 + 0.4 * 32)


def test_what_is_heard_and_spoken_is_priced_by_the_hour_and_by_the_character() -> None:
    exchanges: list[Exchange] = [
        recognised(16_000 * 1_800),
        CallerAsrExchange(start_ns=0, end_ns=1, samples=16_000 * 3_600, **RECOGNISED),
        synthesised("x" * 2_000),
    ]
    told = cost(exchanges=exchanges, asr=Service("whisper-1"), tts=Service("tts-1"))
    assert (told.asr.usd, told.tts.usd, told.caller.usd) == (0.18, 0.03, 0.0)


def test_a_unit_without_a_price_is_unknown_even_if_the_model_has_others() -> None:
    exchanges = [recognised(16_000)]
    told = cost(exchanges=exchanges, asr=Service("gpt-4.1-mini"))
    assert told.asr.usd is None
    assert "no price of audio seconds" in str(told.asr.reason)


def test_a_caller_s_model_is_the_caller_s_cost() -> None:
    told = cost(llm(MILLION, 0, party="caller"), caller=Service("gpt-4.1-mini"))
    assert (told.agent.usd, told.caller.usd) == (0.0, 0.4)


def test_sums_are_unknown_as_soon_as_one_is() -> None:
    known, unknown = cost(llm(MILLION, 0)), cost(llm(10, 10), agent=Service("nobody-1"))
    assert total_cost([known, known]).usd == 0.8
    told = total_cost([known, unknown, None])
    assert (told.usd, told.agent, told.asr) == (None, None, None)
    assert (told.at_least_usd, told.unknown_calls) == (0.4, 2)


def test_one_request_is_priced_for_estimates() -> None:
    usage = {"input_tokens": 1_000, "output_tokens": 100}
    assert request_usd(Service("gpt-4.1-mini"), {}, DAY, usage) == pytest.approx(0.00056)
    assert request_usd(Service("nobody-1"), {}, DAY, usage) is None
    assert request_usd(LOCAL, {}, DAY, usage) == 0.0


def test_the_callers_model_is_priced_by_its_own_tokens_and_its_ear_and_voice_cost_nothing() -> None:
    heard = CallerAsrExchange(start_ns=0, end_ns=1, samples=16_000 * 3600, **RECOGNISED)
    spoken = CallerTtsExchange(text="x" * 1000, **SYNTHESISED)
    told = cost(
        llm(MILLION, 0),
        llm(MILLION, MILLION, party="caller"),
        exchanges=[heard, spoken],
        caller=Service("gpt-4o-mini-2024-07-18"),
    )
    assert told.caller == PartCost(model="gpt-4o-mini-2024-07-18", usd=0.75, reason=None)  # 0.15 in, 0.60 out
    assert (told.agent.usd, told.usd) == (0.4, 1.15)
