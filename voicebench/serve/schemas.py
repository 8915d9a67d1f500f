"""What can be seen in the tools that an agent is offered, and arguments made of their schemas."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.serve.chat import ToolUse, objects_in

__all__ = ["END_CALL", "Pick", "Schemas", "handoffs", "is_handoff", "made_up", "person", "properties", "workers"]

END_CALL = "end_call"

Schemas = Mapping[str, JsonObject]
"""The offered tools: name to JSON schema of the parameters."""

Pick = Callable[[str, Sequence[JsonValue]], JsonValue]
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


def is_handoff(name: str, parameters: Mapping[str, JsonValue]) -> bool:
    """Whether a tool passes the caller to another agent: by its name, and since it takes no arguments.

    Args:
        name: of the tool.
        parameters: those of its schema, or the arguments it was called with.
    """
    return bool(_HANDOFF.match(name)) and not _PERSON.search(name) and not parameters


def handoffs(tools: Schemas) -> list[str]:
    """Return the handoffs among the offered tools, in their order."""
    return [name for name, schema in tools.items() if is_handoff(name, properties(schema))]


def person(tools: Schemas) -> str | None:
    """Return the tool that puts the caller through to a person, None if none is offered."""
    return next((name for name in tools if _PERSON.search(name)), None)


def workers(tools: Schemas) -> list[str]:
    """Return the offered tools that neither end the call nor pass the caller on, in their order."""
    others = {*handoffs(tools), person(tools), END_CALL}
    return [name for name in tools if name not in others]


def properties(schema: JsonObject) -> dict[str, JsonObject]:
    """Return the schemas of an object's properties."""
    found = schema.get("properties")
    return {name: kind for name, kind in found.items() if isinstance(kind, dict)} if isinstance(found, dict) else {}


def made_up(tool: str, schema: JsonObject, pick: Pick = lambda _, options: options[0]) -> ToolUse:
    """Return a call of a tool in which every argument of its schema has a value that the schema accepts.

    Args:
        tool: its name.
        schema: of its parameters.
        pick: chooses among the values that an argument accepts; the first unless given.
    """
    return ToolUse(tool, {name: _value(name, kind, pick) for name, kind in properties(schema).items()})


def _value(name: str, schema: JsonObject, pick: Pick) -> JsonValue:
    if "const" in schema:
        return schema["const"]
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return pick(name, choices)
    if variants := objects_in(schema, "anyOf") or objects_in(schema, "oneOf"):
        return _value(name, next((v for v in variants if v.get("type") != "null"), {}), pick)
    kinds = schema.get("type", "string")
    match next((kind for kind in kinds if kind != "null"), "string") if isinstance(kinds, list) else kinds:
        case "boolean":
            return pick(name, (True, False))
        case "integer" | "number":
            low, high = _bound(schema, "minimum", float("-inf")), _bound(schema, "maximum", float("inf"))
            return pick(name, [n for n in _NUMBERS if low <= n <= high] or [schema.get("minimum", 1)])
        case "array":
            items = schema.get("items")
            return [_value(name, items if isinstance(items, dict) else {}, pick)]
        case "object":
            return {key: _value(key, kind, pick) for key, kind in properties(schema).items()}
        case _:
            about = f"{name} {schema.get('format', '')} {schema.get('description', '')}".lower()
            return pick(name, next((strings for words, strings in _STRINGS if re.search(words, about)), _WORDS))


def _bound(schema: JsonObject, key: str, default: float) -> float:
    bound = schema.get(key)
    return bound if isinstance(bound, int | float) else default
