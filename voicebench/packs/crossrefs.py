"""What a pack's files say about each other: every name that one uses must exist in the other."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from voicebench.config import voice_names
from voicebench.language.labels import Act
from voicebench.language.slots import FactSpec, IntentsSpec
from voicebench.language.values import canonical_date, canonical_number, canonical_phone, compact
from voicebench.packs.models import AgentSpec, AnswerRule, CallerScript, Case, Forbid, PackSpec
from voicebench.packs.strict_yaml import nearest
from voicebench.packs.tools import Tool
from voicebench.record.json_types import JsonValue

__all__ = ["check_pack"]

Columns = Mapping[str, list[str]]

_LONGEST_MEANING = 120
_FEWEST_EXAMPLES = 6
_CONSENTS: tuple[Act, ...] = ("proceed", "offers_person", "offers_callback", "transfers_now")
"""Acts that a caller agrees to or hangs up at: never taken from how near a sentence is to others."""

_HEARD_ACTS: tuple[Act, ...] = ("transfers_now", "offers_callback")
"""Acts that a caller may wait for; whatever else it waits for is the company's own and has expressions."""


def check_pack(spec: PackSpec, cases: Mapping[str, Case], tools: Mapping[str, Tool], columns: Columns) -> list[str]:
    """Return what is wrong, each as ``file: key: what; nearest valid name``.

    Args:
        spec: pack.yaml.
        cases: tasks by id.
        tools: by name, the session's own included.
        columns: the schema's tables and their columns.
    """
    problems = [f"pack.yaml: {problem}" for problem in check_spec(spec, tools, columns)]
    for case in cases.values():
        checks = [
            *check_caller(case, spec),
            *_SolutionWalk(case, spec, tools).problems(),
            *check_expect(case, spec, tools, columns),
            *check_duties(case, spec, tools),
        ]
        problems += [f"cases/{case.id}.yaml: {problem}" for problem in checks]
    return problems


def _unknown(key: str, kind: str, name: str, valid: Iterable[str]) -> Iterator[str]:
    valid = set(valid)
    if name not in valid:
        yield f"{key}: no {kind} {name!r}; {nearest(name, valid)}"


# ---- pack.yaml ----------------------------------------------------------------------------------------------------


def check_spec(spec: PackSpec, tools: Mapping[str, Tool], columns: Columns) -> Iterator[str]:
    """Check pack.yaml: its date, agents, state tables, facts and intents."""
    try:
        dt.date.fromisoformat(spec.today)
    except ValueError:
        yield f"today: {spec.today!r} is no date; write it as 2026-08-03"
    yield from check_agents(spec, tools)
    for name, table in spec.state.items():
        yield from _unknown("state", "table in schema.sql", name, columns)
        for key, names in (("key", table.key), ("ignore", table.ignore), ("types", table.types)):
            for column in names if name in columns else ():
                yield from _unknown(f"state.{name}.{key}", "column", column, columns[name])
    for name, fact in spec.facts.items():
        if fact.format is not None:
            yield from _check_expression(f"facts.{name}.format", fact.format)
    yield from check_intents(spec)


def check_intents(spec: PackSpec) -> Iterator[str]:
    """Check expressions and meanings of intents, and the intents that callers may not express."""
    for kind in ("asked", "heard", "said"):
        for name, expressions in getattr(spec.intents, kind).items():
            for expression in expressions:
                yield from _check_words(f"intents.{kind}.{name}", expression)
    yield from check_meanings(spec.intents)
    yield from check_understanding(spec.intents)
    for index, forbid in enumerate(spec.forbids):
        yield from _check_forbid(f"forbids[{index}]", forbid, spec.intents)
        if forbid.before is not None or forbid.except_ is not None:
            yield f"forbids[{index}]: 'before' and 'except' belong to a case; here an intent is forbidden or not"


def check_agents(spec: PackSpec, tools: Mapping[str, Tool]) -> Iterator[str]:
    """Check the tools and handoffs of each agent."""
    names = [agent.name for agent in spec.agents]
    targets: dict[str, str] = {}
    for index, agent in enumerate(spec.agents):
        key = f"agents[{index}]"
        if names.count(agent.name) > 1:
            yield f"{key}.name: {agent.name!r} is given twice"
        for tool in agent.tools:
            yield from _unknown(f"{key}.tools", "tool in tools.py", tool, tools)
        for handoff, target in agent.handoffs.items():
            yield from _unknown(f"{key}.handoffs.{handoff}.to", "agent", target.to, names)
            if target.to == agent.name:
                yield f"{key}.handoffs.{handoff}.to: an agent does not hand off to itself"
            if handoff in tools:
                yield f"{key}.handoffs.{handoff}: a tool has that name"
            if targets.setdefault(handoff, target.to) != target.to:
                yield f"{key}.handoffs.{handoff}.to: elsewhere it leads to {targets[handoff]!r}; it has one target"


