"""What a language model wrote as a caller, taken apart: the words that are spoken, and what is done with the line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["Reply", "read_reply"]

_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_BRACKETED = re.compile(r"\[([^\]]*)\]|\{([^}]*)\}|<([^>]*)>|\(([^()\d]*)\)")
"""What stands in brackets and is no number, and is not spoken."""
_STARRED = re.compile(r"\*+((?:hang(?:ing)?[ _]up|wait(?:ing)?|[a-z]+s)\b[^*]*)\*+", re.I)
"""The same between asterisks, which emphasise as well: what begins as an act."""
_HANG_UP = re.compile(
    r"\b(?:hang(?:s|ing)?|hung)[ _-]*up\b|\b(?:end|ends|ending|close|disconnect)s?[ _-]*(?:the )?call\b", re.I
)
_WAIT = re.compile(r"\b(?:wait|waits|waiting|silen(?:t|ce)|says? nothing|listens?|pause[sd]?|on hold)\b", re.I)
_BARE = re.compile(r"(?:\A|\n|(?<=[.!?])\s)\s*(HANG[ _-]?UP|WAIT)[.!]?\s*\Z")
"""The marker without its brackets, in capitals, at the very end."""
_SPEAKER = re.compile(r"\A(?:caller|customer|me|user)\s*:\s*", re.I)
_QUOTED = re.compile(r"\A[\"\u201c\u201d](.*)[\"\u201c\u201d]\Z", re.DOTALL)


@dataclass(frozen=True)
class Reply:
    """A reply of the model.

    Attributes:
        words: what is spoken; empty if nothing.
        act: ``speak`` and go on, ``wait`` without a word, or ``hang_up`` after the words.
    """

    words: str
    act: Literal["speak", "wait", "hang_up"]


def read_reply(text: str) -> Reply:
    """Read a model's reply.

    Markers are found however they are written: ``[HANG UP]``, ``<hang_up>``, ``*hangs up*``, or bare in capitals at the
    end. All else in brackets, and what between asterisks begins with a
    verb, is a stage direction, and not spoken. An answer without words and
    without a marker is one that waits; words next to ``[WAIT]`` are not spoken.
    """
    rest = _THOUGHTS.sub(" ", text)
    directions: list[str] = []

    def take(match: re.Match[str]) -> str:
        directions.append(next(group for group in match.groups() if group is not None))
        return " "

    rest = _STARRED.sub(take, _BRACKETED.sub(take, rest))
    if bare := _BARE.search(rest):
        directions.append(bare[1].replace("_", " "))
        rest = rest[: bare.start()]
    words = _SPEAKER.sub("", " ".join(rest.replace("*", "").split()))
    if quoted := _QUOTED.match(words):
        words = quoted[1].strip()
    if any(_HANG_UP.search(direction) for direction in directions):
        return Reply(words, "hang_up")
    if not words or any(_WAIT.search(direction) for direction in directions):
        return Reply("", "wait")
    return Reply(words, "speak")
