"""Each kind of fault over the real server, the openai client and the call's clock, and what a call makes of it."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import httpx2
import pytest
import uvicorn

from tests.serve.text_call import TextCall, hold, metadata
from voicebench.agent.base import CallContext
from voicebench.config.charges import Charge
from voicebench.llm import LlmClient, LlmTarget
from voicebench.packs import load_pack
from voicebench.serve import AgentServerOptions, start_endpoint
from voicebench.serve.agent import make_app
from voicebench.serve.faults import FaultPlan
from voicebench.serve.models import make_model

pytestmark = pytest.mark.unit

PACK = load_pack("customer_support")
TASK = "T1-E1"
AT = 3
"""The request that is hit: after the handoff and the first question."""
CALL = next(call for call in map(str, range(99)) if FaultPlan("500").hits(call) == AT)
TRY_MS = 300


@contextmanager
def served(**options: Any) -> Generator[str]:
    """The endpoint's own application under a real server; it ends only when no request is left."""
    settings = AgentServerOptions(ttft_ms=0, **options)
    app = make_app(settings, make_model(settings))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", ws="none"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive(), "a request is left hanging"


def call(fault: str | None, *, tries: int | None = None, charge: str = f"fixed:{TRY_MS}/20") -> TextCall:
    timeout_s = 2.0 if fault and fault.startswith("hang") else 30.0
    with served(fault=fault, fault_tries=tries) as url:

        def model(context: CallContext) -> LlmClient:
            target = LlmTarget("reference", url, "none", timeout_s=timeout_s, metadata=metadata(PACK, TASK, CALL))
            return LlmClient(target, Charge.parse(charge), context)

        return hold(PACK, TASK, model)


@pytest.fixture(scope="module")
def healthy() -> TextCall:
    return call(None)


def starts_ms(held: TextCall) -> list[float]:
    return [exchange["start_ns"] / 1e6 for exchange in held.exchanges]


def retries(held: TextCall) -> list[int]:
    return [span["retries"] for span in held.spans("llm")]


def test_without_a_fault_the_call_passes(healthy: TextCall) -> None:
    assert healthy.passed
    assert len(healthy.exchanges) > AT
    assert set(retries(healthy)) == {0}


@pytest.mark.parametrize("status", [401, 404])
def test_a_refusal_for_good_is_not_tried_again(status: int) -> None:
    held = call(str(status))
    assert held.failure is not None
    assert (held.failure.status, held.failure.retryable) == (status, False)
    assert [exchange["status"] for exchange in held.exchanges] == [200] * (AT - 1) + [status]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_refusal_that_may_pass_is_tried_again_until_the_caller_would_hear_it(status: int) -> None:
    held = call(str(status))
    assert held.failure is not None
    assert (held.failure.status, held.failure.retryable) == (status, True)
    assert "(tried 2 times)" in str(held.failure)
    assert [exchange["status"] for exchange in held.exchanges] == [200] * (AT - 1) + [status] * 2
    assert retries(held) == [0] * AT + [1]


@pytest.mark.parametrize("kind", ["429", "500", "503", "hang-first-byte"])
def test_a_retry_that_succeeds_is_charged_and_counted_and_nothing_else_changes(kind: str, healthy: TextCall) -> None:
    held = call(kind, tries=1)
    assert held.passed
    assert retries(held) == [0] * AT + [1] + [0] * (len(healthy.exchanges) - AT)
    late_ms = TRY_MS + 50
    expected = starts_ms(healthy)
    assert starts_ms(held) == pytest.approx([*expected[:AT], *(start + late_ms for start in expected[AT - 1 :])])
    assert held.agent_turns == healthy.agent_turns
    requests = [exchange["request"] for exchange in held.exchanges]
    assert requests[AT - 1] == requests[AT]


def test_a_wait_that_is_asked_for_and_would_be_heard_is_not_waited() -> None:
    held = call("429-retry-after")
    assert held.failure is not None
    assert held.failure.status == 429
    assert retries(held) == [0] * AT
    assert len(held.exchanges) == AT


def test_the_waits_grow_and_are_bounded_however_little_a_try_costs() -> None:
    held = call("503", charge="fixed:0")
    assert retries(held)[AT - 1 :] == [0, 1, 2, 3]
    tries = starts_ms(held)[AT - 1 :]
    assert [later - earlier for earlier, later in pairwise(tries)] == [50, 100, 200]


def test_silence_before_the_first_byte_is_a_time_out() -> None:
    held = call("hang-first-byte")
    assert held.failure is not None
    assert (held.failure.status, held.failure.retryable) == (None, True)
    assert [span["error"] for span in held.spans("llm")][AT - 1 :] == ["ReadTimeout: no byte came for 2 s"] * 2
    assert held.exchanges[-1]["status"] == 0


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("hang-mid-stream", "no byte came for 2 s"),
        ("stream-cut", "peer closed connection"),
        ("garbage", "no chat completion"),
    ],
)
def test_an_answer_that_breaks_off_is_an_error_and_never_tried_again(kind: str, message: str) -> None:
    held = call(kind)
    assert held.failure is not None
    assert held.failure.status is None
    assert message in str(held.failure)
    assert len(held.exchanges) == AT
    assert held.exchanges[-1]["delivered"] >= 1


