"""The models of a pipeline file, key for key."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal, Protocol, Self

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    PlainSerializer,
    PrivateAttr,
    Tag,
    ValidationInfo,
    model_validator,
)

from voicebench.config.addresses import Address
from voicebench.config.caller import Caller, Section
from voicebench.config.charges import Charge
from voicebench.errors import ConfigError
from voicebench.record.json_types import JsonObject, JsonValue

__all__ = [
    "Agent",
    "AgentAsr",
    "AgentLlm",
    "AgentTts",
    "AgentVad",
    "CascadeAgent",
    "Charges",
    "Clock",
    "Limits",
    "LineChoice",
    "LocalRealtime",
    "Pipeline",
    "Price",
    "RealtimeAgent",
    "Served",
    "Tools",
    "TurnDetection",
    "agent_model",
    "hash_of",
    "stored_model",
    "stored_pipeline",
    "stored_served",
    "stored_setting",
    "stored_understanding",
]


def _stage_charge(value: object) -> Charge:
    try:
        charge = value if isinstance(value, Charge) else Charge.parse(str(value))
    except ConfigError as error:
        raise ValueError(str(error)) from error
    if charge.kind == "recorded":
        raise ValueError("'recorded' exists only where a call is replayed; write cpu, wall or fixed:MS")
    return charge


def _llm_charge(value: object) -> Charge:
    charge = _stage_charge(value)
    if charge.kind == "cpu":
        raise ValueError(
            "'cpu' cannot charge the language model, which works in another process; write wall or fixed:MS/TOKEN_MS"
        )
    return charge


StageCharge = Annotated[Charge, BeforeValidator(_stage_charge), PlainSerializer(str, return_type=str)]
LlmCharge = Annotated[Charge, BeforeValidator(_llm_charge), PlainSerializer(str, return_type=str)]


class Charges(Section):
    """What each stage of the agent costs on the call's clock."""

    asr: StageCharge = Charge("cpu")
    llm: LlmCharge = Charge("wall")
    tts: StageCharge = Charge("cpu")


class Clock(Section):
    """How call time passes."""

    mode: Literal["charge", "virtual", "real"] = "charge"
    charges: Charges = Charges()


class LineChoice(Section):
    """A preset of the line, and keys of either leg that differ from it; ``voicebench.line`` knows the keys."""

    preset: str = "pstn"
    caller_to_agent: JsonObject = Field(default={})
    agent_to_caller: JsonObject = Field(default={})


class AgentVad(Section):
    """The agent's voice activity detector."""

    engine: Literal["webrtc"] = "webrtc"
    aggressiveness: int = Field(default=2, ge=0, le=3)
    gate_db: float = Field(default=6, ge=0)
    max_turn_s: float = Field(default=20, gt=0)


class AgentAsr(Section):
    """The agent's recognizer."""

    engine: Literal["faster-whisper"] = "faster-whisper"
    model: str = "base"
    window: Literal["fit", "30s"] = "fit"
    device: str = "auto"
    compute_type: str = "int8"


class AgentLlm(Section):
    """The language model under test, at any OpenAI-compatible address; without one the local endpoint is started.

    ``ttft_ms`` and ``ttft_sd_ms`` are for the local endpoint alone.
    """

    model: str = "reference"
    base_url: Address | None = None
    api_key_env: str = "OPENAI_API_KEY"
    params: JsonObject = Field(default={"temperature": 0})
    timeout_s: float = Field(default=30, gt=0)
    ttft_ms: float = Field(default=300, ge=0)
    ttft_sd_ms: float = Field(default=0, ge=0)


class AgentTts(Section):
    """The agent's voice."""

    engine: Literal["piper", "hibari"] = "piper"
    voice: str = "joe"


class Served(Protocol):
    """A model under test at some address, whatever protocol it speaks."""

    @property
    def model(self) -> str:
        """Name that the server knows."""
        ...

    @property
    def base_url(self) -> str | None:
        """Of the server; None is the client's default, or a server that is started here."""
        ...

    @property
    def api_key_env(self) -> str:
        """The variable that holds the key."""
        ...

    @property
    def params(self) -> JsonObject:
        """Sent with each request, as they are."""
        ...

    @property
    def timeout_s(self) -> float:
        """Wall seconds without a first byte."""
        ...


class CascadeAgent(Section):
    """An agent under test made of recognizer, language model and voice."""

    harness: Literal["cascade"] = "cascade"
    vad: AgentVad = AgentVad()
    turn_end_ms: float = Field(default=600, ge=0)
    asr: AgentAsr = AgentAsr()
    llm: AgentLlm = AgentLlm()
    tts: AgentTts = AgentTts()

    @property
    def served(self) -> Served:
        """The model under test."""
        return self.llm


