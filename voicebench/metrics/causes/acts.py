"""What the agent did and did not do, against the solution, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from voicebench.metrics.causes.finding import Finding
from voicebench.metrics.causes.hearing import fact_not_heard
from voicebench.metrics.causes.record import Record, StepRow
from voicebench.metrics.fact_mentions import fact_arguments

__all__ = ["found_in_acts"]


def found_in_acts(record: Record) -> Iterator[Finding]:
    """Yield what explains the failing gates: the first step that was not done, and what was done too much.

    Each is traced back: to a fact that was not heard right, to a task that asks for what does not happen, and else to
    the model.
    """
    step = _first_not_done(record)
    if step is not None:
        yield _why_not_done(record, step)
    yield from _too_much(record)
    if step is None:
        yield from _gold_at_the_end(record)


def _first_not_done(record: Record) -> StepRow | None:
    """Return the first step that a gate needs and lacks, or one tried before it in vain, which has led to that."""
    for step in record.steps:
        if step.needed:
            return step
        if step.actual is not None and not step.satisfied and any(other.needed for other in record.steps[step.index :]):
            refused = step.row["kind"] == "tool" and step.actual["result"].get("ok") is not True
            if refused or record.differing_facts(step.actual, step.step):
                return step
    return None


# ---- a step that was not done -------------------------------------------------------------------------------------


def _why_not_done(record: Record, step: StepRow) -> Finding:
    if step.actual is None:
        return _never_done(record, step)
    if step.as_written:
        return _refused_as_written(record, step)
    return _done_wrong(record, step)


def _never_done(record: Record, step: StepRow) -> Finding:
    """The step was never tried: a fact that it needs, or a step before it, may never have arrived."""
    untried = [other for other in record.steps[: step.index + 1] if other.actual is None]
    if lost := [found for other in untried for found in _facts_lost(record, other)]:
        return min(lost, key=lambda found: found.at_s)
    done = [other for other in record.steps[: step.index] if other.satisfied]
    evidence = record.act_spans(done[-1].actual) if done else []
    evidence += [line["span_id"] for line in record.requests()][-1:]
    verb = "took" if step.row["kind"] == "handoff" else "called"
    knew = "heard what it needed"
    if record.agent_ended:
        knew = "ended the call"
    elif lacking := record.lacking(step):
        knew = f"was never told {lacking[0]}"
    return Finding("model", f"The agent {knew}, and never {verb} {step.name}.", float("inf"), evidence)


def _facts_lost(record: Record, step: StepRow) -> list[Finding]:
    """Return the facts that were not heard right of a step for which each way lacks one."""
    ways = [list(facts.values()) for _, facts in fact_arguments(step.step)]
    lost = {fact: found for way in ways for fact in way if (found := fact_not_heard(record, fact)) is not None}
    open_to_it = any(all(record.sayings_of(fact) and fact not in lost for fact in way) for way in ways)
    return [] if open_to_it else list(lost.values())


def _done_wrong(record: Record, step: StepRow) -> Finding:
    """The step was done with other values: those of facts may have been heard so."""
    actual = step.actual or {}
    wrote = record.wrote(actual)
    for fact, used in record.differing_facts(actual, step.step).items():
        by_s = actual["start_s"] if wrote else float("inf")
        found = fact_not_heard(record, fact, used=used, by_s=by_s)
        return _with(found, record, actual, used) if found is not None else _model_had_it(record, actual, fact, used)
    wrong = step.wrong_arguments[0]
    sentence = f"The agent called {step.name} with {wrong['name']} {wrong['actual']!r}; the task asks for another."
    return Finding("model", sentence, actual["start_s"], record.act_spans(actual), used=wrong["actual"])


def _with(found: Finding, record: Record, actual: Mapping[str, Any], used: Any) -> Finding:
    """Add what the agent did with what it heard."""
    sentence = f"{found.sentence} The agent gave {actual['name']} the value {used!r}."
    evidence = [*found.evidence, *record.act_spans(actual)]
    return Finding(found.cause, sentence, found.at_s, evidence, found.fact, found.said, found.heard, used)


def _model_had_it(record: Record, actual: Mapping[str, Any], fact: str, used: Any) -> Finding:
    said = record.sayings_of(fact)
    value = record.case.caller.facts[fact].value
    spans = record.act_spans(actual)
    if not said or said[0]["start_s"] > actual["start_s"]:
        sentence = f"The agent gave {actual['name']} {used!r} as {fact} before the caller had said it."
        return Finding("model", sentence, actual["start_s"], spans, fact, used=used)
    last = [one for one in said if one["start_s"] <= actual["start_s"]][-1]
    evidence = [*last["span_ids"], *last["heard_span_ids"], *spans]
    sentence = f"The agent had heard {fact} {value} right and gave {actual['name']} {used!r}."
    return Finding("model", sentence, actual["start_s"], evidence, fact, last["said"], last["heard"], used)


def _refused_as_written(record: Record, step: StepRow) -> Finding:
    """The call is the solution's own, but was not answered as it says: a step before it may have led to that."""
    actual = step.actual or {}
    spans = record.act_spans(actual)
    answer = actual["result"].get("error_code") or "done"
    early = [other.name for other in record.steps[: step.index] if other.start_s > actual["start_s"]]
    if early:
        sentence = f"The agent called {step.name} without {early[0]} before it, and was refused: {answer}."
        return Finding("model", sentence, actual["start_s"], spans)
    otherwise = [other for other in record.steps[: step.index] if not other.satisfied]
    if otherwise:
        return _why_not_done(record, otherwise[0])
    wanted = f"refused with {step.step.refused}" if step.step.refused else "done"
    sentence = f"The agent called {step.name} as the task's solution says, which should be {wanted} and was {answer}."
    return Finding("task", sentence, actual["start_s"], spans)


