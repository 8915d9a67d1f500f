"""Entity errors: each time a fact of the task was said, as what, and what the other side's ear made of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from voicebench.language.slots import Fact, FactSpec
from voicebench.language.understanding import Understood, hear_facts, readable
from voicebench.metrics.transcript import LEGS
from voicebench.packs.models import Case, PackSpec, Step
from voicebench.packs.templates import fact_of

__all__ = ["fact_arguments", "sayings"]

_TELLING = {"id", "phone", "date", "number", "name"}
"""Types whose values stand out in any sentence; others count as said only where the caller's script gives them."""


def sayings(
    turns: list[dict[str, Any]], trace: list[dict[str, Any]], case: Case, spec: PackSpec
) -> list[dict[str, Any]]:
    """Return each saying of a fact of the task, by either side, in order.

    A fact is said where the caller's script gives it, and in every turn whose words are understood as its value. It is
    heard right if the value that a listener takes from the recognised words first is the fact's, by the rule of its
    type; facts said together are taken together (:func:`voicebench.language.understanding.hear_facts`).

    Args:
        turns: as :func:`voicebench.metrics.transcript` gives them.
        trace: lines of ``trace.jsonl``.
        case: the task.
        spec: the pack's.

    Returns:
        for each ``{fact, type, value, speaker, leg, start_s, end_s, form, said, heard, understood, right, rule, used,
        span_ids, heard_span_ids}``: ``form``, the index of the form, None where it was said in other words; ``said``,
        that form, else the turn; ``heard``, the words recognised of the turn; ``understood``, the value taken from
        them; ``right``, None where nothing was recognised; ``used``, the value that the agent gave to a tool for the
        fact afterwards and before it was said again.
    """
    said_by_script = _said_by_script(trace)
    today = dt.date.fromisoformat(spec.today)
    found = [
        _saying(name, form, turn, case.caller.facts[name], spec.facts[name], heard.get(name))
        for turn in turns
        for forms in [_said_in(turn, said_by_script, case, spec, today)]
        for heard in [_heard(turn, forms, case, spec, today)]
        for name, form in forms.items()
    ]
    return _with_uses(found, trace, case)


def _said_by_script(trace: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Return span → fact → form of what the caller's script gave."""
    speeches = [line for line in trace if line["name"] == "caller.speech"]
    return {
        line["span_id"]: dict(zip(said.get("facts", []), said.get("form", []), strict=False))
        for line in speeches
        for said in [line["attributes"]]
    }


def _said_in(
    turn: dict[str, Any], by_script: Mapping[str, dict[str, int]], case: Case, spec: PackSpec, today: dt.date
) -> dict[str, int | None]:
    """Return the facts said in a turn, each with its form; those of the script first, in its order."""
    forms: dict[str, int | None] = {}
    for span_id in turn["span_ids"]:
        forms |= {name: form for name, form in by_script.get(span_id, {}).items() if name in case.caller.facts}
    for name, fact in case.caller.facts.items():
        kind = spec.facts.get(name)
        if name in forms or kind is None or kind.type not in _TELLING:
            continue
        if hear_facts({name: kind}, {name: fact.value}, turn["spoken"], today=today)[name].right:
            forms[name] = None
    return {name: form for name, form in forms.items() if name in spec.facts and readable(spec.facts[name])}


def _heard(
    turn: dict[str, Any], forms: Mapping[str, int | None], case: Case, spec: PackSpec, today: dt.date
) -> dict[str, Understood]:
    if turn["heard"] is None:
        return {}
    meant = {name: case.caller.facts[name].value for name in forms}
    return hear_facts({name: spec.facts[name] for name in forms}, meant, turn["heard"], today=today)


def _saying(
    name: str, form: int | None, turn: dict[str, Any], fact: Fact, kind: FactSpec, heard: Understood | None
) -> dict[str, Any]:
    return {
        "fact": name,
        "type": kind.type,
        "value": fact.value,
        "speaker": turn["speaker"],
        "leg": LEGS[turn["speaker"]],
        "start_s": turn["start_s"],
        "end_s": turn["end_s"],
        "form": form,
        "said": turn["spoken"] if form is None or form >= len(fact.forms) else fact.forms[form],
        "heard": turn["heard"],
        "understood": heard.value if heard is not None else None,
        "right": heard.right if heard is not None else None,
        "rule": heard.rule if heard is not None else None,
        "used": None,
        "span_ids": turn["span_ids"],
        "heard_span_ids": turn["heard_span_ids"],
    }


# ---- what the agent made of it ------------------------------------------------------------------------------------


def fact_arguments(step: Step) -> list[tuple[str, dict[str, str]]]:
    """Return the ways to make a step's call: the tool, and the fact that is each argument of those that are facts."""
    ways = [(step.call, step.with_), *((other.call or step.call, other.with_) for other in step.alternatives)]
    return [
        (tool, {name: fact for name, value in arguments.items() if (fact := fact_of(value)) is not None})
        for tool, arguments in ways
        if tool
    ]


def _with_uses(found: list[dict[str, Any]], trace: list[dict[str, Any]], case: Case) -> list[dict[str, Any]]:
    """Note for each saying of the caller's what the agent gave to a tool for the fact until it was said again."""
    ways = [way for step in case.solution for way in fact_arguments(step)]
    bound = {(tool, argument): fact for tool, facts in ways for argument, fact in facts.items()}
    given: list[tuple[float, str, Any]] = []
    for line in trace:
        if line["name"] == "tool":
            made = line["attributes"]
            for argument, value in made["gen_ai.tool.call.arguments"].items():
                fact = bound.get((made["gen_ai.tool.name"], argument))
                given += [(line["start_ns"] / 1e9, fact, value)] if fact is not None else []
    return [{**saying, "used": _used(saying, found[index + 1 :], given)} for index, saying in enumerate(found)]


def _used(saying: dict[str, Any], after: list[dict[str, Any]], given: list[tuple[float, str, Any]]) -> Any:
    """Return the first value given for the fact from this saying of the caller's until the next."""
    if saying["speaker"] != "caller":
        return None
    begin_s = saying["start_s"]
    again = [one["start_s"] for one in after if _same(one, saying) and one["start_s"] > begin_s]
    until_s = min(again, default=float("inf"))
    values = [value for at_s, fact, value in given if fact == saying["fact"] and begin_s <= at_s < until_s]
    return values[0] if values else None


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return (one["fact"], one["speaker"]) == (other["fact"], other["speaker"])
