"""Every packet leaves a row, and what is missing is concealed."""

from __future__ import annotations

import numpy as np
import pytest

from voicebench.line.codecs.g711 import G711U
from voicebench.line.concealment import ZeroFill
from voicebench.line.delay import FixedDelay
from voicebench.line.loss import NoLoss
from voicebench.line.packets import Network, Packet, mean_burst
from voicebench.line.playout import Playout

pytestmark = pytest.mark.unit


class Lost:
    """Loses the packets it is told to."""

    def __init__(self, *indices: int) -> None:
        self._indices = indices

    def lost(self, index: int) -> bool:
        return index in self._indices


class Slow:
    """Takes 30 ms, but 51 ms for the packets it is told to."""

    def __init__(self, *indices: int) -> None:
        self._indices = indices

    def ms(self, index: int) -> float:
        return 51.0 if index in self._indices else 30.0


def test_lost_and_late_packets_are_told_apart() -> None:
    network = Network(Lost(1, 5), Slow(2, 5), 50.0)
    arrived = [network.send(bytes([index])) for index in range(6)]
    assert arrived == [b"\x00", None, None, b"\x03", b"\x04", None]
    assert network.packets[:4] == [
        Packet(0, 0, 30.0, lost=False, late=False, concealed=False),
        Packet(1, 20, None, lost=True, late=False, concealed=True),
        Packet(2, 40, 51.0, lost=False, late=True, concealed=True),
        Packet(3, 60, 30.0, lost=False, late=False, concealed=False),
    ]
    received = sum(not (packet.lost or packet.late) for packet in network.packets)
    lost = sum(packet.lost for packet in network.packets)
    late = sum(packet.late for packet in network.packets)
    assert (received, lost, late) == (3, 2, 1)
    assert mean_burst(network.packets) == 1.5


def test_a_packet_at_its_deadline_is_in_time() -> None:
    network = Network(NoLoss(), FixedDelay(50.0), 50.0)
    assert network.send(b"x") == b"x"
    assert mean_burst(network.packets) == 0.0


def test_playout_gives_each_packet_its_turn_and_silence_to_the_missing() -> None:
    playout = Playout(G711U(), ZeroFill(), packet_size=160, lead=400)
    payloads = [b"\x80" * 160, None, b"\x00" * 160, *[b"\xff" * 160] * 3]
    heard = np.concatenate([playout.exchange(payload) for payload in payloads])
    expected = np.concatenate([np.repeat([0, 32124, 0, -32124], [400, 160, 160, 160]), np.zeros(80)])
    assert np.array_equal(heard, expected)


def test_playout_without_lead_is_immediate() -> None:
    playout = Playout(G711U(), ZeroFill(), packet_size=160, lead=0)
    assert np.array_equal(playout.exchange(b"\x80" * 160), np.full(160, 32124))
