"""Delays are distributed as asked for; lateness and reordering follow from them."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

import numpy as np
import pytest

from voicebench.errors import ConfigError
from voicebench.line import FRAME, Line, LineSettings
from voicebench.line.data import PinnedFile
from voicebench.line.delay import Delay, GammaJitter, NoJitter, ReplayJitter, UniformJitter
from voicebench.line.loss import NoLoss
from voicebench.line.packets import Network, reordered
from voicebench.line.settings import LegSettings
from voicebench.line.streams import Stream

pytestmark = pytest.mark.unit

PACKETS = 200_000


def stream(seed: int = 1) -> Stream:
    return Stream(seed, "caller_to_agent", "jitter")


def delays(delay: Delay) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([delay.ms(index) for index in range(PACKETS)])


def erlang4_tail(x: float) -> float:
    """The part of a gamma distribution of shape 4 and scale 1 beyond x."""
    return math.exp(-x) * sum(x**n / math.factorial(n) for n in range(4))


def test_without_jitter_every_packet_takes_the_same_time() -> None:
    assert {NoJitter().build(33.3, stream()).ms(index) for index in range(50)} == {33.3}


def test_uniform_jitter_stays_in_its_range() -> None:
    taken = delays(UniformJitter(range_ms=15.0).build(40.0, stream()))
    assert 25.0 <= taken.min() < 25.1
    assert 54.9 < taken.max() <= 55.0
    assert taken.mean() == pytest.approx(40.0, abs=4 * 15.0 / math.sqrt(3 * PACKETS))


def test_gamma_jitter_has_its_mean_and_deviation_and_a_tail() -> None:
    taken = delays(GammaJitter(sd_ms=10.0).build(60.0, stream()))
    assert taken.mean() == pytest.approx(60.0, abs=4 * 10.0 / math.sqrt(PACKETS))
    assert taken.std() == pytest.approx(10.0, rel=0.02)
    assert taken.min() > 40.0
    assert np.mean((taken - 60.0) ** 3) / 1000.0 == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(("sd_ms", "buffer_ms"), [(30.0, 60.0), (25.0, 40.0)])
def test_late_loss_is_the_tail_of_the_delays(sd_ms: float, buffer_ms: float) -> None:
    network = Network(NoLoss(), GammaJitter(sd_ms=sd_ms).build(150.0, stream()))
    for _ in range(PACKETS):
        network.send()
    late = sum(not network.play(index, 150.0 + buffer_ms) for index in range(PACKETS)) / PACKETS
    tail = erlang4_tail((buffer_ms + 2.0 * sd_ms) / (sd_ms / 2.0))
    assert late == pytest.approx(tail, abs=4 * math.sqrt(tail * (1 - tail) / PACKETS))


def test_uniform_jitter_makes_the_late_loss_of_a_whole_line() -> None:
    leg = LegSettings(codec="g711u", jitter=UniformJitter(range_ms=40.0), delay_ms=50.0, buffer_ms=20.0)
    line = Line(leg, leg="caller_to_agent", seed=4)
    line.process(np.zeros(4000 * FRAME, dtype=np.int16))
    done = line.measured()
    assert done.late_rate == pytest.approx(0.25, abs=4 * math.sqrt(0.25 * 0.75 / 4000))
    assert done.lost == 0


def test_packets_overtake_each_other_when_jitter_exceeds_their_distance() -> None:
    def overtaken(range_ms: float) -> int:
        network = Network(NoLoss(), UniformJitter(range_ms=range_ms).build(50.0, stream()))
        for _ in range(20_000):
            network.send()
        return reordered(network.packets)

    assert overtaken(9.9) == 0
    # Of two in a row, the first comes later if its draw exceeds the other's by 20 ms of 40: an eighth of all pairs.
    assert overtaken(20.0) == pytest.approx(20_000 / 8, rel=0.06)


@pytest.mark.parametrize("jitter", [UniformJitter(range_ms=40.1), GammaJitter(sd_ms=20.1)])
def test_jitter_that_would_arrive_before_it_is_sent_is_refused(jitter: UniformJitter | GammaJitter) -> None:
    with pytest.raises(ConfigError, match="set delay_ms to 40"):
        jitter.build(40.0, stream())
    settings = LineSettings().with_leg("agent_to_caller", {"jitter": jitter.model_dump(), "delay_ms": 40})
    with pytest.raises(ConfigError, match=r"line\.agent_to_caller: .*before they are sent"):
        settings.require()


def test_a_capture_gives_the_delays_and_the_mean_where_it_has_none(tmp_path: Path) -> None:
    path, text = tmp_path / "a.csv", "sequence,delay_ms\n0,31\n1,\n2,95.5\n"
    path.write_text(text)
    file = PinnedFile(path=path, sha256=hashlib.sha256(text.encode()).hexdigest())
    delay = ReplayJitter(file=file).build(40.0, stream())
    assert [delay.ms(index) for index in range(6)] == [31.0, 40.0, 95.5, 31.0, 40.0, 95.5]


def test_a_capture_without_delays_cannot_be_jitter(tmp_path: Path) -> None:
    path, text = tmp_path / "a.csv", "sequence\n0\n"
    path.write_text(text)
    file = PinnedFile(path=path, sha256=hashlib.sha256(text.encode()).hexdigest())
    with pytest.raises(ConfigError, match="no column 'delay_ms'"):
        ReplayJitter(file=file).build(40.0, stream())
