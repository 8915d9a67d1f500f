"""How the agent hears: VAD, the end of a turn, and one recognition a turn."""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque

import numpy as np
from pipecat.audio.vad.vad_analyzer import VADAnalyzer, VADParams, VADState
from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.turns.types import ProcessFrameResult
from pipecat.turns.user_stop.base_user_turn_stop_strategy import BaseUserTurnStopStrategy

from voicebench.agent.base import FRAME, SAMPLE_RATE, CallContext, Pcm
from voicebench.clock import Device, run_job, sleep
from voicebench.config.charges import FREE, Charge
from voicebench.record.events import VadForcedEvent
from voicebench.record.exchanges import AgentAsrExchange
from voicebench.record.spans import AsrSpan, TurnEndSpan
from voicebench.speech.asr import Transcriber
from voicebench.speech.vad import Vad

__all__ = ["VAD_STOP_S", "LineVad", "RecognizedTurnStop", "TurnRecognizer"]

VAD_START_S = 0.2
"""Seconds from the first frame of speech to the VAD's start: a click or a breath is shorter. pipecat's default."""
VAD_STOP_S = 0.2
"""Seconds from the last frame of speech to the VAD's stop; ``turn_end_ms`` counts from the same frame."""
PREROLL_S = 0.4
"""Seconds kept from before the VAD's start: the 0.2 that it takes to start, and as much for a quiet first sound."""
_SHARE_S = 0.1
"""Half of the window in which speech frames are counted; both start and stop come that much later by it."""
_FRAME_S = FRAME / SAMPLE_RATE


class LineVad(VADAnalyzer):
    """webrtcvad with a level gate, as pipecat's analyzer; 20 ms windows, analysed in the loop.

    The detector flickers within words, so the confidence is the share of speech among the last 200 ms.
    A turn that never ends is cut: after ``max_turn_s`` of unbroken speech the VAD reports silence for as long as a
    turn end takes, and the trace says so.
    """

    def __init__(self, vad: Vad, context: CallContext, *, max_turn_s: float, turn_end_s: float) -> None:
        # The share crosses one half when half of its window is speech, which is 100 ms after the speech began or ended:
        # so much less is left for pipecat to wait
        super().__init__(
            sample_rate=SAMPLE_RATE,
            params=VADParams(
                confidence=0.5, start_secs=VAD_START_S - _SHARE_S, stop_secs=VAD_STOP_S - _SHARE_S, min_volume=0.0
            ),
        )
        self._recent: deque[bool] = deque(maxlen=round(2 * _SHARE_S / _FRAME_S))
        self._vad = vad
        self._context = context
        self._max_frames = round(max_turn_s / _FRAME_S)
        # So long that the VAD stops and the pause of a turn's end passes before it sees speech again
        self._forced_frames = round((turn_end_s + _SHARE_S) / _FRAME_S)
        self._run = 0
        self._forced = 0

    def num_frames_required(self) -> int:
        """Samples of one analysis."""
        return FRAME

    def voice_confidence(self, buffer: bytes) -> float:
        """The share of speech frames in the last 200 ms, 0.0 while a turn is being cut."""
        self._recent.append(self._vad.is_speech(np.frombuffer(buffer, dtype=np.int16)))
        if self._forced:
            self._forced -= 1
            return 0.0
        self._run = 0 if self._vad_state is VADState.QUIET else self._run + 1
        if self._run > self._max_frames:
            self._run, self._forced = 0, self._forced_frames
            self._context.tracer.add(VadForcedEvent(time_ns=self._context.now_ns(), party="agent"))
            return 0.0
        return sum(self._recent) / (self._recent.maxlen or 1)

    @property
    def is_stirring(self) -> bool:
        """Whether the caller speaks, or may just have begun to."""
        return self._vad_state in (VADState.STARTING, VADState.SPEAKING)

    async def analyze_audio(self, buffer: bytes) -> VADState:
        """Analyse in the loop: 30 µs are not worth a thread."""
        return self._run_analyzer(buffer)


class RecognizedTurnStop(BaseUserTurnStopStrategy):  # type: ignore[no-untyped-call]
    """Ends the caller's turn with the last of its recognitions."""

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        """Wait for the listener to say that nothing else is on its way."""
        if isinstance(frame, TranscriptionFrame) and frame.finalized:
            await self.trigger_user_turn_stopped()
        return ProcessFrameResult.CONTINUE


