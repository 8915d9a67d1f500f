"""Whether the simulated caller failed to understand an agent who had asked, or said, what its task answers."""

from __future__ import annotations

from voicebench.language.dialogue_acts import asks_again, is_empty_answer
from voicebench.metrics.causes.diagnosed_call import CauseCandidate, DiagnosedCall
from voicebench.metrics.causes.line_faults import line_fault
from voicebench.metrics.causes.talk import asks_for
from voicebench.metrics.transcript import LEGS
from voicebench.record.spans import is_answer
from voicebench.record.transcript import TranscriptTurn

__all__ = ["not_comprehended"]

_LAST_TURNS = 3
"""So many of the agent's last turns are read: a caller gives up at the third that it cannot answer."""

_ANSWERS = ("asked:", "heard:", "read_back", "closing")
"""How the rules begin that stand in a script, or confirm what was read back."""


def not_comprehended(call: DiagnosedCall) -> CauseCandidate | None:
    """Return what a caller that gave up, or never answered, could have answered; None if nothing, or if it did answer.

    The agent's last three turns are read whole and as they were meant, not as they were heard. One that the line had
    spoilt is no fault of the caller's.
    """
    if not _left_off(call):
        return None
    agents = [turn for turn in call.turns if turn.speaker == "agent"]
    for turn in agents[-_LAST_TURNS:]:
        reply = call.caller_after(turn)
        # What was cut off was not said, whatever was meant.
        if turn.interrupted or (reply is not None and _is_reply(call, reply)):
            continue
        wanted = _wanted(call, turn.intended, None if reply is None else reply.span_ids[0])
        is_misheard = call.is_caller_listening and turn.heard != turn.spoken
        is_spoilt = is_misheard and line_fault(call, LEGS["agent"], turn.start_s, turn.end_s, "it") is not None
        if wanted is not None and not is_spoilt:
            what = "gave up" if call.end_reason == "caller_gave_up" else "never answered"
            heard = turn.heard if reply is None else call.heard_by_caller(reply, turn)
            misheard = f" It heard “{heard}”." if heard is not None and heard != turn.spoken else ""
            answers = f"({wanted}), which the simulated caller's task answers"
            sentence = f"The agent said “{turn.intended}” {answers}, and it {what}.{misheard}"
            evidence = [*turn.span_ids, *turn.heard_span_ids, *(() if reply is None else reply.span_ids)]
            return CauseCandidate("caller", sentence, turn.start_s, evidence, said=turn.intended, heard=turn.heard)
    return None


def _left_off(call: DiagnosedCall) -> bool:
    """Whether the caller gave up, or the call ended with words of the agent's that it had not answered."""
    if call.end_reason == "caller_gave_up":
        return True
    if call.end_reason == "caller_hung_up":
        return False
    replies = [turn for turn in call.caller_turns if call.rule(turn) != "hello"]
    agents = [turn for turn in call.turns if turn.speaker == "agent"]
    if not agents:
        return False
    before = [turn for turn in replies if call.turns.index(turn) < call.turns.index(agents[-1])]
    if call.end_reason == "agent_silent":
        return before == replies
    # What is said after the agent's last words answers a farewell.
    return len(before) > 1 and not any(_is_reply(call, turn) for turn in before[-2:])


def _is_reply(call: DiagnosedCall, turn: TranscriptTurn) -> bool:
    """Whether the caller's words answer something; a model's, whose rules are not known, unless they plainly do not.

    Something said once more answers a request to repeat, and no question.
    """
    rule = call.rule(turn)
    if rule == "model":
        return not asks_again(turn.spoken) and not is_empty_answer(turn.spoken)
    return is_answer(rule) and not rule.startswith("repeat:")


def _wanted(call: DiagnosedCall, meant: str, reply: str | None) -> str | None:
    """Return what some words ask for or say that the task answers now, in words; None if nothing."""
    would = call.scripted_reply(meant, reply)
    parts = [part for part in would.rule.split("+") if part.startswith(_ANSWERS)]
    if parts:
        return " and ".join(part.removeprefix("asked:").removeprefix("heard:").replace("_", " ") for part in parts)
    # A rule that is used up, or not yet due, has nothing more to say. A fact that none gives when asked was forgotten.
    given = {name for rule in call.case.caller.answers if rule.asked for name in rule.give}
    facts = [name for name in call.case.caller.facts if name not in given and asks_for(call, name, meant)]
    return facts[0].replace("_", " ") if facts else None
