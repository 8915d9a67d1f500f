"""What an agent that was told nothing can see in the tools it is offered, and arguments made of their schemas."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from voicebench.serve.chat import ToolUse

__all__ = ["END_CALL", "Pick", "Schemas", "first", "handoffs", "is_handoff", "made_up", "person", "workers"]

END_CALL = "end_call"

Schemas = Mapping[str, Mapping[str, Any]]
"""The offered tools: name to JSON schema of the parameters."""

Pick = Callable[[str, Sequence[Any]], Any]
"""(name of the argument, values that it accepts) to one of them."""

_HANDOFF = re.compile(r"(transfer|hand_?off|hand_?over)_", re.IGNORECASE)
_PERSON = re.compile(r"human|escalat|person", re.IGNORECASE)

_STRINGS: Sequence[tuple[str, tuple[str, ...]]] = (
    (r"date|yyyy", ("2026-11-02", "2026-12-15", "2027-01-20")),
    (r"phone|mobile", ("206-555-0171", "312-555-0182", "917-555-0193")),
    (r"e-?mail", ("caller@example.com", "someone@example.org")),
    (r"zip|postal", ("54321", "10987", "76543")),
    (r"last ?_?4|last four", ("1234", "9876", "0000")),
    (r"\btime\b|hour", ("10:00", "14:30", "09:00")),
    (r"name", ("Pat Doe", "Chris Roe", "Kim Poe")),
    (r"_id\b|\bid\b|number|code", ("AB-1000001", "1000001", "10-1")),
)
"""What the argument's name and description speak of, and strings like it; the first that fits counts."""

_WORDS = ("The caller asked for help.", "It does not work.", "As the caller said.")
_NUMBERS = (1, 0, 25, 100)


def first(_: str, options: Sequence[Any]) -> Any:
    """Pick the first value."""
    return options[0]


def is_handoff(name: str, parameters: Mapping[str, Any]) -> bool:
    """Whether a tool passes the caller to another agent: by its name, and since it takes no arguments.

    Args:
        name: of the tool.
        parameters: those of its schema, or the arguments it was called with.
    """
    return bool(_HANDOFF.match(name)) and not _PERSON.search(name) and not parameters


def handoffs(tools: Schemas) -> list[str]:
    """Return the handoffs among the offered tools, in their order."""
    return [name for name, schema in tools.items() if is_handoff(name, schema.get("properties") or {})]


def person(tools: Schemas) -> str | None:
    """Return the tool that puts the caller through to a person, None if none is offered."""
    return next((name for name in tools if _PERSON.search(name)), None)


def workers(tools: Schemas) -> list[str]:
    """Return the offered tools that neither end the call nor pass the caller on, in their order."""
    others = {*handoffs(tools), person(tools), END_CALL}
    return [name for name in tools if name not in others]


def made_up(tool: str, schema: Mapping[str, Any], pick: Pick = first) -> ToolUse:
    """Return a call of a tool in which every argument of its schema has a value that the schema accepts."""
    properties = schema.get("properties") or {}
    return ToolUse(tool, {name: _value(name, kind, pick) for name, kind in properties.items()})


def _value(name: str, schema: Mapping[str, Any], pick: Pick) -> Any:
    if "const" in schema:
        return schema["const"]
    if choices := schema.get("enum"):
        return pick(name, choices)
    if variants := schema.get("anyOf") or schema.get("oneOf"):
        return _value(name, next((v for v in variants if v.get("type") != "null"), {}), pick)
    match _kind(schema):
        case "boolean":
            return pick(name, (True, False))
        case "integer" | "number":
            return pick(name, [n for n in _NUMBERS if _allowed(n, schema)] or [schema.get("minimum", 1)])
        case "array":
            return [_value(name, schema.get("items") or {}, pick)]
        case "object":
            properties = schema.get("properties") or {}
            return {key: _value(key, kind, pick) for key, kind in properties.items()}
        case _:
            about = f"{name} {schema.get('format', '')} {schema.get('description', '')}".lower()
            return pick(name, next((strings for words, strings in _STRINGS if re.search(words, about)), _WORDS))


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "string")
    return next((k for k in kind if k != "null"), "string") if isinstance(kind, list) else str(kind)


def _allowed(number: int, schema: Mapping[str, Any]) -> bool:
    low, high = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
    return bool(low <= number <= high)