@pytest.mark.parametrize(
    ("kind", "code", "more"),
    [
        ("malformed-tool-json", "MALFORMED_ARGUMENTS", 2),  # the call that was due: the reference asks again
        ("unknown-tool", "UNKNOWN_TOOL", 1),
        ("other-agents-tool", "TOOL_NOT_AVAILABLE", 1),
    ],
)
def test_a_wrong_tool_call_is_answered_with_an_error_and_the_call_goes_on(
    kind: str, code: str, more: int, healthy: TextCall
) -> None:
    held = call(kind)
    assert held.errors == [code]
    assert held.passed
    assert len(held.exchanges) == len(healthy.exchanges) + more


def test_an_empty_answer_is_a_silent_turn() -> None:
    held = call("empty-answer")
    assert "" in held.agent_turns
    assert [e["request"]["messages"][-1]["content"] for e in held.exchanges].count("Hello?") == 1
    assert held.passed


def test_two_hundred_tool_calls_are_cut_after_twenty_rounds_a_turn() -> None:
    held = call("200-tool-calls")
    assert held.failure is None
    assert set(held.errors) == {"INVALID_ARGUMENTS"}
    assert len(held.errors) == 40
    assert (held.end_reason, held.passed) == ("agent_silent", False)


def test_endless_text_is_cut_and_scored() -> None:
    held = call("endless-text")
    assert held.failure is None
    assert max(len(turn) for turn in held.agent_turns) in range(1_990, 2_001)
    assert held.exchanges[AT - 1]["delivered"] < len(held.exchanges[AT - 1]["chunks"])
    assert held.end_reason != "error"


def test_thinking_aloud_is_normal_and_only_the_first_answer_is_later() -> None:
    held = call("reasoning")
    span = held.spans("llm")[AT - 1]
    assert (span["ttft_ms"], span["ttfat_ms"]) == (300, 400)
    assert held.passed


def test_dripping_characters_are_normal(healthy: TextCall) -> None:
    held = call("dripping")
    assert held.agent_turns == healthy.agent_turns
    assert [span["gen_ai.tool.call.arguments"] for span in held.spans("tool")] == [
        span["gen_ai.tool.call.arguments"] for span in healthy.spans("tool")
    ]
    assert len(held.exchanges[AT - 1]["chunks"]) > 2 * len(healthy.exchanges[AT - 1]["chunks"])
    assert held.passed


def test_without_usage_the_tokens_are_unknown_not_none_used() -> None:
    held = call("no-usage")
    tokens = [span["gen_ai.usage.input_tokens"] for span in held.spans("llm")]
    assert [n for n, count in enumerate(tokens, start=1) if count is None] == [AT]
    assert held.passed


def test_equal_calls_with_a_fault_are_equal() -> None:
    first, second = call("503", tries=1), call("503", tries=1)
    assert (first.trace, first.exchanges) == (second.trace, second.exchanges)


# ---- the server itself -----------------------------------------------------------------------------------------


def post(url: str, call_id: str, number: int) -> int:
    body = {
        "model": "silent",
        "messages": [{"role": "user", "content": "x"}] * number,
        "metadata": {"voicebench_call": call_id},
    }
    return httpx2.post(f"{url}/chat/completions", json=body).status_code


def test_the_server_hits_the_same_requests_in_any_order() -> None:
    asked = [(str(call_id), number) for call_id in range(10) for number in range(1, 5)]
    with served(model="silent", fault="503:0.5", fault_seed=3) as url:
        forward = {place: post(url, *place) for place in asked}
        backward = {place: post(url, *place) for place in reversed(asked)}
    assert forward == backward
    plan = FaultPlan("503", 0.5, 3)
    assert [place for place, status in forward.items() if status == 503] == [
        p for p in asked if plan.hits(p[0]) == p[1]
    ]


@pytest.mark.parametrize("kind", ["hang-first-byte", "hang-mid-stream", "endless-text"])
def test_the_server_ends_while_an_answer_has_no_end(kind: str) -> None:
    with start_endpoint(AgentServerOptions(model="refuse", ttft_ms=0, fault=kind, fault_seed=0)) as endpoint:
        host, port = endpoint.url.removeprefix("http://").removesuffix("/v1").split(":")
        plan = FaultPlan(kind)
        call_id = next(call for call in map(str, range(99)) if plan.hits(call) == 1)
        body = (
            '{"model": "refuse", "stream": true, "messages": [{"role": "user", "content": "x"}], '
            f'"metadata": {{"voicebench_call": "{call_id}"}}}}'
        )
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection((host, int(port))) as client:
            client.sendall((head + body).encode())
            if kind == "hang-first-byte":
                httpx2.get(endpoint.log_url)
            else:
                assert client.recv(8).startswith(b"HTTP/1.1")
            endpoint.stop()
    assert endpoint.process.returncode != -signal.SIGKILL
