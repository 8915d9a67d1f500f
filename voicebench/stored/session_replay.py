"""A stored realtime session repeated through its harness, and where the two first differ."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from voicebench.call import WorkUnit
from voicebench.call.compare import Difference, first_leaf, state_difference, verdict_difference
from voicebench.call.scoring import score_call
from voicebench.call.session_replay import replay_session, sent_events
from voicebench.config import Pipeline
from voicebench.packs import TaskRef
from voicebench.store import StoredCall, redact, to_json
from voicebench.stored.replayed import Replayed, first_difference, written

__all__ = ["repeat_session"]

_DONE = ("tool", "handoff", "agent.speech", "asr", "agent.unspoken")
"""What of a trace follows from the session alone, and is the same on any clock."""

_TIMED = {"start_s"}

Line = dict[str, Any]


def repeat_session(stored: StoredCall, unit: WorkUnit, pipeline: Pipeline, task: TaskRef) -> Replayed:
    """Repeat a session with no service, and compare what the harness asked, ran, and let be heard.

    Times are not compared, since the call's were the wall's; nor is the recording, whose sound came from the service.

    Raises:
        StoreError: no session is recorded.
    """
    slots = int((stored.call.get("ticks") or {}).get("n") or 0)
    again = replay_session(stored.exchanges, slots, unit, pipeline, task.pack)
    trace = written(again.trace)
    outcome = {key: stored.call.get(key) for key in ("end_reason", "error", "void")}
    state = json.loads(redact(to_json(again.state)))
    asked = written(again.exchanges)
    both = sorted([*trace, *_caller_s(stored.trace)], key=_start)
    judged = {**outcome, **score_call(task.pack.snapshot(), task.case, outcome, both, asked, state, None)}
    found = {
        "exchanges.jsonl": _asked_difference(sent_events(stored.exchanges), sent_events(asked)),
        "trace.jsonl": _done_difference(stored.trace, trace),
        "state.json": state_difference(stored.state, state),
        "call.json": verdict_difference(_untimed(stored.call), _untimed(json.loads(redact(to_json(judged))))),
    }
    files = {name: "different" if difference else "equal" for name, difference in found.items()}
    reason = None if judged["verdict"] in ("passed", "failed") else str(judged["reason"])
    return Replayed(stored, files, first_difference(found), str(judged["verdict"]), reason)


def _caller_s(trace: list[Line]) -> Iterator[Line]:
    """Give what the caller did in the call: it takes no part in a repeated session, but is judged with it."""
    for line in trace:
        if (
            line["name"].startswith("caller.")
            or line["name"] == "hangup"
            or line["attributes"].get("party") == "caller"
        ):
            yield line


def _start(line: Line) -> int:
    return int(line["start_ns"] if line["type"] == "span" else line["time_ns"])


def _asked_difference(recorded: list[Line], replayed: list[Line]) -> Difference | None:
    """Compare what was sent to the service, event by event."""
    for number, (before, after) in enumerate(zip_longest(recorded, replayed), start=1):
        left, right = (None if line is None else line["event"] for line in (before, after))
        found = first_leaf(left, right)
        if found is not None:
            kind = (left or right or {}).get("type")
            place = f"event {number} to the service, {kind}{f': {found[0]}' if found[0] else ''}"
            at_ns = (before or after or {}).get("at_ns")
            return Difference("exchanges.jsonl", place, found[1], found[2], at_ns, (left, right))
    return None


def _done_difference(recorded: list[Line], replayed: list[Line]) -> Difference | None:
    """Compare tools, handoffs and words, each kind in its order."""
    differences = []
    for name in _DONE:
        pairs = zip_longest(_named(recorded, name), _named(replayed, name))
        for number, (before, after) in enumerate(pairs, start=1):
            left, right = (None if line is None else _untimed(line["attributes"]) for line in (before, after))
            found = first_leaf(left, right)
            if found is not None:
                place = f"{name} {number}{f': {found[0]}' if found[0] else ''}"
                at_ns = _time(before or after or {})
                differences.append(Difference("trace.jsonl", place, found[1], found[2], at_ns, (before, after)))
                break
    return min(differences, key=lambda one: one.at_ns or 0, default=None)


def _named(lines: list[Line], name: str) -> Iterator[Line]:
    return (line for line in lines if line["name"] == name)


def _untimed(value: Any) -> Any:
    """Return a JSON value without the times in it."""
    if isinstance(value, dict):
        return {key: _untimed(inner) for key, inner in value.items() if key not in _TIMED}
    return [_untimed(inner) for inner in value] if isinstance(value, list) else value


def _time(line: Line) -> int:
    return int(line.get("end_ns") or line.get("time_ns") or 0)
