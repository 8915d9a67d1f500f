"""Entity errors: each time a fact of the task was said, as what, and what the other side understood."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence

from voicebench.language.understanding import hear_facts, readable
from voicebench.metrics.transcript import LEGS
from voicebench.packs.models import Case, PackSpec, Step
from voicebench.packs.templates import fact_of
from voicebench.record.json_types import JsonValue
from voicebench.record.spans import CallerSpeechSpan, ToolSpan
from voicebench.record.trace import TraceRecord
from voicebench.record.transcript import FactMention, TranscriptTurn

__all__ = ["fact_arguments", "find_fact_mentions"]

_TELLING = {"id", "phone", "date", "number", "name"}
"""Types whose values stand out in any sentence; others count as said only where the caller's script gives them."""


def find_fact_mentions(
    turns: Sequence[TranscriptTurn], trace: Sequence[TraceRecord], case: Case, spec: PackSpec
) -> list[FactMention]:
    """Return each mention of a fact of the task, by either side, in order.

    A fact is mentioned where the caller's script gives it, and in every turn whose words are understood as its value.
    It is heard right if the value that a listener takes from the recognised words first is the fact's, by the rule of
    its type; facts said together are taken together (:func:`voicebench.language.understanding.hear_facts`).

    Args:
        turns: of the transcript.
        trace: spans and events.
        case: the task.
        spec: the pack's.
    """
    scripted = {
        span.span_id: dict(zip(span.facts, span.form, strict=False))
        for span in trace
        if isinstance(span, CallerSpeechSpan)
    }
    today = dt.date.fromisoformat(spec.today)
    found = [mention for turn in turns for mention in _mentions_in(turn, scripted, case, spec, today)]
    return _with_uses(found, trace, case)


def _mentions_in(
    turn: TranscriptTurn, scripted: Mapping[str, Mapping[str, int | None]], case: Case, spec: PackSpec, today: dt.date
) -> Iterator[FactMention]:
    """Yield the facts mentioned in a turn; those of the script first, in its order."""
    forms: dict[str, int | None] = {}
    for span_id in turn.span_ids:
        forms |= {name: form for name, form in scripted.get(span_id, {}).items() if name in case.caller.facts}
    for name, fact in case.caller.facts.items():
        kind = spec.facts.get(name)
        if name in forms or kind is None or kind.type not in _TELLING:
            continue
        if hear_facts({name: kind}, {name: fact.value}, turn.spoken, today=today)[name].right:
            forms[name] = None
    kinds = {name: spec.facts[name] for name in forms if name in spec.facts and readable(spec.facts[name])}
    meant = {name: case.caller.facts[name].value for name in kinds}
    understood = {} if turn.heard is None else hear_facts(kinds, meant, turn.heard, today=today)
    for name, kind in kinds.items():
        fact, form, heard = case.caller.facts[name], forms[name], understood.get(name)
        yield FactMention(
            fact=name,
            type=kind.type,
            value=fact.value,
            speaker=turn.speaker,
            leg=LEGS[turn.speaker],
            start_s=turn.start_s,
            end_s=turn.end_s,
            form=form,
            said=turn.spoken if form is None or form >= len(fact.forms) else fact.forms[form],
            heard=turn.heard,
            understood=heard.value if heard is not None else None,
            right=heard.right if heard is not None else None,
            rule=heard.rule if heard is not None else None,
            used=None,
            span_ids=turn.span_ids,
            heard_span_ids=turn.heard_span_ids,
        )


# ---- what the agent made of it ------------------------------------------------------------------------------------


def fact_arguments(step: Step) -> list[tuple[str, dict[str, str]]]:
    """Return the ways to make a step's call: the tool, and the fact that is each argument of those that are facts."""
    ways = [(step.call, step.with_), *((other.call or step.call, other.with_) for other in step.alternatives)]
    return [
        (tool, {name: fact for name, value in arguments.items() if (fact := fact_of(value)) is not None})
        for tool, arguments in ways
        if tool
    ]


def _with_uses(found: Sequence[FactMention], trace: Sequence[TraceRecord], case: Case) -> list[FactMention]:
    """Note for each mention of the caller's what the agent gave to a tool for the fact until it was said again."""
    ways = [way for step in case.solution for way in fact_arguments(step)]
    bound = {(tool, argument): fact for tool, facts in ways for argument, fact in facts.items()}
    given = [
        (span.start_ns / 1e9, bound.get((span.tool, argument)), value)
        for span in trace
        if isinstance(span, ToolSpan)
        for argument, value in span.arguments.items()
    ]
    uses: list[FactMention] = []
    for index, mention in enumerate(found):
        used: JsonValue = None
        if mention.speaker == "caller":
            said = (one.start_s for one in found[index + 1 :] if (one.fact, one.speaker) == (mention.fact, "caller"))
            until_s = min((at_s for at_s in said if at_s > mention.start_s), default=float("inf"))
            values = (v for at_s, fact, v in given if fact == mention.fact and mention.start_s <= at_s < until_s)
            used = next(values, None)
        uses.append(mention.model_copy(update={"used": used}))
    return uses