def _check_expression(key: str, expression: str) -> Iterator[str]:
    mistake = _mistake_in(expression)
    if mistake is not None:
        yield f"{key}: {expression!r} is no regular expression: {mistake}"


@lru_cache(maxsize=4096)  # a pack has more expressions than re keeps, and is loaded by each run
def _mistake_in(expression: str) -> str | None:
    try:
        re.compile(expression)
    except re.error as error:
        return str(error)
    return None


def _check_words(key: str, expression: str) -> Iterator[str]:
    """Check an expression over normalised text."""
    yield from _check_expression(key, expression)
    if re.search(r"[A-Z]|'", re.sub(r"\\.|\(\?P<\w+>", "", expression)):
        yield f"{key}: {expression!r} holds capitals or an apostrophe, which normalised text never does"


def check_meanings(intents: IntentsSpec) -> Iterator[str]:
    """Check that each meaning belongs to an intent and is one clause."""
    for kind, subject in (("asked", "they"), ("heard", "they"), ("said", "you")):
        for name, meaning in getattr(intents.meanings, kind).items():
            key = f"intents.meanings.{kind}"
            yield from _unknown(key, "intent", name, getattr(intents, kind))
            if len(meaning) > _LONGEST_MEANING or not re.fullmatch(rf'{subject} [^\n"()<>]*[^\s"()<>.,]', meaning):
                yield (
                    f"{key}.{name}: {meaning!r} is no meaning; write one clause that begins with {subject!r}, at most "
                    f"{_LONGEST_MEANING} characters, without a full stop, quotation marks, parentheses and arrows"
                )


def check_understanding(intents: IntentsSpec) -> Iterator[str]:
    """Check what generic labels, the company's nouns and example sentences stand for."""
    for label, names in intents.labels.items():
        known, kinds = [*intents.asked], "'asked'"
        if label in _HEARD_ACTS:
            known, kinds = [*intents.asked, *intents.heard], "'asked' or 'heard'"
        for name in names:
            yield from _unknown(f"intents.labels.{label}", f"intent of {kinds}", name, known)
    for name, nouns in intents.details.items():
        yield from _unknown("intents.details", "intent of 'asked'", name, intents.asked)
        for noun in nouns:
            yield from _check_words(f"intents.details.{name}", noun)
    yield from _check_between(intents)
    yield from _check_examples(intents)


def _check_between(intents: IntentsSpec) -> Iterator[str]:
    """Check what intents say about each other."""
    for name, others in intents.instead.items():
        for one in (name, *others):
            yield from _unknown(f"intents.instead.{name}", "intent of 'asked'", one, intents.asked)
    for name in intents.settled:
        yield from _unknown("intents.settled", "intent of 'heard'", name, intents.heard)
    for name, expressions in intents.unless.items():
        yield from _unknown("intents.unless", "intent of 'heard'", name, intents.heard)
        for expression in expressions:
            yield from _check_words(f"intents.unless.{name}", expression)
    for name, repeated in intents.questions.items():
        yield from _unknown("intents.questions", "intent of 'heard'", name, intents.heard)
        yield from _unknown(f"intents.questions.{name}", "intent of 'asked'", repeated, intents.asked)


def _check_examples(intents: IntentsSpec) -> Iterator[str]:
    consents = {name: act for act in _CONSENTS for name in intents.labels.get(act, [])}
    seen: dict[str, str] = {}
    for name, sentences in intents.examples.items():
        key = f"intents.examples.{name}"
        yield from _unknown("intents.examples", "intent of 'asked'", name, intents.asked)
        if name in consents:
            yield f"{key}: a caller agrees to nothing by examples; {consents[name]!r} is understood without"
        if len(sentences) < _FEWEST_EXAMPLES:
            yield f"{key}: write at least {_FEWEST_EXAMPLES} sentences in different words, not {len(sentences)}"
        for sentence in sentences:
            if (other := seen.setdefault(sentence.casefold(), name)) != name:
                yield f"{key}: {sentence!r} stands with {other!r} as well; a sentence asks one thing"


# ---- a case -------------------------------------------------------------------------------------------------------


