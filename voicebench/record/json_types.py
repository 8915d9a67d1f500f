"""JSON as Python has it, for what is arbitrary: arguments of tools, rows of a database, payloads of providers."""

from __future__ import annotations

from typing import Annotated

from pydantic import GetPydanticSchema
from pydantic_core import core_schema
from typing_extensions import TypeAliasType

__all__ = ["Json", "JsonObject", "JsonValue"]

JsonValue = TypeAliasType("JsonValue", "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None")
"""Any JSON value."""

# A record takes such values as they are. Looking through them would cost more than all else that is validated of an
# exchange, whose request repeats the whole conversation.
Json = Annotated[JsonValue, GetPydanticSchema(lambda _source, _handler: core_schema.any_schema())]
"""Any JSON value, as the field of a record."""

JsonObject = Annotated[
    dict[str, JsonValue],
    GetPydanticSchema(
        lambda _source, _handler: core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())
    ),
]
"""A JSON object, in signatures and as the field of a record."""
