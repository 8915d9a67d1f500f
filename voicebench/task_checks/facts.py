"""The fifth proof: a careful agent can get every value that a call needs, and the caller keeps to its own script."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from voicebench.caller.script import join_phrases
from voicebench.language.compare import compare_values
from voicebench.language.dialogue_acts import affirmed
from voicebench.language.extract import extract
from voicebench.language.intents import Intents
from voicebench.language.itn import normalise
from voicebench.language.slots import FactSpec, FactType
from voicebench.language.understanding import Understood, hear_facts, readable
from voicebench.language.values import canonical_date, canonical_number
from voicebench.packs.models import AnswerRule, Forbid
from voicebench.packs.templates import facts_in, options_of
from voicebench.record.json_types import JsonValue
from voicebench.task_checks.sandbox import TaskFinding, TaskSandbox
from voicebench.task_checks.values import leaves

__all__ = ["check_facts", "unproven_numbers"]

_SEEN_BY_SCHEMA = ("enum", "bool", "prose")
"""Types whose constants an agent chooses by what the tool's schema offers."""


def check_facts(sandbox: TaskSandbox) -> list[TaskFinding]:
    """Return what cannot be said, is not understood as it is meant, or comes from nowhere."""
    checks = (
        unsayable_facts,
        misunderstood_forms,
        misunderstood_together,
        ungrounded_constants,
        script_conflicts,
    )
    return [TaskFinding("facts", what) for check in checks for what in check(sandbox)]


# ---- can it be said -----------------------------------------------------------------------------------------------


def unsayable_facts(sandbox: TaskSandbox) -> Iterator[str]:
    """Look for a rule that gives each fact of the solution, and that the pack's question for it sets off."""
    caller, intents = sandbox.case.caller, Intents(sandbox.pack.spec.intents)
    for name in _needed(sandbox):
        spec = sandbox.pack.spec.facts[name]
        rules = [rule for rule in caller.answers if name in rule.give]
        if not rules and not any(_holds(spec, text, caller.facts[name].value, sandbox) for text in _sentences(sandbox)):
            yield f"{name} cannot be said: no rule gives it, and no sentence of the caller holds it"
        elif rules and not any(rule.heard or intents.match("asked", rule.asked or "", spec.question) for rule in rules):
            yield f"{name} is not given when the pack asks for it: {spec.question!r} sets off no rule that gives it"


def _needed(sandbox: TaskSandbox) -> list[str]:
    """Return the facts that the solution asks for or puts into a call or a sentence."""
    names: list[str] = []
    for step in sandbox.case.solution:
        ways = [dict(step.with_), *(dict(other.with_) for other in step.alternatives)]
        names += [*step.ask, *facts_in([*ways, step.say])]
    return list(dict.fromkeys(names))


def _sentences(sandbox: TaskSandbox) -> list[str]:
    caller = sandbox.case.caller
    return [caller.opening, *(rule.say for rule in caller.answers if rule.say)]


def _holds(spec: FactSpec, text: str, value: str, sandbox: TaskSandbox) -> bool:
    return any(compare_values(spec.type, value, found).equal for found in extract(spec, text, today=sandbox.pack.today))


# ---- is it understood as it is meant ------------------------------------------------------------------------------


def misunderstood_forms(sandbox: TaskSandbox) -> Iterator[str]:
    """Yield a message for each form of a fact that is read as another value, and for each fact with two equal forms."""
    caller, specs = sandbox.case.caller, sandbox.pack.spec.facts
    for name, fact in caller.facts.items():
        if not readable(specs[name]):
            continue
        for number, form in enumerate(fact.forms, start=1):
            alone = _alone(sandbox, name, form)
            if not alone.right:
                yield f"{name}, form {number}, {form!r}, is taken for {alone.value or 'nothing'}"
        if len(set(fact.forms)) < len(fact.forms):
            yield f"{name}: two of its forms are the same, so that asking again does not help"


def _alone(sandbox: TaskSandbox, name: str, form: str) -> Understood:
    """Return what a form of a fact is taken for when nothing else is said."""
    spec, value = sandbox.pack.spec.facts[name], sandbox.case.caller.facts[name].value
    return hear_facts({name: spec}, {name: value}, form, today=sandbox.pack.today)[name]


def misunderstood_together(sandbox: TaskSandbox) -> Iterator[str]:
    """Take the facts that one rule gives, or one step asks for, in one sentence: each must be found as it is alone."""
    caller = sandbox.case.caller
    groups = [tuple(rule.give) for rule in caller.answers] + [tuple(step.ask) for step in sandbox.case.solution]
    for names in dict.fromkeys(names for names in groups if len(names) > 1):
        specs = {name: sandbox.pack.spec.facts[name] for name in names}
        meant = {name: caller.facts[name].value for name in names}
        for forms in zip(*(caller.facts[name].forms for name in names), strict=False):
            text = join_phrases(forms)
            taken = hear_facts(specs, meant, text, today=sandbox.pack.today)
            for name, form in zip(names, forms, strict=True):
                if readable(specs[name]) and not taken[name].right and _alone(sandbox, name, form).right:
                    yield f"{name} in {text!r} is taken for {taken[name].value or 'nothing'}"


# ---- where does it come from --------------------------------------------------------------------------------------


