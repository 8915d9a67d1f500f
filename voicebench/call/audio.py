"""Building the audio channel: models, line, the agent and the caller on the telephone."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from voicebench.agent import AgentHarness, CallContext
from voicebench.agent.router import AgentRouter
from voicebench.call.service import ServiceTarget, service_harness
from voicebench.call.session import CallSession, Lines
from voicebench.call.setup import CallModels, CallSetup, RecordedModels
from voicebench.caller import CallerPolicy, PhoneCaller
from voicebench.caller.prompt import check_prompt
from voicebench.clock import patch_time
from voicebench.config import Pipeline
from voicebench.config.caller import check_understanding
from voicebench.config.charges import RECORDED, Charge
from voicebench.config.models import CascadeAgent
from voicebench.config.seeds import derive_seed
from voicebench.line import Line, LineSettings, preset
from voicebench.llm import LlmClient
from voicebench.speech.asr import Recognizer, Transcriber, load_recognizer
from voicebench.speech.models import check_name
from voicebench.speech.sentence_encoder import load_sentence_encoder
from voicebench.speech.subprocess_asr import recognizer_apart
from voicebench.speech.tts import load_voice
from voicebench.speech.vad import Vad
from voicebench.speech.voices import voice_spec

if TYPE_CHECKING:
    from voicebench.agent.cascade import CascadeParts

__all__ = ["asr_charge", "audio_session", "cascade_parts", "check_names", "line_settings", "prepare"]


def prepare(pipeline: Pipeline, caller_voices: Collection[str], recorded: RecordedModels | None = None) -> CallModels:
    """Return what calls of this pipeline need, loaded once a process, so that no call's time holds it.

    In real time the caller's recognizer works in a process of its own, since it would take the line's time.

    Args:
        pipeline: the configuration.
        caller_voices: the names of the voices that speak the callers.
        recorded: what the models answered, if a call is made again: it needs no recognizer.

    Raises:
        ModelMissing: weights are absent or differ from their hash.
        ConfigError: a voice, recognizer, preset or key of the line is unknown; the caller's prompt or understanding is
            an earlier one.
    """
    patch_time()
    check_prompt(pipeline.caller)
    check_understanding(pipeline.caller)
    encoder = load_sentence_encoder() if pipeline.caller.understanding == "meaning" else None
    if pipeline.channel == "text":
        return CallModels(encoder=encoder)
    line = line_settings(pipeline)
    agent_asr = agent_voice = caller_asr = None
    agent, caller = pipeline.agent, pipeline.caller
    if isinstance(agent, CascadeAgent):
        import voicebench.agent.cascade  # importing pipecat takes seconds

        agent_voice = load_voice(agent.tts.voice)
        if recorded is not None:
            agent_asr = recorded.recognizer("agent")
        else:
            asr = agent.asr
            agent_asr = load_recognizer(asr.model, window=asr.window, device=asr.device, compute_type=asr.compute_type)
    else:
        import openai  # noqa: F401

        import voicebench.agent.realtime  # noqa: F401
    if caller.hears == "asr":
        if recorded is not None:
            caller_asr = recorded.recognizer("caller")
        elif pipeline.clock.mode == "real":
            caller_asr = recognizer_apart(caller.asr.model)
        else:
            caller_asr = load_recognizer(caller.asr.model)
    voices = {name: load_voice(name) for name in caller_voices}
    return CallModels(line, agent_asr, agent_voice, caller_asr, voices, encoder)


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
    setup: CallSetup,
    policy: CallerPolicy,
    router: AgentRouter,
    model: LlmClient | ServiceTarget,
    context: CallContext,
) -> CallSession:
    """Build both parties and the line between them, on the running loop.

    Args:
        setup: of the call, its models loaded.
        policy: decides what the caller says.
        router: runs the agent's tools.
        model: the cascade's language model, or where the service answers.
        context: of the call.
    """
    pipeline, models = setup.pipeline, setup.models
    seed = derive_seed(context.seed, "line")
    lines = Lines(
        Line(models.line.caller_to_agent, leg="caller_to_agent", seed=seed),
        Line(models.line.agent_to_caller, leg="agent_to_caller", seed=seed),
    )
    if isinstance(model, ServiceTarget):
        agent: AgentHarness = service_harness(pipeline, router, model, context)
    else:
        from voicebench.agent.cascade import Cascade

        agent = Cascade(cascade_parts(setup), router, model, context)
    caller = PhoneCaller(
        policy,
        models.caller_voices[setup.caller_voice],
        models.caller_asr,
        tracer=context.tracer,
        exchanges=context.exchanges,
        seed=context.seed,
        turn_end_ms=pipeline.caller.turn_end_ms,
        reaction_ms=pipeline.caller.reaction_ms,
        # In real time an interruption cannot wait for recognition: it is decided on the words that were played
        agent_text=context.take_said if models.caller_asr is None or pipeline.clock.mode == "real" else None,
    )
    real_time = pipeline.clock.mode == "real"
    return CallSession(caller, agent, lines, context, pipeline.limits, real_time=real_time)


def cascade_parts(setup: CallSetup) -> CascadeParts:
    """Return what the cascade of a call is made of."""
    from voicebench.agent.cascade import CascadeParts

    agent, charges, models = setup.pipeline.cascade, setup.pipeline.clock.charges, setup.models
    assert models.agent_asr is not None
    assert models.agent_voice is not None
    return CascadeParts(
        recognizer=models.agent_asr,
        voice=models.agent_voice,
        vad=Vad(agent.vad.aggressiveness, agent.vad.gate_db),
        max_turn_s=agent.vad.max_turn_s,
        turn_end_s=agent.turn_end_ms / 1000.0,
        asr_charge=asr_charge(charges.asr, models.agent_asr) if setup.recorded is None else RECORDED,
        tts_charge=charges.tts if setup.recorded is None else RECORDED,
    )


def asr_charge(charge: Charge, recognizer: Transcriber) -> Charge:
    """Return what a recognition costs: CPU time says nothing of a GPU's work, so that is charged by the wall clock."""
    on_gpu = isinstance(recognizer, Recognizer) and recognizer.device == "cuda"
    return Charge("wall") if on_gpu and charge.kind == "cpu" else charge