class TurnRecognizer(FrameProcessor):
    """Gathers the caller's audio and recognises it once, when the turn has ended.

    The pause is waited out first; the result is then delivered at the later of now and VAD stop + charge, as if
    recognition had begun at the VAD stop. A caller who goes on while that lasts is recognised apart, and the turn ends
    with the last part: a transcription is ``finalized`` when no other is on its way.
    """

    def __init__(
        self, recognizer: Transcriber, charge: Charge, context: CallContext, vad: LineVad, *, turn_end_s: float
    ) -> None:
        super().__init__()
        self._recognizer = recognizer
        self._charge = charge
        self._context = context
        self._vad = vad
        self._turn_end_s = turn_end_s
        self._device = Device("agent.asr")
        self._audio: list[Pcm] = []
        self._open = False
        self._waiting: asyncio.Task[None] | None = None
        self._recognising: set[asyncio.Task[None]] = set()
        self._texts: list[str] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Follow audio and VAD; everything passes."""
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame):
            self._audio.append(np.frombuffer(frame.audio, dtype=np.int16))
            if not self._open:
                del self._audio[: -round(PREROLL_S / _FRAME_S)]
        elif isinstance(frame, VADUserStartedSpeakingFrame):
            self._open = True
            await self._stop_waiting()
        elif isinstance(frame, VADUserStoppedSpeakingFrame):
            await self._stop_waiting()
            self._waiting = self.create_task(self._end_turn(self._context.now_ns()))
        await self.push_frame(frame, direction)

    def take_text(self) -> str:
        """Return what was recognised since the last call, joined."""
        text, self._texts = " ".join(filter(None, self._texts)), []
        return text

    async def _stop_waiting(self) -> None:
        task, self._waiting = self._waiting, None
        if task is not None:
            await self.cancel_task(task)

    async def _end_turn(self, vad_stop_ns: int) -> None:
        """Wait out the pause; a caller who may just have begun again is waited for until the VAD is sure."""
        await sleep(self._turn_end_s - VAD_STOP_S)
        while self._vad.is_stirring:
            await sleep(_FRAME_S)
        self._waiting = None
        turn_end_ns = self._context.now_ns()
        self._context.tracer.add(
            TurnEndSpan(start_ns=vad_stop_ns, end_ns=turn_end_ns, party="agent", vad_stop_ns=vad_stop_ns)
        )
        task = self.create_task(self._hear(self._take_audio(), turn_end_ns, vad_stop_ns))
        self._recognising.add(task)
        task.add_done_callback(self._recognising.discard)

    def _take_audio(self) -> Pcm:
        samples = np.concatenate(self._audio) if self._audio else np.zeros(0, dtype=np.int16)
        self._audio, self._open = [], False
        return samples

    async def _hear(self, samples: Pcm, turn_end_ns: int, vad_stop_ns: int) -> None:
        try:
            text = await self._recognize(samples, turn_end_ns, anchor_ns=vad_stop_ns, charge=self._charge)
        except Exception as error:
            await self.push_error(f"recognition failed: {type(error).__name__}: {error}", exception=error)
            return
        self._texts.append(text)
        is_last = not self._open and len(self._recognising) == 1
        await self.push_frame(TranscriptionFrame(text=text, user_id="caller", timestamp="", finalized=is_last))

    async def _recognize(self, samples: Pcm, end_ns: int, *, anchor_ns: int, charge: Charge) -> str:
        recorded = self._context.recorded
        job = await run_job(
            lambda: self._recognizer.transcribe(samples),
            charge=charge,
            device=self._device,
            # A recognizer could work while the agent waits for the pause to end, so it is charged from the VAD's stop
            anchor_s=anchor_ns / 1e9,
            recorded_ms=None if recorded is None else recorded.asr_ms,
        )
        heard = job.value
        done_ns = round(job.end_s * 1e9)
        span_id = self._context.tracer.add(
            AsrSpan(
                start_ns=anchor_ns,
                end_ns=max(done_ns, anchor_ns),
                party="agent",
                text=heard.text,
                filtered=heard.filtered,
            )
        )
        self._context.exchanges.add(
            AgentAsrExchange(
                span_id=span_id,
                audio_start_ns=end_ns - round(len(samples) / SAMPLE_RATE * 1e9),
                audio_end_ns=end_ns,
                samples=len(samples),
                sha256=hashlib.sha256(samples.tobytes()).hexdigest(),
                text=heard.text,
                filtered=heard.filtered,
                no_speech_prob=heard.no_speech_prob,
                avg_logprob=heard.avg_logprob,
                compression_ratio=heard.compression_ratio,
                charge_ms=job.charge_ms,
            )
        )
        return heard.text

    async def flush(self) -> None:
        """Recognise what the caller said last, after the hang-up, at no charge."""
        await self._stop_waiting()
        if self._recognising:
            await asyncio.wait(self._recognising)
        if self._open:
            now_ns = self._context.now_ns()
            await self._recognize(self._take_audio(), now_ns, anchor_ns=now_ns, charge=FREE)
