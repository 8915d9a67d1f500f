"""What the agent did and did not do, against the solution, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from voicebench.metrics.causes.diagnosed_call import CauseCandidate, DiagnosedCall, Made, SolutionStep
from voicebench.metrics.causes.hearing import fact_not_heard
from voicebench.metrics.fact_mentions import fact_arguments
from voicebench.record.json_types import JsonValue
from voicebench.record.verdict import MadeHandoff, MadeToolCall

__all__ = ["found_in_acts", "found_too_much"]


def found_in_acts(call: DiagnosedCall) -> Iterator[CauseCandidate]:
    """Yield what explains the failing gates: the first step that was not done, and what was done too much.

    Each is traced back: to a fact that was not heard right, to a task that asks for what does not happen, and else to
    the model.
    """
    step = _first_not_done(call)
    if step is not None:
        yield _why_not_done(call, step)
    yield from found_too_much(call)
    if step is None:
        yield from _task_at_the_end(call)


def _first_not_done(call: DiagnosedCall) -> SolutionStep | None:
    """Return the first step that a gate needs and lacks, or one tried before it in vain, which has led to that."""
    for step in call.steps:
        if step.needed:
            return step
        if step.actual is not None and not step.satisfied and any(other.needed for other in call.steps[step.index :]):
            refused = isinstance(step.actual, MadeToolCall) and not step.actual.ok
            if refused or call.differing_facts(step.actual, step.step):
                return step
    return None


# ---- a step that was not done -------------------------------------------------------------------------------------


def _why_not_done(call: DiagnosedCall, step: SolutionStep) -> CauseCandidate:
    if step.refused_as_written is not None:
        return _refused_as_written(call, step, step.refused_as_written)
    return _never_done(call, step) if step.actual is None else _done_wrong(call, step, step.actual)


def _never_done(call: DiagnosedCall, step: SolutionStep) -> CauseCandidate:
    """The step was never tried: a fact that it needs, or a step before it, may never have arrived."""
    untried = [other for other in call.steps[: step.index + 1] if other.actual is None]
    if lost := [found for other in untried for found in _facts_lost(call, other)]:
        return min(lost, key=lambda found: found.at_s)
    done = [other for other in call.steps[: step.index] if other.satisfied]
    evidence = call.act_spans(done[-1].actual) if done else []
    evidence += [span.span_id for span in call.requests()][-1:]
    verb = "took" if step.row.kind == "handoff" else "called"
    knew = "heard what it needed"
    if call.agent_ended:
        knew = "ended the call"
    elif any(call.rule(turn) == "still_waiting" for turn in call.caller_turns):
        knew = "kept the caller waiting"
    elif lacking := call.lacking(step):
        knew = f"was never told {lacking[0]}"
    return CauseCandidate("model", f"The agent {knew}, and never {verb} {step.name}.", float("inf"), evidence)


def _facts_lost(call: DiagnosedCall, step: SolutionStep) -> list[CauseCandidate]:
    """Return the facts that were not heard right of a step for which each way lacks one."""
    ways = [list(facts.values()) for _, facts in fact_arguments(step.step)]
    lost = {fact: found for way in ways for fact in way if (found := fact_not_heard(call, fact)) is not None}
    open_to_it = any(all(call.mentions_of(fact) and fact not in lost for fact in way) for way in ways)
    return [] if open_to_it else list(lost.values())


def _done_wrong(call: DiagnosedCall, step: SolutionStep, actual: Made) -> CauseCandidate:
    """The step was done with other values: those of facts may have been heard so."""
    by_s = actual.start_s if call.wrote(actual) else float("inf")
    for fact, used in call.differing_facts(actual, step.step).items():
        return _given_otherwise(call, actual, fact, used, by_s)
    wrong = step.wrong_arguments[0]
    sentence = f"The agent called {step.name} with {wrong.name} {wrong.actual!r}; the task asks for another."
    return CauseCandidate("model", sentence, actual.start_s, call.act_spans(actual), used=wrong.actual)


def _given_otherwise(call: DiagnosedCall, actual: Made, fact: str, used: JsonValue, by_s: float) -> CauseCandidate:
    """A fact was given to a call with another value: it was not heard right, or the model had heard it and did wrong.

    Args:
        call: as scored.
        actual: what was called.
        fact: its name.
        used: the value given.
        by_s: when it could not be taken back any more.
    """
    spans = call.act_spans(actual)
    found = fact_not_heard(call, fact, used=used, by_s=by_s)
    if found is not None:
        sentence = f"{found.sentence} The agent gave {actual.name} the value {used!r}."
        return replace(found, sentence=sentence, evidence=[*found.evidence, *spans], used=used)
    said = call.mentions_of(fact)
    if not said or said[0].start_s > actual.start_s:
        sentence = f"The agent gave {actual.name} {used!r} as {fact} before the caller had said it."
        return CauseCandidate("model", sentence, actual.start_s, spans, fact, used=used)
    last = [one for one in said if one.start_s <= actual.start_s][-1]
    evidence = [*last.span_ids, *last.heard_span_ids, *spans]
    value = call.case.caller.facts[fact].value
    sentence = f"The agent had heard {fact} {value} right and gave {actual.name} {used!r}."
    return CauseCandidate("model", sentence, actual.start_s, evidence, fact, last.said, last.heard, used)


def _refused_as_written(call: DiagnosedCall, step: SolutionStep, actual: MadeToolCall) -> CauseCandidate:
    """The call is the solution's own, but was not answered as it says: a step before it may have led to that."""
    spans = call.act_spans(actual)
    answer = actual.error_code or "done"
    early = [other.name for other in call.steps[: step.index] if other.start_s > actual.start_s]
    if early:
        sentence = f"The agent called {step.name} without {early[0]} before it, and was refused: {answer}."
        return CauseCandidate("model", sentence, actual.start_s, spans)
    otherwise = [other for other in call.steps[: step.index] if not other.satisfied]
    if otherwise:
        return _why_not_done(call, otherwise[0])
    wanted = f"refused with {step.step.refused}" if step.step.refused else "done"
    sentence = f"The agent called {step.name} as the task's solution says, which should be {wanted} and was {answer}."
    return CauseCandidate("task", sentence, actual.start_s, spans)


