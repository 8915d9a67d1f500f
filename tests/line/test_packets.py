"""Every packet leaves a row, and what is missing is concealed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from voicebench.line import FRAME, Line, Packet, bursts
from voicebench.line.codecs import CodecOptions
from voicebench.line.codecs.g711 import G711U
from voicebench.line.concealment import ZeroFill
from voicebench.line.delay import GammaJitter
from voicebench.line.loss import Gilbert
from voicebench.line.packets import Network, mean_burst, reordered
from voicebench.line.playout import Fixed, PlayoutBuffer
from voicebench.line.settings import LegSettings

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


def playout(network: Network, lead_ms: float) -> PlayoutBuffer:
    codec = G711U(CodecOptions())
    return PlayoutBuffer(codec, ZeroFill(codec), network, lead_ms, Fixed())


def test_lost_and_late_packets_are_told_apart() -> None:
    network = Network(Lost(1, 5), Slow(2, 5))
    arrivals = [network.send() for _ in range(6)]
    assert arrivals == [30.0, None, 91.0, 90.0, 110.0, None]
    assert [network.play(index, 50.0) for index in range(5)] == [True, False, False, True, True]
    assert network.packets[:4] == [
        Packet(0, 0, 30.0, lost=False, late=False, concealed=False, turn_ms=50.0),
        Packet(1, 20, None, lost=True, late=False, concealed=True, turn_ms=70.0),
        Packet(2, 40, 51.0, lost=False, late=True, concealed=True, turn_ms=90.0),
        Packet(3, 60, 30.0, lost=False, late=False, concealed=False, turn_ms=110.0),
    ]
    assert network.packets[5] == Packet(5, 100, None, lost=True, late=False, concealed=True)
    assert mean_burst(network.packets) == 1.5
    assert [(burst.packets[0].sequence, burst.lost, burst.late) for burst in bursts(network.packets)] == [
        (1, 1, 1),
        (5, 1, 0),
    ]


def test_packets_that_arrive_after_later_ones_are_reordered() -> None:
    network = Network(Lost(3), Slow(1, 4))
    for _ in range(7):
        network.send()
    assert reordered(network.packets) == 2
    assert reordered([]) == 0


def test_a_packet_at_its_deadline_is_in_time() -> None:
    network = Network(Lost(), Slow())
    network.send()
    assert network.play(0, 30.0)
    assert not network.packets[0].late


def test_playout_gives_each_packet_its_turn_and_silence_to_the_missing() -> None:
    buffer = playout(Network(Lost(1), Slow(2)), 50.0)
    loud, negative = b"\x80" * 160, b"\x00" * 160
    heard = np.concatenate([buffer.exchange(payload) for payload in (loud, loud, loud, negative, *[b"\xff" * 160] * 3)])
    expected = np.repeat([0, 32124, 0, 0, -32124, 0], [400, 160, 160, 160, 160, 80])
    assert np.array_equal(heard, expected)


def test_playout_without_lead_is_immediate() -> None:
    buffer = playout(Network(Lost(), Slow()), 30.0)
    heard = np.concatenate([buffer.exchange(b"\x80" * 160) for _ in range(3)])
    assert np.array_equal(heard, np.repeat([0, 32124], [240, 240]))


@given(
    rate=st.floats(0.0, 0.5),
    burst=st.floats(1.0, 5.0),
    sd_ms=st.floats(0.5, 40.0),
    buffer_ms=st.floats(0.0, 100.0),
    adaptive=st.booleans(),
    packets=st.integers(1, 120),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=40, deadline=None)
def test_what_is_sent_is_received_or_lost_or_late(
    rate: float, burst: float, sd_ms: float, buffer_ms: float, adaptive: bool, packets: int, seed: int
) -> None:
    leg = LegSettings(
        codec="g711u",
        loss=Gilbert.of(rate, max(burst, rate / (1.0 - rate))),
        jitter=GammaJitter(sd_ms=sd_ms),
        delay_ms=90.0,
        buffer="adaptive" if adaptive else "fixed",
        buffer_ms=buffer_ms,
        concealment="pitch",
    )
    samples: NDArray[np.int16] = np.random.default_rng(seed).integers(-3000, 3000, packets * FRAME).astype(np.int16)
    line, again = (Line(leg, leg="caller_to_agent", seed=seed) for _ in range(2))
    assert np.array_equal(line.process(samples), again.process(samples))
    assert line.packets == again.packets
    done = line.measured()
    assert done.sent == packets == done.received + done.lost + done.late
    assert done.concealed == done.lost + done.late == sum(len(burst.packets) for burst in bursts(line.packets))
    for packet in line.packets:
        assert packet.lost == (packet.delay_ms is None)
        if packet.turn_ms is not None and packet.delay_ms is not None:
            assert packet.late == (packet.delay_ms > packet.turn_ms - packet.sent_ms + 1e-9) or adaptive
