"""What a task writes for values known only in a call: ``$fact.NAME``, ``$result.TOOL.path``, ``one_of``, ``any``.

A template is JSON in which any text may hold references. A text that is one reference stands for the value, with its
type; in a longer text each reference is replaced by the value as text. ``{one_of: [...]}`` allows several values, and
``{any: true}`` every value. Verification expands a template and compares with all that it allows; a reference agent
chooses one value of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from voicebench.record.json_types import JsonObject, JsonValue

__all__ = [
    "Unresolved",
    "as_written",
    "choose_arguments",
    "expand",
    "fact_of",
    "facts_in",
    "fill",
    "in_words",
    "options_of",
    "tools_in",
]

_REFERENCE = re.compile(r"\$(?:fact\.(?P<fact>\w+)|result\.(?P<tool>[A-Za-z_]\w*)(?P<path>(?:\.\w+)*))")

Results = Mapping[str, JsonObject]
"""Tool to the result that ``$result.TOOL`` stands for."""


class Unresolved(Exception):
    """A text with a reference that leads nowhere; in an expanded template it stands in the text's place.

    Attributes:
        text: as the task has it.
    """

    def __init__(self, text: str, why: str) -> None:
        super().__init__(why)
        self.text = text


# ---- what a template refers to ------------------------------------------------------------------------------------


def facts_in(template: Any) -> list[str]:
    """Return the names of the facts that a template needs, in order, each once; of ``one_of`` only the first counts."""
    if isinstance(template, Mapping) and "one_of" in template:
        return facts_in(template["one_of"][:1])
    if isinstance(template, Mapping | list):
        items = template.values() if isinstance(template, Mapping) else template
        return list(dict.fromkeys(name for item in items for name in facts_in(item)))
    return list(dict.fromkeys(match["fact"] for match in _references(template) if match["fact"]))


def tools_in(template: Any) -> list[str]:
    """Return the tools whose results a template may use, in order, each once; all options of ``one_of`` count."""
    return list(dict.fromkeys(match["tool"] for match in _references(template) if match["tool"]))


def _references(template: Any) -> Iterator[re.Match[str]]:
    if isinstance(template, str):
        yield from _REFERENCE.finditer(template)
    elif isinstance(template, Mapping | list):
        for item in template.values() if isinstance(template, Mapping) else template:
            yield from _references(item)


def fact_of(template: Any) -> str | None:
    """Return the name of the fact that a template stands for, None if it is not one fact alone."""
    match = _REFERENCE.fullmatch(template) if isinstance(template, str) else None
    return match["fact"] if match is not None else None


# ---- with its values ----------------------------------------------------------------------------------------------


def expand(template: Any, facts: Mapping[str, str], *results: Results) -> Any:
    """Return a template with its references replaced; ``one_of`` and ``any`` stay.

    A text with a reference that leads nowhere becomes :class:`Unresolved`.

    Args:
        template: an argument of a step, a column of an expected row, or a whole ``with``.
        facts: the caller's facts that are known, by name.
        results: results by tool; where a path leads nowhere in the first of them, the next one is asked.
    """
    if isinstance(template, Mapping):
        return {key: expand(item, facts, *results) for key, item in template.items()}
    if isinstance(template, list):
        return [expand(item, facts, *results) for item in template]
    if not isinstance(template, str):
        return template
    try:
        whole = _REFERENCE.fullmatch(template)
        return fill(template, facts, *results) if whole is None else _value_of(whole, facts, results)
    except Unresolved as error:
        return Unresolved(template, str(error))


def fill(text: str, facts: Mapping[str, str], *results: Results) -> str:
    """Return a text with its references replaced; parameters as those of :func:`expand`.

    Raises:
        Unresolved: a reference leads nowhere.
    """
    return _REFERENCE.sub(lambda match: str(_value_of(match, facts, results)), text)


def _value_of(reference: re.Match[str], facts: Mapping[str, str], results: tuple[Results, ...]) -> Any:
    name, tool, path = reference["fact"], reference["tool"], reference["path"]
    if name is not None:
        if name not in facts:
            raise Unresolved(reference[0], f"the fact {name!r} is not known")
        return facts[name]
    if not any(tool in answered for answered in results):
        raise Unresolved(reference[0], f"{tool} has not been called")
    for answered in results:
        if tool in answered and path:
            try:
                value: Any = answered[tool]
                for key in path[1:].split("."):
                    if isinstance(value, list) and key.isdecimal():
                        value = value[int(key)]
                    elif isinstance(value, Mapping):
                        value = value[key]
                    else:
                        raise LookupError(key)
                return value
            except LookupError:
                continue
    raise Unresolved(reference[0], f"{reference[0]} is nowhere in an earlier answer")


def choose_arguments(
    template: Mapping[str, JsonValue],
    schemas: Mapping[str, JsonObject],
    facts: Mapping[str, str],
    *results: Results,
    words: str = "",
) -> JsonObject:
    """Return the arguments that a step is called with; None and a ``one_of`` that begins with null are left out.

    Args:
        template: the step's ``with``.
        schemas: JSON schema of each argument; numbers and booleans are made as it says.
        facts: as for :func:`expand`.
        results: as for :func:`expand`.
        words: given for ``{any: true}``.

    Raises:
        Unresolved: a reference leads nowhere.
    """
    chosen = {name: _choose(expand(value, facts, *results), words) for name, value in template.items()}
    return {name: _coerce(value, schemas.get(name, {})) for name, value in chosen.items() if value is not None}


def _choose(expanded: Any, words: str) -> Any:
    if isinstance(expanded, Unresolved):
        raise expanded
    if isinstance(expanded, Mapping):
        if "one_of" in expanded:
            return _choose(expanded["one_of"][0], words)
        if expanded.get("any") is True:
            return words
        return {key: _choose(item, words) for key, item in expanded.items()}
    if isinstance(expanded, list):
        return [_choose(item, words) for item in expanded]
    return expanded


def _coerce(value: JsonValue, schema: JsonObject) -> JsonValue:
    """Return a written value with the JSON type that an argument's schema asks for; what cannot be read stays text."""
    if not isinstance(value, str):
        return value
    options = schema.get("anyOf")
    kinds = schema.get("type") or [
        option.get("type") for option in (options if isinstance(options, list) else ()) if isinstance(option, dict)
    ]
    several = [kind for kind in kinds if kind and kind != "null"] if isinstance(kinds, list) else [kinds]
    kind = several[0] if several else "string"
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


