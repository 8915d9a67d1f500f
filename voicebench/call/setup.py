"""What one call is made of, and the files that it leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from voicebench.agent import RecordedCharges
from voicebench.clock import Fetching
from voicebench.config import Pipeline
from voicebench.config.seeds import unit_seed
from voicebench.language.nearest import SentenceEncoder
from voicebench.line import LineSettings
from voicebench.llm import LlmTarget, Party
from voicebench.packs import Pack
from voicebench.packs.models import Case
from voicebench.record.call import CallRecord
from voicebench.record.trace import TraceRecord
from voicebench.speech.asr import Transcriber
from voicebench.speech.tts import Voice
from voicebench.store import Exchanges

__all__ = ["CallFiles", "CallModels", "CallSetup", "RecordedModels", "WorkUnit"]


@dataclass(frozen=True)
class WorkUnit:
    """One attempt at one trial of one task. ``trial`` and ``attempt`` count from 1."""

    pack: str
    task: str
    trial: int
    attempt: int
    run_seed: int

    @property
    def seed(self) -> int:
        """The seed of everything random in the call; neither model nor pipeline takes part in it."""
        return unit_seed(self.run_seed, self.pack, self.task, self.trial, self.attempt)

    @property
    def name(self) -> str:
        """Its name in messages: ``T2-H3 trial 1``, the attempt added from the second on."""
        again = f", attempt {self.attempt}" if self.attempt > 1 else ""
        return f"{self.task} trial {self.trial}{again}"

    @property
    def call_id(self) -> str:
        """A name of the call that is equal in equal runs, and says nothing of the task."""
        return f"{self.seed:016x}"


class RecordedModels(RecordedCharges, Protocol):
    """Models that answer from the record of a call instead of computing: what a replay puts in their place."""

    @property
    def exchanges(self) -> Exchanges:
        """Where the exchanges of the repeated call go."""
        ...

    def fetcher(self, party: Party) -> Fetching:
        """Return what answers the requests of a party's language model."""
        ...

    def recognizer(self, party: Party) -> Transcriber:
        """Return what stands for a party's speech recognition."""
        ...


@dataclass(frozen=True)
class CallModels:
    """What was loaded for the calls of a pipeline: for the text channel nothing but the encoder.

    Attributes:
        line: settings of both legs.
        agent_asr, agent_voice: of a cascade; None for a service, which hears and speaks by itself.
        caller_asr: None for a caller that reads the words instead of hearing them.
        caller_voices: by name.
        encoder: by which the agent is understood, over text too; None where rules alone do.
    """

    line: LineSettings = field(default_factory=LineSettings)
    agent_asr: Transcriber | None = None
    agent_voice: Voice | None = None
    caller_asr: Transcriber | None = None
    caller_voices: dict[str, Voice] = field(default_factory=dict)
    encoder: SentenceEncoder | None = None


@dataclass(frozen=True)
class CallSetup:
    """What a call is made of, apart from its unit: all of it is loaded, so that the call reads no file.

    Attributes:
        pipeline: the configuration.
        pack: the pack, opened once a process.
        case: the task.
        target: where the model under test answers.
        caller: where the model that plays the caller answers; None for a scripted one.
        watch: called with each span and event of the trace as it is added.
        recorded: what the models answered, if the call is made again from its exchanges.
        models: of the audio channel, as :func:`voicebench.call.prepare` returns them.
    """

    pipeline: Pipeline
    pack: Pack
    case: Case
    target: LlmTarget
    caller: LlmTarget | None = None
    watch: Callable[[TraceRecord], None] | None = None
    recorded: RecordedModels | None = None
    models: CallModels = field(default_factory=CallModels)

    @property
    def caller_voice(self) -> str:
        """The name of the voice that speaks the caller, where anything is spoken."""
        return self.pipeline.caller.voice_for(self.case.caller.voice)


@dataclass(frozen=True)
class CallFiles:
    """The files of one call, ready to be committed together. ``files`` maps file names to bytes."""

    files: dict[str, bytes]

    @property
    def call(self) -> CallRecord:
        """The content of ``call.json``."""
        return CallRecord.model_validate_json(self.files["call.json"])
