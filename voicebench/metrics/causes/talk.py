"""Calls that the conversation itself brought to their end: silence, a caller who gives up, one who hangs up early."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

from voicebench.metrics.causes.diagnosed_call import CauseCandidate, DiagnosedCall, SolutionStep
from voicebench.metrics.causes.hearing import misheard_turn
from voicebench.metrics.causes.line_faults import noise_of
from voicebench.metrics.transcript import LEGS
from voicebench.record.events import HangupEvent, ToolCancelledEvent
from voicebench.record.spans import ToolSpan, is_answer
from voicebench.record.transcript import Cause, TranscriptTurn
from voicebench.record.verdict import GateName

__all__ = ["asks_for", "found_in_talk"]

_SLOW_S = 10.0
"""Silence after which the caller asks whether anybody is there: an answer that comes later is too slow."""

_CUT_SHARE = 1 / 3
"""Share of its turns in which an agent must have been cut off for that to be the cause."""

_SOON_S = 0.5
"""By how much the end of a turn that was cut off may lie after the words that cut it off, or before."""


def found_in_talk(call: DiagnosedCall) -> Iterator[CauseCandidate]:
    """Yield the causes that follow from how the call ended, and from questions that were not answered."""
    if call.end_reason == "agent_silent":
        yield _silence(call)
    elif call.end_reason == "caller_gave_up":
        yield from _given_up(call)
    elif call.end_reason == "caller_hung_up":
        yield from _hung_up(call)
    elif call.end_reason == "limit_call_s":
        yield from filter(None, [_tool_at_work(call)])
    elif call.score.reason == "agent_ended" and not any(map(call.fails, get_args(GateName))):
        yield _hung_up_on(call)
    yield from _cut_off(call)
    yield from _unanswered(call)


def _silence(call: DiagnosedCall) -> CauseCandidate:
    """Say why nothing came after the caller's last words: they or the answer were not heard, or there was none."""
    spoken = [turn for turn in call.caller_turns if call.rule(turn) != "hello"]
    if not spoken:
        return CauseCandidate("harness", "The caller never came to speak, and the agent fell silent.", call.end_s)
    last = spoken[-1]
    if (at_work := _tool_at_work(call)) is not None:
        return at_work
    answers = [turn for turn in call.turns if turn.speaker == "agent" and turn.start_s > last.start_s]
    if answers:
        answer = answers[-1]
        answered = call.scripted_reply(answer.spoken, None).answers
        if call.is_caller_listening and answered:
            # In noise without a pause the caller may have had no moment to answer words that it heard well enough.
            noisy = noise_of(call, LEGS["agent"]) is not None
            if noisy or not call.scripted_reply(answer.heard or "", None).answers:
                return misheard_turn(call, answer, "The agent said")
        sentence = f"The agent said “{answer.spoken}”, and then nothing more."
        return CauseCandidate("model", sentence, answer.end_s, answer.span_ids)
    if call.is_heard and not last.heard:
        return misheard_turn(call, last, "The agent fell silent after the caller had said")
    return _no_answer(call, last) or CauseCandidate(
        "harness",
        f"The caller's words “{last.spoken}” were recognised, and the model was never asked.",
        last.end_s,
        [*last.span_ids, *last.heard_span_ids],
    )


def _no_answer(call: DiagnosedCall, last: TranscriptTurn) -> CauseCandidate | None:
    """Return the first request after the caller's last words, which brought nothing; None without one."""
    asked = call.requests(last.end_s)
    if not asked:
        return None
    # "Hello?" has the model asked once more; what went wrong first is that it had not answered before.
    first = asked[0]
    what, end_s = "had nothing to say", first.end_ns / 1e9
    waited_s = (first.end_ns - first.start_ns) / 1e9
    if first.ttft_ms is None and waited_s >= _SLOW_S:
        what, end_s = f"had said nothing {waited_s:.0f} s later", first.start_ns / 1e9
    elif first.ttft_ms is not None and first.ttft_ms >= _SLOW_S * 1e3:
        what, end_s = f"began to answer only {first.ttft_ms / 1e3:.0f} s later", first.start_ns / 1e9
    sentence = f"The model was asked after “{last.spoken}” and {what}."
    return CauseCandidate("model", sentence, end_s, [*last.span_ids, first.span_id])


def _tool_at_work(call: DiagnosedCall) -> CauseCandidate | None:
    """Return the tool that kept the agent from answering when the call ended, since long before; None without one.

    It ended after the hang-up, or never did and was cancelled, so that the trace has no span of it.
    """
    hung_up_s = next((event.time_ns / 1e9 for event in call.trace if isinstance(event, HangupEvent)), call.end_s)
    ended = [span for span in call.trace if isinstance(span, ToolSpan) and span.after_hangup]
    cancelled = [event for event in call.trace if isinstance(event, ToolCancelledEvent)]
    requests = [span for span in call.requests() if span.start_ns / 1e9 <= hung_up_s]
    if not requests or not (ended or cancelled):
        return None
    tool = ended[0].tool if ended else cancelled[-1].tool
    since_s = (ended[0].start_ns if ended else requests[-1].end_ns) / 1e9
    if hung_up_s - since_s < _SLOW_S:
        return None
    spoken = [turn for turn in call.caller_turns if call.rule(turn) != "hello" and turn.end_s <= since_s]
    asked = f" after “{spoken[-1].spoken}”" if spoken else ""
    sentence = f"The agent called {tool}{asked}, and the tool was still at work {hung_up_s - since_s:.0f} s later."
    evidence = [*(spoken[-1].span_ids if spoken else ()), requests[-1].span_id, *(span.span_id for span in ended[:1])]
    return CauseCandidate("harness", sentence, since_s, evidence)


