"""What was said and heard in a call, and what was found in it: word errors, facts, claims, the cause of a failure."""

from __future__ import annotations

from typing import Literal

from voicebench.record.base import Items, Number, Party, Record
from voicebench.record.json_types import Json

__all__ = [
    "Attribution",
    "Cause",
    "ClaimCheck",
    "FactMention",
    "LegWordErrors",
    "TranscriptTurn",
    "TurnWordErrors",
    "WordErrorsByLeg",
]

Cause = Literal["caller", "line", "asr", "model", "harness", "task"]
"""What kept a call from passing."""


class TurnWordErrors(Record):
    """The word errors of one recognised turn."""

    words: int
    """Words spoken."""
    substitutions: int
    """Words heard as others."""
    deletions: int
    """Words not heard."""
    insertions: int
    """Words heard that were not spoken."""
    rate: Number | None
    """Errors a word; null without words."""


class LegWordErrors(Record):
    """The word errors of all recognised turns of a leg."""

    utterances: int
    """Turns counted."""
    words: int
    """Words spoken."""
    substitutions: int
    """Words heard as others."""
    deletions: int
    """Words not heard."""
    insertions: int
    """Words heard that were not spoken."""
    rate: Number | None
    """Errors a word; null without words."""


class WordErrorsByLeg(Record):
    """The word errors of both legs; null for a leg on which nothing was recognised."""

    caller_to_agent: LegWordErrors | None
    """Of the agent's recognizer."""
    agent_to_caller: LegWordErrors | None
    """Of the caller's recognizer."""


class TranscriptTurn(Record):
    """One turn of a call."""

    speaker: Party
    """Who speaks."""
    intended: str
    """The words that were meant: of the model, or of the script."""
    spoken: str
    """The words that were played."""
    heard: str | None
    """The words that the other side recognised; null where nothing was recognised."""
    start_s: Number
    """Start, seconds of call time."""
    end_s: Number
    """End, seconds of call time."""
    interrupted: bool
    """Whether it was cut off."""
    word_errors: TurnWordErrors | None
    """Null where nothing was recognised, or the turn was cut off."""
    span_ids: Items[str]
    """The spans of its speech."""
    heard_span_ids: Items[str]
    """The spans of its recognition."""


class FactMention(Record):
    """A fact of the task was said, and what the other side heard of it."""

    fact: str
    """Name of the fact."""
    type: str
    """Its type, as ``phone``."""
    value: str
    """Its value."""
    speaker: Party
    """Who said it."""
    leg: str
    """``caller_to_agent`` or ``agent_to_caller``."""
    start_s: Number
    """Start of the turn, seconds of call time."""
    end_s: Number
    """End of the turn, seconds of call time."""
    form: int | None
    """Index of the spoken form; null where it was said in other words."""
    said: str
    """That form, or the words of the turn."""
    heard: str | None
    """The words that the other side recognised of the turn; null where nothing was recognised."""
    understood: str | None
    """The value taken from those words."""
    right: bool | None
    """Whether that is the fact's value; null where nothing was recognised."""
    rule: str | None
    """How they were compared, in words."""
    used: Json
    """The value that the agent then gave to a tool for it, before it was said again."""
    span_ids: Items[str]
    """The spans of its speech."""
    heard_span_ids: Items[str]
    """The spans of its recognition."""


class ClaimCheck(Record):
    """Something that the agent said and that does not fit what it did or heard; no part of the verdict."""

    kind: Literal["claim_without_write", "read_back_wrong", "unheard_in_context"]
    """A claim that nothing was done for; a fact read back wrong; words in the model's context that were not played."""
    sentence: str
    """What happened, for people."""
    at_s: Number
    """When, seconds of call time."""
    evidence: Items[str]
    """The spans that show it."""
    tools: Items[str] = ()
    """Of a claim: the tools that would have done it."""
    fact: str | None = None
    """Of a read-back: the fact."""
    said: str | None = None
    """Of a read-back: the value that the agent said."""
    meant: str | None = None
    """Of a read-back: the fact's value."""


class Attribution(Record):
    """The first cause that kept a call from passing."""

    cause: Cause
    """Who or what it was."""
    sentence: str
    """What happened, for people."""
    at_s: Number | None = None
    """When, seconds of call time; null for what was never done."""
    evidence: Items[str] = ()
    """The spans that show it."""
    fact: str | None = None
    """The fact of the task that it is about."""
    said: str | None = None
    """The words spoken."""
    heard: str | None = None
    """The words recognised of them."""
    used: Json = None
    """The value given to a tool."""