class TurnDetection(Section):
    """How the service finds the end of the caller's turn.

    ``eagerness`` is for ``semantic_vad`` alone, the other keys for ``server_vad``.
    """

    type: Literal["server_vad", "semantic_vad"] = "server_vad"
    threshold: float = Field(default=0.5, ge=0, le=1)
    prefix_padding_ms: int = Field(default=300, ge=0)
    silence_duration_ms: int = Field(default=500, ge=0)
    eagerness: Literal["low", "medium", "high", "auto"] = "auto"


class LocalRealtime(Section):
    """The realtime server that is started here for a local model; no other server gets any of this.

    ``fault`` is ``KIND`` or ``KIND:RATE`` of ``voicebench serve realtime``.
    """

    asr: AgentAsr = AgentAsr()
    ttft_ms: float = Field(default=300, ge=0)
    ttft_sd_ms: float = Field(default=0, ge=0)
    fault: str | None = None


class RealtimeAgent(Section):
    """A speech-to-speech service under test, over OpenAI's realtime protocol.

    With a local model and no address the local server is started. ``params`` are further keys of the protocol's
    session, such as ``max_output_tokens``. ``transcription`` names the model that writes down what the service heard,
    for people to read; null leaves it off.
    """

    harness: Literal["openai-realtime"]
    model: str = "gpt-realtime-2"
    base_url: Address | None = None
    api_key_env: str = "OPENAI_API_KEY"
    voice: str = "marin"
    turn_detection: TurnDetection = TurnDetection()
    transcription: str | None = "gpt-4o-mini-transcribe"
    params: JsonObject = Field(default={})
    timeout_s: float = Field(default=15, gt=0)
    local: LocalRealtime = LocalRealtime()

    @property
    def served(self) -> Served:
        """The model under test."""
        return self


_AGENTS: dict[str, type[CascadeAgent] | type[RealtimeAgent]] = {
    "cascade": CascadeAgent,
    "openai-realtime": RealtimeAgent,
}


def _harness(agent: object) -> str:
    """Return the harness of an agent, the cascade where none is named."""
    found = agent.get("harness", "cascade") if isinstance(agent, dict) else getattr(agent, "harness", "cascade")
    return str(found)


def agent_model(agent: JsonValue) -> type[CascadeAgent] | type[RealtimeAgent]:
    """Return the model of an agent's section, by its harness; the cascade for an unknown harness."""
    return _AGENTS.get(_harness(agent), CascadeAgent)


def stored_served(configuration: JsonValue) -> JsonObject:
    """Return the section of a stored configuration that has the model under test and its address.

    Raises:
        KeyError: there is none.
        TypeError: it is no configuration.
    """
    agent = configuration["agent"] if isinstance(configuration, dict) else None
    if not isinstance(agent, dict):
        raise TypeError("no configuration of a pipeline")
    served = agent["llm"] if agent_model(agent) is CascadeAgent else agent
    return served if isinstance(served, dict) else {}


def stored_setting(configuration: JsonValue, key: str) -> JsonValue:
    """Return the value of a dotted key in a stored configuration, which may be of an older version.

    Raises:
        KeyError: it has no such key.
    """
    value = configuration
    for part in key.split("."):
        if not isinstance(value, dict):
            raise KeyError(key)
        value = value[part]
    return value


def stored_understanding(configuration: JsonValue) -> tuple[str, int]:
    """Return by what the callers of a stored run understood, and its version.

    Runs from before the setting say neither: their callers had rules alone, which count as version 1.
    """
    caller = configuration.get("caller") if isinstance(configuration, dict) else None
    if not isinstance(caller, dict) or "understanding" not in caller:
        return "rules", 1
    return str(caller["understanding"]), int(str(caller["understanding_version"]))


def stored_model(configuration: JsonValue) -> str:
    """Return the name of the model under test in a stored configuration.

    Raises:
        KeyError: there is none.
        TypeError: it is no configuration.
    """
    return str(stored_served(configuration)["model"])


Agent = Annotated[
    Annotated[CascadeAgent, Tag("cascade")] | Annotated[RealtimeAgent, Tag("openai-realtime")],
    Discriminator(
        _harness,
        custom_error_type="harness",
        custom_error_message=f"there is no such harness; there are {', '.join(sorted(_AGENTS))}",
    ),
]
"""The agent under test; ``harness`` says how it is driven."""


