"""``exchanges.jsonl``: what the models of a call were asked and what they answered, by kind and party.

The two parties' recognitions and syntheses are classes of their own: the agent's have the time that they were charged,
and their fields are stored in another order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from voicebench.record.base import Items, Number, Party, Record
from voicebench.record.json_types import JsonObject, JsonValue

__all__ = [
    "AgentAsrExchange",
    "AgentTtsExchange",
    "CallerAsrExchange",
    "CallerTtsExchange",
    "Exchange",
    "LlmExchange",
    "RealtimeExchange",
    "StreamChunk",
    "TranscriptionExchange",
    "parse_exchange",
]


class StreamChunk(Record):
    """One event of a streamed answer."""

    offset_ns: int
    """When it came, nanoseconds from the request."""
    data: str
    """Its data, as the endpoint sent it."""


class LlmExchange(Record):
    """A request to a language model, and the stream with which it was answered."""

    kind: Literal["llm"] = "llm"
    """Kind of the exchange."""
    party: Party = "agent"
    """Whose model it is."""
    span_id: str
    """Its span in the trace."""
    start_ns: int
    """When the request was sent, nanoseconds of call time."""
    request: JsonObject
    """The body of the request: model, messages, tools and parameters."""
    status: int | None
    """Status of the HTTP answer; null if none came."""
    streamed: bool
    """Whether the answer was a stream of events."""
    head_ns: int | None
    """When the head of the answer came, nanoseconds from the request."""
    retry_after_ms: Number
    """The wait that the answer asked for before another request, milliseconds."""
    error: str | None
    """What failed."""
    error_ns: int | None
    """When it failed, nanoseconds from the request."""
    delivered: int
    """How many of the chunks had reached the agent when it stopped reading."""
    truncated: bool
    """Whether the agent stopped reading before the end."""
    chunks: Items[StreamChunk]
    """The events of the stream."""


class AgentAsrExchange(Record):
    """The agent's side recognised a turn of the caller."""

    kind: Literal["asr"] = "asr"
    """Kind of the exchange."""
    party: Literal["agent"] = "agent"
    """Whose recognizer it is."""
    span_id: str
    """Its span in the trace."""
    audio_start_ns: int
    """Start of the audio, nanoseconds of call time."""
    audio_end_ns: int
    """End of the audio, nanoseconds of call time."""
    samples: int
    """Length of the audio, samples at 16 kHz."""
    sha256: str
    """Hash of the audio, int16."""
    text: str
    """The words recognised."""
    filtered: str | None
    """Why words were dropped as hallucinated, as ``no_speech``."""
    no_speech_prob: Number
    """Whisper's probability that there is no speech, 0 to 1."""
    avg_logprob: Number
    """Mean log-probability of a token, natural logarithm."""
    compression_ratio: Number
    """Length of the text over its length compressed by zlib."""
    charge_ms: Number
    """Time that the recognition took on the call's clock, milliseconds."""


class CallerAsrExchange(Record):
    """The caller recognised a stretch of the agent's speech."""

    kind: Literal["asr"] = "asr"
    """Kind of the exchange."""
    party: Literal["caller"] = "caller"
    """Whose recognizer it is."""
    start_ns: int
    """Start of the audio, nanoseconds of call time."""
    end_ns: int
    """End of the audio, nanoseconds of call time."""
    samples: int
    """Length of the audio, samples at 16 kHz."""
    sha256: str
    """Hash of the audio, int16."""
    text: str
    """The words recognised."""
    no_speech_prob: Number
    """Whisper's probability that there is no speech, 0 to 1."""
    avg_logprob: Number
    """Mean log-probability of a token, natural logarithm."""
    compression_ratio: Number
    """Length of the text over its length compressed by zlib."""
    filtered: str | None
    """Why words were dropped as hallucinated, as ``no_speech``."""


