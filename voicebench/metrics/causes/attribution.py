"""The first cause of a call that did not pass, from its stored files alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from voicebench.metrics.causes.acts import found_in_acts
from voicebench.metrics.causes.finding import CAUSES, Finding
from voicebench.metrics.causes.hearing import lost_turn
from voicebench.metrics.causes.record import Record
from voicebench.metrics.causes.scripted_reply import React
from voicebench.metrics.causes.talk import found_in_talk
from voicebench.packs import PackSnapshot
from voicebench.packs.models import Case

__all__ = ["attribute", "broken_off", "count_causes"]


def attribute(
    snapshot: PackSnapshot,
    case: Case,
    outcome: Mapping[str, Any],
    trace: list[dict[str, Any]],
    score: Mapping[str, Any],
    react: React,
) -> dict[str, Any] | None:
    """Return what kept a call from passing; None if it passed.

    Of all that explains a failing gate, or the end of the call, the first in time is the cause. Where that would be the
    model, words of the caller's that never arrived before come first.

    Args:
        snapshot: the run's copy of the pack.
        case: the task.
        outcome: what ended the call: ``end_reason``, ``error``, ``void``.
        trace: lines of ``trace.jsonl``.
        score: verdict and metrics as ``call.json`` holds them.
        react: the scripted caller of the task, who says what its script would have made of words.

    Returns:
        ``{cause, sentence, at_s, evidence, fact, said, heard, used}``: ``cause`` is one of ``CAUSES``; ``evidence`` are
        ids of spans; the rest is null where it does not apply.
    """
    if score["verdict"] == "passed":
        return None
    if score["verdict"] == "error":
        return broken_off(str(score["reason"]), trace)
    record = Record(snapshot, case, trace, score, str(outcome["end_reason"]), react)
    if score["verdict"] == "void":
        return _broken_script(record, str(score["reason"])).as_json()
    return _failed(record).as_json()


def _failed(record: Record) -> Finding:
    found = [*found_in_talk(record), *found_in_acts(record)]
    if not found:
        return Finding("model", "The agent did not do what the task asks for.", record.end_s)
    first = min(found, key=lambda one: one.at_s)
    if first.cause == "model":
        return lost_turn(record, first.at_s) or first
    return first


def _broken_script(record: Record, reason: str) -> Finding:
    """Show the breach that was found first, or the caller's last words where it was found out while it spoke."""
    breaches = record.score.get("fidelity") or []
    turns = record.caller_turns
    evidence = [breaches[0]["span_id"]] if breaches else list(turns[-1]["span_ids"]) if turns else []
    starts = [line["start_ns"] / 1e9 for line in record.trace if line.get("span_id") in evidence and "start_ns" in line]
    sentence = f"The simulated caller broke its script: {reason}."
    return Finding("caller", sentence, min(starts, default=record.end_s), evidence)


def broken_off(reason: str, trace: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the cause of a call that infrastructure broke off, or prevented."""
    errors = [line for line in trace if line["name"] == "llm" and line["attributes"].get("error")]
    last = errors or [line for line in trace if line["name"] == "llm"]
    ended = [line["time_ns"] / 1e9 for line in trace if line["name"] == "error"]
    at_s = ended[0] if ended else max((line["end_ns"] / 1e9 for line in last), default=0.0)
    return Finding("harness", f"The call broke off: {reason}.", at_s, [line["span_id"] for line in last[-1:]]).as_json()


def count_causes(attributions: Iterable[Mapping[str, Any] | None]) -> dict[str, int]:
    """Count the calls by cause, every cause listed; calls without one have passed."""
    causes = [str(one["cause"]) for one in attributions if one is not None]
    return {cause: causes.count(cause) for cause in CAUSES}
