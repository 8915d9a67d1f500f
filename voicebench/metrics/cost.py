"""What a call cost, in US dollars, from its trace, its exchanges and dated prices.

Prices come from ``genai-prices``, whose data are in the package: no network is used. A price in the pipeline file
replaces it for that model. A model without a price costs an unknown sum, never 0; what runs on this machine costs 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

from voicebench.record.exchanges import AgentAsrExchange, AgentTtsExchange, Exchange, TranscriptionExchange
from voicebench.record.figures import CallCost, CostSums, PartCost
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.record.spans import LlmSpan
from voicebench.record.trace import TraceRecord

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice

__all__ = ["PARTS", "Service", "call_cost", "request_usd", "total_cost"]

PARTS = ("agent", "caller", "asr", "tts")
"""What costs apart: the agent's language model, the caller's, the agent's recognition, and the agent's synthesis. The
caller's recognition and voice are on this machine, and cost nothing."""

Prices = Mapping[str, Mapping[str, float | None]]
"""Model to its prices by the keys of ``genai-prices``: ``input_mtok``, ``cache_read_mtok``, ``output_mtok``, …"""

_OPENAI = "https://api.openai.com/v1"
_SAMPLES_PER_S = 16_000
_DIGITS = 8
_BASIC = {
    "input_tokens": "input_mtok",
    "output_tokens": "output_mtok",
    "audio_seconds": "audio_hours",
    "input_characters": "input_mchars",
}
"""Units that a model needs a price of its own for."""


class _Unknown(Exception):
    """Why a cost is not known."""


@dataclass(frozen=True)
class Service:
    """Who does a part of a call.

    Attributes:
        model: name that the provider knows.
        base_url: of its API; None is OpenAI's.
        local: whether it runs on this machine, and so costs nothing.
    """

    model: str
    base_url: str | None = None
    local: bool = False


def call_cost(
    trace: Iterable[TraceRecord],
    exchanges: Iterable[Exchange],
    services: Mapping[str, Service],
    prices: Prices,
    on: date,
) -> CallCost:
    """Return what a call cost.

    Args:
        trace: tokens are in its ``llm`` spans.
        exchanges: seconds heard and characters spoken are in them.
        services: who does each of ``PARTS``.
        prices: of the pipeline file.
        on: the day of the call, since prices change.
    """
    usages = _usages(list(trace), list(exchanges))
    parts = {part: _part(services[part], usages[part], prices, on) for part in PARTS}
    return CallCost(usd=_sum([part.usd for part in parts.values()]), on=on.isoformat(), **parts)


def total_cost(costs: Iterable[CallCost | None]) -> CostSums:
    """Add the costs of calls; None stands for a call of which nothing is known."""
    all_costs = list(costs)
    parts = {part: [None if cost is None else getattr(cost, part).usd for cost in all_costs] for part in PARTS}
    whole = [None if cost is None else cost.usd for cost in all_costs]
    known = [value for values in parts.values() for value in values if value is not None]
    return CostSums(
        usd=_sum(whole),
        **{part: _sum(values) for part, values in parts.items()},
        at_least_usd=round(sum(known), _DIGITS),
        unknown_calls=whole.count(None),
    )


def request_usd(service: Service, prices: Prices, on: date, usage: Mapping[str, float]) -> float | None:
    """Return what one request would cost, or None if there is no price for it.

    Args:
        service: who answers it.
        prices: of the pipeline file.
        on: the day.
        usage: units of ``genai-prices`` to amounts, as ``input_tokens``.
    """
    return _part(service, [dict(usage)], prices, on).usd


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known), _DIGITS) if len(known) == len(values) else None


Usage = dict[str, float] | None
"""Amounts by unit; None if the provider did not tell them."""


