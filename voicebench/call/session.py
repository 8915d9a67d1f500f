"""The session: 20 ms after 20 ms, both parties and the line between them, until one of them hangs up."""

from __future__ import annotations

import asyncio
import io
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np

from voicebench.agent import SAMPLE_RATE, AgentHarness, CallContext, Pcm
from voicebench.clock import sleep
from voicebench.config import Limits
from voicebench.line import RATE, Line, bursts
from voicebench.record.events import HangupEvent, PacketLossEvent
from voicebench.record.figures import LineReport
from voicebench.record.spans import EndReason
from voicebench.store import Tracer

__all__ = ["GRACE_S", "CallSession", "CallerParty", "Lines", "Recorder", "record_losses"]

GRACE_S = 5.0
"""Seconds for which the line stays open after the agent's farewell."""

_SLOT_S = 0.02
_SLOT_NS = 20_000_000


class CallerParty(Protocol):
    """What a session needs of a caller; see :class:`voicebench.caller.PhoneCaller`."""

    @property
    def hung_up(self) -> asyncio.Event:
        """Set when the last word of the closing has been spoken."""
        ...

    @property
    def hang_up_reason(self) -> Literal["closing", "give_up"] | None:
        """Why, once ``hung_up`` is set."""
        ...

    @property
    def reactions_ms(self) -> list[float]:
        """From the end of each of the agent's turns, as the caller takes it, to the caller's first sound."""
        ...

    @property
    def saying(self) -> str | None:
        """The rule behind what is being said in this tick, ``hello`` for "hello?"; None while the caller is quiet."""
        ...

    @property
    def is_working(self) -> bool:
        """Whether it recognises, decides or synthesises, so that it cannot speak."""
        ...

    @property
    def slow_job(self) -> str | None:
        """What of that took too long in real time, in words; None if nothing did."""
        ...

    async def start(self) -> None:
        """Begin to think."""

    def hear(self, frame: Pcm) -> None:
        """Take 20 ms of what came over the line: int16[320] at 16 kHz."""

    def speak(self) -> Pcm:
        """Return the next 20 ms that the caller says: int16[320] at 16 kHz."""

    def agent_hung_up(self) -> None:
        """Learn that the line is closed."""

    async def finish(self) -> None:
        """Understand what was heard last, and end."""


class Recorder:
    """Keeps both sides of a call: left the caller as the agent heard it, right the agent as the caller heard it."""

    def __init__(self) -> None:
        self._left: list[Pcm] = []
        self._right: list[Pcm] = []

    def add(self, left: Pcm, right: Pcm) -> None:
        """Add one frame of each side: int16[320] at 16 kHz."""
        self._left.append(left)
        self._right.append(right)

    def wav(self) -> bytes:
        """Return the recording as a WAV file: stereo, 16 kHz, 16 bit."""
        import soundfile

        if not self._left:
            samples = np.zeros((0, 2), dtype=np.int16)
        else:
            samples = np.stack([np.concatenate(self._left), np.concatenate(self._right)], axis=1)
        file = io.BytesIO()
        soundfile.write(file, samples, SAMPLE_RATE, format="WAV", subtype="PCM_16")
        return file.getvalue()


@dataclass
class Lines:
    """Both legs of the line."""

    caller_to_agent: Line
    agent_to_caller: Line


