"""An agent that plays a list of steps, whatever it hears: for calls that fail in a known way.

A script is a YAML or JSON list; each step is one of

- ``{say: TEXT}``: speak, then wait for the caller's next words. With ``then: continue`` the next step, which must be a
  call, belongs to the same answer.
- ``{call: TOOL, with: {...}}``: one call; the next step follows as soon as the tool has answered, whatever it answered.
- ``{calls: [{call: TOOL, with: {...}}, ...]}``: several calls in one answer.
- ``{wait: true}``: an empty answer; the next step follows the caller's next words.

Arguments and texts may hold ``$result.TOOL.path`` (the tool's latest answer in this chat). Values are read as text, and
the schema of the offered tool makes numbers and booleans of them. After the last step the agent answers nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from voicebench.errors import ConfigError
from voicebench.packs.strict_yaml import parse_yaml
from voicebench.packs.templates import Unresolved, choose_arguments, fill
from voicebench.record.json_types import JsonObject
from voicebench.serve.chat import (
    Action,
    AgentTurn,
    BadRequest,
    Called,
    CallerTurn,
    ChatRequest,
    Event,
    ToolUse,
    history,
    offered,
)
from voicebench.serve.schemas import properties

__all__ = ["Script", "ScriptStep", "load_script"]


class ScriptCall(BaseModel):
    """One tool call of a script."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    call: str
    with_: JsonObject = Field(default={}, alias="with")


class ScriptStep(BaseModel):
    """One step of a script (see the module)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    say: str | None = None
    then: Literal["wait", "continue"] = "wait"
    call: str | None = None
    with_: JsonObject = Field(default={}, alias="with")
    calls: list[ScriptCall] = []
    wait: bool = False

    @model_validator(mode="after")
    def _one_kind(self) -> ScriptStep:
        if sum((self.say is not None, self.call is not None, bool(self.calls), self.wait)) != 1:
            raise ValueError("a step is exactly one of say, call, calls, wait")
        return self

    @property
    def uses(self) -> list[ScriptCall]:
        """The calls of this step."""
        return [ScriptCall(call=self.call, **{"with": self.with_})] if self.call is not None else self.calls


def load_script(path: Path) -> Script:
    """Read a script.

    Raises:
        ConfigError: the file is missing, or a step is none of the known kinds.
    """
    try:
        steps = TypeAdapter(list[ScriptStep]).validate_python(parse_yaml(path.read_text(encoding="utf-8"), str(path)))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the agent's script {path} cannot be read: {error}") from error
    except ValidationError as error:
        raise ConfigError(f"{path} is no script of an agent: {error}") from error
    for number, (step, after) in enumerate(zip(steps, [*steps[1:], None], strict=True), start=1):
        if step.then == "continue" and (step.say is None or after is None or not after.uses):
            raise ConfigError(f"{path}, step {number}: 'then: continue' needs 'say' here and a call in the next step")
    return Script(steps)


@dataclass
class _Position:
    at: int = 0
    called: int = 0  # calls of the step that have been answered
    waiting: bool = True  # the caller has the word
    greeted: bool = False  # the caller has spoken; before that the agent's words are the greeting
    owed: bool = False  # a call was seen whose words, of the same answer, were not


class Script:
    """A script as a model of the endpoint; where it stands follows from the chat alone."""

    def __init__(self, steps: Sequence[ScriptStep]) -> None:
        self._steps = list(steps)

    def reply(self, request: ChatRequest) -> Action:
        """Answer one request; BadRequest when a ``$result`` has no result."""
        events = history(request.messages)
        position = _Position()
        for event in events:
            self._advance(position, event)
        pending = any(isinstance(event, Called) and event.result is None for event in events)
        step = self._due(position)
        if position.waiting or pending or step is None or step.wait:
            return Action()
        try:
            return self._action(position.at, step, request, events)
        except Unresolved as error:
            raise BadRequest(f"step {position.at + 1} of the script: {error}", param="messages") from error

    def _due(self, position: _Position) -> ScriptStep | None:
        return self._steps[position.at] if position.at < len(self._steps) else None

    def _advance(self, position: _Position, event: Event) -> None:
        step = self._due(position)
        if isinstance(event, CallerTurn):
            if step is not None and step.wait and position.greeted and not position.waiting:
                position.at += 1
            position.waiting, position.greeted, position.owed = False, True, False
        elif isinstance(event, AgentTurn):
            # Words of an answer that also called a tool may stand after the call in the chat.
            if position.owed:
                position.owed = False
            elif position.greeted and not position.waiting and step is not None and step.say is not None:
                position.at += 1
                position.waiting = step.then == "wait"
        elif step is not None:
            if step.then == "continue":  # the call stands before its words in this chat
                position.at, position.owed = position.at + 1, True
                step = self._steps[position.at]
            position.called += 1
            if position.called >= len(step.uses):
                position.at, position.called = position.at + bool(step.uses), 0

    def _action(self, at: int, step: ScriptStep, request: ChatRequest, events: Sequence[Event]) -> Action:
        latest = {event.name: event.result for event in events if isinstance(event, Called)}
        results = {tool: result for tool, result in latest.items() if result is not None}
        tools = offered(request.tools)

        def use(call: ScriptCall) -> ToolUse:
            return ToolUse(call.call, choose_arguments(call.with_, properties(tools.get(call.call, {})), {}, results))

        uses = self._steps[at + 1].uses if step.then == "continue" else step.uses
        return Action(fill(step.say or "", {}, results), tuple(use(call) for call in uses))
