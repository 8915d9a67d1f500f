"""Argument types of tools: the JSON schema a model sees, how a spoken value is normalised, how values are compared."""

from __future__ import annotations

import datetime as dt
import inspect
import re
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Union

from voicebench.errors import ConfigError
from voicebench.language import values
from voicebench.language.slots import FactType
from voicebench.record.json_types import JsonObject, JsonValue

__all__ = ["Argument", "Bool", "Date", "Enum", "Id", "Name", "Number", "Phone", "Prose", "arguments_of"]


_CONTEXT = ("context", "desk")
"""Names that a tool's first argument may have; the second is that of packs from before ToolContext was called so."""


class Unreadable(Exception):
    """An argument that is not of its type; the text says what was expected."""


class ArgumentType:
    """Base of the argument types."""

    kind: ClassVar[FactType]
    json_type: ClassVar[str] = "string"
    python_types: ClassVar[tuple[type, ...]] = (str,)

    def schema(self) -> JsonObject:
        """Return the JSON schema of one value."""
        return {"type": self.json_type}

    def read(self, value: JsonValue, today: dt.date) -> JsonValue:
        """Return the value as the tool's function gets it.

        Raises:
            Unreadable: it is not of this type.
        """
        return _text(value)


def _text(value: JsonValue) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        raise Unreadable("expected text")
    text = str(value).strip()
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise Unreadable("expected text, not half a character")  # JSON can hold one, and SQLite cannot
    return text


class Id(ArgumentType):
    """An identifier; the function gets it in capitals without spaces or punctuation, number words as digits."""

    kind = "id"

    def read(self, value: JsonValue, today: dt.date) -> str:
        """See :meth:`ArgumentType.read`."""
        found = values.canonical_id(_text(value))
        if not found:
            raise Unreadable("expected an identifier")
        return found


class Phone(ArgumentType):
    """A phone number; the function gets its digits, ten for a number of the North American plan."""

    kind = "phone"

    def read(self, value: JsonValue, today: dt.date) -> str:
        """See :meth:`ArgumentType.read`."""
        found = values.canonical_phone(_text(value))
        if not found:
            raise Unreadable("expected a phone number")
        return found


class Date(ArgumentType):
    """A date; the function gets ``2026-08-03``, or the words unchanged when they are no date, to refuse them itself."""

    kind = "date"

    def schema(self) -> JsonObject:
        """See :meth:`ArgumentType.schema`."""
        return {"type": "string", "format": "date"}

    def read(self, value: JsonValue, today: dt.date) -> str:
        """See :meth:`ArgumentType.read`."""
        text = _text(value)
        return values.canonical_date(text, today) or text


@dataclass(frozen=True)
class Number(ArgumentType):
    """A number; a float, or an int when ``whole``."""

    whole: bool = False
    kind = "number"
    python_types = (int, float)

    def schema(self) -> JsonObject:
        """See :meth:`ArgumentType.schema`."""
        return {"type": "integer" if self.whole else "number"}

    def read(self, value: JsonValue, today: dt.date) -> float | int:
        """See :meth:`ArgumentType.read`."""
        found = values.canonical_number(value)
        if found is None or not found.is_finite() or (self.whole and found != found.to_integral_value()):
            raise Unreadable("expected a whole number" if self.whole else "expected a number")
        return int(found) if self.whole else float(found)


class Enum(ArgumentType):
    """One of some choices; case, spaces and hyphens are free."""

    kind = "enum"

    def __init__(self, *choices: str) -> None:
        self.choices = choices

    def schema(self) -> JsonObject:
        """See :meth:`ArgumentType.schema`."""
        return {"type": "string", "enum": list(self.choices)}

    def read(self, value: JsonValue, today: dt.date) -> str:
        """See :meth:`ArgumentType.read`."""
        for choice in self.choices:
            if values.same_enum(choice, value):
                return choice
        raise Unreadable(f"expected one of {', '.join(self.choices)}")


