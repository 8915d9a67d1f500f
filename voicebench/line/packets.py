"""Packets on the network: which are lost, how long each takes, and the log of all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from voicebench.line.delay import Delay
from voicebench.line.loss import Loss
from voicebench.line.stage import FRAME_MS

__all__ = ["Network", "Packet", "mean_burst"]


@dataclass(frozen=True)
class Packet:
    """What became of one packet of 20 ms.

    Attributes:
        sequence: index of the packet on its leg, from 0.
        sent_ms: when its first sample entered the line, in milliseconds of the leg's own samples.
        delay_ms: time on the network, or None when it never arrived.
        lost: it never arrived.
        late: it arrived after its turn in the playout buffer.
        concealed: what was heard in its place was made up, as it was lost or late.
    """

    sequence: int
    sent_ms: int
    delay_ms: float | None
    lost: bool
    late: bool
    concealed: bool


class Network:
    """Sends packets, and logs each.

    Args:
        loss: decides which packets never arrive.
        delay: decides how long the others take.
        deadline_ms: time from sending to the packet's turn in the playout buffer.
    """

    def __init__(self, loss: Loss, delay: Delay, deadline_ms: float) -> None:
        self._loss = loss
        self._delay = delay
        self._deadline_ms = deadline_ms
        self.packets: list[Packet] = []

    def send(self, payload: bytes) -> bytes | None:
        """Send the next packet; return what can be played of it: the payload, or None when it is lost or late."""
        index = len(self.packets)
        lost = self._loss.lost(index)
        delay_ms = None if lost else self._delay.ms(index)
        late = delay_ms is not None and delay_ms > self._deadline_ms
        missing = lost or late
        self.packets.append(Packet(index, index * FRAME_MS, delay_ms, lost, late, missing))
        return None if missing else payload


def mean_burst(packets: Sequence[Packet]) -> float:
    """Return the mean length of runs of concealed packets, 0.0 when there is none."""
    concealed = [packet.concealed for packet in packets]
    starts = sum(now and not before for before, now in zip([False, *concealed], concealed, strict=False))
    return sum(concealed) / starts if starts else 0.0
