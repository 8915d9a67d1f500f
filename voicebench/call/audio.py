"""Building the audio channel: models, line, the agent's cascade and the caller on the telephone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from voicebench.agent import AgentHarness, CallContext
from voicebench.agent.router import AgentRouter
from voicebench.call.service import ServiceTarget, service_harness
from voicebench.call.session import CallSession, Lines
from voicebench.call.setup import RecordedModels
from voicebench.caller import CallerPolicy, PhoneCaller
from voicebench.clock import patch_time
from voicebench.config import Pipeline
from voicebench.config.charges import RECORDED, Charge
from voicebench.config.models import CascadeAgent
from voicebench.config.seeds import derive_seed
from voicebench.line import Line, LineSettings, preset
from voicebench.llm import LlmClient
from voicebench.speech.asr import Recognizer, Transcriber, load_recognizer
from voicebench.speech.models import check_name
from voicebench.speech.subprocess_asr import recognizer_apart
from voicebench.speech.tts import Voice, load_voice
from voicebench.speech.vad import Vad
from voicebench.speech.voices import voice_spec

__all__ = ["AudioModels", "asr_charge", "audio_session", "check_names", "line_settings", "load_models"]


@dataclass(frozen=True)
class AudioModels:
    """The loaded models of a pipeline.

    ``agent`` is the cascade's ear and voice, None for a service that has its own; ``caller_ear`` is None for a caller
    that is told the words; ``caller_voices`` are by name.
    """

    agent: tuple[Transcriber, Voice] | None
    caller_ear: Transcriber | None
    caller_voices: dict[str, Voice]


def load_models(
    pipeline: Pipeline, caller_voices: Collection[str], recorded: RecordedModels | None = None
) -> AudioModels:
    """Load the pipeline's models once a process, and import what its agent is built on; a replay has its own ears.

    In real time the caller's ear works in a process of its own.

    Args:
        pipeline: the configuration.
        caller_voices: the names of the voices that speak the callers.
        recorded: what the models answered, if the call is made again.

    Raises:
        ModelMissing: weights are absent or differ from their hash.
        ConfigError: a voice or recognizer is unknown.
    """
    patch_time()
    agent = None
    if isinstance(pipeline.agent, CascadeAgent):
        import voicebench.agent.cascade

        agent = _agent_ear(pipeline.agent, recorded), load_voice(pipeline.agent.tts.voice)
    else:
        import openai  # noqa: F401

        import voicebench.agent.realtime  # noqa: F401
    caller_ear = _caller_ear(pipeline, recorded) if pipeline.caller.hears == "asr" else None
    return AudioModels(agent, caller_ear, {name: load_voice(name) for name in caller_voices})


def _agent_ear(agent: CascadeAgent, recorded: RecordedModels | None) -> Transcriber:
    if recorded is not None:
        return recorded.recognizer("agent")
    asr = agent.asr
    return load_recognizer(asr.model, window=asr.window, device=asr.device, compute_type=asr.compute_type)


def _caller_ear(pipeline: Pipeline, recorded: RecordedModels | None) -> Transcriber:
    if recorded is not None:
        return recorded.recognizer("caller")
    model = pipeline.caller.asr.model
    return recognizer_apart(model) if pipeline.clock.mode == "real" else load_recognizer(model)


def line_settings(pipeline: Pipeline) -> LineSettings:
    """Return the line's settings: the preset, with the pipeline's keys of each leg.

    Raises:
        ConfigError: an unknown preset or key, or a codec whose library is not installed.
    """
    settings = _named_line(pipeline)
    settings.require()
    return settings


def _named_line(pipeline: Pipeline) -> LineSettings:
    settings = preset(pipeline.line.preset)
    settings = settings.with_leg("caller_to_agent", pipeline.line.caller_to_agent)
    return settings.with_leg("agent_to_caller", pipeline.line.agent_to_caller)


def check_names(pipeline: Pipeline, caller_voices: Collection[str]) -> None:
    """Refuse a name that no call over audio could be made with; nothing is loaded, so that any run can ask.

    Raises:
        ConfigError: a voice, recognizer, preset or key of the line is unknown.
    """
    _named_line(pipeline)
    voices, recognizers = list(caller_voices), [pipeline.caller.asr.model]
    if isinstance(pipeline.agent, CascadeAgent):
        voices.append(pipeline.agent.tts.voice)
        recognizers.append(pipeline.agent.asr.model)
    for voice in voices:
        voice_spec(voice)
    for recognizer in recognizers:
        check_name(recognizer)


def audio_session(
    pipeline: Pipeline,
    policy: CallerPolicy,
    caller_voice: str,
    router: AgentRouter,
    model: LlmClient | ServiceTarget,
    context: CallContext,
    recorded: RecordedModels | None = None,
) -> CallSession:
    """Build both parties and the line between them, on the running loop.

    Args:
        pipeline: the configuration.
        policy: decides what the caller says.
        caller_voice: the name of the voice that speaks the caller.
        router: runs the agent's tools.
        model: the cascade's language model, or where the service answers.
        context: of the call.
        recorded: what the models answered, if the call is made again.
    """
    models = load_models(pipeline, [caller_voice], recorded)
    settings = line_settings(pipeline)
    seed = derive_seed(context.seed, "line")
    lines = Lines(
        Line(settings.caller_to_agent, leg="caller_to_agent", seed=seed),
        Line(settings.agent_to_caller, leg="agent_to_caller", seed=seed),
    )
    if isinstance(model, ServiceTarget):
        agent: AgentHarness = service_harness(pipeline, router, model, context)
    else:
        agent = _cascade(pipeline, models, router, model, context, recorded)
    caller = PhoneCaller(
        policy,
        models.caller_voices[caller_voice],
        models.caller_ear,
        tracer=context.tracer,
        exchanges=context.exchanges,
        seed=context.seed,
        turn_end_ms=pipeline.caller.turn_end_ms,
        reaction_ms=pipeline.caller.reaction_ms,
        agent_text=context.take_said if models.caller_ear is None or pipeline.clock.mode == "real" else None,
    )
    return CallSession(caller, agent, lines, context, pipeline.limits)


def _cascade(
    pipeline: Pipeline,
    models: AudioModels,
    router: AgentRouter,
    client: LlmClient,
    context: CallContext,
    recorded: RecordedModels | None,
) -> AgentHarness:
    from voicebench.agent.cascade import Cascade, CascadeParts

    agent, charges = pipeline.cascade, pipeline.clock.charges
    assert models.agent is not None
    recognizer, voice = models.agent
    parts = CascadeParts(
        recognizer=recognizer,
        voice=voice,
        vad=Vad(agent.vad.aggressiveness, agent.vad.gate_db),
        max_turn_s=agent.vad.max_turn_s,
        turn_end_s=agent.turn_end_ms / 1000.0,
        asr_charge=asr_charge(charges.asr, recognizer) if recorded is None else RECORDED,
        tts_charge=charges.tts if recorded is None else RECORDED,
    )
    return Cascade(parts, router, client, context)


def asr_charge(charge: Charge, ear: Transcriber) -> Charge:
    """Return what a recognition costs: CPU time says nothing of a GPU's work, so that is charged by the wall clock."""
    on_gpu = isinstance(ear, Recognizer) and ear.device == "cuda"
    return Charge("wall") if on_gpu and charge.kind == "cpu" else charge
