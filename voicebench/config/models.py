"""The models of a pipeline file, key for key."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, PrivateAttr

from voicebench.config.charges import Charge
from voicebench.errors import ConfigError

__all__ = [
    "Agent",
    "AgentAsr",
    "AgentLlm",
    "AgentTts",
    "AgentVad",
    "Caller",
    "CallerAsr",
    "CallerLlm",
    "Charges",
    "Clock",
    "Limits",
    "LineChoice",
    "Pipeline",
    "Price",
    "Tools",
]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, coerce_numbers_to_str=True)


def _stage_charge(value: Any) -> Charge:
    try:
        charge = value if isinstance(value, Charge) else Charge.parse(str(value))
    except ConfigError as error:
        raise ValueError(str(error)) from error
    if charge.kind == "recorded":
        raise ValueError("'recorded' exists only where a call is replayed; write cpu, wall or fixed:MS")
    return charge


def _llm_charge(value: Any) -> Charge:
    charge = _stage_charge(value)
    if charge.kind == "cpu":
        raise ValueError(
            "'cpu' cannot charge the language model, which works in another process; write wall or fixed:MS/TOKEN_MS"
        )
    return charge


StageCharge = Annotated[Charge, BeforeValidator(_stage_charge), PlainSerializer(str, return_type=str)]
LlmCharge = Annotated[Charge, BeforeValidator(_llm_charge), PlainSerializer(str, return_type=str)]


class Charges(_Section):
    """What each stage of the agent costs on the call's clock."""

    asr: StageCharge = Charge("cpu")
    llm: LlmCharge = Charge("wall")
    tts: StageCharge = Charge("cpu")


class Clock(_Section):
    """How call time passes."""

    mode: Literal["charge", "virtual", "real"] = "charge"
    charges: Charges = Charges()


class CallerAsr(_Section):
    """The recognizer that is the caller's ear."""

    model: str = "tiny.en"


class CallerLlm(_Section):
    """The language model that plays a caller of kind ``llm``, at any OpenAI-compatible address.

    Without an address the local caller ``reader`` is started for the run. ``prompt`` is the version of the prompt that
    tells the model its part (``voicebench.caller.prompt``).
    """

    model: str = "reader"
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    params: dict[str, Any] = {"temperature": 0}
    timeout_s: float = Field(default=30, gt=0)
    prompt: Literal[1] = 1


class Caller(_Section):
    """The simulated caller: one that follows its script by rules, or a language model that is told its part."""

    kind: Literal["scripted", "llm"] = "scripted"
    voice: str = "heart"
    profile: Literal["locked"] = "locked"
    hears: Literal["asr", "text"] = "asr"
    asr: CallerAsr = CallerAsr()
    llm: CallerLlm = CallerLlm()
    turn_end_ms: int = Field(default=700, ge=0)
    reaction_ms: int = Field(default=300, ge=0)


class LineChoice(_Section):
    """A preset of the line, and keys of either leg that differ from it; ``voicebench.line`` knows the keys."""

    preset: str = "pstn"
    caller_to_agent: dict[str, Any] = {}
    agent_to_caller: dict[str, Any] = {}


class AgentVad(_Section):
    """The agent's voice activity detector."""

    engine: Literal["webrtc"] = "webrtc"
    aggressiveness: int = Field(default=2, ge=0, le=3)
    gate_db: float = Field(default=6, ge=0)
    max_turn_s: float = Field(default=20, gt=0)


class AgentAsr(_Section):
    """The agent's recognizer."""

    engine: Literal["faster-whisper"] = "faster-whisper"
    model: str = "base"
    window: Literal["fit", "30s"] = "fit"
    device: str = "auto"
    compute_type: str = "int8"


class AgentLlm(_Section):
    """The language model under test, at any OpenAI-compatible address; without one the local endpoint is started.

    ``ttft_ms`` and ``ttft_sd_ms`` are for the local endpoint alone.
    """

    model: str = "reference"
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    params: dict[str, Any] = {"temperature": 0}
    timeout_s: float = Field(default=30, gt=0)
    ttft_ms: float = Field(default=300, ge=0)
    ttft_sd_ms: float = Field(default=0, ge=0)


class AgentTts(_Section):
    """The agent's voice."""

    engine: Literal["piper", "hibari"] = "piper"
    voice: str = "joe"


class Agent(_Section):
    """The agent under test."""

    harness: Literal["cascade"] = "cascade"
    vad: AgentVad = AgentVad()
    turn_end_ms: float = Field(default=600, ge=0)
    asr: AgentAsr = AgentAsr()
    llm: AgentLlm = AgentLlm()
    tts: AgentTts = AgentTts()


class Tools(_Section):
    """How the desk's tools behave in time."""

    latency_ms: float = Field(default=50, ge=0)


class Limits(_Section):
    """Where a call ends whatever is being said."""

    call_s: float = Field(default=600, gt=0)
    turns: int = Field(default=60, gt=0)
    agent_silence_s: float = Field(default=20, gt=0)


class Price(_Section):
    """US dollars for one model, in place of the price that ``genai-prices`` knows; its keys are the same.

    ``mtok`` is a million tokens, ``mchars`` a million characters. Cached and audio tokens without a price of their own
    cost what others do.
    """

    input_mtok: float | None = Field(default=None, ge=0)
    cache_read_mtok: float | None = Field(default=None, ge=0)
    output_mtok: float | None = Field(default=None, ge=0)
    input_audio_mtok: float | None = Field(default=None, ge=0)
    output_audio_mtok: float | None = Field(default=None, ge=0)
    audio_hours: float | None = Field(default=None, ge=0)
    input_mchars: float | None = Field(default=None, ge=0)


class Pipeline(_Section):
    """One pipeline: clock, caller, line, and the agent under test.

    Attributes:
        name: the name it was asked for by; no key of the file.
        config_hash: SHA-256 of all its keys and values, without the name.
    """

    channel: Literal["audio", "text"] = "audio"
    clock: Clock = Clock()
    caller: Caller = Caller()
    line: LineChoice = LineChoice()
    agent: Agent = Agent()
    tools: Tools = Tools()
    limits: Limits = Limits()
    prices: dict[str, Price] = {}

    _name: str = PrivateAttr(default="")

    @property
    def name(self) -> str:
        """The name of the pipeline, empty for one made in Python."""
        return self._name

    @property
    def config_hash(self) -> str:
        """SHA-256 of the configuration as canonical JSON, 64 hexadecimal digits."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def over(self, preset: str) -> Pipeline:
        """Return the same pipeline with another preset of the line."""
        return self.model_copy(update={"line": self.line.model_copy(update={"preset": preset})})

    def named(self, name: str) -> Pipeline:
        """Return the same pipeline under a name."""
        copy = self.model_copy()
        copy._name = name
        return copy