def check_caller(case: Case, spec: PackSpec) -> Iterator[str]:
    """Check the script of a task's caller: voice, facts, answers, what it may not say, when it hangs up."""
    caller = case.caller
    letter = case.difficulty[0].upper()
    if f"-{letter}" not in case.id:
        yield f"difficulty: {case.difficulty!r} has the letter {letter}, the id does not"
    if caller.voice is not None:
        yield from _unknown("caller.voice", "voice", caller.voice, voice_names())
    for name, fact in caller.facts.items():
        yield from _unknown("caller.facts", "fact in pack.yaml", name, spec.facts)
        if name in spec.facts:
            yield from check_value(f"caller.facts.{name}.value", spec.facts[name], fact.value)
    marks = {rule.sets for rule in caller.answers if rule.sets}
    for index, rule in enumerate(caller.answers):
        yield from check_answer(f"caller.answers[{index}]", rule, case, spec, marks)
    yield from check_forbids(caller, spec, marks)
    yield from _unknown("caller.hangs_up.heard", "intent", caller.hangs_up.heard, spec.intents.heard)
    if caller.hangs_up.heard in spec.intents.questions:
        yield "caller.hangs_up.heard: a question of the agent is nothing to hang up at"
    for mark in caller.hangs_up.needs:
        yield from _unknown("caller.hangs_up.needs", "mark set by a rule", mark, marks)


def check_forbids(caller: CallerScript, spec: PackSpec, marks: set[str]) -> Iterator[str]:
    """Check what the caller may not say, and what it may of that which the pack forbids."""
    for index, forbid in enumerate(caller.forbids):
        key = f"caller.forbids[{index}]"
        yield from _check_forbid(key, forbid, spec.intents)
        if forbid.before is not None:
            yield from _unknown(f"{key}.before", "mark set by a rule", forbid.before, marks)
        if forbid.except_ is not None:
            yield from _unknown(f"{key}.except", "place", forbid.except_, ["opening"])
    for name in caller.allows:
        yield from _unknown("caller.allows", "intent that the pack forbids", name, [one.said for one in spec.forbids])


def _check_forbid(key: str, forbid: Forbid, intents: IntentsSpec) -> Iterator[str]:
    yield from _unknown(f"{key}.said", "intent", forbid.said, intents.said)
    if forbid.offered is not None:
        yield from _unknown(f"{key}.offered", "intent", forbid.offered, intents.heard)


def check_answer(key: str, rule: AnswerRule, case: Case, spec: PackSpec, marks: set[str]) -> Iterator[str]:
    """Check the names in one rule of the script."""
    if rule.asked is not None:
        yield from _unknown(f"{key}.asked", "intent", rule.asked, spec.intents.asked)
    if rule.heard is not None:
        yield from _unknown(f"{key}.heard", "intent", rule.heard, spec.intents.heard)
    for fact in rule.give:
        yield from _unknown(f"{key}.give", "fact of this caller", fact, case.caller.facts)
    for mark in rule.needs:
        yield from _unknown(f"{key}.needs", "mark set by a rule", mark, marks)


def check_value(key: str, spec: FactSpec, value: str) -> Iterator[str]:
    """Check that a fact's value is of its type and format."""
    if spec.format is not None and not re.fullmatch(spec.format, compact(value)):
        yield f"{key}: {compact(value)!r} does not match the pack's format {spec.format!r}"
    if spec.type == "phone" and len(canonical_phone(value)) != 10:
        yield f"{key}: {value!r} is no phone number of ten digits"
    if spec.type == "date" and canonical_date(value) != value:
        yield f"{key}: {value!r} is no date; write it as 2026-08-03"
    if spec.type == "number" and canonical_number(value) is None:
        yield f"{key}: {value!r} is no number"
    if spec.type == "enum" and spec.choices:
        yield from _unknown(key, "choice", value, spec.choices)


