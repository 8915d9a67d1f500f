"""Building the audio channel: models, line, the agent's cascade and the caller on the telephone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicebench.agent import CallContext
from voicebench.agent.desk import FrontDesk
from voicebench.call.replay import Replay
from voicebench.call.session import CallSession, Lines
from voicebench.caller import Caller, PhoneCaller
from voicebench.clock import patch_time
from voicebench.config import Pipeline
from voicebench.config.charges import RECORDED
from voicebench.config.seeds import derive_seed
from voicebench.line import Line, LineSettings, preset
from voicebench.llm import LlmClient
from voicebench.speech.asr import Transcriber, load_recognizer
from voicebench.speech.tts import Voice, load_voice
from voicebench.speech.vad import Vad

if TYPE_CHECKING:
    from voicebench.agent.cascade import CascadeParts

__all__ = ["AudioModels", "audio_session", "line_settings", "load_models"]


@dataclass(frozen=True)
class AudioModels:
    """The loaded models of a pipeline; ``caller_ear`` is None for a caller that is told the words."""

    agent_ear: Transcriber
    agent_voice: Voice
    caller_ear: Transcriber | None
    caller_voice: Voice


def load_models(pipeline: Pipeline, replay: Replay | None = None) -> AudioModels:
    """Load the pipeline's models once a process, and import what the cascade is built on; a replay has its own ears.

    Raises:
        ModelMissing: weights are absent or differ from their hash.
        ConfigError: a voice or recognizer is unknown.
    """
    patch_time()
    import voicebench.agent.cascade  # noqa: F401

    caller_ear = _caller_ear(pipeline, replay) if pipeline.caller.hears == "asr" else None
    voices = load_voice(pipeline.agent.tts.voice), load_voice(pipeline.caller.voice)
    return AudioModels(_agent_ear(pipeline, replay), voices[0], caller_ear, voices[1])


def _agent_ear(pipeline: Pipeline, replay: Replay | None) -> Transcriber:
    if replay is not None:
        return replay.ear("agent")
    asr = pipeline.agent.asr
    return load_recognizer(asr.model, window=asr.window, device=asr.device, compute_type=asr.compute_type)


def _caller_ear(pipeline: Pipeline, replay: Replay | None) -> Transcriber:
    return replay.ear("caller") if replay is not None else load_recognizer(pipeline.caller.asr.model)


def line_settings(pipeline: Pipeline) -> LineSettings:
    """Return the line's settings: the preset, with the pipeline's keys of each leg.

    Raises:
        ConfigError: an unknown preset or key, or a codec whose library is not installed.
    """
    settings = preset(pipeline.line.preset)
    settings = settings.with_leg("caller_to_agent", pipeline.line.caller_to_agent)
    settings = settings.with_leg("agent_to_caller", pipeline.line.agent_to_caller)
    settings.require()
    return settings


def audio_session(
    pipeline: Pipeline,
    brain: Caller,
    desk: FrontDesk,
    client: LlmClient,
    context: CallContext,
    replay: Replay | None = None,
) -> CallSession:
    """Build both parties and the line between them, on the running loop."""
    from voicebench.agent.cascade import Cascade

    models = load_models(pipeline, replay)
    settings = line_settings(pipeline)
    seed = derive_seed(context.seed, "line")
    lines = Lines(
        Line(settings.caller_to_agent, leg="caller_to_agent", seed=seed),
        Line(settings.agent_to_caller, leg="agent_to_caller", seed=seed),
    )
    agent = Cascade(_parts(pipeline, models, replay), desk, client, context)
    caller = PhoneCaller(
        brain,
        models.caller_voice,
        models.caller_ear,
        tracer=context.tracer,
        exchanges=context.exchanges,
        seed=context.seed,
        turn_end_ms=pipeline.caller.turn_end_ms,
        reaction_ms=pipeline.caller.reaction_ms,
        agent_text=context.take_said if models.caller_ear is None else None,
    )
    return CallSession(caller, agent, lines, context, pipeline.limits)


def _parts(pipeline: Pipeline, models: AudioModels, replay: Replay | None) -> CascadeParts:
    from voicebench.agent.cascade import CascadeParts

    agent, charges = pipeline.agent, pipeline.clock.charges
    return CascadeParts(
        recognizer=models.agent_ear,
        voice=models.agent_voice,
        vad=Vad(agent.vad.aggressiveness, agent.vad.gate_db),
        max_turn_s=agent.vad.max_turn_s,
        turn_end_s=agent.turn_end_ms / 1000.0,
        asr_charge=charges.asr if replay is None else RECORDED,
        tts_charge=charges.tts if replay is None else RECORDED,
    )
