"""Clause-wise synthesis: text of the model in, audio for the line out."""

from __future__ import annotations

import hashlib
import re

import numpy as np
from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMTextFrame,
    TTSAudioRawFrame,
    TTSStoppedFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from voicebench.agent.base import FRAME, SAMPLE_RATE, CallContext, Pcm
from voicebench.agent.cascade.frames import Clause, ClauseFrame, Speech, SpeechEndFrame
from voicebench.clock import Device, FinishedJob, run_job
from voicebench.config.charges import Charge
from voicebench.config.seeds import derive_seed
from voicebench.record.exchanges import AgentTtsExchange
from voicebench.record.spans import TtsSpan
from voicebench.speech.tts import Voice, split_clauses

__all__ = ["Speaker", "SpeechFrame"]


class SpeechFrame(LLMTextFrame):
    """Text of an answer, with the speech that it belongs to."""

    def __init__(self, text: str, speech: Speech) -> None:
        super().__init__(text)
        self.speech = speech


class Speaker(FrameProcessor):
    """Cuts the streamed text at clauses and speaks each as soon as it is complete."""

    def __init__(self, voice: Voice, charge: Charge, context: CallContext) -> None:
        super().__init__()
        self._voice = voice
        self._charge = charge
        self._context = context
        self._device = Device("agent.tts")
        self._buffer = ""
        self._speech: Speech | None = None
        self._count = 0

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Speak text frames; everything else passes."""
        await super().process_frame(frame, direction)
        if isinstance(frame, SpeechFrame):
            await self._add(frame.text, frame.speech)
        elif isinstance(frame, LLMFullResponseEndFrame):
            await self._finish()
        else:
            if isinstance(frame, InterruptionFrame):
                self._buffer, self._speech = "", None
            await self.push_frame(frame, direction)

    async def _add(self, text: str, speech: Speech) -> None:
        if speech.finished:  # it was cut while this text was on its way
            return
        self._speech = speech
        speech.intended += text
        self._buffer = re.sub(r"\s+", " ", self._buffer + text)
        for clause in split_clauses(self._buffer)[:-1]:  # the last one may go on with the next piece of text
            self._buffer = self._buffer.partition(clause)[2]
            await self._speak(clause, speech)

    async def _finish(self) -> None:
        speech, rest = self._speech, self._buffer.strip()
        self._buffer, self._speech = "", None
        if speech is None:
            return
        if rest:
            await self._speak(rest, speech)
        await self.push_frame(SpeechEndFrame(speech=speech))
        await self.push_frame(TTSStoppedFrame())

    async def _speak(self, text: str, speech: Speech) -> None:
        seed = derive_seed(self._context.seed, "agent.tts", self._count)
        self._count += 1
        recorded = self._context.recorded

        def synthesize() -> Pcm:
            samples = self._voice.synthesize(text, seed=seed)
            return np.pad(samples, (0, -len(samples) % FRAME))

        def record(done: FinishedJob[Pcm]) -> None:
            """Write the exchange: of an interrupted clause too, which has kept the voice busy all the same."""
            self._context.exchanges.add(
                AgentTtsExchange(
                    text=text,
                    voice=self._voice.name,
                    seed=seed,
                    samples=len(done.value),
                    sha256=hashlib.sha256(done.value.tobytes()).hexdigest(),
                    start_ns=round(done.start_s * 1e9),
                    charge_ms=done.charge_ms,
                )
            )

        # An interruption cancels this wait and not the job: the voice is busy until its end, as a real one would be
        job = await run_job(
            synthesize,
            charge=self._charge,
            device=self._device,
            recorded_ms=None if recorded is None else lambda: recorded.tts_ms(text),
            on_done=record,
        )
        samples = job.value
        self._context.tracer.add(
            TtsSpan(
                start_ns=round(job.start_s * 1e9),
                end_ns=round(job.end_s * 1e9),
                party="agent",
                text=text,
                voice=self._voice.name,
                audio_s=len(samples) / SAMPLE_RATE,
            )
        )
        clause = Clause(text, len(samples) // FRAME)
        speech.clauses.append(clause)
        if not clause.frames:
            return
        await self.push_frame(ClauseFrame(speech=speech, clause=clause))
        await self.push_frame(TTSAudioRawFrame(audio=samples.tobytes(), sample_rate=SAMPLE_RATE, num_channels=1))