class _SolutionWalk:
    """Walks a solution with the agent that is active at each step."""

    def __init__(self, case: Case, spec: PackSpec, tools: Mapping[str, Tool]) -> None:
        self.case, self.tools = case, tools
        self.agents = {agent.name: agent for agent in spec.agents}
        self.active: AgentSpec = spec.agents[0]
        self.called: set[str] = set()

    def problems(self) -> Iterator[str]:
        for index, step in enumerate(self.case.solution):
            key = f"solution[{index}]"
            for fact in step.ask:
                yield from _unknown(f"{key}.ask", "fact of this caller", fact, self.case.caller.facts)
            yield from self._references(f"{key}.say", step.say or "")
            if step.hand_off:
                yield from _unknown(
                    f"{key}.hand_off", f"handoff of {self.active.name}", step.hand_off, self.active.handoffs
                )
                if step.hand_off in self.active.handoffs:
                    self.active = self.agents.get(self.active.handoffs[step.hand_off].to, self.active)
            if step.call:
                yield from self._call(f"{key}.call", step.call, step.with_)
                for number, other in enumerate(step.alternatives):
                    yield from self._call(f"{key}.alternatives[{number}]", other.call or step.call, other.with_)
                self.called.add(step.call)

    def _call(self, key: str, name: str, arguments: Mapping[str, JsonValue]) -> Iterator[str]:
        yield from _unknown(key, f"tool of {self.active.name}", name, self.active.tools)
        if name not in self.tools:
            return
        tool = self.tools[name].spec
        for argument, value in arguments.items():
            yield from _unknown(f"{key}.with", f"argument of {name}", argument, tool.schemas)
            yield from self._argument(f"{key}.with.{argument}", value)
        missing = [argument for argument in tool.required if argument not in arguments]
        if missing:
            yield f"{key}.with: {name} cannot be called without {', '.join(missing)}"

    def _argument(self, key: str, value: JsonValue) -> Iterator[str]:
        if isinstance(value, str):
            yield from self._references(key, value)
        elif isinstance(value, dict) and value != {"any": True} and list(value) != ["one_of"]:
            yield f"{key}: an argument is a constant, $fact.NAME, $result.TOOL.path, {{any: true}} or {{one_of: [...]}}"
        elif (
            isinstance(value, dict)
            and "one_of" in value
            and not (isinstance(value["one_of"], list) and value["one_of"])
        ):
            yield f"{key}.one_of: give a list of at least one value"

    def _references(self, key: str, text: str) -> Iterator[str]:
        for written in re.findall(r"\$[\w.]+\w", text):
            kind, _, rest = written[1:].partition(".")
            name = rest.partition(".")[0]
            if kind == "fact":
                yield from _unknown(key, "fact of this caller", name, self.case.caller.facts)
            elif kind == "result":
                yield from _unknown(key, "earlier call", name, self.called)
            elif not re.match(r"\$\d", written):
                yield f"{key}: {written!r} is neither $fact.NAME nor $result.TOOL.path"


def check_expect(case: Case, spec: PackSpec, tools: Mapping[str, Tool], columns: Columns) -> Iterator[str]:
    """Check the handoffs, tools, tables and columns that a task expects."""
    expect = case.expect
    handoffs = {handoff for agent in spec.agents for handoff in agent.handoffs}
    for key, names in (("handoffs", expect.handoffs), ("allow_hops", expect.allow_hops)):
        for name in names:
            yield from _unknown(f"expect.{key}", "handoff", name, handoffs)
    for key, used in (("reads_required", list(expect.reads_required)), ("forbidden_tools", expect.forbidden_tools)):
        for name in used:
            yield from _unknown(f"expect.{key}", "tool", name, tools)
    for table, changes in expect.rows.items():
        yield from _unknown("expect.rows", "state table", table, spec.state)
        for index, change in enumerate(changes if table in columns else ()):
            parts = {"added": change.added, "removed": change.removed}
            if change.changed is not None:
                parts |= {"changed.where": change.changed.where, "changed.set": change.changed.set}
            for kind, row in parts.items():
                for column in row or ():
                    yield from _unknown(f"expect.rows.{table}[{index}].{kind}", "column", column, columns[table])


def check_duties(case: Case, spec: PackSpec, tools: Mapping[str, Tool]) -> Iterator[str]:
    """Check the names in what the agent must say and may not."""
    for index, duty in enumerate(case.duties):
        key = f"duties[{index}]"
        for kind, intent in (("tell", duty.tell), ("never_tell", duty.never_tell)):
            if intent is not None:
                yield from _unknown(f"{key}.{kind}", "intent of 'heard'", intent, spec.intents.heard)
        if duty.read_back is not None:
            yield from _unknown(f"{key}.read_back", "fact of this caller", duty.read_back, case.caller.facts)
        if duty.before is not None:
            yield from _unknown(f"{key}.before", "tool", duty.before, tools)
        if duty.holds is not None and duty.before is not None and duty.before in tools:
            arguments = tools[duty.before].spec.schemas
            yield from _unknown(f"{key}.holds", f"argument of {duty.before}", duty.holds, arguments)
