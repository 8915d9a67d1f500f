"""The line reference: an agent that follows a task's steps and knows only what the caller says on the phone.

It keeps nothing between requests: ``next_action`` walks the chat from its beginning, lets each event change the walk's
state, and answers with what is due. Every value comes from the caller's words in the chat, digit for digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import ValidationError

from voicebench.language.dialogue_acts import asks_for_repeat
from voicebench.packs.models import Step
from voicebench.packs.reference_task import ReferenceTask
from voicebench.packs.templates import Unresolved, choose_arguments, facts_in, fill
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.serve.chat import (
    Action,
    AgentTurn,
    BadRequest,
    Called,
    CallerTurn,
    ChatRequest,
    ToolUse,
    history,
    offered,
)
from voicebench.serve.fact_listener import FactListener
from voicebench.serve.schemas import END_CALL, Schemas, properties

__all__ = ["NOT_CAUGHT", "Reference", "next_action"]

NOT_CAUGHT = "I'm sorry, I did not get all of that."
_NOT_FOUND = "I'm sorry, I could not find that."
_DONE = "That is done. Is there anything else I can do for you?"
_GOODBYE = "You're welcome. Goodbye."
_SORRY = "I'm sorry, I cannot help you any further with this. Goodbye."
_TO_A_PERSON = "I'm sorry, I cannot get any further with this. I am putting you through to a person now."

_BEFORE: Mapping[str, str] = {
    "escalate_to_human": "I am putting you through to a person now.",
    "end_call": "Thank you for calling. Goodbye.",
}
"""Spoken with a session tool when no ``say`` step stands directly before or after it."""

_UNSPECIFIC = ("other", "unable", "unresolved", "general", "caller", "technical")

_TRIES = 3
"""Questions for the same facts, and calls of the same step, before the caller goes to a person."""

_ESCALATE = "escalate_to_human"
_SESSION = (_ESCALATE, END_CALL)

Kind = Literal["listen", "ask", "say", "step", "repeat", "farewell"]


@dataclass(frozen=True)
class Due:
    """The next move of the reference agent.

    Attributes:
        kind: ``listen`` (nothing), ``ask`` for facts, ``say`` something and wait, a ``step``'s call, ``repeat`` the
            last words, or a ``farewell``, which ends the agent's part.
        action: the answer that does it.
        facts: the facts asked for, or those that the call uses.
        next_step: the step to go on with when it is done.
        refused: the refusal that the step is about.
    """

    kind: Kind
    action: Action = field(default_factory=Action)
    facts: tuple[str, ...] = ()
    next_step: int = 0
    refused: str | None = None


_LISTEN = Due("listen")


class _TaskWalk:
    """One call, walked from its beginning.

    Args:
        task: steps and kinds of facts.
        tools: the tools offered now, name to JSON schema of the parameters.
    """

    def __init__(self, task: ReferenceTask, tools: Schemas) -> None:
        self._task = task
        self._tools = tools
        self._listener = FactListener(task)
        self._at = 0
        self._values: dict[str, str] = {}
        self._settled: set[str] = set()
        self._asked: tuple[str, ...] = ()
        self._tries: Counter[int] = Counter()
        self._refusals: Counter[int] = Counter()
        self._doubted = False  # the last refusal is not mended yet
        self._results: dict[str, JsonObject] = {}
        self._opening = ""
        self._last = ""
        self._repeats = 0
        self._repeating = False
        self._waiting = True  # the caller has the word
        self._working = False  # a tool has not answered yet
        self._unreported = False  # something was done since the agent last spoke
        self._failed = False
        self._ended = False
        self._parted = False
        self._unusable: set[str] = set()

    # ---- events ----------------------------------------------------------------------------------------------

    def heard(self, text: str) -> None:
        """Take the caller's words."""
        waited, self._waiting = self._waiting, False
        self._opening = self._opening or text
        values = self._listener.values(text, self._asked)
        certain = any(self._listener.distinct(name) for name in values)
        # "Say that again" is a request only when the agent has just spoken; while a tool works it is not yet heard.
        spoken_to = waited or self._repeating
        self._repeating = spoken_to and bool(self._last) and not certain and self._repeats < 2 and asks_for_repeat(text)
        if self._repeating:
            self._repeats += 1
            return
        self._repeats = 0
        # A value that a tool has accepted stays; of the others the last one counts if its form is certain, and else
        # the first: words that merely look like a name come up all the time.
        for name, value in values.items():
            if name not in self._settled and (name not in self._values or self._listener.distinct(name)):
                self._values[name] = value

    def said(self, text: str) -> None:
        """Take the agent's own words: those that are due now were spoken, and the caller has the word."""
        due = self.decide()
        if due.kind == "listen" or due.action.calls:
            self._last = self._last or text
            return
        self._spoke(due.action.say)
        if due.kind == "ask":
            self._asked = due.facts
            self._tries[self._at_need()] += 1
        elif due.kind == "say":
            self._at, self._asked = due.next_step, ()
        elif due.kind == "farewell":
            self._parted = True

    def called(self, event: Called) -> None:
        """Take a call of the agent's own and the tool's answer."""
        due = self.decide()
        if event.result is None:
            self._working = True
            return
        done = event.result.get("ok", True) is not False
        if event.name in [call.name for call in due.action.calls]:
            if due.action.say:
                self._spoke(due.action.say)
            self._waiting, self._asked = False, ()
            if due.kind == "step" and (done or (due.refused and event.result.get("error_code") == due.refused)):
                self._results[event.name] = event.result
                self._settled.update(due.facts)
                self._at, self._unreported, self._doubted = due.next_step, True, False
            elif not done:
                self._refused(event.name, due)
        if done and event.name in _SESSION:
            self._ended, self._waiting = True, not self._speech_left()
            self._parted = due.kind == "farewell"

    def _spoke(self, text: str) -> None:
        self._waiting, self._unreported, self._repeating = True, False, False
        self._last = text

    def _refused(self, tool: str, due: Due) -> None:
        """Take a refusal that the task does not expect: doubt what was recognised, if that went into the call."""
        if tool in _SESSION:
            self._unusable.add(tool)
        need = self._at_need()
        # After a refusal the questions start again: what was misheard has to be asked for as if for the first time.
        self._refusals[need] += 1
        self._tries.clear()
        self._doubted = True
        if not due.facts or self._refusals[need] >= _TRIES:
            self._failed = True
        for name in due.facts:
            self._values.pop(name, None)
            self._settled.discard(name)

    # ---- what is due -----------------------------------------------------------------------------------------

    def decide(self) -> Due:
        """Return what is due now; asking twice changes nothing."""
        if self._waiting or self._working or (self._parted and not self._repeating):
            return _LISTEN
        if self._repeating:
            return Due("repeat", Action(self._last))
        if self._ended and not self._speech_left():
            return Due("farewell", Action(_GOODBYE))
        if self._failed:
            return self._give_up()
        try:
            return self._step(self._at_need())
        except Unresolved:
            return self._give_up()

    def _speech_left(self) -> bool:
        """Whether the task goes on with words, which a session tool that was called does not cut off."""
        at = self._at_need()
        return at < len(self._task.steps) and self._task.steps[at].say is not None

    def _at_need(self) -> int:
        """Return the step that is due: questions whose answers are known are passed over."""
        steps = self._task.steps
        at = self._at
        while at < len(steps) and steps[at].ask and not self._lacking(steps[at].ask):
            at += 1
        return at

    def _lacking(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name not in self._values)

    def _step(self, at: int) -> Due:
        if at == len(self._task.steps):
            if self._unreported:
                return Due("say", Action(_DONE), next_step=at)
            return Due("farewell", Action(_GOODBYE, self._session_call(END_CALL)))
        step = self._task.steps[at]
        if step.ask:
            return self._ask(at, self._lacking(step.ask))
        if step.say is None:
            return self._call(at, step)
        if unheard := self._lacking(facts_in(step.say)):
            return self._ask(at, unheard)
        text = fill(step.say, self._values, self._results)
        after = self._task.steps[at + 1] if at + 1 < len(self._task.steps) else None
        if after is not None and after.call in _SESSION:
            call = self._call(at + 1, after)
            return replace(call, action=Action(text, call.action.calls)) if call.kind == "step" else call
        return Due("say", Action(text), next_step=at + 1)

    def _ask(self, at: int, names: tuple[str, ...]) -> Due:
        if self._tries[at] >= _TRIES:
            return self._give_up()
        questions = [self._task.facts[name].question for name in names]
        before = NOT_CAUGHT if self._tries[at] else _NOT_FOUND if self._doubted else ""
        return Due("ask", Action(" ".join([before, *questions]).strip()), facts=names)

    def _call(self, at: int, step: Step) -> Due:
        """Return the call of a step, by the first of its alternatives whose facts are known, or ask for the first's."""
        own = step.call or step.hand_off or ""
        ways = [(own, step.with_), *((other.call or own, other.with_) for other in step.alternatives)]
        for tool, template in ways:
            names = facts_in(template)
            if not self._lacking(names):
                schemas = self._schemas(tool)
                arguments = choose_arguments(template, schemas, self._values, self._results, words=self._opening)
                after = self._task.steps[at + 1] if at + 1 < len(self._task.steps) else None
                words = _BEFORE.get(tool, "") if after is None or after.say is None else ""
                action = Action(words, (ToolUse(tool, arguments),))
                return Due("step", action, tuple(names), at + 1, step.refused)
        return self._ask(at, self._lacking(facts_in(step.with_)))

    def _schemas(self, tool: str) -> Schemas:
        """Return the JSON schema of each argument: as offered or, of a tool that is not offered now, by its type."""
        if tool in self._tools:
            return properties(self._tools[tool])
        json_types = {"number": "number", "bool": "boolean"}
        types = self._task.tools.get(tool, {})
        return {name: {"type": json_types.get(kind, "string")} for name, kind in types.items()}

    # ---- ends ------------------------------------------------------------------------------------------------

    def _give_up(self) -> Due:
        if escalation := self._session_call(_ESCALATE):
            return Due("farewell", Action(_TO_A_PERSON, escalation))
        return Due("farewell", Action(_SORRY, self._session_call(END_CALL)))

    def _session_call(self, tool: str) -> tuple[ToolUse, ...]:
        """Return a call of a session tool that is no step of the task, none if it cannot be used.

        Required arguments get the least specific value that they accept.
        """
        if tool not in self._tools or tool in self._unusable:
            return ()
        required, kinds = self._tools[tool].get("required"), properties(self._tools[tool])
        names = [str(name) for name in required] if isinstance(required, list) else []
        return (ToolUse(tool, {name: _least_specific(kinds.get(name, {})) for name in names}),)