@dataclass
class CallSession:
    """One call between a caller and an agent.

    Attributes:
        caller, agent, lines: the parties and what lies between them.
        context: clock and trace.
        limits: where the call ends whatever is being said.
        real_time: whether the wall is the call's clock, so that the machine may be too slow for it.
        recorder: gets both sides as they were heard.
        slots: 20 ms slots so far; the call's length, once it has ended.
        start_ns: call time of the first slot, where the recording begins; 0 in charge mode.
        late_ms: by how much each slot began after it was due, milliseconds; all 0 in charge mode.
    """

    caller: CallerParty
    agent: AgentHarness
    lines: Lines
    context: CallContext
    limits: Limits
    real_time: bool = False
    recorder: Recorder = field(default_factory=Recorder)
    slots: int = 0
    start_ns: int = 0
    late_ms: list[float] = field(default_factory=list)
    _quiet: int = 0
    """Slots in which neither party spoke in a row; the caller's "hello?" does not count as speech."""
    _before: tuple[Pcm | None, Pcm | None] = (None, None)
    """What the agent heard and the caller said 20 ms ago, for echo and sidetone on the agent's leg."""

    @property
    def length_ns(self) -> int:
        """Nanoseconds of call time from the first slot to the end of the last."""
        return self.slots * _SLOT_NS

    @property
    def reactions_ms(self) -> list[float]:
        """How fast the caller reacted, turn by turn."""
        return self.caller.reactions_ms

    @property
    def slow_job(self) -> str | None:
        """What of the caller's own work took too long for a call in real time."""
        return self.caller.slow_job

    def recording(self) -> bytes:
        """Return the stereo WAV file."""
        return self.recorder.wav()

    def line_report(self) -> LineReport:
        """Return what each leg really did."""
        lines = self.lines
        return LineReport(
            caller_to_agent=lines.caller_to_agent.measured(), agent_to_caller=lines.agent_to_caller.measured()
        )

    async def run(self) -> EndReason:
        """Hold the call; return why it ended. Everything in flight has finished when this returns."""
        await self.agent.start()
        await self.caller.start()
        self.start_ns = self.context.now_ns()
        try:
            reason = await self._talk()
            self.context.tracer.add(HangupEvent(time_ns=self.context.now_ns(), reason=reason))
        finally:
            self.caller.agent_hung_up()
            await self.agent.hang_up()
            await self.caller.finish()
            for line in (self.lines.caller_to_agent, self.lines.agent_to_caller):
                record_losses(self.context.tracer, line, self.start_ns)
        return reason

    async def _talk(self) -> EndReason:
        reason: EndReason | None = None
        grace = 0
        while reason is None:
            self._slot()
            grace = grace + 1 if self.agent.finished.is_set() else 0  # the caller may still hang up, or go on
            reason = self._ending(grace)
            # Until the slot is due, not for 20 ms: lateness must not add up. sleep(0) lets the parties run all the same
            await sleep(max(0, self.start_ns + self.slots * _SLOT_NS - self.context.now_ns()) / 1e9)
        return reason

    def _slot(self) -> None:
        self.late_ms.append((self.context.now_ns() - self.start_ns - self.slots * _SLOT_NS) / 1e6)
        # Each leg's echo and sidetone need what the other leg carries. The circle is cut at the agent's leg: it is the
        # first to be computed, and gets the slot before.
        said_by_agent = self.agent.speak()
        heard_by_caller = self.lines.agent_to_caller.push(said_by_agent, *self._before)
        self.caller.hear(heard_by_caller)
        said_by_caller = self.caller.speak()
        heard_by_agent = self.lines.caller_to_agent.push(said_by_caller, heard_by_caller, said_by_agent)
        self._before = heard_by_agent, said_by_caller
        self.agent.hear(heard_by_agent)
        self.recorder.add(heard_by_agent, heard_by_caller)
        self.slots += 1
        if said_by_agent.any() or self.caller.saying not in (None, "hello"):
            self._quiet = 0
        elif not self.caller.is_working:  # a caller that is still at work keeps the agent waiting
            self._quiet += 1

    def _ending(self, grace: int) -> EndReason | None:
        if self.agent.failure is not None or (self.real_time and self.caller.slow_job is not None):
            return "error"
        if self.caller.hung_up.is_set():
            return "caller_gave_up" if self.caller.hang_up_reason == "give_up" else "caller_hung_up"
        if grace * _SLOT_S >= GRACE_S:
            return "transferred" if self.agent.end_reason == "transferred" else "agent_ended"
        if self._quiet * _SLOT_S >= self.limits.agent_silence_s:
            return "agent_silent"
        if self.slots * _SLOT_S >= self.limits.call_s:
            return "limit_call_s"
        if self.agent.turns > self.limits.turns:
            return "limit_turns"
        return None


def record_losses(tracer: Tracer, line: Line, start_ns: int) -> None:
    """Record an event ``packet_loss`` for each run of packets that were concealed on a leg.

    It stands where the run is heard, so its time less the call's start is its place in the recording.

    Args:
        tracer: of the call.
        line: the leg, after the call.
        start_ns: call time of the recording's first sample.
    """
    filter_ms = line.filter_samples * 1000 / RATE
    for burst in bursts([packet for packet in line.packets if packet.turn_ms is not None]):
        first = burst.packets[0]
        heard_ms = (first.turn_ms or 0.0) + filter_ms
        tracer.add(
            PacketLossEvent(
                time_ns=start_ns + round(heard_ms * 1e6),
                leg=line.leg,
                sequence=first.sequence,
                packets=len(burst.packets),
                lost=burst.lost,
                late=burst.late,
            )
        )
