"""What a company asks its callers for, and how callers and agents are understood: slots, their values, and intents."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from voicebench.language.labels import Label

__all__ = ["YAML", "Fact", "FactSpec", "FactType", "IntentsSpec", "Meanings", "StrList"]

FactType = Literal["id", "phone", "date", "number", "enum", "bool", "name", "prose"]
"""How values are compared."""


YAML = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
"""Of what is written in a pack: unknown keys are refused, and nothing changes it once it is read."""


class _SlotModel(BaseModel):
    model_config = YAML


StrList = Annotated[list[str], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]
"""A list of strings; one alone may stand without brackets."""


class FactSpec(_SlotModel):
    """A kind of fact that this company asks for.

    Attributes:
        type: how values of it are compared.
        question: the sentence that asks for it.
        format: regular expression over the value in capitals without spaces or punctuation; the company's own format.
        choices: what an ``enum`` may be.
    """

    type: FactType
    question: str
    format: str | None = None
    choices: StrList = []


class Fact(_SlotModel):
    """One thing that the caller knows: its written value, and at least three ways to speak it."""

    value: Annotated[str, BeforeValidator(lambda value: str(value).lower() if isinstance(value, bool) else value)]
    forms: list[str] = Field(min_length=3)


class Meanings(_SlotModel):
    """When intents hold, each in one clause, for a caller that a language model plays.

    Those of ``asked`` and ``heard`` say what the agent does and begin with "they", those of ``said`` with "you". An
    intent without one goes by its name.
    """

    asked: dict[str, str] = {}
    heard: dict[str, str] = {}
    said: dict[str, str] = {}


class IntentsSpec(_SlotModel):
    """Named intents, each a list of regular expressions searched in normalised text.

    ``asked`` and ``heard`` match what the agent said, ``said`` what the caller said; ``meanings`` are for people and
    language models. Expressions are needed only for what is the company's own: questions and acts that any company's
    agent may have are understood by :mod:`voicebench.language.turn_meaning`.

    Attributes:
        labels: what such a question or act is here: intents of ``asked`` or ``heard``. Where it may be several, the
            caller takes the first that it has an answer to.
        details: nouns of the company's own details by intent of ``asked``, as regular expressions over normalised
            text: "chart number" asked for in any request.
        examples: natural sentences in which an intent of ``asked`` is asked, at least six; the nearest decides where
            nothing else is understood.
        instead: by intent of ``asked``, what answers for it where the caller has no answer to that: who has no chart
            number says what it has.
        questions: by intent of ``heard``, the intent of ``asked`` that it repeats: heard whenever that is asked. A
            script listens for such a one where a question means something else once a mark is set.
        remedies: by intent of ``said``, what a caller who voices it asks for or accepts: names of
            :data:`voicebench.language.remedies.REMEDIES`, or nouns of the company's own, as ``details`` has them.
        unless: by intent of ``heard``, regular expressions over normalised text; where one matches, a label is not that
            intent: to be passed to another desk of the agent's own is no person who takes over.
        settled: intents of ``heard`` that only what is stated as settled can be (see
            :mod:`voicebench.language.settled`): a caller who hangs up at one stays at "shall I cancel it?".
    """

    meanings: Meanings = Meanings()
    labels: dict[Label, StrList] = {}
    details: dict[str, StrList] = {}
    examples: dict[str, list[str]] = {}
    instead: dict[str, StrList] = {}
    questions: dict[str, str] = {}
    remedies: dict[str, StrList] = {}
    unless: dict[str, StrList] = {}
    settled: StrList = []

    asked: dict[str, StrList] = {}
    heard: dict[str, StrList] = {}
    said: dict[str, StrList] = {}
