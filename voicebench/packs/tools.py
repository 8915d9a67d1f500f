"""Tools: a decorator that makes a typed function of a pack callable by a model, and the envelope that it answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from voicebench.errors import ConfigError, PackError
from voicebench.packs.arguments import Argument, Prose, Unreadable, arguments_of, parse_docstring
from voicebench.packs.models import ToolSpec
from voicebench.packs.tool_context import ToolContext
from voicebench.record.json_types import JsonObject, JsonValue

__all__ = ["INVALID_ARGUMENTS", "SESSION_TOOLS", "Result", "Tool", "ok", "refuse", "tool"]

INVALID_ARGUMENTS = "INVALID_ARGUMENTS"
_INVALID_MESSAGE = "I could not use that just now. Let me check the details again."


@dataclass(frozen=True)
class Result:
    """What a tool answers.

    Attributes:
        ok: whether it did what was asked.
        data: the answer, JSON-able.
        error_code: why not, in capitals.
        caller_safe_message: what may be said about it to the caller.
    """

    ok: bool
    data: Mapping[str, JsonValue] | None = None
    error_code: str | None = None
    caller_safe_message: str | None = None

    def envelope(self) -> JsonObject:
        """Return it as the model gets it."""
        return {
            "ok": self.ok,
            "data": None if self.data is None else {**self.data},
            "error_code": self.error_code,
            "caller_safe_message": self.caller_safe_message,
        }


def ok(data: Mapping[str, JsonValue] | None = None, message: str | None = None) -> Result:
    """Return a success with its data, and what may be said about it."""
    return Result(True, data or {}, None, message)


def refuse(error_code: str, message: str, data: Mapping[str, JsonValue] | None = None) -> Result:
    """Return a refusal: a code in capitals, and a sentence that may be said to the caller."""
    return Result(False, data, error_code, message)


@dataclass(frozen=True)
class Tool:
    """One tool of a pack.

    Attributes:
        name: of the function.
        description: the docstring without its arguments.
        arguments: in the order of the signature.
        writes: whether it changes the database.
        ends_call: whether the call ends after it.
        function: the function itself; ``function(context, **arguments) -> Result``.
    """

    name: str
    description: str
    arguments: tuple[Argument, ...]
    writes: bool
    ends_call: bool
    function: Callable[..., Result]

    def __call__(self, context: ToolContext, /, **arguments: Any) -> Result:
        """Call the function as it stands, from another tool."""
        return self.function(context, **arguments)

    @property
    def spec(self) -> ToolSpec:
        """What is known of the tool without its code."""
        return ToolSpec(
            name=self.name,
            description=self.description,
            parameters={
                "type": "object",
                "properties": {argument.name: argument.schema() for argument in self.arguments},
                "required": [argument.name for argument in self.arguments if argument.required],
                "additionalProperties": False,
            },
            writes=self.writes,
            ends_call=self.ends_call,
            arg_types={argument.name: argument.type.kind for argument in self.arguments},
        )

    def invoke(self, context: ToolContext, arguments: JsonValue) -> JsonObject:
        """Call the tool as a model does, and return the envelope.

        Arguments that are missing, unknown or not of their type give ``INVALID_ARGUMENTS``, with ``data.problems``;
        null stands for an argument that was left out, and so does an empty text where the argument is optional. What
        the tool wrote is committed.

        Raises:
            PackError: the tool's own code failed; its writes are rolled back.
        """
        problems, values = self._read(context, arguments)
        if problems:
            return refuse(INVALID_ARGUMENTS, _INVALID_MESSAGE, {"problems": [*problems]}).envelope()
        try:
            result = self.function(context, **values)
            if not isinstance(result, Result):
                raise TypeError(f"returned {type(result).__name__}, not ok(...) or refuse(...)")
            envelope: JsonObject = json.loads(json.dumps(result.envelope(), allow_nan=False))
        except Exception as error:
            context.db.rollback()
            raise PackError(f"tool {self.name!r} failed on {values!r}: {type(error).__name__}: {error}") from error
        context.db.commit()
        return envelope

    def _read(self, context: ToolContext, arguments: JsonValue) -> tuple[list[str], JsonObject]:
        if not isinstance(arguments, dict):
            return ["arguments must be a JSON object"], {}
        known = {argument.name for argument in self.arguments}
        problems = [f"{name}: unknown argument" for name in sorted(arguments.keys() - known, key=str)]
        values: JsonObject = {}
        for argument in self.arguments:
            value = arguments.get(argument.name)
            # Some models fill in every argument, with "" for those that they mean to leave out.
            if value is None or (not argument.required and isinstance(value, str) and not value.strip()):
                if argument.required:
                    problems.append(f"{argument.name}: missing")
                continue
            try:
                values[argument.name] = argument.type.read(value, context.today)
            except Unreadable as error:
                problems.append(f"{argument.name}: {error}")
        return problems, values


def tool(*, writes: bool, ends_call: bool = False) -> Callable[[Callable[..., Result]], Tool]:
    """Make a function of a pack's tools.py a tool.

    The function's first argument is ``context``; each other is annotated, ``Annotated[str, Id()]``, and described under
    ``Args:`` of a Google docstring. One with a default may be left out.

    Args:
        writes: whether it changes the database; a writing call of a task's solution gates.
        ends_call: whether the call ends after it, as after a transfer to a person.

    Raises:
        ConfigError: the docstring or an annotation is missing.
    """

    def make(function: Callable[..., Result]) -> Tool:
        where = f"{function.__code__.co_filename}, tool {function.__name__!r}"
        description, lines = parse_docstring(function.__doc__ or "")
        if not description:
            raise ConfigError(f"{where}: write a docstring; its text is what the model reads")
        return Tool(function.__name__, description, arguments_of(function, lines, where), writes, ends_call, function)

    return make


@tool(writes=False, ends_call=True)
def end_call(context: ToolContext, reason: Annotated[str, Prose()]) -> Result:
    """Hang up, when the caller's request is finished and both have said goodbye.

    Args:
        context: not used.
        reason: why the call ends, in a few words.
    """
    return ok({"ended": True})


SESSION_TOOLS: dict[str, Tool] = {end_call.name: end_call}
"""Tools that every pack has without defining them; an agent that may use one lists it in its ``tools``."""
