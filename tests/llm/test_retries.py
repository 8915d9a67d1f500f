from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest

from tests.jsons import lines_of
from voicebench.agent.base import CallContext
from voicebench.clock import current_loop, run_call
from voicebench.config.charges import Charge
from voicebench.errors import ProviderError
from voicebench.llm import LlmClient, LlmTarget, Party
from voicebench.llm.retries import asked_wait_s, wait_before_retry
from voicebench.store import Tracer

pytestmark = pytest.mark.unit

NOW = {"date": "Fri, 31 Jul 2026 10:00:00 GMT"}


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({}, 0.0),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": "9", "retry-after-ms": "120"}, 0.12),
        ({"retry-after": "Fri, 31 Jul 2026 10:00:03 GMT", **NOW}, 3.0),
        ({"retry-after": "Fri, 31 Jul 2026 09:00:00 GMT", **NOW}, 0.0),
        ({"retry-after": "Fri, 31 Jul 2026 10:00:03", **NOW}, 3.0),
        ({"retry-after": "Fri, 31 Jul 2026 10:00:03 -0000", **NOW}, 3.0),
        ({"retry-after": "Fri, 31 Jul 2026 10:00:03 GMT"}, 0.0),
        ({"retry-after": "soon"}, 0.0),
        ({"retry-after": "-1"}, 0.0),
        ({"retry-after": "nan"}, 0.0),
        ({"retry-after": "inf"}, 0.0),
    ],
)
def test_the_wait_that_a_refusal_asks_for_is_read(headers: Mapping[str, str], wait_s: float) -> None:
    assert asked_wait_s(headers) == wait_s


@pytest.mark.parametrize(
    ("retries", "spent_s", "headers", "wait_s"),
    [
        (0, 0.0, {}, 0.05),
        (2, 0.0, {}, 0.2),
        (0, 0.449, {}, 0.05),
        (0, 0.45, {}, None),
        (0, 0.1, {"retry-after-ms": "399"}, 0.399),
        (0, 0.1, {"retry-after-ms": "400"}, None),
        (1, 0.0, {"retry-after": "0"}, 0.1),
    ],
)
def test_a_wait_is_taken_only_while_all_of_it_stays_under_half_a_second(
    retries: int, spent_s: float, headers: Mapping[str, str], wait_s: float | None
) -> None:
    assert wait_before_retry(retries, spent_s, headers) == wait_s


def chunk(delta: dict[str, str], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'id': 'x', 'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n"


HELLO = chunk({"content": "Hello."}, "stop") + "data: [DONE]\n\n"


def stream(text: str) -> httpx2.Response:
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=text.encode())


def ask(
    *answers: httpx2.Response, charge: str = "fixed:0", party: Party = "agent"
) -> tuple[str, list[float], list[str]]:
    """Return the words of the answer, when each try was sent (seconds), and what each said of the tries before it."""
    words, spans, counts = spans_of(*answers, charge=charge, party=party)
    return words, [span["start_ns"] / 1e9 for span in spans], counts


def spans_of(
    *answers: httpx2.Response, charge: str = "fixed:0", party: Party = "agent"
) -> tuple[str, list[dict[str, Any]], list[str]]:
    """Return the words of the answer, the span of each try, and what each said of the tries before it."""
    left, counts = list(answers), []

    def answer(request: httpx2.Request) -> httpx2.Response:
        counts.append(request.headers["x-stainless-retry-count"])
        return left.pop(0)

    async def main() -> tuple[str, list[dict[str, Any]], list[str]]:
        def now_ns() -> int:
            return current_loop().now_ns

        context = CallContext("call", 1, Tracer(1, now_ns), now_ns)
        target = LlmTarget("m", "http://model.test/v1", "none")
        client = LlmClient(target, Charge.parse(charge), context, party=party, inner=httpx2.MockTransport(answer))
        words = [delta.text async for delta in client.stream([], [], "desk")]
        await client.close()
        return "".join(words), lines_of(context.tracer), counts

    return run_call(main())


def test_the_next_try_waits_as_long_as_it_is_asked_to() -> None:
    refusal = httpx2.Response(429, headers={"retry-after-ms": "120"}, json={})
    assert ask(refusal, stream(HELLO)) == ("Hello.", [0.0, 0.12], ["0", "1"])


def test_without_such_a_wish_the_waits_double() -> None:
    refusals = [httpx2.Response(503, json={}) for _ in range(3)]
    words, starts_s, counts = ask(*refusals, stream(HELLO))
    assert (words, counts) == ("Hello.", ["0", "1", "2", "3"])
    assert starts_s == pytest.approx([0.0, 0.05, 0.15, 0.35])


def test_the_callers_waits_pass_while_the_calls_clock_stands_still() -> None:
    refusals = [httpx2.Response(503, json={}) for _ in range(2)]
    assert ask(*refusals, stream(HELLO), party="caller") == ("Hello.", [0.0, 0.0, 0.0], ["0", "1", "2"])


def test_the_time_to_the_first_token_runs_from_the_first_try() -> None:
    refusals = [httpx2.Response(429, headers={"retry-after-ms": "120"}, json={}), httpx2.Response(503, json={})]
    _, spans, _ = spans_of(*refusals, stream(HELLO), charge="fixed:30")
    *failed, last = [span["attributes"] for span in spans]
    assert [one["ttft_ms"] for one in failed] == [None, None]
    # two failed tries of 30 ms, the waits of 120 and 100 ms, and the first token of the third
    assert (last["ttft_ms"], last["ttfat_ms"], last["waited_ms"]) == (310.0, 310.0, 280.0)
    assert "waited_ms" not in spans_of(stream(HELLO))[1][0]["attributes"]


def test_a_failure_of_the_callers_model_says_whose_it_is() -> None:
    with pytest.raises(ProviderError, match=r"^the caller's model 'm' at http://model\.test/v1 answered 400"):
        ask(httpx2.Response(400, json={}), party="caller")


def test_a_failed_try_costs_what_a_request_costs() -> None:
    assert ask(httpx2.Response(500, json={}), stream(HELLO), charge="fixed:300")[1] == pytest.approx([0.0, 0.35])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_would_fail_again_is_not_tried_again(status: int) -> None:
    with pytest.raises(ProviderError) as caught:
        ask(httpx2.Response(status, json={}), stream(HELLO))
    assert (caught.value.status, caught.value.retryable) == (status, False)


def test_after_the_first_chunk_nothing_is_tried_again() -> None:
    error = 'data: {"error": {"message": "overloaded"}}\n\n'
    with pytest.raises(ProviderError, match="overloaded"):
        ask(stream(chunk({"content": "Hel"}) + error), stream(HELLO))


def test_a_usage_of_zero_tokens_for_words_is_unknown() -> None:
    usage = {"prompt_tokens": 0, "completion_tokens": 0}
    tail = f"data: {json.dumps({'id': 'x', 'object': 'chat.completion.chunk', 'choices': [], 'usage': usage})}\n\n"
    for words, tokens in ((HELLO, None), (chunk({"content": ""}, "stop"), 0)):
        [span] = spans_of(stream(words.removesuffix("data: [DONE]\n\n") + tail + "data: [DONE]\n\n"))[1]
        attributes = span["attributes"]
        assert attributes["gen_ai.usage.output_tokens"] == attributes["gen_ai.usage.input_tokens"] == tokens
