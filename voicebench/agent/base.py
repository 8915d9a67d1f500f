"""What every harness shares: the context of a call, and what a call needs of an agent under test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from voicebench.errors import ProviderError
from voicebench.record.events import ErrorEvent
from voicebench.store import Exchanges, Tracer

__all__ = ["FRAME", "FRAME_NS", "SAMPLE_RATE", "AgentHarness", "CallContext", "Pcm", "RecordedCharges"]

SAMPLE_RATE = 16_000
"""Samples a second of all audio inside a call."""

FRAME = 320
"""Samples of one 20 ms frame."""

FRAME_NS = 20_000_000
"""Nanoseconds of one frame."""

Pcm = npt.NDArray[np.int16]


class RecordedCharges(Protocol):
    """What the agent's jobs cost in the call that is replayed; asked once for each job, when it is done."""

    def asr_ms(self) -> float:
        """Milliseconds of the last recognition."""
        ...

    def tts_ms(self, text: str) -> float:
        """Milliseconds of the next clause, which should be this one."""
        ...


@dataclass
class CallContext:
    """What the parts of one call write to.

    Attributes:
        call_id: name of the call, derived from its seed; equal in equal runs.
        seed: seed of the work unit.
        tracer: receives spans and events in call time.
        now_ns: the call's clock, in nanoseconds from its start.
        exchanges: receives what language models, recognizers and voices were given and gave.
        recorded: what jobs cost, where a call is replayed.
        said: what the agent has begun to say since a caller that reads instead of hearing last read it, as it was meant
            to be said.
    """

    call_id: str
    seed: int
    tracer: Tracer
    now_ns: Callable[[], int]
    exchanges: Exchanges = field(default_factory=Exchanges)
    recorded: RecordedCharges | None = None
    said: list[str] = field(default_factory=list)

    def take_said(self) -> str:
        """Return what the agent has said since it was last taken, for a caller that reads instead of hearing."""
        text = " ".join(self.said)
        self.said.clear()
        return text

    def trace_failure(self, error: Exception) -> None:
        """Write that the agent failed, as far as it is the same in equal calls: not the message."""
        event = ErrorEvent(time_ns=self.now_ns(), party="agent", kind=type(error).__name__)
        if isinstance(error, ProviderError):
            event = ErrorEvent(time_ns=event.time_ns, party="agent", kind=event.kind, status=error.status)
        self.tracer.add(event)


class AgentHarness(Protocol):
    """How the agent under test is driven: all that a call needs of it, whatever it is made of.

    The call's session ticks every 20 ms of call time: at each tick it takes a frame with ``speak`` and gives one with
    ``hear``, in this order. Neither may wait. An adapter writes what it does to the context's trace and exchanges, runs
    every tool through :class:`voicebench.agent.router.AgentRouter`, and never connects a second time;
    ``docs/harnesses.md`` says how one is written.
    """

    @property
    def finished(self) -> asyncio.Event:
        """Set when the agent has ended the call and its farewell was heard to the end."""
        ...

    @property
    def failure(self) -> Exception | None:
        """The infrastructure error that stopped the agent, if any."""
        ...

    @property
    def end_reason(self) -> str | None:
        """Why the agent ended the call: ``agent_ended`` or ``transferred``."""
        ...

    @property
    def turns(self) -> int:
        """Turns that the agent has begun to answer."""
        ...

    async def start(self) -> None:
        """Connect, and begin to speak the greeting."""

    def hear(self, frame: Pcm) -> None:
        """Take 20 ms of what came over the line: int16[320] at 16 kHz."""

    def speak(self) -> Pcm:
        """Return the next 20 ms that the agent says, silence when it says nothing: int16[320] at 16 kHz."""

    async def hang_up(self) -> None:
        """Learn that the line is closed: no request starts, tools in flight finish, the last turn is flushed."""
