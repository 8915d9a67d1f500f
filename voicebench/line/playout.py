"""The playout buffer: packets go in as they are sent, samples come out when their turn comes."""

from __future__ import annotations

from collections import deque
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from voicebench.line.codecs import Codec
from voicebench.line.concealment import Concealment
from voicebench.line.packets import Network
from voicebench.line.pitch import lengthen, shorten
from voicebench.line.stage import FRAME_MS

__all__ = ["Adaptive", "Fixed", "PlayoutBuffer", "Policy"]

Pcm = NDArray[np.int16]


class Policy(Protocol):
    """Decides by how much the playout of a packet is lengthened or shortened."""

    def adapt(self, pcm: Pcm, lead_ms: float) -> Pcm:
        """Return what is played of a packet.

        Args:
            pcm: the packet's sound, int16[n].
            lead_ms: time from the packet's sending to its turn.
        """

    def arrived(self, delay_ms: float) -> None:
        """Take the delay of a packet that has arrived."""


class Fixed:
    """The buffer's length never changes."""

    def adapt(self, pcm: Pcm, lead_ms: float) -> Pcm:
        """Return the sound as it is."""
        return pcm

    def arrived(self, delay_ms: float) -> None:
        """Do nothing."""


class Adaptive:
    """The buffer is as long as all but 2 % of the delays of the last two seconds ask for.

    It grows and shrinks by one pitch period a packet, which is put in or taken out where the sound repeats.

    Args:
        rate_hz: samples per second.
        max_lead_ms: the longest time from sending to turn.
    """

    # 100 packets are two seconds. The slack keeps the buffer from growing and shrinking in turn around its aim, since a
    # pitch period is the least by which it can change.
    _PACKETS, _QUANTILE, _MARGIN_MS, _SLACK_MS = 100, 0.98, 2.0, 10.0

    def __init__(self, rate_hz: int, max_lead_ms: float) -> None:
        self._rate_hz = rate_hz
        self._max_lead_ms = max_lead_ms
        self._delays: deque[float] = deque(maxlen=self._PACKETS)

    def arrived(self, delay_ms: float) -> None:
        """Remember the delay."""
        self._delays.append(delay_ms)

    def adapt(self, pcm: Pcm, lead_ms: float) -> Pcm:
        """Return the sound, a pitch period longer or shorter if the buffer has to change."""
        if not self._delays:
            return pcm
        ordered = sorted(self._delays)
        wanted = ordered[int(self._QUANTILE * (len(ordered) - 1) + 0.5)] + self._MARGIN_MS
        wanted = min(wanted, self._max_lead_ms - self._SLACK_MS)
        if lead_ms < wanted:
            return lengthen(pcm, self._rate_hz)
        if lead_ms > wanted + self._SLACK_MS:
            return shorten(pcm, self._rate_hz)
        return pcm


class PlayoutBuffer:
    """Holds packets until their turn, decodes them then, and conceals those that are missing.

    Args:
        codec: the leg's codec; packets reach it in order, each at its turn.
        concealment: makes up the missing ones.
        network: says when each arrives, and logs its turn.
        lead_ms: time between a packet's sending and its turn, to begin with.
        policy: how that time changes.
    """

    def __init__(
        self, codec: Codec, concealment: Concealment, network: Network, lead_ms: float, policy: Policy
    ) -> None:
        self._codec = codec
        self._concealment = concealment
        self._network = network
        self._policy = policy
        self._rate_hz = codec.rate_hz
        self._size = codec.rate_hz * FRAME_MS // 1000
        self._lead_ms = lead_ms
        self._ready: Pcm = np.zeros(round(lead_ms * codec.rate_hz / 1000), dtype=np.int16)
        self._waiting: dict[int, tuple[bytes, float]] = {}
        self._travelling: list[tuple[float, float]] = []
        self._next = 0
        self._stretched = 0

    def exchange(self, payload: bytes) -> Pcm:
        """Send one packet, and take the samples of 20 ms, int16[n], out."""
        sequence = len(self._network.packets)
        arrival_ms = self._network.send()
        if arrival_ms is not None:
            self._waiting[sequence] = payload, arrival_ms
            self._travelling.append((arrival_ms, arrival_ms - sequence * FRAME_MS))
        while self._ready.size < self._size:
            self._ready = np.concatenate([self._ready, self._turn()])
        out, self._ready = self._ready[: self._size], self._ready[self._size :]
        return out

    def _turn(self) -> Pcm:
        """Play the packet whose turn it is."""
        sequence = self._next
        self._next += 1
        lead_ms = self._lead_ms + self._stretched * 1000.0 / self._rate_hz
        turn_ms = sequence * FRAME_MS + lead_ms
        # The policy learns of a packet at the first turn after its arrival, as a receiver does.
        for arrival in [each for each in self._travelling if each[0] <= turn_ms]:
            self._travelling.remove(arrival)
            self._policy.arrived(arrival[1])
        payload, _ = self._waiting.pop(sequence, (b"", 0.0))
        if self._network.play(sequence, lead_ms):
            pcm = self._concealment.received(self._codec.decode(payload))
        else:
            following, arrival_ms = self._waiting.get(sequence + 1, (None, 0.0))
            pcm = self._concealment.conceal(following if arrival_ms <= turn_ms else None)
        played = self._policy.adapt(pcm, lead_ms)
        # What was put in or taken out moves the turns of all packets that follow.
        self._stretched += played.size - self._size
        return played