def _cut_off(call: DiagnosedCall) -> Iterator[CauseCandidate]:
    """Look for an agent that was cut off again and again while nobody spoke: by noise, or by its own detector."""
    agents = [turn for turn in call.turns if turn.speaker == "agent"]
    spoken = [(one.start_s - _SOON_S, one.end_s + _SOON_S) for one in call.caller_turns]
    cut = [turn for turn in agents if turn.interrupted and not any(a <= turn.end_s <= b for a, b in spoken)]
    once = len(cut) < 2 and call.end_reason != "agent_silent"
    if not call.is_heard or once or len(cut) < _CUT_SHARE * len(agents):
        return
    for first in cut[:1]:
        noise = noise_of(call, LEGS["caller"])
        by = f"by {noise}" if noise else "by its own voice activity detector, while the line was quiet"
        often = f"{len(cut)} of {len(agents)} times" if len(agents) > 1 else "at once"
        sentence = f"The agent was cut off {often} while nobody spoke, {by}: first in “{first.intended}”."
        cause: Cause = "line" if noise else "harness"
        yield CauseCandidate(cause, sentence, first.start_s, first.span_ids, said=first.intended)


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
    """Blame the agent, or the line if the caller would have had an answer to the words as they were spoken."""
    spoken = said.spoken
    evidence = [*said.span_ids, *said.heard_span_ids, *turn.span_ids]
    if call.scripted_reply(spoken, turn.span_ids[0]).answers:
        return misheard_turn(call, said, "The agent said")
    if _has_rule(call, spoken):
        sentence = f"The agent said “{spoken}”, to which the caller had nothing more to say, and it gave up."
    else:
        sentence = f"The agent said “{spoken}”, which answers nothing that the caller wants, and it gave up."
    return CauseCandidate("model", sentence, said.start_s, evidence, said=spoken, heard=said.heard)


def _has_rule(call: DiagnosedCall, text: str) -> bool:
    """Whether some words are ever answered by the caller's script, be the rule used up or not yet due."""
    script = call.case.caller
    heard = {script.hangs_up.heard, *(rule.heard for rule in script.answers if rule.heard)}
    asked = {rule.asked for rule in script.answers if rule.asked}
    return any(call.intents.match("heard", name, text) for name in heard) or any(
        call.intents.match("asked", name, text) for name in asked
    )


def _hung_up_on(call: DiagnosedCall) -> CauseCandidate:
    """Show the tool with which the agent ended the call before the caller had been told what it waits for."""
    ending = {tool.name for tool in call.snapshot.tools.values() if tool.ends_call}
    ended = [span for span in call.trace if isinstance(span, ToolSpan) and span.tool in ending]
    wanted = call.case.caller.hangs_up.heard.replace("_", " ")
    sentence = f"The agent ended the call, and had not told the caller what it waits for: {wanted}."
    return CauseCandidate(
        "model",
        sentence,
        ended[-1].start_ns / 1e9 if ended else call.end_s,
        [span.span_id for span in ended[-1:]],
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
        if not any(step.needed and changes(call, step) for step in call.steps):
            return  # what it said was true: what is missing is a call that leaves nothing behind
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
        end = CauseCandidate("caller", sentence, last.start_s, evidence, said=said.spoken, heard=said.heard)
        yield replace(end, voids="script")


def changes(call: DiagnosedCall, step: SolutionStep) -> bool:
    """Whether a step leaves something behind: a row, or a caller with somebody else."""
    tool = call.snapshot.tools.get(step.name)
    return tool is None or tool.writes or tool.ends_call


# ---- a question without an answer ---------------------------------------------------------------------------------


def _unanswered(call: DiagnosedCall) -> Iterator[CauseCandidate]:
    """Look for a fact that a missing step needs, that the agent asked for, and that the caller never gave.

    A caller whose script has another answer to the question, at that time or at all, has given that.
    """
    undone = [step for step in call.steps if not step.satisfied]
    facts = [fact for step in undone for fact in call.lacking(step)] if any(step.needed for step in undone) else []
    asked = [turn for turn in call.turns if turn.speaker == "agent" and not turn.interrupted]
    for fact in dict.fromkeys(facts):
        questions = (turn for turn in asked if asks_for(call, fact, turn.spoken))
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
    # A caller that has no rule for the fact gives another that it has: that is no answer to the question.
    forgot = bool(would.gives) and not any(fact in rule.give for rule in call.case.caller.answers)
    if fact not in would.gives and not forgot and (would.answers or _has_rule(call, spoken)):
        return None
    sentence = f"The agent asked for {fact}, and the simulated caller never gave it."
    evidence = [*question.span_ids, *question.heard_span_ids]
    return CauseCandidate("caller", sentence, question.start_s, evidence, fact, spoken, question.heard)


def asks_for(call: DiagnosedCall, fact: str, text: str) -> bool:
    """Whether some words ask for a fact as the pack's question does, going by what its callers give the fact for."""
    kind = call.snapshot.spec.facts.get(fact)
    if kind is None:
        return False
    question = set(call.intents.matching("asked", kind.question))
    rules = [rule for case in call.snapshot.cases.values() for rule in case.caller.answers if fact in rule.give]
    wanted = question & {rule.asked for rule in rules} or question
    return any(call.intents.match("asked", name, text) for name in wanted if name)