def _usages(trace: Sequence[TraceRecord], exchanges: Sequence[Exchange]) -> dict[str, list[Usage]]:
    """Return what each part used, one entry a request."""
    used: dict[str, list[Usage]] = {part: [] for part in PARTS}
    for span in trace:
        if isinstance(span, LlmSpan) and (usage := _tokens(span)) != {}:
            used[span.party].append(usage)
    for line in exchanges:
        if isinstance(line, AgentAsrExchange):
            used["asr"].append({"audio_seconds": line.samples / _SAMPLES_PER_S})
        elif isinstance(line, TranscriptionExchange) and line.party == "agent":
            used["asr"].append(_transcribed(line.usage))
        elif isinstance(line, AgentTtsExchange):
            used["tts"].append({"input_characters": len(line.text)})
    return used


def _transcribed(usage: JsonObject) -> Usage:
    """Return what writing the caller down used: seconds, or tokens, some of them audio; None if neither is known."""
    seconds, details = usage.get("seconds"), usage.get("input_token_details")
    if isinstance(seconds, int | float):
        return {"audio_seconds": float(seconds)}
    if usage.get("input_tokens") is None:
        return None
    amounts: dict[str, JsonValue] = {
        "input_tokens": usage["input_tokens"],
        "output_tokens": usage.get("output_tokens"),
        "input_audio_tokens": details.get("audio_tokens") if isinstance(details, dict) else None,
    }
    return {unit: float(amount) for unit, amount in amounts.items() if isinstance(amount, int | float) and amount}


def _tokens(request: LlmSpan) -> Usage:
    """Return the tokens of a request: nothing if it was never answered, None if an answered one has none.

    Cached and audio tokens are among the input tokens, cached audio tokens among both, and all are taken out of them
    before they are priced.
    """
    if request.input_tokens is None or request.output_tokens is None:
        return {} if request.ttft_ms is None else None
    amounts = {
        "input_tokens": request.input_tokens,
        "output_tokens": request.output_tokens,
        "cache_read_tokens": request.cached_tokens,
        "input_audio_tokens": request.input_audio_tokens,
        "cache_audio_read_tokens": request.cached_audio_tokens,
        "output_audio_tokens": request.output_audio_tokens,
    }
    usage: dict[str, float] = {unit: amount for unit, amount in amounts.items() if amount}
    if "cache_read_tokens" in usage and "input_audio_tokens" in usage:
        # Where the provider does not say how many of the cached tokens were audio, none is taken to have been.
        usage.setdefault("cache_audio_read_tokens", 0)
    return usage


def _part(service: Service, usages: Sequence[Usage], prices: Prices, on: date) -> PartCost:
    if service.local:
        return PartCost(model=service.model, usd=0.0, reason="runs on this machine")
    try:
        total = sum((_usd(service, usage, prices, on) for usage in usages), Decimal(0))
    except _Unknown as unknown:
        return PartCost(model=service.model, usd=None, reason=str(unknown))
    return PartCost(model=service.model, usd=round(float(total), _DIGITS), reason=None)


def _usd(service: Service, usage: Usage, prices: Prices, on: date) -> Decimal:
    from genai_prices import Usage as Used
    from genai_prices.types import ModelPrice

    if usage is None:
        raise _Unknown("unknown: an answer came without its usage")
    own = prices.get(service.model)
    if own is not None:
        price = ModelPrice(**{key: Decimal(str(value)) for key, value in own.items() if value is not None})
    elif (dated := _dated_price(service.model, service.base_url or _OPENAI, on)) is not None:
        price = dated
    else:
        hint = "give one under `prices:` in the pipeline"
        raise _Unknown(f"unknown: no price for model {service.model!r} there; {hint}")
    for unit, key in _BASIC.items():
        if usage.get(unit) and getattr(price, key) is None:
            raise _Unknown(f"unknown: no price of {unit.replace('_', ' ')} for model {service.model!r}")
    try:
        return price.calc_price(Used(**usage))["total_price"]
    except ValueError as error:
        raise _Unknown(f"unknown: {error}") from error


@cache
def _dated_price(model: str, base_url: str, on: date) -> ModelPrice | None:
    from genai_prices import Usage as Used
    from genai_prices import calc_price

    noon = datetime.combine(on, time(12), UTC)
    try:
        return calc_price(Used(), model, provider_api_url=base_url, genai_request_timestamp=noon).model_price
    except LookupError:
        return None