class AgentTtsExchange(Record):
    """A clause of the agent was synthesised."""

    kind: Literal["tts"] = "tts"
    """Kind of the exchange."""
    party: Literal["agent"] = "agent"
    """Whose voice it is."""
    text: str
    """The clause."""
    voice: str
    """Name of the voice."""
    seed: int
    """Seed of the synthesis."""
    samples: int
    """Length of the audio, samples at 16 kHz."""
    sha256: str
    """Hash of the audio, int16."""
    start_ns: int
    """When the synthesis began, nanoseconds of call time."""
    charge_ms: Number
    """Time that it took on the call's clock, milliseconds."""


class CallerTtsExchange(Record):
    """An utterance of the caller was synthesised."""

    kind: Literal["tts"] = "tts"
    """Kind of the exchange."""
    party: Literal["caller"] = "caller"
    """Whose voice it is."""
    start_ns: int
    """When the synthesis began, nanoseconds of call time."""
    text: str
    """The utterance."""
    voice: str
    """Name of the voice."""
    seed: int
    """Seed of the synthesis."""
    samples: int
    """Length of the audio, samples at 16 kHz."""
    sha256: str
    """Hash of the audio, int16."""


class RealtimeExchange(Record):
    """One event of a realtime session; audio is replaced by its length and hash."""

    kind: Literal["realtime"] = "realtime"
    """Kind of the exchange."""
    direction: Literal["sent", "received", "failed"]
    """Who sent it: ``sent`` by the harness, ``received`` from the service; ``failed`` is how the session was lost."""
    at_ns: int
    """When, nanoseconds of call time."""
    slot: int
    """The tick of the line in which it was handled, from the start of the call."""
    event: JsonObject
    """The event, as the protocol has it."""


class TranscriptionExchange(Record):
    """A realtime service transcribed a turn of the caller."""

    kind: Literal["transcription"] = "transcription"
    """Kind of the exchange."""
    party: Party
    """Whose transcription it is."""
    model: str | None
    """Name of the model; null if the session was opened without one."""
    usage: JsonObject
    """What it used, as the service says: ``seconds``, or tokens."""


def _tag(line: Any) -> str:
    """Return kind and party, where the party decides on the class."""
    kind, party = (
        (str(line.get("kind")), line.get("party", "agent"))
        if isinstance(line, Mapping)
        else (str(getattr(line, "kind", None)), getattr(line, "party", None))
    )
    return f"{kind}:{party}" if kind in ("asr", "tts") else kind


Exchange = Annotated[
    Annotated[LlmExchange, Tag("llm")]
    | Annotated[AgentAsrExchange, Tag("asr:agent")]
    | Annotated[CallerAsrExchange, Tag("asr:caller")]
    | Annotated[AgentTtsExchange, Tag("tts:agent")]
    | Annotated[CallerTtsExchange, Tag("tts:caller")]
    | Annotated[RealtimeExchange, Tag("realtime")]
    | Annotated[TranscriptionExchange, Tag("transcription")],
    Field(discriminator=Discriminator(_tag)),
]
"""A line of ``exchanges.jsonl``."""

_BY_TAG: dict[str, type[Record]] = {
    "llm": LlmExchange,
    "asr:agent": AgentAsrExchange,
    "asr:caller": CallerAsrExchange,
    "tts:agent": AgentTtsExchange,
    "tts:caller": CallerTtsExchange,
    "realtime": RealtimeExchange,
    "transcription": TranscriptionExchange,
}


def parse_exchange(line: Mapping[str, JsonValue]) -> Exchange:
    """Return the record of one line.

    Raises:
        ValueError: it is no exchange; pydantic's error says where.
    """
    kind = _BY_TAG.get(_tag(line))
    if kind is None:
        raise ValueError(f"no exchange is of kind {line.get('kind')!r}, party {line.get('party')!r}")
    return kind.model_validate(line)  # type: ignore[return-value]  # one of the union, by its tag
