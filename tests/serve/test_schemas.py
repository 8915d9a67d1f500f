from __future__ import annotations

from typing import Any

import pytest

from voicebench.record.json_types import JsonObject
from voicebench.serve.schemas import handoffs, made_up, person, workers

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"enum": ["b", "a"]}, "b"),
        ({"const": 3}, 3),
        ({"type": "boolean"}, True),
        ({"type": "number"}, 1),
        ({"type": "integer", "minimum": 20, "maximum": 30}, 25),
        ({"type": "integer", "minimum": 500}, 500),
        ({"anyOf": [{"type": "null"}, {"type": "string", "enum": ["x"]}]}, "x"),
        ({"type": ["null", "integer"]}, 1),
        ({"type": "array", "items": {"type": "boolean"}}, [True]),
        ({"type": "object", "properties": {"deep": {"enum": [4]}}}, {"deep": 4}),
        ({"type": "string", "format": "date"}, "2026-11-02"),
        ({"type": "string", "description": "the phone number on the account"}, "206-555-0171"),
        ({"type": "string"}, "The caller asked for help."),
    ],
)
def test_an_argument_has_a_value_that_its_schema_accepts(schema: dict[str, Any], value: Any) -> None:
    assert made_up("tool", {"properties": {"it": schema}}).arguments == {"it": value}


def test_tools_are_told_apart_by_name_and_arguments() -> None:
    some: JsonObject = {"properties": {"x": {"type": "string"}}}
    tools: dict[str, JsonObject] = {
        "transfer_to_billing": {},
        "transfer_funds": some,
        "transfer_to_human": {},
        "end_call": some,
        "get": {},
    }
    assert handoffs(tools) == ["transfer_to_billing"]
    assert person(tools) == "transfer_to_human"
    assert workers(tools) == ["transfer_funds", "get"]
