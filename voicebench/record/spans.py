"""The spans of a trace: what took time in a call."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from voicebench.record.base import Items, Number, Party, TokenCount
from voicebench.record.json_types import JsonObject
from voicebench.record.trace_line import TraceSpan

__all__ = [
    "NOT_UNDERSTOOD_RULES",
    "UNANSWERING_RULES",
    "AgentSpeechSpan",
    "AsrSpan",
    "CallSpan",
    "CallerHeardSpan",
    "CallerSpeechSpan",
    "EndReason",
    "HandoffSpan",
    "LlmSpan",
    "ToolSpan",
    "TtsSpan",
    "TurnEndSpan",
    "is_answer",
]

EndReason = Literal[
    "caller_hung_up",
    "caller_gave_up",
    "agent_ended",
    "transferred",
    "agent_silent",
    "limit_call_s",
    "limit_turns",
    "error",
]
"""Why a call ended."""


class CallSpan(TraceSpan):
    """The whole call."""

    name: Literal["call"] = "call"
    pack: str
    """The task's pack."""
    task: str
    """Id of the task."""
    trial: int
    """Which repetition of the task, from 1."""
    attempt: int
    """Which attempt at the trial, from 1."""
    end_reason: EndReason
    """Why the call ended."""


class AgentSpeechSpan(TraceSpan):
    """The agent speaks, one turn or a part of it; on the text channel it takes no time."""

    name: Literal["agent.speech"] = "agent.speech"
    turn: int
    """Turn of the agent, from 0; spans of one turn share it."""
    agent: str
    """Which agent of the pack speaks."""
    intended: str
    """The words that its model wrote."""
    spoken: str
    """The words that were played: fewer where it was interrupted."""
    interrupted: bool
    """Whether it was cut off."""


class CallerSpeechSpan(TraceSpan):
    """The caller speaks, one utterance."""

    name: Literal["caller.speech"] = "caller.speech"
    turn: int
    """Utterance of the caller, from 1."""
    intended: str
    """What it means, with values as they are written."""
    spoken: str
    """The words that were spoken, with values in a spoken form."""
    facts: Items[str] = ()
    """The facts of the task that it gives."""
    form: Items[int | None] = ()
    """For each of ``facts`` the index of its spoken form; null for words of the caller's own."""
    rule: str
    """The rule of the script that made it, as ``opening`` or ``asked:phone``; where none matched, what the caller did
    instead: ``read_back``, ``repeat:phone``, ``have_not``, ``wish``, ``acknowledge``, ``sorry``, ``give_up``."""
    answers: str | None = None
    """The words of the agent that it answers."""
    interrupts: bool = False
    """Whether it was spoken into the agent's turn on purpose."""
    interrupted: bool
    """Whether it was cut off."""


class CallerHeardSpan(TraceSpan):
    """A stretch of the agent's speech that the caller recognised."""

    name: Literal["caller.heard"] = "caller.heard"
    text: str
    """The words, as the caller's recognizer wrote them."""
    party: Literal["caller"] = "caller"
    """Always the caller."""
    after_words: int | None = None
    """Where it was recognised in the middle of a turn: the number of words after which the caller may interrupt."""


class TurnEndSpan(TraceSpan):
    """The silence after the caller's speech that the agent waits out before it takes the turn for finished."""

    name: Literal["turn.end"] = "turn.end"
    party: Party
    """Whose detector it is."""
    vad_stop_ns: int
    """When the voice activity ended, nanoseconds of call time."""


class AsrSpan(TraceSpan):
    """The agent's side recognises a turn of the caller."""

    name: Literal["asr"] = "asr"
    party: Party
    """Whose recognizer it is."""
    text: str
    """The words recognised; empty when there were none."""
    filtered: str | None = None
    """Why words were dropped as hallucinated, as ``no_speech``."""


