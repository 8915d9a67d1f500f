"""The cascade's two ends: frames from the line in, frames to the line out, paced by the line's ticks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np
from pipecat.frames.frames import Frame, InputAudioRawFrame, OutputAudioRawFrame, StartFrame
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import TransportParams

from voicebench.agent.base import FRAME, FRAME_NS, SAMPLE_RATE, CallContext, Pcm
from voicebench.agent.cascade.frames import Clause, ClauseFrame, FarewellFrame, Speech, SpeechEndFrame
from voicebench.record.spans import AgentSpeechSpan

__all__ = ["LineInput", "LineOutput", "transport_params"]


def transport_params() -> TransportParams:
    """Both directions at 16 kHz mono, output cut into frames of 20 ms; no resampler is ever reached."""
    return TransportParams(
        audio_in_enabled=True,
        audio_in_sample_rate=SAMPLE_RATE,
        audio_out_enabled=True,
        audio_out_sample_rate=SAMPLE_RATE,
        audio_out_10ms_chunks=2,  # one frame of the line
        audio_out_end_silence_secs=0,  # pipecat plays two seconds of it after its end
    )


class LineInput(BaseInputTransport):
    """Takes what came over the line."""

    def __init__(self, params: TransportParams) -> None:
        super().__init__(params)
        self.ready = asyncio.Event()

    async def start(self, frame: StartFrame) -> None:
        """Begin to accept audio."""
        await super().start(frame)
        await self.set_transport_ready(frame)
        self.ready.set()

    def hear(self, frame: Pcm) -> None:
        """Queue one frame: int16[320] at 16 kHz."""
        audio = InputAudioRawFrame(audio=frame.tobytes(), sample_rate=SAMPLE_RATE, num_channels=1)
        self._audio_in_queue.put_nowait(audio)


class LineOutput(BaseOutputTransport):
    """Gives one frame a tick to the line, and keeps account of what was really played.

    ``write_audio_frame`` blocks until the line has taken the frame before, so that pipecat is paced by the line. It
    holds a single frame: with more of them, what an interruption throws away would have left pipecat already, and
    what was played would be a guess.
    """

    def __init__(self, params: TransportParams, context: CallContext, on_farewell: Callable[[], None]) -> None:
        super().__init__(params)
        self._context = context
        self._on_farewell = on_farewell
        self._slot: tuple[Pcm, Speech, Clause] | None = None
        self._free = asyncio.Event()
        self._free.set()
        self._current: tuple[Speech, Clause] | None = None
        self._speeches: list[Speech] = []
        self.ready = asyncio.Event()

    async def start(self, frame: StartFrame) -> None:
        """Begin to accept audio."""
        await super().start(frame)
        await self.set_transport_ready(frame)
        self.ready.set()

    def begin(self, speech: Speech) -> None:
        """Take account of a speech from before its first word."""
        self._speeches.append(speech)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        """Hand one 20 ms frame to the line, waiting for the tick that takes the one before."""
        if self._current is None:
            return True
        speech, clause = self._current
        if not speech.finished:
            await self._free.wait()
        if not speech.finished:  # the caller may have cut it while this frame waited for its tick
            self._slot = (np.frombuffer(frame.audio, dtype=np.int16), speech, clause)
            self._free.clear()
        return True

    async def write_transport_frame(self, frame: Frame) -> None:
        """Follow the markers that travel between the audio."""
        # Markers overtake no audio: pipecat's output takes both from one queue. Behind the last frame of audio they
        # still have to wait for the tick that takes it.
        if isinstance(frame, ClauseFrame):
            self._current = (frame.speech, frame.clause)
            if not frame.speech.finished:
                self._context.said.append(frame.clause.text)
        elif isinstance(frame, SpeechEndFrame):
            await self._free.wait()
            self._finish(frame.speech, interrupted=False)
        elif isinstance(frame, FarewellFrame):
            await self._free.wait()
            self._on_farewell()

    def speak(self) -> Pcm:
        """Return the frame of this tick, silence when there is none: int16[320] at 16 kHz."""
        slot, self._slot = self._slot, None
        self._free.set()
        if slot is None:
            return np.zeros(FRAME, dtype=np.int16)
        samples, speech, clause = slot
        now_ns = self._context.now_ns()
        clause.played += 1
        if speech.start_ns is None:
            speech.start_ns = now_ns
        speech.end_ns = now_ns + FRAME_NS
        return samples

    def words_heard(self, turn: int) -> int:
        """Words of the answer to ``turn`` that were played."""
        return sum(speech.words_played for speech in self._speeches if speech.turn == turn)

    def cut(self) -> None:
        """Stop speaking at once; what was being said, or was about to be, is marked as interrupted."""
        self._slot = None
        self._free.set()
        for speech in self._speeches:
            self._finish(speech, interrupted=True)

    def _finish(self, speech: Speech, *, interrupted: bool) -> None:
        if speech.finished:
            return
        speech.finished, speech.interrupted = True, interrupted
        if speech.start_ns is None or speech.end_ns is None:
            return
        self._context.tracer.add(
            AgentSpeechSpan(
                start_ns=speech.start_ns,
                end_ns=speech.end_ns,
                turn=speech.turn,
                agent=speech.agent,
                intended=speech.intended.strip(),
                spoken=speech.spoken,
                interrupted=speech.interrupted,
            )
        )
