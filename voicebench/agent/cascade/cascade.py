"""The cascade under test, on pipecat: line in, VAD, recognition, language model, synthesis, line out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from pipecat.frames.frames import (
    ErrorFrame,
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.turns.user_start import VADUserTurnStartStrategy
from pipecat.turns.user_turn_processor import UserTurnProcessor
from pipecat.turns.user_turn_strategies import UserTurnStrategies
from pipecat.workers.runner import WorkerRunner

from voicebench.agent.base import SAMPLE_RATE, CallContext, Pcm
from voicebench.agent.cascade.frames import FarewellFrame, Speech
from voicebench.agent.cascade.listener import LineVad, RecognizedTurnStop, TurnRecognizer
from voicebench.agent.cascade.speaker import Speaker, SpeechFrame
from voicebench.agent.cascade.transport import LineInput, LineOutput, transport_params
from voicebench.agent.conversation import Conversation, LanguageModel
from voicebench.agent.router import AgentRouter
from voicebench.config.charges import Charge
from voicebench.errors import AgentError
from voicebench.speech.asr import Transcriber
from voicebench.speech.tts import Voice
from voicebench.speech.vad import Vad

__all__ = ["Cascade", "CascadeParts"]

_NEVER_S = 86_400.0
"""A day. pipecat ends a turn that has no transcription after this; here each VAD stop brings one, however late."""


@dataclass(frozen=True)
class CascadeParts:
    """The models of a cascade and how it takes turns; times are seconds."""

    recognizer: Transcriber
    voice: Voice
    vad: Vad
    max_turn_s: float
    turn_end_s: float
    asr_charge: Charge
    tts_charge: Charge


class ConversationProcessor(FrameProcessor):
    """Where the conversation sits in the pipeline: what the conversation says goes on to the voice as frames.

    Turns end and begin here in the order of their frames, so that an interruption is never taken for an earlier one.
    """

    def __init__(self, router: AgentRouter, output: LineOutput, on_turn_end: Callable[[], None]) -> None:
        super().__init__()
        self._router = router
        self._output = output
        self._on_turn_end = on_turn_end
        self._speech: Speech | None = None
        self.conversation: Conversation | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Follow the caller's turns; everything passes."""
        await super().process_frame(frame, direction)
        if isinstance(frame, InterruptionFrame):
            self.interrupt()
        elif isinstance(frame, UserStoppedSpeakingFrame) and direction is FrameDirection.DOWNSTREAM:
            self._on_turn_end()
        await self.push_frame(frame, direction)

    def interrupt(self) -> None:
        """Stop speaking at once, and tell the conversation what was heard."""
        self._speech = None
        self._output.cut()
        if self.conversation is not None:
            self.conversation.interrupt(self._output.words_heard(self.conversation.turns))

    async def say(self, text: str) -> None:
        """Send text to the voice."""
        if self._speech is None:
            turn = self.conversation.turns if self.conversation is not None else 0
            self._speech = Speech(turn=turn, agent=self._router.active.name)
            self._output.begin(self._speech)
        await self.push_frame(SpeechFrame(text, self._speech))

    async def end(self) -> None:
        """Mark the end of an answer."""
        self._speech = None
        await self.push_frame(LLMFullResponseEndFrame())


class Cascade:
    """An agent under test made of recognizer, language model and voice.

    See :class:`voicebench.agent.base.AgentHarness` for the attributes.
    """

    def __init__(self, parts: CascadeParts, router: AgentRouter, model: LanguageModel, context: CallContext) -> None:
        self.finished = asyncio.Event()
        self.failure: Exception | None = None
        self._model = model
        self._context = context
        self._turn_tasks: set[asyncio.Task[None]] = set()
        params = transport_params()
        self._input = LineInput(params)
        self._output = LineOutput(params, context, self.finished.set)
        vad = LineVad(parts.vad, context, max_turn_s=parts.max_turn_s, turn_end_s=parts.turn_end_s)
        self._listener = TurnRecognizer(parts.recognizer, parts.asr_charge, context, vad, turn_end_s=parts.turn_end_s)
        self._processor = ConversationProcessor(router, self._output, self._on_turn_end)
        self._greeting = router.pack.spec.greeting
        self._conversation = Conversation(router, model, self._processor, greeting=self._greeting)
        self._processor.conversation = self._conversation
        turns = UserTurnProcessor(
            user_turn_strategies=UserTurnStrategies(start=[VADUserTurnStartStrategy()], stop=[RecognizedTurnStop()]),
            user_turn_stop_timeout=_NEVER_S,
        )
        speaker = Speaker(parts.voice, parts.tts_charge, context)
        stages = [self._input, VADProcessor(vad_analyzer=vad), self._listener, turns, self._processor, speaker]
        self._worker = PipelineWorker(
            Pipeline([*stages, self._output]),
            params=PipelineParams(audio_in_sample_rate=SAMPLE_RATE, audio_out_sample_rate=SAMPLE_RATE),
            # A call is ended by its session alone, and what pipecat would do on the side (observers, idle timers,
            # a search for tasks that were left) costs real time in each call
            cancel_on_idle_timeout=False,
            idle_timeout_secs=None,
            enable_turn_tracking=False,
            enable_rtvi=False,
            check_dangling_tasks=False,
        )

        async def on_error(_worker: PipelineWorker, frame: ErrorFrame) -> None:
            self._fail(AgentError(f"the agent's pipeline failed: {frame.error}"))

        self._worker.add_event_handler("on_pipeline_error", on_error)
        self._running: asyncio.Task[None] | None = None

    @property
    def end_reason(self) -> str | None:
        """Why the agent ended the call, if it did."""
        return self._conversation.ended

    @property
    def turns(self) -> int:
        """Turns that the agent has begun to answer."""
        return self._conversation.turns

    async def start(self) -> None:
        """Start the pipeline and speak the greeting, which costs no request."""
        runner = WorkerRunner(handle_sigint=False, check_dangling_tasks=False)
        await runner.add_workers(self._worker)
        self._running = asyncio.ensure_future(runner.run())
        await self._input.ready.wait()
        await self._output.ready.wait()
        await self._processor.say(self._greeting)
        await self._processor.end()

    def hear(self, frame: Pcm) -> None:
        """Take 20 ms of what came over the line."""
        self._input.hear(frame)

    def speak(self) -> Pcm:
        """Return the next 20 ms that the agent says."""
        return self._output.speak()

    def _on_turn_end(self) -> None:
        text = self._listener.take_text()
        if text:
            # Not awaited: the pipeline has to go on, or no interruption could come through it
            task = asyncio.ensure_future(self._answer(text, self._conversation.interruptions))
            self._turn_tasks.add(task)
            task.add_done_callback(self._turn_tasks.discard)

    async def _answer(self, text: str, interruptions: int) -> None:
        try:
            await self._conversation.take_turn(text, interruptions=interruptions)
        except Exception as error:
            self._fail(error)
            return
        if self._conversation.ended:
            await self._processor.push_frame(FarewellFrame())

    def _fail(self, error: Exception) -> None:
        self.failure = self.failure or error
        self._context.trace_failure(error)

    async def hang_up(self) -> None:
        """Stop: nothing new begins, tools in flight finish, the last turn is recognised."""
        self._processor.interrupt()
        await self._conversation.close()
        for task in self._turn_tasks:
            task.cancel()
        await self._listener.flush()
        await self._worker.cancel()
        if self._running is not None:
            await self._running
        await self._model.close()
