"""What a step's ``with`` says, turned into the arguments of a call."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["Lookup", "Unresolved", "dig", "facts_in", "fill", "resolve_all"]

_RESULT = re.compile(r"\$result\.(?P<tool>[A-Za-z_]\w*)\.(?P<path>\w+(?:\.\w+)*)")
_FACT = re.compile(r"\$fact\.(?P<name>\w+)")

Lookup = Callable[[str, str], Any]
"""(tool, dotted path) to a value of that tool's latest result; raises Unresolved."""


class Unresolved(Exception):
    """A reference names something that has not happened or was not said."""


def dig(result: Mapping[str, Any], path: str) -> Any:
    """Follow a dotted path through objects and lists (by index).

    Raises:
        Unresolved: the path does not exist.
    """
    value: Any = result
    for key in path.split("."):
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            raise Unresolved(f"there is no {path!r} in the result")
    return value


def facts_in(template: Any) -> list[str]:
    """Return the names of the facts that a template needs, in order, each once; of ``one_of`` only the first counts."""
    if isinstance(template, str):
        found = [match["name"] for match in _FACT.finditer(template)]
    elif isinstance(template, Mapping):
        chosen = template["one_of"][:1] if "one_of" in template else list(template.values())
        found = [name for value in chosen for name in facts_in(value)]
    elif isinstance(template, list):
        found = [name for value in template for name in facts_in(value)]
    else:
        found = []
    return list(dict.fromkeys(found))


def resolve_all(
    template: Mapping[str, Any],
    schemas: Mapping[str, Mapping[str, Any]],
    facts: Mapping[str, str],
    lookup: Lookup,
    words: str = "",
) -> dict[str, Any]:
    """Return the arguments of a call; None and a ``one_of`` that begins with null leave their argument out.

    Args:
        template: for each argument a constant, ``$fact.NAME``, ``$result.TOOL.path``, ``{any: true}`` or
            ``{one_of: [...]}``.
        schemas: JSON schema of each argument; numbers and booleans are made as it says.
        facts: the facts heard so far.
        lookup: finds values in results.
        words: the caller's words, sent for ``{any: true}``.

    Raises:
        Unresolved: a reference leads nowhere.
    """
    resolved = {name: _resolve(value, facts, lookup, words) for name, value in template.items()}
    return {name: _coerce(value, schemas.get(name, {})) for name, value in resolved.items() if value is not None}


def _resolve(value: Any, facts: Mapping[str, str], lookup: Lookup, words: str) -> Any:
    if isinstance(value, Mapping):
        if "one_of" in value:
            return _resolve(value["one_of"][0], facts, lookup, words)
        if value.get("any") is True:
            return words
        return {key: _resolve(item, facts, lookup, words) for key, item in value.items()}
    if isinstance(value, list):
        return [_resolve(item, facts, lookup, words) for item in value]
    if not isinstance(value, str):
        return value
    if whole := _RESULT.fullmatch(value):
        return lookup(whole["tool"], whole["path"])
    return fill(value, facts, lookup)


def fill(text: str, facts: Mapping[str, str], lookup: Lookup) -> str:
    """Return the text with every ``$result.TOOL.path`` and ``$fact.NAME`` in it replaced.

    Raises:
        Unresolved: a reference leads nowhere.
    """

    def fact(match: re.Match[str]) -> str:
        if match["name"] not in facts:
            raise Unresolved(f"the fact {match['name']!r} was not heard")
        return facts[match["name"]]

    text = _FACT.sub(fact, text)
    return _RESULT.sub(lambda match: str(lookup(match["tool"], match["path"])), text)


def _coerce(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return a written value with the JSON type that an argument's schema asks for; what cannot be read stays text."""
    if not isinstance(value, str):
        return value
    kind = _json_type(schema)
    try:
        if kind == "integer":
            return int(value.replace(",", ""))
        if kind == "number":
            number = float(value.replace(",", ""))
            return int(number) if number.is_integer() and "." not in value else number
    except ValueError:
        return value
    if kind == "boolean" and value.casefold() in ("true", "yes", "false", "no"):
        return value.casefold() in ("true", "yes")
    return value


def _json_type(schema: Mapping[str, Any]) -> str:
    kinds = schema.get("type") or [option.get("type") for option in schema.get("anyOf", ())]
    if isinstance(kinds, str):
        return kinds
    return next((kind for kind in kinds if kind and kind != "null"), "string")
