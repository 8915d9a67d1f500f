"""What all sections of a pipeline share, and the caller's: who calls, with which voice and recognizer."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from voicebench.config.addresses import Address
from voicebench.config.environment import voice_names
from voicebench.errors import ConfigError
from voicebench.record.json_types import JsonObject

__all__ = ["UNDERSTANDING_VERSION", "Caller", "CallerAsr", "CallerLlm", "Section", "check_understanding"]

VOICE_BY_TASK = "task"
"""In the place of a voice's name: each caller speaks with the voice that its task names."""

USUAL_VOICE = "heart"
"""Of callers whose task names none."""


UNDERSTANDING_VERSION: Literal[2] = 2
"""Raised whenever callers understand agents otherwise than before, so that no two versions share a board."""


class Section(BaseModel):
    """A part of a pipeline: no key but its own, never changed, and defaults that are checked like what is given."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, coerce_numbers_to_str=True)


class CallerAsr(Section):
    """The recognizer with which the caller hears."""

    model: str = "tiny.en"


class CallerLlm(Section):
    """The language model that plays a caller of kind ``llm``, at any OpenAI-compatible address.

    Without an address the local caller ``reader`` is started for the run. ``prompt`` is the version of the prompt that
    describes the caller's part (``voicebench.caller.prompt``); calls are made with the latest, stored runs may have
    earlier ones.
    """

    model: str = "reader"
    base_url: Address | None = None
    api_key_env: str = "OPENAI_API_KEY"
    params: JsonObject = Field(default={"temperature": 0})
    timeout_s: float = Field(default=30, gt=0)
    prompt: Literal[1, 2, 3] = 3


class Caller(Section):
    """The simulated caller: one that follows its script by rules, or a language model that gets its part in a prompt.

    ``voice`` is the name of one voice for all callers, or ``task`` for the voice that each task names.
    ``understanding`` says by what an agent is understood, by the caller and by what scores it: ``meaning`` compares
    questions that no rule knows with the pack's example sentences, ``rules`` does without, and needs no weights.
    ``understanding_version`` is the version of either; calls are made with the latest, stored runs may have earlier
    ones.
    """

    kind: Literal["scripted", "llm"] = "scripted"
    voice: str = VOICE_BY_TASK
    profile: Literal["locked"] = "locked"
    hears: Literal["asr", "text"] = "asr"
    asr: CallerAsr = CallerAsr()
    llm: CallerLlm = CallerLlm()
    understanding: Literal["meaning", "rules"] = "meaning"
    understanding_version: Literal[1, 2] = UNDERSTANDING_VERSION
    turn_end_ms: int = Field(default=700, ge=0)
    reaction_ms: int = Field(default=300, ge=0)

    def voice_for(self, named: str | None) -> str:
        """Return the name of the voice that speaks a caller.

        Args:
            named: the voice that the caller's task names; None if it names none, or if there is no task.

        Raises:
            ConfigError: there is no such voice.
        """
        if self.voice == VOICE_BY_TASK:
            return named or USUAL_VOICE
        if self.voice not in (known := voice_names()):
            raise ConfigError(
                f"caller.voice: no voice {self.voice!r}; write {VOICE_BY_TASK}, or one of {', '.join(known)}"
            )
        return self.voice


def check_understanding(caller: Caller) -> None:
    """Refuse a caller whose pipeline asks for an earlier understanding.

    Raises:
        ConfigError: it is not the one that there is.
    """
    if caller.understanding_version != UNDERSTANDING_VERSION:
        raise ConfigError(
            f"caller.understanding_version is {caller.understanding_version}, and callers now understand by version "
            f"{UNDERSTANDING_VERSION}: set caller.understanding_version={UNDERSTANDING_VERSION} for new calls; a call "
            "made with an earlier one can be read and scored, and made or replayed only by the version of voicebench "
            "that had it"
        )