def _least_specific(schema: JsonObject) -> JsonValue:
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        fitting = (choice for word in _UNSPECIFIC for choice in choices if word in str(choice))
        return next(fitting, choices[0])
    match schema.get("type"):
        case "boolean":
            return False
        case "integer" | "number":
            return 0
        case _:
            return "The agent could not complete the request."


def next_action(task: ReferenceTask, messages: Sequence[JsonObject], tools: Sequence[JsonObject] = ()) -> Action:
    """Return what the line reference does now.

    Args:
        task: the steps, with fact names in place of values.
        messages: the chat so far, as the OpenAI protocol writes it; system messages do not matter.
        tools: the tools offered now, as the protocol writes them.
    """
    walk = _TaskWalk(task, offered(tools))
    for event in history(messages):
        match event:
            case CallerTurn(text):
                walk.heard(text)
            case AgentTurn(text):
                walk.said(text)
            case Called():
                walk.called(event)
    return walk.decide().action


class Reference:
    """The line reference as a model of the endpoint."""

    def reply(self, request: ChatRequest) -> Action:
        """Answer one request; BadRequest without a task in its metadata."""
        if request.task is None:
            raise BadRequest(
                "the model 'reference' follows a task that it is handed in metadata.voicebench_task, and there is "
                "none; let voicebench start this endpoint itself, or choose another model",
                param="metadata",
            )
        try:
            task = ReferenceTask.model_validate_json(request.task)
        except ValidationError as error:
            raise BadRequest(f"metadata.voicebench_task cannot be read: {error}", param="metadata") from error
        return next_action(task, request.messages, request.tools)