class LlmSpan(TraceSpan):
    """One request to a language model, or one response of a realtime model."""

    name: Literal["llm"] = "llm"
    operation: Annotated[Literal["chat", "realtime"], Field(alias="gen_ai.operation.name")] = "chat"
    """The protocol."""
    model: Annotated[str | None, Field(alias="gen_ai.request.model")] = None
    """Name of the model that was asked for."""
    finish_reasons: Annotated[Items[str], Field(alias="gen_ai.response.finish_reasons")] = ()
    """Why the model stopped."""
    input_tokens: Annotated[TokenCount, Field(alias="gen_ai.usage.input_tokens")] = None
    """Tokens read, cached and audio tokens among them; null if the provider did not say."""
    output_tokens: Annotated[TokenCount, Field(alias="gen_ai.usage.output_tokens")] = None
    """Tokens written, audio tokens among them."""
    cached_tokens: Annotated[TokenCount, Field(alias="gen_ai.usage.cached_tokens")] = None
    """Tokens read that were cached."""
    input_audio_tokens: Annotated[TokenCount, Field(alias="gen_ai.usage.input_audio_tokens")] = None
    """Tokens read that were audio."""
    cached_audio_tokens: Annotated[TokenCount, Field(alias="gen_ai.usage.cached_audio_tokens")] = None
    """Tokens read that were cached audio."""
    output_audio_tokens: Annotated[TokenCount, Field(alias="gen_ai.usage.output_audio_tokens")] = None
    """Tokens written that were audio."""
    ttft_ms: Number | None = None
    """Time from the first try of the request to the first token, milliseconds; null if none came."""
    ttfat_ms: Number | None = None
    """Time from the first try to the first token of the answer, after any reasoning, milliseconds."""
    first_audio_ms: Number | None = None
    """Time to the first audio of a realtime response, milliseconds."""
    party: Party = "agent"
    """Whose model it is."""
    agent: str | None = None
    """Which agent of the pack was active."""
    greeting: bool = False
    """Whether a realtime response is the greeting, whose times do not count."""
    retries: int = 0
    """How often the request had been repeated before."""
    waited_ms: Number = 0.0
    """Of ``ttft_ms`` and ``ttfat_ms``, what passed from the first try to this one, milliseconds."""
    error: str | None = None
    """What failed."""

    @property
    def first_token_ns(self) -> int | None:
        """When the first token came, nanoseconds of call time; None if none came."""
        return None if self.ttft_ms is None else self.start_ns + round((self.ttft_ms - self.waited_ms) * 1e6)


class ToolSpan(TraceSpan):
    """The agent calls a tool."""

    name: Literal["tool"] = "tool"
    tool: Annotated[str, Field(alias="gen_ai.tool.name")]
    """Name of the tool."""
    call_id: Annotated[str, Field(alias="gen_ai.tool.call.id")]
    """The model's id of the call."""
    arguments: Annotated[JsonObject, Field(alias="gen_ai.tool.call.arguments")]
    """The arguments; ``malformed`` holds a text that is no JSON object."""
    result: Annotated[JsonObject, Field(alias="gen_ai.tool.call.result")]
    """What the tool returned: ``ok``, ``data``, ``error_code`` and ``caller_safe_message``."""
    agent: str
    """Which agent of the pack called it."""
    after_hangup: bool
    """Whether the line was closed already."""


class HandoffSpan(TraceSpan):
    """One agent of the pack hands the call to another."""

    name: Literal["handoff"] = "handoff"
    tool: str
    """The function with which it does so."""
    from_agent: Annotated[str, Field(alias="from")]
    """The agent that hands over."""
    to_agent: Annotated[str, Field(alias="to")]
    """The agent that takes over."""
    call_id: Annotated[str, Field(alias="gen_ai.tool.call.id")]
    """The model's id of the call."""
    arguments: Annotated[JsonObject, Field(alias="gen_ai.tool.call.arguments")]
    """The arguments."""
    result: Annotated[JsonObject, Field(alias="gen_ai.tool.call.result")]
    """What the model is answered."""


class TtsSpan(TraceSpan):
    """A clause is synthesised."""

    name: Literal["tts"] = "tts"
    party: Party
    """Whose voice it is."""
    text: str
    """The clause."""
    voice: str
    """Name of the voice."""
    audio_s: Number
    """Length of its audio, seconds."""


UNANSWERING_RULES = frozenset({"sorry", "have_not", "wish", "acknowledge", "still_waiting", "give_up"})
"""``sorry``: it asks to hear that again. ``have_not``: it was asked for something that it does not have. ``wish``: it
says again what it wants. ``acknowledge``: "Okay." to a statement. ``still_waiting``: it was asked to hold too often.
``give_up``: it hangs up."""

NOT_UNDERSTOOD_RULES = frozenset({"sorry", "give_up"})
"""Those of a caller that says that it did not understand."""


def is_answer(rule: str) -> bool:
    """Whether a rule, as the span ``caller.speech`` names it, answers what was said; "" is a caller that waits."""
    return bool(rule) and rule not in UNANSWERING_RULES
