"""Agents that are written out: what they say, in words of their own, and what they do, step by step.

They stand for what a model might do in a task. A careful one passes with all duties kept; a sloppy one passes the gates
or fails them, and what is wrong in its words is found.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from tests.caller.played import Played, play
from voicebench.packs import Pack, PackSnapshot, list_packs, load_pack
from voicebench.packs.templates import choose_arguments, fill
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.serve.chat import Action, ChatRequest, ToolUse
from voicebench.serve.models import LocalModel
from voicebench.task_checks.calls import TextCall, hold
from voicebench.task_checks.sandbox import TaskSandbox

WORDS = "what the caller said"
"""For an argument that may be anything."""

Step = str | ToolUse
"""Words, after which the caller speaks; or a call of a tool, or a handoff."""


def use(tool: str, /, **arguments: JsonValue) -> ToolUse:
    """A call; arguments as a solution writes them."""
    return ToolUse(tool, arguments)


@dataclass(frozen=True)
class Conduct:
    """What an agent does in one task.

    Attributes:
        task: its id.
        steps: in their order.
    """

    task: str
    steps: tuple[Step, ...]

    def without(self, *dropped: str) -> Conduct:
        """Leave out steps: words that begin so, or calls of that name."""
        kept = [step for step in self.steps if not any(_is(step, name) for name in dropped)]
        assert len(kept) == len(self.steps) - len(dropped), f"{dropped} of {self.steps}"
        return replace(self, steps=tuple(kept))

    def instead(self, old: str, *new: Step) -> Conduct:
        """Put other steps in the place of one."""
        at = self._at(old)
        return replace(self, steps=(*self.steps[:at], *new, *self.steps[at + 1 :]))

    def before(self, name: str, *new: Step) -> Conduct:
        """Insert steps before one."""
        at = self._at(name)
        return replace(self, steps=(*self.steps[:at], *new, *self.steps[at:]))

    def after(self, name: str, *new: Step) -> Conduct:
        """Insert steps after one."""
        at = self._at(name) + 1
        return replace(self, steps=(*self.steps[:at], *new, *self.steps[at:]))

    def play(self) -> TextCall:
        """Hold the call with the scripted caller over text."""
        pack, snapshot = _pack_of(self.task)
        sandbox = TaskSandbox(pack, pack.cases[self.task], snapshot)
        return hold(sandbox, _Actor(self.steps, sandbox.facts, snapshot))

    def play_with(self, caller: LocalModel) -> Played:
        """Hold the call with a caller that a model plays."""
        pack, snapshot = _pack_of(self.task)
        facts = TaskSandbox(pack, pack.cases[self.task], snapshot).facts
        return play(pack, self.task, caller, _Actor(self.steps, facts, snapshot))

    def _at(self, name: str) -> int:
        [at] = [number for number, step in enumerate(self.steps) if _is(step, name)]
        return at


def conduct(task: str, *steps: Step) -> Conduct:
    """Write out an agent."""
    return Conduct(task, steps)


QUESTIONS = {
    "full_name": "Who am I speaking with? First and last name, please.",
    "patient_name": "What's the first and last name of the patient?",
    "caller_name": "And your own full name?",
    "order_number": "Can you give me your order number?",
    "second_order": "And what's the order number of the other one?",
    "phone": "Which phone number can I reach you at?",
    "postal_code": "What's your zip code?",
    "card_last4": "And the last four digits of the card on file?",
    "delivery_date": "What day should it come?",
    "service_date": "What day would you like to bring it in?",
    "visit_date": "What day would you like to come in?",
    "consult_date": "Which day works for you?",
    "date_of_birth": "Could you tell me the date of birth?",
    "member_id": "What's the member ID on the card?",
    "pay_now": "How much do you want to pay today?",
    "chart_number": "Do you have the chart number?",
    "competitor_price": "What do they charge for it?",
    "other_party": "Before you tell me any details, who is on the other side?",
    "second_party": "Please don't go into that yet. What's that person's name?",
    "other_town": "Which town is that other side in?",
    "home_town": "Which town do you live in yourself?",
    "incident_date": "On what date did it happen, and in which year?",
    "matter_number": "Can I have your matter number?",
    "phone_code": "And the phone code from the welcome letter?",
}
"""How these agents ask; in other words than the packs do."""


def careful(task: str, *words: str) -> Conduct:
    """An agent that does what the solution does and says it in its own words.

    Args:
        task: its id.
        words: what it says at each ``say`` of the solution, in their order; an empty text is said as it stands there.
    """
    pack, _ = _pack_of(task)
    told = iter(words)
    steps: list[Step] = []
    for step in pack.cases[task].solution:
        if step.hand_off:
            steps.append(use(step.hand_off))
        elif step.call:
            steps.append(ToolUse(step.call, step.with_))
        elif step.ask:
            steps.append(" ".join(QUESTIONS[fact] for fact in step.ask))
        else:
            steps.append(next(told) or step.say or "")
    assert next(told, None) is None, "more words than the solution has"
    return Conduct(task, tuple(steps))


def misses(call: TextCall) -> list[str]:
    """The duties that were not kept."""
    assert call.said is not None
    return [one.duty for one in call.said.duties if not one.kept]


def _is(step: Step, name: str) -> bool:
    return step.startswith(name) if isinstance(step, str) else step.name == name


@cache
def _packs() -> Mapping[str, tuple[Pack, PackSnapshot]]:
    packs = [load_pack(name) for name in list_packs()]
    return {task: (pack, pack.snapshot()) for pack in packs for task in pack.cases}


def _pack_of(task: str) -> tuple[Pack, PackSnapshot]:
    return _packs()[task]


@dataclass
class _Actor:
    """A model that takes one step after the other, whatever it hears; at the end it waits for the caller to go."""

    steps: Sequence[Step]
    facts: Mapping[str, str]
    snapshot: PackSnapshot
    done: int = field(default=0)

    def reply(self, request: ChatRequest) -> Action:
        if self.done == len(self.steps):
            return Action("Goodbye.")
        step = self.steps[self.done]
        self.done += 1
        results = _results(request.messages)
        if isinstance(step, str):
            return Action(fill(step, self.facts, results))
        tool = self.snapshot.tools.get(step.name)
        if tool is None:
            return Action(calls=(step,))
        properties = tool.parameters["properties"]
        assert isinstance(properties, dict)
        schemas = {name: schema for name, schema in properties.items() if isinstance(schema, dict)}
        return Action(
            calls=(ToolUse(step.name, choose_arguments(step.arguments, schemas, self.facts, results, words=WORDS)),)
        )


def _results(messages: Sequence[JsonObject]) -> dict[str, JsonObject]:
    """The latest answer of each tool, from the history."""
    names: dict[str, str] = {}
    results: dict[str, JsonObject] = {}
    for message in messages:
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            assert isinstance(call, dict)
            function = call["function"]
            assert isinstance(function, dict)
            names[str(call["id"])] = str(function["name"])
        if message.get("role") == "tool" and str(message.get("tool_call_id")) in names:
            results[names[str(message["tool_call_id"])]] = json.loads(str(message["content"]))
    return results
