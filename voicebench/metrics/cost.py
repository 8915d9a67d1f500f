"""What a call cost, in US dollars, from its trace, its exchanges and dated prices.

Prices come from ``genai-prices``, whose data are in the package: no network is used. A price in the pipeline file
replaces it for that model. A model without a price costs an unknown sum, never 0; what runs on this machine costs 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice

__all__ = ["PARTS", "Service", "call_cost", "request_usd", "total_cost"]

PARTS = ("agent", "caller", "asr", "tts")
"""Whose costs are told apart: the agent's language model, the caller's, the agent's recognition, and the agent's
synthesis. The caller's ear and voice are on this machine, and cost nothing."""

Prices = Mapping[str, Mapping[str, float | None]]
"""Model to its prices by the keys of ``genai-prices``: ``input_mtok``, ``cache_read_mtok``, ``output_mtok``, …"""

_OPENAI = "https://api.openai.com/v1"
_SAMPLES_PER_S = 16_000
_DIGITS = 8
_TOKENS = {
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "cache_read_tokens": "gen_ai.usage.cached_tokens",
    "input_audio_tokens": "gen_ai.usage.input_audio_tokens",
    "cache_audio_read_tokens": "gen_ai.usage.cached_audio_tokens",
    "output_audio_tokens": "gen_ai.usage.output_audio_tokens",
}
"""Units of usage to attributes of an ``llm`` span. Cached and audio tokens are among the input tokens, cached audio
tokens among both, and all are taken out of them before they are priced."""
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
    trace: Iterable[dict[str, Any]],
    exchanges: Iterable[dict[str, Any]],
    services: Mapping[str, Service],
    prices: Prices,
    on: date,
) -> dict[str, Any]:
    """Return what a call cost.

    Args:
        trace: lines of ``trace.jsonl``; tokens are in its ``llm`` spans.
        exchanges: lines of ``exchanges.jsonl``; seconds heard and characters spoken are in them.
        services: who does each of ``PARTS``.
        prices: of the pipeline file.
        on: the day of the call, since prices change.

    Returns:
        ``usd``, null if any part is unknown; ``on``; and each part with ``model``, ``usd`` (null if unknown) and
        ``reason``.
    """
    usages = _usages(list(trace), list(exchanges))
    parts = {part: _part(services[part], usages[part], prices, on) for part in PARTS}
    sums = [part["usd"] for part in parts.values()]
    return {"usd": None if None in sums else round(sum(sums), _DIGITS), "on": on.isoformat(), **parts}


def total_cost(costs: Iterable[dict[str, Any] | None]) -> dict[str, Any]:
    """Add the costs of calls; None stands for a call of which nothing is known.

    Returns:
        ``usd`` and each part, null if it is unknown for any call; ``at_least_usd``, the sum of what is known; and
        ``unknown_calls``, the number of those whose cost is not known.
    """
    all_costs = list(costs)
    parts = {part: [(cost or {}).get(part, {}).get("usd") for cost in all_costs] for part in PARTS}
    whole = [None if cost is None else cost.get("usd") for cost in all_costs]
    known = [value for values in parts.values() for value in values if value is not None]
    return {
        "usd": _sum(whole),
        **{part: _sum(values) for part, values in parts.items()},
        "at_least_usd": round(sum(known), _DIGITS),
        "unknown_calls": whole.count(None),
    }


def request_usd(service: Service, prices: Prices, on: date, usage: Mapping[str, float]) -> float | None:
    """Return what one request would cost, or None if there is no price for it.

    Args:
        service: who answers it.
        prices: of the pipeline file.
        on: the day.
        usage: units of ``genai-prices`` to amounts, as ``input_tokens``.
    """
    cost: float | None = _part(service, [dict(usage)], prices, on)["usd"]
    return cost


def _sum(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known), _DIGITS) if len(known) == len(values) else None


Usage = dict[str, float] | None
"""Amounts by unit; None if the provider did not tell them."""


