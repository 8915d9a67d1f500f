"""The caller's section of a pipeline: who calls, with which voice, and what it hears with."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from voicebench.config.data import voice_names
from voicebench.config.section import Section
from voicebench.errors import ConfigError

__all__ = ["Caller", "CallerAsr", "CallerLlm"]

VOICE_BY_TASK = "task"
"""In the place of a voice's name: each caller speaks with the voice that its task names."""

USUAL_VOICE = "heart"
"""Of callers whose task names none."""


class CallerAsr(Section):
    """The recognizer that is the caller's ear."""

    model: str = "tiny.en"


class CallerLlm(Section):
    """The language model that plays a caller of kind ``llm``, at any OpenAI-compatible address.

    Without an address the local caller ``reader`` is started for the run. ``prompt`` is the version of the prompt that
    tells the model its part (``voicebench.caller.prompt``); calls are made with the latest, stored runs may say earlier
    ones.
    """

    model: str = "reader"
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    params: dict[str, Any] = Field(default={"temperature": 0})
    timeout_s: float = Field(default=30, gt=0)
    prompt: Literal[1, 2] = 2


class Caller(Section):
    """The simulated caller: one that follows its script by rules, or a language model that is told its part.

    ``voice`` is the name of one voice for all callers, or ``task`` for the voice that each task names.
    """

    kind: Literal["scripted", "llm"] = "scripted"
    voice: str = VOICE_BY_TASK
    profile: Literal["locked"] = "locked"
    hears: Literal["asr", "text"] = "asr"
    asr: CallerAsr = CallerAsr()
    llm: CallerLlm = CallerLlm()
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
