"""What a service has sent and the line has taken: audio that comes in bursts, played one frame a tick.

Every harness that gets audio ahead of time needs it, whatever the protocol: only what was played was said.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from voicebench.agent.base import FRAME, FRAME_NS, SAMPLE_RATE, CallContext, Pcm
from voicebench.line.resample import Resampler
from voicebench.line.stage import to_pcm
from voicebench.record.events import AgentUnspokenEvent
from voicebench.record.spans import AgentSpeechSpan

__all__ = ["Cut", "SpeechPlayout", "SpokenItem"]

_SILENCE = np.zeros(FRAME, dtype=np.int16)
_SILENCE.flags.writeable = False


@dataclass
class SpokenItem:
    """One message of the agent, which a service names by an item.

    Attributes:
        item: the service's name of it.
        turn, agent: which turn it answers, and who was active.
        text: its words so far, as the service writes them; they may run ahead of the audio, or come after it.
        received, played: samples at 16 kHz.
        complete: whether no more audio is to come.
        ended: whether nothing more of it will be heard.
        start_ns, end_ns: call time of the first and after the last frame that was played; None before the first.
        shared: how many of its words were given to a caller that reads instead of hearing.
        queue: whole frames that were not played yet.
        rest: samples that do not fill a frame yet.
        resampler: from the service's rate, while audio comes.
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
    shared: int = 0
    queue: deque[Pcm] = field(default_factory=deque)
    rest: Pcm = field(default_factory=lambda: _SILENCE[:0])
    resampler: Resampler | None = None

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

    Args:
        context: of the call.
        rate: samples a second of the service's audio.
    """

    def __init__(self, context: CallContext, rate: int) -> None:
        self._context = context
        self._rate = rate
        self._items: dict[str, SpokenItem] = {}

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is being said, nor about to be."""
        return all(one.ended for one in self._items.values())

    def spoken_item(self, item: str, *, turn: int, agent: str) -> SpokenItem:
        """Return an item of the service, a new one if it is not known yet."""
        return self._items.setdefault(item, SpokenItem(item, turn, agent))

    def add(self, item: str, samples: Pcm) -> None:
        """Queue audio of an item that has begun: int16[n] at the service's rate; what was cut stays cut."""
        one = self._items[item]
        if one.resampler is None:
            one.resampler = Resampler(self._rate, SAMPLE_RATE)
        self._queue(one, one.resampler, samples)

    def _queue(self, one: SpokenItem, resampler: Resampler, samples: Pcm) -> None:
        converted = to_pcm(resampler.process(samples.astype(np.float64)))
        if one.ended:
            return
        one.received += len(converted)
        whole = np.concatenate([one.rest, converted])
        full = len(whole) // FRAME * FRAME
        one.queue.extend(whole[:full].reshape(-1, FRAME))
        one.rest = whole[full:]

    def complete(self, item: str) -> None:
        """Say that an item has all its audio; one that has none ends here, unheard."""
        one = self._items.get(item)
        if one is None:
            return
        if one.resampler is not None:
            # The filter delays by 2 ms: so much silence brings the last samples out of it
            self._queue(one, one.resampler, np.zeros(self._rate // 400, dtype=np.int16))
            one.resampler = None
        if one.ended:
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
        one.end_ns = now_ns + FRAME_NS
        one.played = min(one.received, one.played + FRAME)
        self._share(one)
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

    def _share(self, one: SpokenItem) -> None:
        """Give the words that were heard by now to a caller that reads instead of hearing."""
        words = one.text.split()[one.shared : one.words]
        one.shared += len(words)
        self._context.said.extend(words)

    def _end(self, one: SpokenItem, *, interrupted: bool) -> None:
        one.ended = True
        one.queue.clear()
        self._share(one)
        tracer, text = self._context.tracer, one.text.strip()
        if one.start_ns is None or one.end_ns is None:
            if text and not interrupted:
                now_ns = self._context.now_ns()
                tracer.add(AgentUnspokenEvent(time_ns=now_ns, turn=one.turn, agent=one.agent, text=text))
            return
        tracer.add(
            AgentSpeechSpan(
                start_ns=one.start_ns,
                end_ns=one.end_ns,
                turn=one.turn,
                agent=one.agent,
                intended=text,
                spoken=one.spoken,
                interrupted=interrupted,
            )
        )
