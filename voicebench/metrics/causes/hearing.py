"""Words that did not arrive: spoilt by the line, never noticed by the agent's detector, or misheard."""

from __future__ import annotations

from voicebench.language.compare import compare_values
from voicebench.language.understanding import hear_facts
from voicebench.metrics.causes.diagnosed_call import CauseCandidate, DiagnosedCall
from voicebench.metrics.causes.line_faults import line_fault
from voicebench.metrics.transcript import LEGS
from voicebench.record.json_types import JsonValue
from voicebench.record.spans import UNANSWERING_RULES
from voicebench.record.transcript import Cause, FactMention, TranscriptTurn

__all__ = ["LOST_RATE", "fact_not_heard", "lost_turn", "misheard_turn"]

LOST_RATE = 1 / 3
"""Share of word errors from which on an utterance has not arrived."""

_EMPTY_WORDS = ("hello", "closing", *UNANSWERING_RULES)
"""Rules of the caller's whose words tell the agent nothing."""

_DEAF = "the line was intact, and the agent's voice activity detector never took it for speech"


# ---- facts --------------------------------------------------------------------------------------------------------


def fact_not_heard(
    call: DiagnosedCall, fact: str, *, used: JsonValue = None, by_s: float = float("inf")
) -> CauseCandidate | None:
    """Return why a fact did not reach the agent as it is; None if it did, or was never said.

    One that was misheard and then said again and heard right is no cause, unless the agent had acted on it before, or
    went by a later mention that was misheard again. Of several, the first is the cause.

    Args:
        call: as scored.
        fact: its name.
        used: the value that the agent gave to a tool; None if it gave none.
        by_s: when what it did could not be taken back any more.
    """
    said = [one for one in call.mentions_of(fact) if one.start_s < by_s]
    # Those that did not bring the fact across: nothing or something else was heard, or said
    wrong = [
        one
        for one in said
        if (call.is_heard and one.heard is None) or one.right is False or _spoken_wrong(call, one) is not None
    ]
    if wrong and len(wrong) == len(said):
        return _not_heard(call, wrong[0], used)
    if wrong and wrong[-1] is said[-1] and used is not None:
        last, kind = wrong[-1], call.snapshot.spec.facts[fact].type
        if last.understood is not None and compare_values(kind, last.understood, used).equal:
            return _not_heard(call, last, used)
    return None


def _spoken_wrong(call: DiagnosedCall, mention: FactMention) -> str | None:
    """Return the other value that the caller spoke in the place of its own, if it did."""
    turn = _turn_of(call, mention)
    together = [one for one in call.score.fact_mentions if one.span_ids == mention.span_ids]
    specs = {one.fact: call.snapshot.spec.facts[one.fact] for one in together}
    meant = {one.fact: one.value for one in together}
    spoken = hear_facts(specs, meant, turn.spoken, today=call.today)[mention.fact]
    return None if spoken.right else spoken.value


def _not_heard(call: DiagnosedCall, mention: FactMention, used: JsonValue) -> CauseCandidate:
    fact, value = mention.fact, mention.value
    spoken = _spoken_wrong(call, mention)
    what = f"The caller said {fact} {value} (“{mention.said}”)"
    heard = f"{mention.understood or _quoted(mention.heard)} was heard"
    fault = line_fault(call, mention.leg, *_window(call, mention), "these words")
    cause: Cause
    if spoken is not None:
        cause, sentence = "caller", f"The caller gave {spoken} as {fact}, where its script has {value}."
    elif fault is not None:
        cause, sentence = "line", f"{what}, {fault}, and {heard}."
    elif mention.heard is None:
        cause, sentence = "harness", f"{what}, {_DEAF}."
    else:
        cause, sentence = "asr", f"{what}, the line was intact, and {heard}."
    evidence = [*mention.span_ids, *mention.heard_span_ids]
    said, heard_as = mention.said, mention.heard
    return CauseCandidate(
        cause, sentence, mention.start_s, evidence, fact, said, heard_as, used, "script" if spoken else "comprehension"
    )


def _quoted(text: str | None) -> str:
    return f"“{text}”" if text else "nothing"


def _turn_of(call: DiagnosedCall, mention: FactMention) -> TranscriptTurn:
    return next(turn for turn in call.turns if turn.span_ids == mention.span_ids)


def _window(call: DiagnosedCall, mention: FactMention) -> tuple[float, float]:
    """Return when a mention is on the line: the part of the turn in which its words stand, by their letters."""
    spoken = _turn_of(call, mention).spoken
    words = mention.said.rstrip(".,;!?")
    begin = spoken.find(words)
    first, last = (begin / len(spoken), (begin + len(words)) / len(spoken)) if begin >= 0 else (0.0, 1.0)
    start_s, length_s = mention.start_s, mention.end_s - mention.start_s
    return start_s + first * length_s, start_s + last * length_s


# ---- other words --------------------------------------------------------------------------------------------------


def lost_turn(call: DiagnosedCall, by_s: float) -> CauseCandidate | None:
    """Return the first turn of the caller's that did not arrive before a time, and whose words it did not say again.

    A turn has not arrived when nothing of it was recognised, or a third of its words were heard otherwise. One whose
    facts were all heard right has, however the rest came out.
    """
    if not call.is_heard:
        return None
    arrived = [turn for turn in call.caller_turns if not _is_lost(call, turn)]
    for turn in call.caller_turns:
        again = (one for one in arrived if one.start_s > turn.start_s and call.rule(one) == call.rule(turn))
        if turn.start_s < by_s and turn not in arrived and not any(again):
            return misheard_turn(call, turn, "The caller said")
    return None


def _is_lost(call: DiagnosedCall, turn: TranscriptTurn) -> bool:
    if turn.interrupted or call.rule(turn) in _EMPTY_WORDS:
        return False
    facts = [one for one in call.score.fact_mentions if one.span_ids == turn.span_ids]
    if facts and all(one.right for one in facts):
        return False
    errors = turn.word_errors
    return errors is None or (errors.rate is not None and errors.rate >= LOST_RATE)


def misheard_turn(call: DiagnosedCall, turn: TranscriptTurn, who_said: str) -> CauseCandidate:
    """Return a turn that did not arrive as what kept the call from passing."""
    evidence = [*turn.span_ids, *turn.heard_span_ids]
    fault = line_fault(call, LEGS[turn.speaker], turn.start_s, turn.end_s, "it")
    cause: Cause
    if fault is not None:
        cause, end = "line", f"{fault}, and {_quoted(turn.heard)} was heard"
    elif turn.speaker == "agent":
        cause, end = "caller", f"the line was intact, and the simulated caller heard {_quoted(turn.heard)}"
    elif turn.heard is None:
        cause, end = "harness", _DEAF
    else:
        cause, end = "asr", f"the line was intact, and {_quoted(turn.heard)} was heard"
    sentence = f"{who_said} “{turn.spoken}”, {end}."
    return CauseCandidate(cause, sentence, turn.start_s, evidence, said=turn.spoken, heard=turn.heard)
