"""A recorded session goes through the harness again with no service, and does what it did."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tests.agent.fakes import Step, shop, use
from tests.agent.phone import GREETING, say
from tests.agent.realtime.scene import Scene, scene
from tests.jsons import lines_of
from voicebench.call import WorkUnit
from voicebench.config import load_pipeline
from voicebench.errors import StoreError
from voicebench.packs import dump_state
from voicebench.record.exchanges import parse_exchange
from voicebench.record.json_types import JsonValue
from voicebench.record.trace import TraceRecord
from voicebench.stored.replay.compare import as_stored
from voicebench.stored.replay.session import ReplayedSession, replay_session, sent_events

pytestmark = pytest.mark.audio

PACK = dataclasses.replace(shop(), spec=shop().spec.model_copy(update={"greeting": GREETING}))
UNIT = WorkUnit("customer_support", "T2-H3", 1, 1, 7)
NAMES = ("tool", "handoff", "agent.speech", "asr")
ANSWERS: list[list[Step]] = [
    ["One moment please, while I look for somebody who can help you with that. ", use("transfer_to_verification")],
    ["Who is calling?"],
    [use("escalate_to_human", "call00002", reason_code="caller_request")],
    ["A person takes over now."],
]


def repeat(exchanges: list[dict[str, Any]], call: Scene) -> ReplayedSession:
    recorded = [parse_exchange(line) for line in exchanges]
    return replay_session(recorded, len(call.frames), UNIT, load_pipeline("realtime-local"), PACK)


def done(trace: list[TraceRecord]) -> list[tuple[str, JsonValue]]:
    return [(name, line.to_json()["attributes"]) for name in NAMES for line in trace if line.name == name]


@pytest.fixture(scope="module")
def call() -> Scene:
    caller = say((3.0, "I want to talk to somebody."), (8.0, "No, wait, wait a moment."), (13.0, "A person, please."))
    return scene(caller, 20.0, *ANSWERS)


def test_a_session_is_repeated_with_no_service(call: Scene) -> None:
    exchanges = lines_of(call.context.exchanges)
    again = repeat(exchanges, call)
    sent = [event for _, event in sent_events(call.context.exchanges.records())]
    assert [event for _, event in sent_events(again.exchanges)] == sent
    assert done(again.trace) == done(call.context.tracer.records())
    assert [line.name for line in again.trace].count("tool") == 1
    assert as_stored(again.state)["final"] == dump_state(call.router.tool_context.db, PACK.spec)
    assert any(event["type"] == "conversation.item.truncate" for event in sent)


def test_another_argument_in_the_record_is_another_result(call: Scene) -> None:
    exchanges = [dict(line) for line in lines_of(call.context.exchanges)]
    for line in exchanges:
        item = line.get("event", {}).get("item", {})
        if line["kind"] == "realtime" and item.get("name") == "escalate_to_human" and item["status"] == "completed":
            line["event"] = {**line["event"], "item": {**item, "arguments": '{"reason_code": "complaint"}'}}
    again = repeat(exchanges, call)
    assert done(again.trace) != done(call.context.tracer.records())
    assert as_stored(again.state)["final"] != dump_state(call.router.tool_context.db, PACK.spec)


def test_exchanges_without_a_session_are_refused(call: Scene) -> None:
    with pytest.raises(StoreError, match="no session of a service is recorded"):
        repeat([line for line in lines_of(call.context.exchanges) if line["kind"] != "realtime"], call)
