from __future__ import annotations

from typing import Any

import pytest

from voicebench.errors import ConfigError
from voicebench.record.json_types import JsonObject
from voicebench.serve import AgentServerOptions
from voicebench.serve.chat import ChatRequest
from voicebench.serve.faults import AMONG, FAULTS, HEALTHY, FaultPlan

pytestmark = pytest.mark.unit

CALLS = [f"{number:016x}" for number in range(400)]


def request(call_id: str, number: int) -> ChatRequest:
    message: JsonObject = {"role": "user", "content": "x"}
    return ChatRequest("m", (message,) * number, call_id=call_id)


def hit(plan: FaultPlan, call_id: str) -> list[int]:
    return [n for n in range(1, AMONG + 3) if plan.fault(request(call_id, n), 0) is FAULTS[plan.kind]]


@pytest.mark.parametrize("rate", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_share_of_calls_that_are_hit_is_the_rate(rate: float, seed: int) -> None:
    count = sum(bool(hit(FaultPlan("500", rate, seed), call)) for call in CALLS)
    deviation = (len(CALLS) * rate * (1 - rate)) ** 0.5
    assert abs(count - len(CALLS) * rate) <= 3.3 * deviation  # one in a thousand beyond it by chance; these are fixed


def test_a_call_is_hit_once_and_every_one_of_its_first_requests_may_be() -> None:
    hits = [hit(FaultPlan("500"), call) for call in CALLS]
    assert {len(requests) for requests in hits} == {1}
    shares = [sum(requests == [n] for requests in hits) / len(CALLS) for n in range(1, AMONG + 1)]
    assert all(abs(share - 1 / AMONG) < 0.07 for share in shares)


def test_the_order_of_calls_and_requests_changes_nothing() -> None:
    plan = FaultPlan("garbage", 0.3, 5)
    forward = {call: hit(plan, call) for call in CALLS}
    backward = {call: hit(FaultPlan("garbage", 0.3, 5), call) for call in reversed(CALLS)}
    assert forward == backward
    assert forward != {call: hit(FaultPlan("garbage", 0.3, 6), call) for call in CALLS}


def test_a_higher_rate_hits_the_same_calls_and_more() -> None:
    few = {call for call in CALLS if FaultPlan("429", 0.1, 2).hits(call)}
    assert few < {call for call in CALLS if FaultPlan("429", 0.2, 2).hits(call)}


def test_only_so_many_tries_are_hit() -> None:
    at = FaultPlan("503").hits("call")
    assert at is not None
    faults = [FaultPlan("503", tries=2).fault(request("call", at), tries) for tries in range(4)]
    assert faults == [FAULTS["503"], FAULTS["503"], HEALTHY, HEALTHY]
    assert FaultPlan("503").fault(request("call", at), 99) is FAULTS["503"]


def test_two_hundred_requests_in_a_row_are_hit() -> None:
    plan = FaultPlan("200-tool-calls")
    numbers = [n for n in range(1, 300) if plan.fault(request("call", n), 0) is not HEALTHY]
    at = plan.hits("call")
    assert at is not None
    assert numbers == list(range(at, at + 200))


def test_a_request_counts_what_was_asked_before_it_whatever_was_answered() -> None:
    user: dict[str, Any] = {"role": "user", "content": "x"}
    words: dict[str, Any] = {"role": "assistant", "content": "y"}
    calls: dict[str, Any] = {"role": "assistant", "tool_calls": []}
    result: dict[str, Any] = {"role": "tool", "content": "{}"}
    system: dict[str, Any] = {"role": "system", "content": "s"}

    def number(*messages: dict[str, Any]) -> int:
        return ChatRequest("m", (system, words, *messages)).number

    assert number(user) == 1
    assert number(user, words, user) == number(user, user) == 2
    assert number(user, calls, result, result) == 2
    assert number(user, calls, result, calls, result) == 3
    assert number(user, calls, result, words, user) == number(user, calls, result, user) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("steam-cut", r"no fault 'steam-cut'; did you mean 'stream-cut'\? There are 401, 404, 429, 429-retry-after"),
        ("xyzzy:0.1", "no fault 'xyzzy'; There are"),
        ("500:1.5", "'1.5' is no share of calls; write --fault 500:RATE, RATE from 0 to 1"),
        ("500:many", "'many' is no share"),
        ("500:", "'' is no share"),
        ("500:nan", "'nan' is no share"),
    ],
)
def test_what_is_no_fault_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        AgentServerOptions(fault=text)


def test_no_tries_at_all_are_refused() -> None:
    with pytest.raises(ConfigError, match="--fault-tries is 0"):
        AgentServerOptions(fault="500", fault_tries=0)


def test_kind_and_rate_are_read() -> None:
    assert FaultPlan.read("hang-mid-stream:0.25", 3) == FaultPlan("hang-mid-stream", 0.25, 3)
    assert AgentServerOptions(fault="401", fault_seed=4, fault_tries=1).faults == FaultPlan("401", 1.0, 4, 1)
    assert AgentServerOptions().faults is None