def _usages(trace: list[dict[str, Any]], exchanges: list[dict[str, Any]]) -> dict[str, list[Usage]]:
    """Return what each part used, one entry a request."""
    requests = [line["attributes"] for line in trace if line["name"] == "llm"]
    by_party: dict[str, list[Usage]] = {"agent": [], "caller": []}
    for request in requests:
        usage = _tokens(request)
        if usage != {}:
            by_party["caller" if request.get("party") == "caller" else "agent"].append(usage)
    heard: dict[str, list[Usage]] = {"agent": [], "caller": []}
    spoken: dict[str, list[Usage]] = {"agent": [], "caller": []}
    for line in exchanges:
        if line["kind"] == "asr":
            heard[line["party"]].append({"audio_seconds": line["samples"] / _SAMPLES_PER_S})
        elif line["kind"] == "transcription":
            heard[line["party"]].append(_transcribed(line["usage"]))
        elif line["kind"] == "tts":
            spoken[line["party"]].append({"input_characters": len(line["text"])})
    return {**by_party, "asr": heard["agent"], "tts": spoken["agent"]}


def _transcribed(usage: dict[str, Any]) -> Usage:
    """Return what writing the caller down used: seconds, or tokens, some of them audio; None if neither was told."""
    if usage.get("seconds") is not None:
        return {"audio_seconds": float(usage["seconds"])}
    if usage.get("input_tokens") is None:
        return None
    audio = (usage.get("input_token_details") or {}).get("audio_tokens")
    amounts = {
        "input_tokens": usage["input_tokens"],
        "output_tokens": usage.get("output_tokens"),
        **({} if audio is None else {"input_audio_tokens": audio}),
    }
    return {unit: float(amount) for unit, amount in amounts.items() if amount}


def _tokens(request: dict[str, Any]) -> Usage:
    """Return the tokens of a request: nothing if it was never answered, None if an answered one told none."""
    if request.get("gen_ai.usage.input_tokens") is None or request.get("gen_ai.usage.output_tokens") is None:
        return {} if request.get("ttft_ms") is None else None
    usage = {unit: request[name] for unit, name in _TOKENS.items() if request.get(name)}
    if "cache_read_tokens" in usage and "input_audio_tokens" in usage:
        usage.setdefault("cache_audio_read_tokens", 0)  # or nobody knows which of them were cached
    return usage


def _part(service: Service, usages: list[Usage], prices: Prices, on: date) -> dict[str, Any]:
    told: dict[str, Any] = {"model": service.model, "usd": 0.0, "reason": None}
    if service.local:
        return {**told, "reason": "runs on this machine"}
    try:
        total = sum((_usd(service, usage, prices, on) for usage in usages), Decimal(0))
    except _Unknown as unknown:
        return {**told, "usd": None, "reason": str(unknown)}
    return {**told, "usd": round(float(total), _DIGITS)}


def _usd(service: Service, usage: Usage, prices: Prices, on: date) -> Decimal:
    from genai_prices import Usage as Used

    if usage is None:
        raise _Unknown("unknown: an answer came without its usage")
    price = _price(service, prices, on)
    for unit, key in _BASIC.items():
        if usage.get(unit) and getattr(price, key) is None:
            raise _Unknown(f"unknown: no price of {unit.replace('_', ' ')} for model {service.model!r}")
    try:
        return price.calc_price(Used(**usage))["total_price"]
    except ValueError as error:
        raise _Unknown(f"unknown: {error}") from error


def _price(service: Service, prices: Prices, on: date) -> ModelPrice:
    from genai_prices.types import ModelPrice

    own = prices.get(service.model)
    if own is not None:
        return ModelPrice(**{key: Decimal(str(value)) for key, value in own.items() if value is not None})
    found = _dated(service.model, service.base_url or _OPENAI, on)
    if found is None:
        raise _Unknown(f"unknown: no price for model {service.model!r} there; give one under `prices:` in the pipeline")
    return found


@cache
def _dated(model: str, base_url: str, on: date) -> ModelPrice | None:
    from genai_prices import Usage as Used
    from genai_prices import calc_price

    noon = datetime.combine(on, time(12), UTC)
    try:
        return calc_price(Used(), model, provider_api_url=base_url, genai_request_timestamp=noon).model_price
    except LookupError:
        return None
