"""The JSON Schema of what is stored, with what each field means."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from typing import Any, Literal, get_args

from pydantic import TypeAdapter

from voicebench.record.base import Record
from voicebench.record.call import CallRecord
from voicebench.record.exchanges import Exchange
from voicebench.record.json_types import JsonObject
from voicebench.record.row import BoardRow
from voicebench.record.run import RunRecord
from voicebench.record.trace import TraceRecord

__all__ = ["SCHEMAS", "SchemaName", "field_meanings", "json_schema"]

SchemaName = Literal["call", "trace", "exchanges", "run", "row"]
SCHEMAS: tuple[SchemaName, ...] = get_args(SchemaName)

_STORED: dict[SchemaName, tuple[TypeAdapter[Any], str]] = {
    "call": (TypeAdapter(CallRecord), "call.json"),
    "trace": (TypeAdapter(TraceRecord), "A line of trace.jsonl"),
    "exchanges": (TypeAdapter(Exchange), "A line of exchanges.jsonl"),
    "run": (TypeAdapter(RunRecord), "run.json"),
    "row": (TypeAdapter(BoardRow), "A row of leaderboard --format json"),
}


def json_schema(name: SchemaName) -> JsonObject:
    """Return the JSON Schema (draft 2020-12) of a stored file, or of one line of it."""
    stored, title = _STORED[name]
    schema: JsonObject = stored.json_schema()
    records = {kind.__name__: kind for kind in _all_records(Record)}
    definitions = schema.get("$defs")
    for found in [schema, *(definitions.values() if isinstance(definitions, dict) else ())]:
        if isinstance(found, dict) and (kind := records.get(str(found.get("title")))):
            meanings = {kind.model_fields[name].alias or name: text for name, text in field_meanings(kind).items()}
            # What docstrings say is added; titles that repeat names go.
            # Reading takes what others have added; what this version writes has these fields and no other.
            found["additionalProperties"] = False
            for properties in _properties(found):
                for key, field in properties.items():
                    if isinstance(field, dict):
                        field.pop("title", None)
                        if key in meanings:
                            field["description"] = meanings[key]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": title}


def _all_records(kind: type[Record]) -> list[type[Record]]:
    return [kind, *(below for direct in kind.__subclasses__() for below in _all_records(direct))]


def _properties(schema: JsonObject) -> list[JsonObject]:
    """Return the properties of a record, and those of the attributes of a line of a trace."""
    found = []
    properties = schema.get("properties")
    if isinstance(properties, dict):
        found.append(properties)
        attributes = properties.get("attributes")
        if isinstance(attributes, dict):
            found += _properties(attributes)
    return found


@cache
def field_meanings(kind: type[Record]) -> dict[str, str]:
    """Return what the fields of a record mean: the docstrings under them, its bases' included.

    pydantic would read them itself when the classes are made, which costs every command a tenth of a second.
    """
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if issubclass(base, Record):
            found |= _own_meanings(base)
    return {name: text for name, text in found.items() if name in kind.model_fields}


@cache
def _own_meanings(kind: type[Record]) -> dict[str, str]:
    [tree] = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    meanings: dict[str, str] = {}
    for field, after in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(after, ast.Expr):
            text = after.value.value if isinstance(after.value, ast.Constant) else None
            if isinstance(text, str):
                meanings[field.target.id] = " ".join(text.split())
    return meanings