# ---- for people ---------------------------------------------------------------------------------------------------


def options_of(template: Any) -> list[Any]:
    """Return the values that a template allows, itself if it is no ``one_of``."""
    return list(template["one_of"]) if isinstance(template, Mapping) and "one_of" in template else [template]


def as_written(expanded: Any) -> Any:
    """Return an expanded template as JSON: a text that could not be resolved as the task has it."""
    if isinstance(expanded, Mapping):
        return {key: as_written(value) for key, value in expanded.items()}
    if isinstance(expanded, list):
        return [as_written(value) for value in expanded]
    return expanded.text if isinstance(expanded, Unresolved) else expanded


def in_words(template: Any) -> str:
    """Return a template as people read it: JSON, but for choices, values that are free, and references."""
    if isinstance(template, Mapping) and template.get("any") is True:
        return "any value"
    if isinstance(template, Mapping) and "one_of" in template:
        return " or ".join(map(in_words, template["one_of"]))
    reference = _REFERENCE.fullmatch(template) if isinstance(template, str) else None
    if reference is None:
        return json.dumps(template, ensure_ascii=False)
    if reference["fact"]:
        return f"the caller's {reference['fact']}"
    return f"the {(reference['path'] or 'result').rpartition('.')[2]} of {reference['tool']}"
