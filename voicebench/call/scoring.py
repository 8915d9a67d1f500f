"""From the files of a call to its verdict and its figures; nothing else is looked at."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from voicebench.caller import breaches
from voicebench.caller.fidelity import Breach
from voicebench.caller.shadow import reactions
from voicebench.metrics import call_metrics, claim_checks, sayings
from voicebench.metrics.causes import attribute
from voicebench.packs import PackSnapshot
from voicebench.packs.models import Case
from voicebench.record.state import StateDifference
from voicebench.record.trace import parse_trace
from voicebench.verify import Verification, evidence_from, verify_call

__all__ = ["score_call"]

FAILING_ENDS = {"agent_silent"}
"""Ends of a call that fail it whatever the gates say."""


def score_call(
    snapshot: PackSnapshot,
    case: Case,
    outcome: dict[str, Any],
    trace: list[dict[str, Any]],
    exchanges: list[dict[str, Any]],
    state: dict[str, Any] | None,
    recording: bytes | None,
) -> dict[str, Any]:
    """Return verdict, gates, metrics and cause of one call, as ``call.json`` holds them.

    Args:
        snapshot: the run's copy of the pack.
        case: the task.
        outcome: what ended the call: ``end_reason``, ``error``, ``void``. A caller that broke its script makes it void,
            whatever came of it.
        trace: lines of ``trace.jsonl``.
        exchanges: lines of ``exchanges.jsonl``.
        state: content of ``state.json``; None fails the database gate.
        recording: content of ``recording.wav``; None leaves ``v2v_ms`` null.
    """
    evidence = evidence_from(parse_trace(trace), _difference(state))
    result = verify_call(snapshot, case, evidence)
    broken = _breaches(snapshot, case, outcome, trace)
    verdict, reason = _verdict(outcome, broken, result.passed)
    fidelity = [breach.as_json() for breach in broken]
    metrics = call_metrics(trace, recording)
    turns = metrics["transcript"]
    facts = sayings(turns, trace, case, snapshot.spec)
    figures = {**_gates(result), **metrics, "fact_mentions": facts}
    scored = {"verdict": verdict, "reason": reason, "fidelity": fidelity, **figures}
    checks = claim_checks(snapshot, case, trace, exchanges, turns, facts)
    react = reactions(case.caller, snapshot.spec, trace)
    cause = attribute(snapshot, case, outcome, trace, scored, react)
    return {**scored, "attribution": cause, "claim_checks": checks}


def _difference(state: dict[str, Any] | None) -> StateDifference | None:
    """Return what the call changed; None, which is missing evidence, where the stored file does not say it."""
    try:
        return None if state is None else StateDifference.model_validate(state["difference"])
    except (KeyError, ValidationError):
        return None


def _gates(result: Verification) -> dict[str, Any]:
    return {
        "gates": result.gates.to_json(),
        "reward": result.reward,
        "tool_calls": result.tool_calls.to_json(),
        "path": result.path.to_json(),
        "state_diff": [row.to_json() for row in result.state_diff],
    }


def _breaches(snapshot: PackSnapshot, case: Case, outcome: dict[str, Any], trace: list[dict[str, Any]]) -> list[Breach]:
    """Return what the caller did against its script; nothing where infrastructure broke the call off."""
    if outcome.get("error") is not None:
        return []
    end_tools = [tool.name for tool in snapshot.tools.values() if tool.ends_call]
    end_reason = str(outcome["end_reason"])
    return breaches(case.caller, snapshot.spec, trace, end_reason=end_reason, end_tools=end_tools)


def _verdict(outcome: dict[str, Any], broken: list[Breach], passed: bool) -> tuple[str, str | None]:
    if outcome.get("error") is not None:
        return "error", str(outcome["error"])
    if outcome.get("void") is not None:
        return "void", str(outcome["void"])
    if broken:
        return "void", f"{broken[0].rule}: the caller {broken[0].what}"
    if outcome["end_reason"] in FAILING_ENDS:
        return "failed", str(outcome["end_reason"])
    return ("passed", None) if passed else ("failed", "gates")
