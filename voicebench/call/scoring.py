"""From the files of a call to its verdict and its figures; nothing else is looked at."""

from __future__ import annotations

from collections.abc import Sequence

from voicebench.caller import breaches
from voicebench.caller.shadow import scripted_replies, was_told
from voicebench.config.caller import UNDERSTANDING_VERSION, Caller
from voicebench.language.nearest import SentenceEncoder
from voicebench.metrics import call_metrics, check_claims, check_duties, find_fact_mentions
from voicebench.metrics.causes import DiagnosedCall, attribute
from voicebench.metrics.service import service_began_s, service_failed
from voicebench.packs import PackSnapshot
from voicebench.packs.models import Case
from voicebench.record.call import CallEnd, CallScore
from voicebench.record.exchanges import Exchange
from voicebench.record.figures import LineReport
from voicebench.record.state import StateRecord
from voicebench.record.trace import TraceRecord
from voicebench.record.verdict import ErrorSource, FidelityBreach, Verdict
from voicebench.speech.sentence_encoder import load_sentence_encoder
from voicebench.store import SCORING_VERSION
from voicebench.verify import evidence_from, verify_call

__all__ = ["score_call", "scoring_encoder"]

_FAILING_ENDS = ("agent_silent", "caller_gave_up", "agent_ended")
"""Ends that fail a call whatever the gates say; of ``agent_ended`` unless the caller had what it waits for."""


def score_call(
    snapshot: PackSnapshot,
    case: Case,
    end: CallEnd,
    trace: Sequence[TraceRecord],
    exchanges: Sequence[Exchange],
    state: StateRecord | None,
    recording: bytes | None,
    *,
    line: LineReport | None = None,
    encoder: SentenceEncoder | None = None,
) -> CallScore:
    """Return verdict, gates, metrics and cause of one call.

    Args:
        snapshot: the run's copy of the pack.
        case: the task.
        end: what ended the call. A caller that broke its script makes it void, whatever came of it.
        trace: spans and events, by their start.
        exchanges: with its models.
        state: the database at the end; None fails the database gate.
        recording: content of ``recording.wav``; None leaves ``v2v_ms`` null.
        line: what both legs of the line did; None over text.
        encoder: understands the agent as its caller did; None where that did by rules alone.
    """
    verified = verify_call(snapshot, case, evidence_from(trace, None if state is None else state.difference))
    end_tools = [tool.name for tool in snapshot.tools.values() if tool.ends_call]
    end_reason = str(end.end_reason)
    # Where infrastructure broke the call off, the caller could not have kept to its script.
    broken = (
        breaches(case.caller, snapshot.spec, trace, end_reason=end_reason, end_tools=end_tools, encoder=encoder)
        if end.error is None
        else []
    )
    ended_early = end_reason in _FAILING_ENDS and not (
        end_reason == "agent_ended" and was_told(case.caller, snapshot.spec, trace, encoder)
    )
    verdict, reason = _verdict(end, broken, verified.passed, ended_early=ended_early)
    # Calls of older versions tell by their exchanges alone
    error_by: ErrorSource = end.error_by or ("service" if service_failed(exchanges) else "harness")
    metrics = call_metrics(trace, recording)
    mentions = find_fact_mentions(metrics.transcript, trace, case, snapshot.spec)
    score = CallScore(
        verdict=verdict,
        scoring_version=SCORING_VERSION,
        void_kind="script" if verdict == "void" else None,
        error_by=error_by if verdict == "error" else None,
        service_began_s=service_began_s(exchanges),
        reason=reason,
        fidelity=tuple(broken),
        gates=verified.gates,
        reward=0.0 if ended_early else verified.reward,
        tool_calls=verified.tool_calls,
        path=verified.path,
        state_diff=verified.state_diff,
        **dict(metrics),
        fact_mentions=tuple(mentions),
    )
    replies = scripted_replies(case.caller, snapshot.spec, trace, encoder)
    cause = attribute(DiagnosedCall(snapshot, case, trace, score, end_reason, replies, line, encoder))
    claims = check_claims(snapshot, case, trace, exchanges, metrics.transcript, mentions)
    found = {
        "attribution": None if cause is None else cause.record(),
        "claim_checks": tuple(claims),
        "said": check_duties(snapshot, case, trace, metrics.transcript),
    }
    score = score.model_copy(update=found)
    if verdict == "failed" and cause is not None and cause.cause == "caller":
        # What the simulated caller did is never the agent's failure.
        void = {"verdict": "void", "void_kind": cause.voids, "reason": f"{cause.voids}: {cause.sentence}"}
        return score.model_copy(update=void)
    return score


def scoring_encoder(caller: Caller) -> SentenceEncoder | None:
    """Return what a stored call is understood by: what its pipeline says, or if it is older than that, today's default.

    Raises:
        ModelMissing: weights are absent.
    """
    chose_rules = caller.understanding == "rules" and caller.understanding_version == UNDERSTANDING_VERSION
    return None if chose_rules else load_sentence_encoder()


def _verdict(
    end: CallEnd, broken: Sequence[FidelityBreach], passed: bool, *, ended_early: bool
) -> tuple[Verdict, str | None]:
    if end.error is not None:
        return "error", end.error
    if end.void is not None:
        return "void", end.void
    if broken:
        return "void", f"{broken[0].rule}: the caller {broken[0].what}"
    if ended_early:
        return "failed", end.end_reason
    return ("passed", None) if passed else ("failed", "gates")
