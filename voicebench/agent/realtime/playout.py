"""What a service has sent and the line has taken: audio that comes in bursts, played one frame a tick.

Every harness that gets audio ahead of time needs it, whatever the protocol: only what was played was said.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from voicebench.agent.base import FRAME, SAMPLE_RATE, CallContext, Pcm

__all__ = ["Cut", "SpeechPlayout", "SpokenItem"]

_FRAME_NS = 20_000_000
_SILENCE = np.zeros(FRAME, dtype=np.int16)
_SILENCE.flags.writeable = False


@dataclass
class SpokenItem:
    """One message of the agent, which a service names by an item.

    Attributes:
        item: the service's name of it.
        turn, agent: which turn it answers, and who was active.
        text: what the service says that it says, as far as it is known.
        received, played: samples at 16 kHz.
        complete: whether no more audio is to come.
        ended: whether nothing more of it will be heard.
        start_ns, end_ns: call time of the first and after the last frame that was played; None before the first.
    """

    item: str
    turn: int
    agent: str
    text: str = ""
    received: int = 0
    played: int = 0
    complete: bool = False
    ended: bool = False
    start_ns: int | None = None
    end_ns: int | None = None
    told: int = 0
    queue: deque[Pcm] = field(default_factory=deque)
    rest: Pcm = field(default_factory=lambda: _SILENCE[:0])

    @property
    def words(self) -> int:
        """Words that were heard, by the share of the audio that was played."""
        words = len(self.text.split())
        if not self.received:
            return 0
        return words if self.complete and self.played >= self.received else words * self.played // self.received

    @property
    def spoken(self) -> str:
        """The words that were heard."""
        return " ".join(self.text.split()[: self.words])


@dataclass(frozen=True)
class Cut:
    """A spoken item that was stopped: the service's item, milliseconds that were played, and samples that had come."""

    item: str
    played_ms: int
    received: int


class SpeechPlayout:
    """Holds the audio of items in the order in which they began, and gives one frame a tick to the line.

    What does not fill a frame waits for more as long as more is to come. A spoken item becomes a span
    ``agent.speech`` when its last sample was played, or when it was cut.
    """

    def __init__(self, context: CallContext) -> None:
        self._context = context
        self._items: dict[str, SpokenItem] = {}

    @property
    def is_empty(self) -> bool:
        """Whether everything that was received has been played."""
        return not any(one.queue or len(one.rest) for one in self._items.values() if not one.ended)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is being said, nor about to be."""
        return all(one.ended for one in self._items.values())

    def spoken_item(self, item: str, *, turn: int, agent: str) -> SpokenItem:
        """Return an item of the service, a new one if it is not known yet."""
        return self._items.setdefault(item, SpokenItem(item, turn, agent))

    def add(self, item: str, samples: Pcm) -> None:
        """Queue audio of a spoken item that has begun: int16[n] at 16 kHz; what was cut stays cut."""
        one = self._items[item]
        if one.ended:
            return
        one.received += len(samples)
        whole = np.concatenate([one.rest, samples])
        full = len(whole) // FRAME * FRAME
        one.queue.extend(whole[:full].reshape(-1, FRAME))
        one.rest = whole[full:]

    def complete(self, item: str) -> None:
        """Say that a spoken item has all its audio; one that has none ends here, unheard."""
        one = self._items.get(item)
        if one is None or one.ended:
            return
        one.complete = True
        if len(one.rest):
            one.queue.append(np.pad(one.rest, (0, FRAME - len(one.rest))))
            one.rest = _SILENCE[:0]
        if not one.queue:
            self._end(one, interrupted=False)

    def speak(self) -> Pcm:
        """Return the frame of this tick, silence if there is none: int16[320] at 16 kHz."""
        one = next((one for one in self._items.values() if not one.ended), None)
        if one is None or not one.queue:
            return _SILENCE
        frame = one.queue.popleft()
        now_ns = self._context.now_ns()
        one.start_ns = now_ns if one.start_ns is None else one.start_ns
        one.end_ns = now_ns + _FRAME_NS
        one.played = min(one.received, one.played + FRAME)
        self._tell(one)
        if one.complete and not one.queue:
            self._end(one, interrupted=False)
        return frame

    def cut(self) -> list[Cut]:
        """Stop at once, and say what was played of each item that is stopped."""
        cuts = []
        for one in self._items.values():
            if not one.ended:
                cuts.append(Cut(one.item, one.played * 1000 // SAMPLE_RATE, one.received))
                self._end(one, interrupted=True)
        return cuts

    def _tell(self, one: SpokenItem) -> None:
        """Let a caller that is told instead of hearing know the words as they are heard."""
        words = one.text.split()[one.told : one.words]
        one.told += len(words)
        self._context.said.extend(words)

    def _end(self, one: SpokenItem, *, interrupted: bool) -> None:
        one.ended = True
        one.queue.clear()
        self._tell(one)
        if one.start_ns is None or one.end_ns is None:
            if one.text.strip() and not interrupted:
                self._context.tracer.event("agent.unspoken", turn=one.turn, agent=one.agent, text=one.text.strip())
            return
        self._context.tracer.span(
            "agent.speech",
            one.start_ns,
            one.end_ns,
            turn=one.turn,
            agent=one.agent,
            intended=one.text.strip(),
            spoken=one.spoken,
            interrupted=interrupted,
        )