# ---- what was done too much ---------------------------------------------------------------------------------------


def _too_much(record: Record) -> Iterator[Finding]:
    for row in record.extra:
        actual = row["actual"]
        if row["kind"] == "handoff":
            if record.fails("handoffs") and actual["name"] not in record.case.expect.allow_hops:
                yield _act_of_the_model(record, actual, f"took {actual['name']}, which is not on the expected path")
            continue
        forbidden = actual["name"] in record.case.expect.forbidden_tools and record.fails("tools")
        if forbidden or (record.wrote(actual) and record.fails("database")):
            yield _why_called(record, actual)


def _why_called(record: Record, actual: Mapping[str, Any]) -> Finding:
    for fact, used in record.differing_facts(actual).items():
        found = fact_not_heard(record, fact, used=used, by_s=actual["start_s"])
        return _with(found, record, actual, used) if found is not None else _model_had_it(record, actual, fact, used)
    return _act_of_the_model(record, actual, f"called {actual['name']}, which no step of the solution stands for")


def _act_of_the_model(record: Record, actual: Mapping[str, Any], what: str) -> Finding:
    return Finding("model", f"The agent {what}.", actual["start_s"], record.act_spans(actual))


# ---- a task that contradicts itself -------------------------------------------------------------------------------


def _gold_at_the_end(record: Record) -> Iterator[Finding]:
    """Every step that a gate needs was done: what still fails is asked for by the task and not by its solution.

    Or it was done in addition, or is what became of a step that no gate needs by itself, and that was done otherwise.
    """
    writes = [step for step in record.steps if step.actual is not None and record.wrote(step.actual)]
    spans = [span for step in writes for span in record.act_spans(step.actual)]
    own = [step.name for step in record.steps if step.row["kind"] == "handoff"]
    if record.fails("database"):
        if free := _unnamed(record, writes):
            yield free
        elif (ungated := _ungated(record)) is not None:
            yield _why_not_done(record, ungated)
        else:
            sentence = "The agent did every step of the task's solution, and the rows left are not those expected: "
            yield Finding("task", f"{sentence}{_first_row(record)}.", record.end_s, spans)
    if record.fails("handoffs") and own == [name for name in record.score["path"]["actual"]]:
        hops = [span for step in record.steps for span in record.act_spans(step.actual)]
        sentence = "The agent took the path of the task's solution, which is not the path expected."
        yield Finding("task", sentence, record.end_s, hops)
    if record.fails("tools"):
        sentence = "The agent did every step of the task's solution, which calls a tool that the task forbids."
        yield Finding("task", sentence, record.end_s, spans)


def _unnamed(record: Record, writes: list[StepRow]) -> Finding | None:
    """Return an argument that the solution does not name, with which a step may have left other rows."""
    for step in writes:
        types = record.snapshot.tools[step.name].arg_types if step.name in record.snapshot.tools else {}
        for argument in step.row["arguments"]:
            name, given = argument["name"], argument["actual"]
            if not argument["gates"] and given is not None and types.get(name) != "prose":
                actual = step.actual or {}
                what = f"called {actual['name']} with {name} {given!r}, which the task does not ask for"
                return _act_of_the_model(record, actual, what)
    return None


def _ungated(record: Record) -> StepRow | None:
    """Return a step that no gate looks at and that was not done, with which other rows may be left; tried ones first.

    A name given to the first lookup may be the one that the last step writes down.
    """
    undone = [step for step in record.steps if not step.satisfied]
    return next((step for step in undone if step.actual is not None), next(iter(undone), None))


def _first_row(record: Record) -> str:
    rows = record.score["state_diff"]
    return f"{rows[0]['kind']} in {rows[0]['table']}" if rows else "they were not stored"
