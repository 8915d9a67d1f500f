"""Calls that the conversation itself brought to their end: silence, a caller who gives up, one who hangs up early."""

from __future__ import annotations

from collections.abc import Iterator

from voicebench.metrics.causes.diagnosed_call import CauseCandidate, DiagnosedCall
from voicebench.metrics.causes.hearing import misheard_turn
from voicebench.record.caller_rules import is_answer
from voicebench.record.transcript import TranscriptTurn

__all__ = ["found_in_talk"]


def found_in_talk(call: DiagnosedCall) -> Iterator[CauseCandidate]:
    """Yield the causes that follow from how the call ended, and from questions that were not answered."""
    if call.end_reason == "agent_silent":
        yield _silence(call)
    elif call.end_reason == "caller_gave_up":
        yield from _given_up(call)
    elif call.end_reason == "caller_hung_up":
        yield from _hung_up(call)
    yield from _unanswered(call)


def _silence(call: DiagnosedCall) -> CauseCandidate:
    """Say why nothing came after the caller's last words: they or the answer were not heard, or there was none."""
    spoken = [turn for turn in call.caller_turns if call.rule(turn) != "hello"]
    if not spoken:
        return CauseCandidate("harness", "The caller never came to speak, and the agent fell silent.", call.end_s)
    last = spoken[-1]
    answers = [turn for turn in call.turns if turn.speaker == "agent" and turn.start_s > last.start_s]
    if answers:
        answer = answers[-1]
        answered = call.scripted_reply(answer.spoken, None).answers
        if call.is_caller_listening and answered and not call.scripted_reply(answer.heard or "", None).answers:
            return misheard_turn(call, answer, "The agent said")
        sentence = f"The agent said “{answer.spoken}”, and then nothing more."
        return CauseCandidate("model", sentence, answer.end_s, answer.span_ids)
    if call.is_heard and not last.heard:
        return misheard_turn(call, last, "The agent fell silent after the caller had said")
    asked = call.requests(last.end_s)
    if asked:
        sentence = f"The model was asked after “{last.spoken}” and had nothing to say."
        return CauseCandidate("model", sentence, asked[-1].end_ns / 1e9, [*last.span_ids, asked[-1].span_id])
    sentence = f"The caller's words “{last.spoken}” were recognised, and the model was never asked."
    return CauseCandidate("harness", sentence, last.end_s, [*last.span_ids, *last.heard_span_ids])


# ---- a caller who does not understand -----------------------------------------------------------------------------


def _given_up(call: DiagnosedCall) -> Iterator[CauseCandidate]:
    """Look at the first of the agent's turns that the caller could make nothing of, in the row that led to the end."""
    row = []
    for turn in reversed([one for one in call.caller_turns if call.rule(one) != "hello"]):
        if is_answer(call.rule(turn)):
            break
        row.append(turn)
    for turn in reversed(row):
        before = call.agents_before(turn)
        if before:
            yield _not_understood(call, turn, before[-1])
            return


def _not_understood(call: DiagnosedCall, turn: TranscriptTurn, said: TranscriptTurn) -> CauseCandidate:
    """Blame the caller only where its script, after all that it had heard by then, has an answer, or never had one."""
    spoken, heard, span_id = said.spoken, call.heard_by_caller(turn, said), turn.span_ids[0]
    evidence = [*said.span_ids, *said.heard_span_ids, *turn.span_ids]
    if call.scripted_reply(heard, span_id).answers:
        sentence = f"The simulated caller has an answer to “{heard}”, and gave up instead."
        return CauseCandidate("caller", sentence, turn.start_s, evidence, said=said.spoken, heard=said.heard)
    if call.scripted_reply(spoken, span_id).answers:
        return misheard_turn(call, said, "The agent said")
    if _has_rule(call, spoken):
        sentence = f"The agent said “{spoken}”, to which the caller had nothing more to say, and it gave up."
        return CauseCandidate("model", sentence, said.start_s, evidence, said=said.spoken, heard=said.heard)
    asked = [name for name in call.case.caller.facts if _asks_for(call, name, spoken)]
    if asked:
        sentence = f"The agent asked for {asked[0]}, which the simulated caller has no answer for, and it gave up."
        return CauseCandidate("caller", sentence, turn.start_s, evidence, asked[0], said=said.spoken, heard=said.heard)
    sentence = f"The agent said “{spoken}”, which answers nothing that the caller wants, and it gave up."
    return CauseCandidate("model", sentence, said.start_s, evidence, said=said.spoken, heard=said.heard)