class Tools(Section):
    """How long a tool call of the agent takes."""

    latency_ms: float = Field(default=50, ge=0)


class Limits(Section):
    """Where a call ends whatever is being said."""

    call_s: float = Field(default=600, gt=0)
    turns: int = Field(default=60, gt=0)
    agent_silence_s: float = Field(default=20, gt=0)


class Price(Section):
    """US dollars for one model, in place of the price that ``genai-prices`` knows; its keys are the same.

    ``mtok`` is a million tokens, ``mchars`` a million characters. Cached and audio tokens without a price of their own
    cost what others do.
    """

    input_mtok: float | None = Field(default=None, ge=0)
    cache_read_mtok: float | None = Field(default=None, ge=0)
    output_mtok: float | None = Field(default=None, ge=0)
    input_audio_mtok: float | None = Field(default=None, ge=0)
    output_audio_mtok: float | None = Field(default=None, ge=0)
    cache_audio_read_mtok: float | None = Field(default=None, ge=0)
    audio_hours: float | None = Field(default=None, ge=0)
    input_mchars: float | None = Field(default=None, ge=0)


STORED = "stored"
"""Context in which a configuration is read that a run was made with: what is refused today need not have been then."""


def hash_of(configuration: JsonObject) -> str:
    """Return the SHA-256 of a configuration as canonical JSON, 64 hexadecimal digits."""
    text = json.dumps(configuration, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class Pipeline(Section):
    """One pipeline: clock, caller, line, and the agent under test.

    Attributes:
        name: the name that it was loaded by; no key of the file.
        config_hash: SHA-256 of all its keys and values, without the name.
    """

    channel: Literal["audio", "text"] = "audio"
    clock: Clock = Clock()
    caller: Caller = Caller()
    line: LineChoice = LineChoice()
    agent: Agent = CascadeAgent()
    tools: Tools = Tools()
    limits: Limits = Limits()
    prices: dict[str, Price] = Field(default={})

    _name: str = PrivateAttr(default="")

    @model_validator(mode="after")
    def _realtime_is_real(self) -> Self:
        if isinstance(self.agent, RealtimeAgent) and (self.clock.mode != "real" or self.channel != "audio"):
            raise ValueError(
                f"harness {self.agent.harness} is a service of sound whose server follows the wall clock; "
                "set clock.mode=real and channel=audio"
            )
        return self

    @model_validator(mode="after")
    def _stalls_are_found(self, info: ValidationInfo) -> Self:
        timeout_s, silence_s = self.agent.served.timeout_s, self.limits.agent_silence_s
        if self.clock.mode == "real" and timeout_s >= silence_s and info.context != STORED:
            key = "agent.llm.timeout_s" if isinstance(self.agent, CascadeAgent) else "agent.timeout_s"
            raise ValueError(
                f"in real time {key} ({timeout_s:g}) must be below limits.agent_silence_s ({silence_s:g}), or a "
                f"service that stalls is taken for an agent that is silent; set {key}={min(15, silence_s * 3 / 4):g}"
            )
        return self

    @property
    def cascade(self) -> CascadeAgent:
        """The agent, where only a cascade will do.

        Raises:
            ConfigError: it is driven by another harness.
        """
        if isinstance(self.agent, CascadeAgent):
            return self.agent
        raise ConfigError(f"pipeline {self.name or 'without a name'}: harness {self.agent.harness} is no cascade")

    @property
    def name(self) -> str:
        """The name of the pipeline, empty for one made in Python."""
        return self._name

    @property
    def config_hash(self) -> str:
        """SHA-256 of the configuration as canonical JSON, 64 hexadecimal digits."""
        return hash_of(self.model_dump(mode="json"))

    def over(self, preset: str) -> Pipeline:
        """Return the same pipeline with another preset of the line."""
        return self.model_copy(update={"line": self.line.model_copy(update={"preset": preset})})

    def named(self, name: str) -> Pipeline:
        """Return the same pipeline under a name."""
        copy = self.model_copy()
        copy._name = name
        return copy


def stored_pipeline(configuration: JsonObject) -> Pipeline:
    """Return a stored configuration as a pipeline; what it does not say is as it was then, or today's default.

    Raises:
        ValidationError: it has keys or values that there are no longer.
    """
    caller = configuration.get("caller")
    if isinstance(caller, dict):
        understanding, version = stored_understanding(configuration)
        caller = {**caller, "understanding": understanding, "understanding_version": version}
        configuration = {**configuration, "caller": caller}
    return Pipeline.model_validate(configuration, context=STORED)
