"""``voicebench schema``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from voicebench.cli.output import print_json

__all__ = ["schema"]


def schema(
    what: Annotated[
        Literal["call", "trace", "exchanges", "run", "row"],
        typer.Argument(help="call.json, a line of trace.jsonl or exchanges.jsonl, run.json, or a row of a board."),
    ],
) -> None:
    """Print the JSON Schema of a stored file, with what each field means."""
    from voicebench.record.schema import json_schema

    print_json(json_schema(what))