def _has_rule(call: DiagnosedCall, text: str) -> bool:
    """Whether some words are ever answered by the caller's script, be the rule used up or not yet due."""
    script = call.case.caller
    heard = {script.hangs_up.heard, *(rule.heard for rule in script.answers if rule.heard)}
    asked = {rule.asked for rule in script.answers if rule.asked}
    return any(call.intents.match("heard", name, text) for name in heard) or any(
        call.intents.match("asked", name, text) for name in asked
    )


# ---- a caller who hangs up ----------------------------------------------------------------------------------------


def _hung_up(call: DiagnosedCall) -> Iterator[CauseCandidate]:
    """Ask what made the caller hang up before all was done: words that were not said, or not by the model."""
    if not call.caller_turns or not any(step.needed for step in call.steps):
        return
    last, ends = call.caller_turns[-1], call.case.caller.hangs_up.heard
    before = call.agents_before(last)
    if not before or call.agent_ended:
        return
    said = next((one for one in reversed(before) if call.intents.match("heard", ends, one.spoken)), before[-1])
    heard = call.heard_by_caller(last, said)
    evidence = [*said.span_ids, *said.heard_span_ids, *last.span_ids]
    if call.intents.match("heard", ends, said.spoken):
        own = [call.snapshot.spec.greeting, *(one.question for one in call.snapshot.spec.facts.values())]
        if any(call.intents.match("heard", ends, text) for text in own if text in said.spoken):
            sentence = f"The simulated caller took “{said.spoken}” for {ends} and hung up before its wish was met."
            yield CauseCandidate("caller", sentence, last.start_s, evidence, said=said.spoken, heard=said.heard)
        else:
            sentence = f"The agent said “{said.spoken}” before it was true, and the caller hung up."
            yield CauseCandidate("model", sentence, said.start_s, evidence, said=said.spoken, heard=said.heard)
    elif call.intents.match("heard", ends, heard):
        yield misheard_turn(call, said, "The agent said")
    else:
        sentence = f"The simulated caller hung up after “{said.spoken}”, which is no reason to."
        yield CauseCandidate("caller", sentence, last.start_s, evidence, said=said.spoken, heard=said.heard)


# ---- a question without an answer ---------------------------------------------------------------------------------


def _unanswered(call: DiagnosedCall) -> Iterator[CauseCandidate]:
    """Look for a fact that a missing step needs, that the agent asked for, and that the caller never gave.

    A caller whose script has another answer to the question, at that time or at all, has given that.
    """
    undone = [step for step in call.steps if not step.satisfied]
    facts = [fact for step in undone for fact in call.lacking(step)] if any(step.needed for step in undone) else []
    asked = [turn for turn in call.turns if turn.speaker == "agent" and not turn.interrupted]
    for fact in dict.fromkeys(facts):
        questions = (turn for turn in asked if _asks_for(call, fact, turn.spoken))
        found = (_left_open(call, fact, turn) for turn in questions)
        yield from [finding for finding in found if finding is not None][:1]


def _left_open(call: DiagnosedCall, fact: str, question: TranscriptTurn) -> CauseCandidate | None:
    """Return why a question for a fact was not answered with it; None if the script would not have given it either."""
    reply = call.caller_after(question)
    if reply is None:
        return None
    spoken, span_id = question.spoken, reply.span_ids[0]
    would = call.scripted_reply(spoken if question.heard is None else question.heard, span_id)
    if fact not in would.gives and fact in call.scripted_reply(spoken, span_id).gives:
        return misheard_turn(call, question, "The agent said")
    if fact not in would.gives and (would.answers or _has_rule(call, spoken)):
        return None
    sentence = f"The agent asked for {fact}, and the simulated caller never gave it."
    evidence = [*question.span_ids, *question.heard_span_ids]
    return CauseCandidate("caller", sentence, question.start_s, evidence, fact, spoken, question.heard)


def _asks_for(call: DiagnosedCall, fact: str, text: str) -> bool:
    """Whether some words ask for a fact as the pack's question does, going by what its callers give the fact for."""
    kind = call.snapshot.spec.facts.get(fact)
    if kind is None:
        return False
    question = set(call.intents.matching("asked", kind.question))
    rules = [rule for case in call.snapshot.cases.values() for rule in case.caller.answers if fact in rule.give]
    wanted = question & {rule.asked for rule in rules} or question
    return any(call.intents.match("asked", name, text) for name in wanted if name)