def ungrounded_constants(sandbox: TaskSandbox) -> Iterator[str]:
    """Look for each constant of a call in what the agent has heard or read by then."""
    for where, kind, value, answers in _constants(sandbox):
        if kind != "number" and not _known(sandbox, kind, value, answers):
            yield f"{where} is {value!r}, which the caller never says and no earlier answer holds"


def unproven_numbers(sandbox: TaskSandbox) -> list[str]:
    """Return the numbers of calls that are neither known nor sum, difference, product or share of two known ones."""
    found = []
    for where, kind, value, answers in _constants(sandbox):
        number = canonical_number(value) if kind == "number" else None
        if number is not None and not _computable(number, _numbers(sandbox, answers)):
            found.append(f"{where} is {value}: whether an agent can compute it")
    return found


def _constants(sandbox: TaskSandbox) -> Iterator[tuple[str, FactType, JsonValue, list[JsonValue]]]:
    """Yield (where, type, value, answers before it) of arguments of which every option is a constant."""
    answers: list[JsonValue] = []
    for action, record in zip(sandbox.actions, sandbox.solution.records, strict=True):
        for name, value in action.arguments.items():
            options = options_of(value)
            kind = sandbox.types(action.name)[name]
            free = any(one is None or isinstance(one, Mapping) or "$" in str(one) for one in options)
            if kind not in _SEEN_BY_SCHEMA and not free:
                yield f"step {(action.step or 0) + 1}, {action.name}: {name}", kind, options[0], list(answers)
        if record is not None:
            answers.append(record.result)


def _known(sandbox: TaskSandbox, kind: FactType, value: JsonValue, answers: list[JsonValue]) -> bool:
    if any(
        compare_values(kind, value, leaf).equal for _, leaf in leaves(answers) if isinstance(leaf, str | int | float)
    ):
        return True
    spec = FactSpec(type=kind, question="")
    texts = [
        *_sentences(sandbox),
        *(f for fact in sandbox.case.caller.facts.values() for f in (fact.value, *fact.forms)),
    ]
    texts += [*sandbox.pack.prompts.values()]
    if any(_holds(spec, text, str(value), sandbox) for text in texts) or any(
        normalise(str(value)) in normalise(text) for text in texts
    ):
        return True
    return kind == "date" and _spoken_of(sandbox, str(value))


def _spoken_of(sandbox: TaskSandbox, value: str) -> bool:
    """Whether a date is today, or one that the caller names by its weekday or as tomorrow."""
    iso = canonical_date(value, sandbox.pack.today)
    if iso is None:
        return False
    day, today = dt.date.fromisoformat(iso), sandbox.pack.today
    said = " ".join(map(normalise, _sentences(sandbox)))
    tomorrow = "tomorrow" in said and day == today + dt.timedelta(days=1)
    return day == today or tomorrow or (f"{day:%A}".lower() in said and abs((day - today).days) <= 14)


def _numbers(sandbox: TaskSandbox, answers: list[JsonValue]) -> list[Decimal]:
    found = [
        canonical_number(leaf) for _, leaf in leaves(answers) if isinstance(leaf, int | float) and leaf is not True
    ]
    spec = FactSpec(type="number", question="")
    found += [canonical_number(number) for text in _sentences(sandbox) for number in extract(spec, text)]
    return list(dict.fromkeys(number for number in found if number is not None))


def _computable(number: Decimal, known: Sequence[Decimal]) -> bool:
    close = Decimal("0.005")
    if number == 0 or any(abs(number - one) < close for one in known):
        return True
    for one, two in itertools.permutations(known, 2):
        ways = [one + two, one - two, one * two, one * two / 100, *([one / two] if two else [])]
        if any(abs(number - way) < close for way in ways):
            return True
    return False


# ---- does the caller keep to its script ---------------------------------------------------------------------------


def script_conflicts(sandbox: TaskSandbox) -> Iterator[str]:
    """Look for sentences that end the call too early, and for sentences of the caller that its script forbids."""
    caller, spec, intents = sandbox.case.caller, sandbox.pack.spec, Intents(sandbox.pack.spec.intents)
    if not caller.hangs_up.needs:
        early = {"the greeting": spec.greeting, "its own opening, read back,": caller.opening}
        early |= {f"the question for {name}": spec.facts[name].question for name in _needed(sandbox)}
        for what, text in early.items():
            if intents.match("heard", caller.hangs_up.heard, text):
                yield f"{what} makes the caller hang up: {text!r} is {caller.hangs_up.heard}"
    for forbid in caller.forbids:
        for text in _forbidden_lines(forbid, sandbox):
            if intents.match("said", forbid.said, affirmed(text)):
                yield f"the script forbids {forbid.said}, and says {text!r}"


def _forbidden_lines(forbid: Forbid, sandbox: TaskSandbox) -> Iterator[str]:
    """Yield the caller's lines in which an intent is forbidden: with ``before`` those that need no such mark."""
    caller = sandbox.case.caller

    def after(rule: AnswerRule) -> bool:
        return forbid.before is not None and (forbid.before in rule.needs or forbid.before == rule.sets)

    if forbid.except_ != "opening":
        yield caller.opening
    for rule in caller.answers:
        if rule.say and not after(rule):
            yield rule.say
    if forbid.before is None or forbid.before not in caller.hangs_up.needs:
        yield caller.closing
    yield caller.give_up
