"""Packets on the network: which are lost, how long each takes, and the log of all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from voicebench.line.delay import Delay
from voicebench.line.loss import Loss
from voicebench.line.stage import FRAME_MS

__all__ = ["Burst", "Network", "Packet", "bursts", "mean_burst", "reordered"]


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
        turn_ms: when its turn in the playout buffer came, on the clock of ``sent_ms``; None before that.
    """

    sequence: int
    sent_ms: int
    delay_ms: float | None
    lost: bool
    late: bool
    concealed: bool
    turn_ms: float | None = None


class Network:
    """Sends packets, and logs each.

    Args:
        loss: decides which packets never arrive.
        delay: decides how long the others take.
    """

    def __init__(self, loss: Loss, delay: Delay) -> None:
        self._loss = loss
        self._delay = delay
        self.packets: list[Packet] = []

    def send(self) -> float | None:
        """Send the next packet; return when it arrives, in milliseconds of the leg's samples, or None if never."""
        index = len(self.packets)
        lost = self._loss.lost(index)
        delay_ms = None if lost else self._delay.ms(index)
        self.packets.append(Packet(index, index * FRAME_MS, delay_ms, lost, late=False, concealed=lost))
        return None if delay_ms is None else index * FRAME_MS + delay_ms

    def play(self, sequence: int, lead_ms: float) -> bool:
        """Log that a packet's turn has come; return whether it is there. One that arrives just now is in time.

        Args:
            sequence: the packet.
            lead_ms: time from its sending to its turn.
        """
        packet = self.packets[sequence]
        late = packet.delay_ms is not None and packet.delay_ms > lead_ms
        missing = packet.lost or late
        turn_ms = packet.sent_ms + lead_ms
        self.packets[sequence] = replace(packet, late=late, concealed=missing, turn_ms=turn_ms)
        return not missing


@dataclass(frozen=True)
class Burst:
    """Packets in a row that were concealed.

    Attributes:
        packets: the rows of the log.
    """

    packets: tuple[Packet, ...]

    @property
    def lost(self) -> int:
        """How many never arrived."""
        return sum(packet.lost for packet in self.packets)

    @property
    def late(self) -> int:
        """How many arrived too late."""
        return len(self.packets) - self.lost


def bursts(packets: Sequence[Packet]) -> Iterator[Burst]:
    """Return the runs of concealed packets, in order."""
    run: list[Packet] = []
    for packet in packets:
        if packet.concealed:
            run.append(packet)
        elif run:
            yield Burst(tuple(run))
            run = []
    if run:
        yield Burst(tuple(run))


def mean_burst(packets: Sequence[Packet]) -> float:
    """Return the mean length of runs of concealed packets, 0.0 when there is none."""
    lengths = [len(burst.packets) for burst in bursts(packets)]
    return sum(lengths) / len(lengths) if lengths else 0.0


def reordered(packets: Sequence[Packet]) -> int:
    """Count the packets that arrived after one that was sent later (RFC 4737)."""
    count, earliest_after = 0, float("inf")
    for packet in reversed(packets):
        if packet.delay_ms is None:
            continue
        arrival = packet.sent_ms + packet.delay_ms
        count += arrival > earliest_after
        earliest_after = min(earliest_after, arrival)
    return count
