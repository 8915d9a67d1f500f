"""Turns of agents with labels of what they ask and do: JSON lines, one turn a line."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from voicebench.errors import ConfigError
from voicebench.language.labels import Act, Detail
from voicebench.record.base import Items, Record

__all__ = ["LabelledTurn", "read_turns"]

_WANTED = "give a file of labelled turns, one JSON object a line"


class LabelledTurn(Record):
    """One turn of an agent, and what a careful human caller would have understood.

    Attributes:
        id: of the turn, unique in its file.
        text: its words.
        asks: the details that it asks the caller for.
        acts: what else it does.
        value, value_of: what a read-back repeats and of which detail, or the amount of a fee or a remedy.
        source: where it comes from.
        licence: of the source.
        caller_did: what the caller of a stored call did about it, where it comes from one.
    """

    id: str
    text: str
    asks: Items[Detail] = ()
    acts: Items[Act] = ()
    value: str | None = None
    value_of: str | None = None
    source: str | None = None
    licence: str | None = None
    caller_did: str | None = None


def read_turns(path: Path) -> list[LabelledTurn]:
    """Return the turns of a file; empty lines are passed over.

    Raises:
        ConfigError: the file cannot be read, or a line is no labelled turn; the message names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path}: cannot be read ({error}); give a file of labelled turns, one JSON object a line"
        ) from error
    turns: list[LabelledTurn] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            turn = LabelledTurn.model_validate_json(line)
        except ValidationError as error:
            raise ConfigError(f"{path}:{number}: {_problem(error)}") from error
        if turn.id in seen:
            raise ConfigError(
                f"{path}:{number}: the id {turn.id!r} is that of line {seen[turn.id]} too; ids are unique"
            )
        seen[turn.id] = number
        turns.append(turn)
    if not turns:
        raise ConfigError(f"{path}: no turn in it; {_WANTED}")
    return turns


def _problem(error: ValidationError) -> str:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return f"no JSON object ({first['msg']}); each line holds one labelled turn"
    key = first["loc"][0] if first["loc"] else "the line"
    if first["type"] == "literal_error":
        return f"{first['input']!r} is no label of {key!r}; known are {first['ctx']['expected']}"
    return f"{key}: {first['msg']}"
