"""From the files of a call to its verdict and its figures; nothing else is looked at."""

from __future__ import annotations

from typing import Any

from voicebench.metrics import call_metrics, sayings
from voicebench.metrics.causes import attribute
from voicebench.packs import PackSnapshot
from voicebench.packs.models import Case
from voicebench.verify import evidence_from, verify_call

__all__ = ["score_call"]

FAILING_ENDS = {"agent_silent"}
"""Ends of a call that fail it whatever the gates say."""


def score_call(
    snapshot: PackSnapshot,
    case: Case,
    outcome: dict[str, Any],
    trace: list[dict[str, Any]],
    state: dict[str, Any] | None,
    recording: bytes | None,
) -> dict[str, Any]:
    """Return verdict, gates, metrics and cause of one call, as ``call.json`` holds them.

    Args:
        snapshot: the run's copy of the pack.
        case: the task.
        outcome: what ended the call: ``end_reason``, ``error``, ``void``.
        trace: lines of ``trace.jsonl``.
        state: content of ``state.json``; None fails the database gate.
        recording: content of ``recording.wav``; None leaves ``v2v_ms`` null.
    """
    evidence = evidence_from(trace, state)
    result = verify_call(snapshot, case, evidence)
    verdict, reason = _verdict(outcome, result.passed)
    metrics = call_metrics(trace, recording)
    facts = sayings(metrics["transcript"], trace, case, snapshot.spec)
    score = {"verdict": verdict, "reason": reason, **result.as_json(), **metrics, "facts": facts}
    return {**score, "attribution": attribute(snapshot, case, outcome, trace, score)}


def _verdict(outcome: dict[str, Any], passed: bool) -> tuple[str, str | None]:
    if outcome.get("error") is not None:
        return "error", str(outcome["error"])
    if outcome.get("void") is not None:
        return "void", str(outcome["void"])
    if outcome["end_reason"] in FAILING_ENDS:
        return "failed", str(outcome["end_reason"])
    return ("passed", None) if passed else ("failed", "gates")
