"""What the spans and events of a trace share.

In Python the attributes of a span are its fields (``span.ttft_ms``); in the file they are an object of their own, under
``attributes``. All times are nanoseconds of call time, from the first tick of the line.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from voicebench.record.base import Record
from voicebench.record.json_types import JsonValue

__all__ = ["TraceEvent", "TraceSpan"]


class _TraceLine(Record):
    header: ClassVar[tuple[str, ...]]
    line_type: ClassVar[Literal["span", "event"]]

    @model_validator(mode="before")
    @classmethod
    def _flatten(cls, line: Any) -> Any:
        """Take the attributes of a stored line for fields."""
        if not isinstance(line, dict) or "attributes" not in line:
            return line
        if not isinstance(line["attributes"], dict):
            raise ValueError("attributes is no JSON object")
        head = {key: value for key, value in line.items() if key not in ("type", "attributes")}
        return {**head, **line["attributes"]}

    def attributes(self) -> dict[str, JsonValue]:
        """Return what the line has after its head, by stored names: only what was set."""
        return {
            field.alias or name: list(value) if isinstance(value, tuple) else value
            for name, field in type(self).model_fields.items()
            if name not in self.header and name in self.model_fields_set
            for value in [getattr(self, name)]
        }

    def to_json(self) -> dict[str, JsonValue]:
        """Return the line as ``trace.jsonl`` has it."""
        head = {name: getattr(self, name) for name in self.header}
        return {"type": self.line_type, **head, "attributes": self.attributes()}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe the stored line, with its attributes apart."""
        flat = handler.resolve_ref_schema(handler(schema))
        if "properties" not in flat:
            return flat
        names = {field.alias or name: name for name, field in cls.model_fields.items()}
        properties, required = flat["properties"], flat.get("required", [])
        own = {key: value for key, value in properties.items() if names[key] not in cls.header}
        attributes = {"type": "object", "properties": own, "additionalProperties": False}
        if needed := [key for key in own if key in required]:
            attributes["required"] = needed
        head = {name: properties[name] for name in cls.header}
        flat["properties"] = {"type": {"const": cls.line_type, "type": "string"}, **head, "attributes": attributes}
        flat["required"] = list(flat["properties"])
        return flat


class TraceSpan(_TraceLine):
    """Something that took time."""

    header = ("trace_id", "span_id", "parent_span_id", "name", "start_ns", "end_ns")
    line_type = "span"

    trace_id: str = ""
    """Id of the call's trace; the tracer sets it."""
    span_id: str = ""
    """Id of the span, from the seed and its number; the tracer sets it."""
    parent_span_id: str | None = None
    """The span that this one belongs to."""
    name: str
    """The kind of span."""
    start_ns: int
    """When it began."""
    end_ns: int
    """When it ended."""


class TraceEvent(_TraceLine):
    """Something that happened at one instant."""

    header = ("trace_id", "span_id", "name", "time_ns")
    line_type = "event"

    trace_id: str = ""
    """Id of the call's trace; the tracer sets it."""
    span_id: str | None = None
    """The span that the event belongs to."""
    name: str
    """The kind of event."""
    time_ns: int
    """When it happened."""