class Name(ArgumentType):
    """A person's name, compared by its sound."""

    kind = "name"


class Prose(ArgumentType):
    """Free words, shown and never compared."""

    kind = "prose"


class Bool(ArgumentType):
    """A truth value."""

    kind = "bool"
    json_type = "boolean"
    python_types = (bool,)

    def read(self, value: JsonValue, today: dt.date) -> bool:
        """See :meth:`ArgumentType.read`."""
        found = values.canonical_bool(value)
        if found is None:
            raise Unreadable("expected true or false")
        return found


@dataclass(frozen=True)
class Argument:
    """One argument of a tool."""

    name: str
    type: ArgumentType
    description: str
    required: bool

    def schema(self) -> JsonObject:
        """Return its JSON schema."""
        return {**self.type.schema(), "description": self.description}


def arguments_of(function: Callable[..., object], descriptions: dict[str, str], where: str) -> tuple[Argument, ...]:
    """Return the arguments of a tool's function after its first, the context.

    Raises:
        ConfigError: an argument has no type or no line in the docstring.
    """
    hints = typing.get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters or parameters[0].name not in _CONTEXT:
        raise ConfigError(f"{where}: the first argument must be 'context'")
    descriptions = {name: text for name, text in descriptions.items() if name not in _CONTEXT}
    found = []
    for parameter in parameters[1:]:
        kind = _argument_type(hints.get(parameter.name))
        if kind is None:
            raise ConfigError(
                f"{where}: argument {parameter.name!r} needs Annotated[str, one of Id, Phone, Date, Enum, Name, "
                "Prose], Annotated[float, Number()] or Annotated[bool, Bool()], perhaps with None; lists, objects and "
                "unions are not compared, so a tool takes single values"
            )
        if parameter.name not in descriptions:
            raise ConfigError(f"{where}: argument {parameter.name!r} is missing under 'Args:' in the docstring")
        required = parameter.default is inspect.Parameter.empty
        found.append(Argument(parameter.name, kind, descriptions[parameter.name], required))
    unknown = set(descriptions) - {argument.name for argument in found}
    if unknown:
        raise ConfigError(f"{where}: the docstring describes {sorted(unknown)}, which are no arguments")
    return tuple(found)


def _argument_type(hint: Any) -> ArgumentType | None:
    """Return the type of an annotation; None where it has none, or one that is not that of a single value."""
    if typing.get_origin(hint) is Annotated:
        mark = next((one for one in hint.__metadata__ if isinstance(one, ArgumentType)), None)
        return mark if mark and _single(hint.__origin__) in mark.python_types else None
    inner = _single(hint)
    if typing.get_origin(inner) is Annotated:
        return _argument_type(inner)
    plain: dict[Any, ArgumentType] = {bool: Bool(), int: Number(whole=True), float: Number()}
    return plain.get(inner)


def _single(hint: Any) -> Any:
    """Return ``X`` of ``X | None``, and any other annotation as it is."""
    if typing.get_origin(hint) in {Union, types.UnionType}:
        inner = [part for part in typing.get_args(hint) if part is not type(None)]
        return inner[0] if len(inner) == 1 else hint
    return hint


def parse_docstring(text: str) -> tuple[str, dict[str, str]]:
    """Return the description and the arguments' lines of a Google docstring."""
    head, _, tail = inspect.cleandoc(text).partition("\nArgs:\n")
    found: dict[str, str] = {}
    name = ""
    for line in tail.splitlines():
        match = re.match(r"    (\w+)(?: \([^)]*\))?:\s*(.*)", line)
        if match and not line.startswith("     "):
            name = match[1]
            found[name] = match[2].strip()
        elif line.startswith("     ") and name:
            found[name] = f"{found[name]} {line.strip()}".strip()
        elif line.strip():
            break
    return " ".join(head.split()), found