# ---- what was done too much ---------------------------------------------------------------------------------------


def found_too_much(call: DiagnosedCall) -> Iterator[CauseCandidate]:
    """Yield what was done and is no part of the solution: it cannot be taken back, whatever comes after it."""
    expect = call.case.expect
    for made in call.extra:
        if isinstance(made, MadeHandoff):
            if call.fails("handoffs") and made.name not in expect.allow_hops:
                yield _act_of_the_model(call, made, f"took {made.name}, which is not on the expected path")
            continue
        forbidden = made.name in expect.forbidden_tools and call.fails("tools")
        if forbidden or (call.wrote(made) and call.fails("database")):
            otherwise = next(iter(call.differing_facts(made).items()), None)
            if otherwise is None:
                what = f"called {made.name}, which no step of the solution stands for"
                yield _act_of_the_model(call, made, what)
            else:
                yield _given_otherwise(call, made, *otherwise, by_s=made.start_s)


def _act_of_the_model(call: DiagnosedCall, made: Made, what: str) -> CauseCandidate:
    return CauseCandidate("model", f"The agent {what}.", made.start_s, call.act_spans(made))


# ---- a task that contradicts itself -------------------------------------------------------------------------------


def _task_at_the_end(call: DiagnosedCall) -> Iterator[CauseCandidate]:
    """Every step that a gate needs was done: what still fails is asked for by the task and not by its solution.

    Or it was done in addition, or is what became of a step that no gate needs by itself, and that was done otherwise.
    """
    writes = [step for step in call.steps if call.wrote(step.actual)]
    spans = [span for step in writes for span in call.act_spans(step.actual)]
    own = [step.name for step in call.steps if step.row.kind == "handoff"]
    path = () if call.score.path is None else call.score.path.actual
    undone = [step for step in call.steps if not step.satisfied]
    if call.fails("database"):
        if free := _unnamed(call, writes):
            yield free
        elif undone:
            # A step that no gate looks at may have left other rows, as a name given to the first lookup may be the one
            # that the last step writes down. Those that were tried come first.
            yield _why_not_done(call, min(undone, key=lambda step: step.actual is None))
        else:
            left = next((f"{row.kind} in {row.table}" for row in call.score.state_diff), "they were not stored")
            sentence = (
                f"The agent did every step of the task's solution, and the rows left are not those expected: {left}."
            )
            yield CauseCandidate("task", sentence, call.end_s, spans)
    if call.fails("handoffs") and own == list(path):
        handoffs = [span for step in call.steps for span in call.act_spans(step.actual)]
        sentence = "The agent took the path of the task's solution, which is not the path expected."
        yield CauseCandidate("task", sentence, call.end_s, handoffs)
    if call.fails("tools"):
        sentence = "The agent did every step of the task's solution, which calls a tool that the task forbids."
        yield CauseCandidate("task", sentence, call.end_s, spans)


def _unnamed(call: DiagnosedCall, writes: list[SolutionStep]) -> CauseCandidate | None:
    """Return an argument that the solution does not name, with which a step may have left other rows."""
    for step in writes:
        types = call.snapshot.tools[step.name].arg_types if step.name in call.snapshot.tools else {}
        for argument in step.row.arguments:
            free = not argument.gates and argument.actual is not None and types.get(argument.name) != "prose"
            if free and step.actual is not None:
                given = f"{argument.name} {argument.actual!r}"
                what = f"called {step.actual.name} with {given}, which the task does not ask for"
                return _act_of_the_model(call, step.actual, what)
    return None
