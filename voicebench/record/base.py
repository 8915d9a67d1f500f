"""What all records share: they are frozen, strict, and written as they were read, key for key."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetPydanticSchema, Strict, WithJsonSchema, WrapSerializer
from pydantic_core import core_schema

from voicebench.record.json_types import JsonValue

__all__ = ["Items", "Number", "Party", "Record", "TokenCount", "token_count"]

Party = Literal["agent", "caller"]
"""The two sides of a call."""

Number = Annotated[
    float,
    GetPydanticSchema(
        lambda _source, _handler: core_schema.union_schema(
            [core_schema.int_schema(strict=True), core_schema.float_schema(strict=True)],
            custom_error_type="number",
            custom_error_message="Input should be a valid number",
        )
    ),
    WithJsonSchema({"type": "number"}),
]
"""A number that is written as it was read: 0 stays 0 and does not become 0.0."""


def token_count(value: JsonValue) -> int | None:
    """Return a provider's count of tokens: a whole number, also where it is written as 10.0; all else is no count."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


TokenCount = Annotated[int | None, BeforeValidator(token_count)]
"""A count of tokens. Traces of before schema version 4 hold what the provider sent, whatever it was."""

T = TypeVar("T")

Items = Annotated[tuple[T, ...], Strict(False), WrapSerializer(lambda items, serialize: list(serialize(items)))]
"""An array. It may be given as a list, and is one in JSON."""


class Record(BaseModel):
    """A part of a stored file.

    A field that was not set is not written, so that a line of an older version is written as it was read. The fields
    are written in the order of the class, which is that of the stored bytes.
    """

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        # What a reader has added to a file is kept, and no reason to refuse it. In our own code mypy refuses it.
        extra="allow",
        validate_by_name=True,
        validate_by_alias=True,
        # Nothing is validated by most commands; and the docstrings of the fields are read when a schema is printed.
        defer_build=True,
    )

    tags: ClassVar[frozenset[str]] = frozenset()
    """Fields that can have one value alone, as the kind of an exchange: they are always written."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls.tags = frozenset(
            name
            for name, field in cls.model_fields.items()
            if get_origin(field.annotation) is Literal and get_args(field.annotation) == (field.default,)
        )

    def model_post_init(self, _context: Any) -> None:
        """Count the tags as set."""
        # pydantic leaves a default out of what was set; a tag must be written all the same, since readers go by it.
        if self.tags:
            self.__pydantic_fields_set__.update(self.tags)

    def to_json(self) -> dict[str, JsonValue]:
        """Return the record as JSON has it: stored names, and only what was set."""
        return self.model_dump(mode="python", by_alias=True, exclude_unset=True)
