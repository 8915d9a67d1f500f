"""Whatever a model sends as an argument is refused or acted on by every tool; none of them fails on it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from voicebench.packs import Pack, list_packs, load_pack
from voicebench.packs.models import Case, Step
from voicebench.packs.tool_context import ToolContext
from voicebench.record.json_types import JsonObject, JsonValue

pytestmark = pytest.mark.unit

HOSTILE: list[JsonValue] = [
    *("", " ", "\x00", "a\x00b", "\ud800", "\U0001f600" * 500, "a" * 100_000, "\n\n", "\u202e", "{}", "null"),
    *("9" * 5_000, "1" * 400 + ".5", "1e400", "nan", "inf", "0x10", "1_0", "\u00bd", "\u0663", "5k", "-0"),
    *("2026-13-45", "9999-12-31", "0000-00-00", "10000-01-01", "--08-03", "August 32", "August 3 99999", "99:99"),
    *("';DROP TABLE orders;--", "%s%n", "../../etc/passwd"),
    *(1e308, -1e308, 1e-320, 10**30, -(10**30), 2**63, 10**400, 9007199254740993, 1.5, 0, -1),
    *(True, False, None),
    [],
    {},
    ["a"],
    [[]],
    {"a": 1},
]


def tries(pack: Pack, name: str) -> Iterator[tuple[Case, JsonObject]]:
    """Give a case in whose solution a tool stands, with its arguments there; or any case, with none."""
    for case in pack.cases.values():
        for step in case.solution:
            if step.call == name:
                yield case, filled(case, step)
                return
    yield next(iter(pack.cases.values())), {}


def filled(case: Case, step: Step) -> JsonObject:
    facts = {f"$fact.{name}": fact.value for name, fact in case.caller.facts.items()}
    return {name: facts.get(value, value) if isinstance(value, str) else value for name, value in step.with_.items()}


def prepared(pack: Pack, case: Case, name: str) -> ToolContext:
    """Return a context in which the calls before a tool's in the solution were made."""
    context = pack.open_context()
    for step in case.solution:
        if step.call == name:
            break
        if step.call:
            pack.tools[step.call].invoke(context, filled(case, step))
    return context


@pytest.mark.parametrize("pack_name", list_packs())
def test_no_tool_fails_on_what_a_model_sends(pack_name: str) -> None:
    pack = load_pack(pack_name)
    for name, tool in pack.tools.items():
        [(case, arguments)] = tries(pack, name)
        context = prepared(pack, case, name)
        kept = context.db.serialize()
        for argument in tool.spec.schemas:
            for value in HOSTILE:
                context.db.deserialize(kept)
                answer = tool.invoke(context, {**arguments, argument: value})
                assert answer["ok"] is True or answer["error_code"]
                assert json.loads(json.dumps(answer, allow_nan=False)) == answer
        for whole in HOSTILE:
            assert tool.invoke(context, whole)["error_code"] == "INVALID_ARGUMENTS" or whole == {}
        context.close()
