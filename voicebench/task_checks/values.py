"""Other values and other spellings of typed values, and arguments that an agent might come upon."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Iterator, Mapping

from voicebench.language.slots import FactType
from voicebench.language.values import canonical_bool, canonical_date, canonical_number, canonical_phone, compact
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.serve.schemas import made_up
from voicebench.task_checks.sandbox import TaskSandbox

__all__ = ["SPELLINGS", "arguments_for", "leaves", "other_values", "respell"]

SPELLINGS: Mapping[str, tuple[FactType, str]] = {
    "a whole number with a decimal point, or as text": ("number", "number"),
    "identifiers in small letters without hyphens": ("id", "bare"),
    "identifiers letter by letter": ("id", "spaced"),
    "phone numbers as bare digits": ("phone", "bare"),
    "phone numbers with brackets": ("phone", "brackets"),
    "dates in words": ("date", "words"),
    "choices with capitals and spaces": ("enum", "words"),
    "names in capitals": ("name", "capitals"),
}
"""Ways to write a value that change nothing: what the report calls them, the type, and the way."""

_TRIES = 12
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def leaves(value: JsonValue, key: str = "") -> Iterator[tuple[str, JsonValue]]:
    """Yield (key, value) of all plain values in JSON; an item of a list has its list's key."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from leaves(item, str(name))
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, key)
    elif value is not None:
        yield key, value


# ---- another value ------------------------------------------------------------------------------------------------


def other_values(kind: FactType | None, value: JsonValue, schema: Mapping[str, JsonValue]) -> list[JsonValue]:
    """Return values that an agent might have got in place of one: a digit misheard, the next day, another choice."""
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return [choice for choice in choices if compact(str(choice)) != compact(str(value))]
    match kind:
        case "number":
            number = canonical_number(value)
            return [float(number) + 1, float(number) + 10] if number is not None else []
        case "bool":
            return [not canonical_bool(value)]
        case "date":
            day = canonical_date(value)
            return [(dt.date.fromisoformat(day) + dt.timedelta(days=n)).isoformat() for n in (1, 7)] if day else []
        case "name":
            return [f"{str(value).split()[0]} Zuckerbrot", "Ulla Zuckerbrot"]
        case "id" | "phone":
            return [*_misheard(str(value))]
        case _:
            if isinstance(value, str):
                return [f"not {value}"]
            return [value + 1 if isinstance(value, int | float) else 1]


def _misheard(text: str) -> list[str]:
    """Return the text with its last digit, and with its first digit changed; without digits, with its last letter."""
    digits = [match.start() for match in re.finditer(r"\d", text)]
    if not digits:
        return [f"{text[:-1]}{'b' if text[-1:] == 'a' else 'a'}"]
    return [f"{text[:at]}{(int(text[at]) + 5) % 10}{text[at + 1 :]}" for at in (digits[-1], digits[0])]


# ---- another spelling ---------------------------------------------------------------------------------------------


def respell(kind: FactType, way: str, value: JsonValue) -> JsonValue:
    """Return a value spelled another way, or as it is where that way makes no difference."""
    text = str(value)
    match kind, way:
        case "number", _:
            number = canonical_number(value)
            return str(value) if number is None or number % 1 else f"{number:.1f}"
        case "id", "bare":
            return compact(text).lower()
        case "id", "spaced":
            return " ".join(compact(text))
        case "phone", _:
            digits = canonical_phone(value)
            return digits if way == "bare" else f"({digits[:3]}) {digits[3:6]}-{digits[6:]}"
        case "date", _:
            day = canonical_date(value)
            return f"{dt.date.fromisoformat(day):%B %d, %Y}" if day and not day.startswith("-") else value
        case "enum", _:
            return text.replace("_", " ").title()
        case "name", _:
            return text.upper()
        case _:
            return value


# ---- arguments for any tool ---------------------------------------------------------------------------------------


def arguments_for(sandbox: TaskSandbox, tool: str, *, foreign: bool) -> Iterator[JsonObject]:
    """Yield some sets of arguments with which an agent on this call might use a tool.

    Args:
        sandbox: the task.
        tool: any of the pack's.
        foreign: whether values may come from other people's rows too.
    """
    spec = sandbox.snapshot.tools[tool]
    schemas = spec.schemas
    default = made_up(tool, spec.parameters).arguments
    pools = {
        name: _candidates(sandbox, name, spec.arg_types[name], schema, foreign=foreign) or [default[name]]
        for name, schema in schemas.items()
    }
    required = {name: pools[name] for name in spec.required}
    for some in (pools, required) if pools != required else (pools,):
        ways = itertools.product(*some.values())
        for way in itertools.islice(ways, _TRIES):
            yield dict(zip(some, way, strict=True))


def _candidates(
    sandbox: TaskSandbox, name: str, kind: FactType, schema: Mapping[str, JsonValue], *, foreign: bool
) -> list[JsonValue]:
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return choices[:4]
    if kind == "bool":
        return [True, False]
    if kind == "prose":
        return ["The caller asked for it."]
    results: list[JsonValue] = [record.result for record in sandbox.solution.records if record is not None]
    used: list[JsonValue] = [record.arguments for record in sandbox.solution.records if record is not None]
    near = [*sandbox.facts.items(), *leaves(used), *leaves(results)]
    far = leaves({table: [*rows] for table, rows in sandbox.seed.items()}) if foreign else ()
    found = [value for key, value in [*near, *far] if key == name]
    if kind == "date":
        today = sandbox.pack.spec.today
        found += [str(value) for _, value in leaves(results) if _DAY.fullmatch(str(value)) and str(value) > today]
    if kind == "number":
        found += [value for _, value in leaves(results) if isinstance(value, int | float) and value is not True]
        found += [0, 1]
    kinds = sandbox.pack.spec.facts
    found += [value for fact, value in sandbox.facts.items() if kinds[fact].type == kind]
    return [*{str(value): value for value in found}.values()][:3]
