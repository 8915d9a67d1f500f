"""The adaptive buffer follows the delays, and loses less for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from voicebench.line import Line, sample_speech
from voicebench.line.codecs import CodecOptions
from voicebench.line.codecs.g711 import G711U
from voicebench.line.concealment import ZeroFill
from voicebench.line.delay import GammaJitter, UniformJitter
from voicebench.line.packets import Network
from voicebench.line.pitch import lengthen, period, shorten
from voicebench.line.playout import Adaptive, Fixed, Pcm, PlayoutBuffer, Policy
from voicebench.line.settings import LegSettings

pytestmark = pytest.mark.unit


CODEC = G711U(CodecOptions())


class Script:
    """The fate of each packet: its delay in milliseconds, or None if it is lost."""

    def __init__(self, delays_ms: Sequence[float | None]) -> None:
        self._delays_ms = delays_ms

    def lost(self, index: int) -> bool:
        return self._delays_ms[index] is None

    def ms(self, index: int) -> float:
        delay_ms = self._delays_ms[index]
        assert delay_ms is not None
        return delay_ms


class Following(ZeroFill):
    """Remembers which packet was there to restore each missing one from."""

    def __init__(self) -> None:
        super().__init__(CODEC)
        self.payloads: list[bytes | None] = []

    def conceal(self, following: bytes | None) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
        self.payloads.append(following)
        return super().conceal(following)


def network(delays_ms: Sequence[float | None]) -> Network:
    script = Script(delays_ms)
    return Network(script, script)


def leg(buffer: str, **keys: object) -> LegSettings:
    return LegSettings.model_validate({"codec": "g711u", "concealment": "pitch", "buffer": buffer, **keys})


def tone(hertz: float, size: int = 160, rate: int = 8000) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    return np.rint(8000.0 * np.sin(2.0 * np.pi * hertz * np.arange(size) / rate)).astype(np.int16)


def lead_ms(line: Line, last: int) -> float:
    leads = [packet.turn_ms - packet.sent_ms for packet in line.packets if packet.turn_ms is not None]
    return float(np.mean(leads[-last:]))


def test_an_adaptive_buffer_grows_until_packets_are_in_time() -> None:
    keys = {"jitter": GammaJitter(sd_ms=20.0), "delay_ms": 80.0, "buffer_ms": 10.0}
    fixed, adaptive = (Line(leg(kind, **keys), leg="caller_to_agent", seed=5) for kind in ("fixed", "adaptive"))
    for line in (fixed, adaptive):
        line.process(sample_speech())
    assert lead_ms(fixed, 300) == 90.0
    assert 120.0 < lead_ms(adaptive, 300) < 200.0
    assert adaptive.measured().late < fixed.measured().late / 4
    assert adaptive.measured().delay_ms > fixed.measured().delay_ms + 20.0


def test_an_adaptive_buffer_shrinks_where_the_network_is_quick() -> None:
    keys = {"jitter": UniformJitter(range_ms=5.0), "delay_ms": 40.0, "buffer_ms": 150.0}
    line = Line(leg("adaptive", **keys), leg="caller_to_agent", seed=5)
    line.process(sample_speech())
    assert lead_ms(line, 200) < 60.0
    assert line.measured().late == 0


def test_an_adaptive_buffer_keeps_to_its_limit() -> None:
    keys = {"jitter": GammaJitter(sd_ms=60.0), "delay_ms": 150.0, "buffer_ms": 20.0, "buffer_max_ms": 60.0}
    line = Line(leg("adaptive", **keys), leg="caller_to_agent", seed=5)
    line.process(sample_speech())
    leads = [packet.turn_ms - packet.sent_ms for packet in line.packets if packet.turn_ms is not None]
    assert max(leads) <= 210.0
    assert lead_ms(line, 200) > 195.0


@pytest.mark.parametrize("policy", [Fixed(), Adaptive(8000, 200.0)])
def test_each_packet_is_heard_at_the_turn_that_the_log_gives_it(policy: Policy) -> None:
    delays_ms = [20.0 + 60.0 * (index % 40 > 20) for index in range(200)]
    sent = network(delays_ms)
    playout = PlayoutBuffer(CODEC, ZeroFill(CODEC), sent, 60.0, policy)
    levels = [1000 * (1 + index % 7) for index in range(200)]
    heard = np.concatenate([playout.exchange(CODEC.encode(np.full(160, level, dtype=np.int16))) for level in levels])
    leads_ms = set()
    for packet, level in zip(sent.packets, levels, strict=True):
        if packet.turn_ms is None or packet.concealed:
            continue
        at = round(packet.turn_ms * 8)
        assert packet.turn_ms * 8 == pytest.approx(at, abs=1e-6), "a turn is at a sample"
        assert heard[at] == pytest.approx(level, rel=0.04)
        assert at == 0 or heard[at - 1] != heard[at]
        leads_ms.add(packet.turn_ms - packet.sent_ms)
    assert (leads_ms == {60.0}) == isinstance(policy, Fixed)
    assert heard.size == 200 * 160


@pytest.mark.parametrize(("delay_ms", "there"), [(40.0, True), (40.1, False), (None, False)])
def test_a_lost_packet_is_restored_from_the_next_only_if_that_has_arrived_by_then(
    delay_ms: float | None, there: bool
) -> None:
    """The turn of packet 1 comes 60 ms after it was sent; by then packet 2 has had 40 ms."""
    following = Following()
    playout = PlayoutBuffer(CODEC, following, network([20.0, None, delay_ms, 20.0, 20.0, 20.0]), 60.0, Fixed())
    payloads = [CODEC.encode(np.full(160, level, dtype=np.int16)) for level in range(1000, 7000, 1000)]
    for payload in payloads:
        playout.exchange(payload)
    assert following.payloads[0] == (payloads[2] if there else None)


@pytest.mark.parametrize(("lead_ms", "sample"), [(0.0, 0), (12.5, 100), (60.0, 480), (500.0, 4_000)])
def test_before_the_turn_of_the_first_packet_there_is_silence(lead_ms: float, sample: int) -> None:
    playout = PlayoutBuffer(CODEC, ZeroFill(CODEC), network([0.0] * 40), lead_ms, Fixed())
    loud = CODEC.encode(np.full(160, 8_000, dtype=np.int16))
    heard = np.concatenate([playout.exchange(loud) for _ in range(40)])
    assert int(np.flatnonzero(heard)[0]) == sample


class Learning(Fixed):
    """Remembers of which delays it learned before each turn."""

    def __init__(self) -> None:
        self.turns: list[list[float]] = [[]]

    def arrived(self, delay_ms: float) -> None:
        self.turns[-1].append(delay_ms)

    def adapt(self, pcm: Pcm, lead_ms: float) -> Pcm:
        self.turns.append([])
        return super().adapt(pcm, lead_ms)


def test_a_policy_learns_of_a_packet_at_the_first_turn_by_which_it_has_arrived() -> None:
    """Turns come at 60, 80, 100, 120 ms; packet 1, sent at 20 ms, arrives at 110 ms."""
    learning = Learning()
    playout = PlayoutBuffer(CODEC, ZeroFill(CODEC), network([20.0, 90.0, *[20.0] * 5, None]), 60.0, learning)
    for _ in range(7):
        playout.exchange(CODEC.encode(np.zeros(160, dtype=np.int16)))
    assert learning.turns == [[20.0, 20.0], [20.0], [20.0], [90.0, 20.0], []]


def frames(delays_ms: Sequence[float], lead_ms: float, max_lead_ms: float = 500.0) -> int:
    """Return the samples that a packet of 160 samples of silence is played with."""
    adaptive = Adaptive(8000, max_lead_ms)
    for delay_ms in delays_ms:
        adaptive.arrived(delay_ms)
    return adaptive.adapt(np.zeros(160, dtype=np.int16), lead_ms).size


@pytest.mark.parametrize(("lead_ms", "size"), [(41.9, 240), (42.0, 160), (52.0, 160), (52.1, 80)])
def test_the_aim_is_two_milliseconds_over_the_delay_and_up_to_ten_more_are_left_alone(
    lead_ms: float, size: int
) -> None:
    assert frames([40.0] * 10, lead_ms) == size


@pytest.mark.parametrize(("lead_ms", "size"), [(49.9, 240), (50.0, 160), (60.0, 160), (60.1, 80)])
def test_the_aim_stays_so_far_below_the_limit_that_the_buffer_does_not_pass_it(lead_ms: float, size: int) -> None:
    assert frames([300.0] * 10, lead_ms, max_lead_ms=60.0) == size


def test_two_delays_of_a_hundred_are_given_up_and_three_are_not() -> None:
    assert frames([200.0] * 2 + [20.0] * 98, 22.0) == 160
    assert frames([200.0] * 3 + [20.0] * 97, 22.0) == 240
    assert frames([200.0] * 3 + [20.0] * 97, 201.9) == 240


def test_only_the_last_hundred_delays_count() -> None:
    assert frames([200.0] * 50 + [20.0] * 100, 22.0) == 160
    assert frames([200.0] * 3 + [20.0] * 98, 22.0) == 160
    assert frames([200.0] * 50 + [20.0] * 97, 22.0) == 240


def test_few_delays_count_with_the_longest_and_none_leave_the_buffer_as_it_is() -> None:
    assert frames([200.0, 20.0], 201.9) == 240
    assert frames([200.0, 20.0], 202.0) == 160
    assert frames([], 0.0) == frames([], 400.0) == 160


@pytest.mark.parametrize("hertz", [120.0, 205.0, 333.0])
def test_stretching_takes_out_or_puts_in_whole_periods(hertz: float) -> None:
    sound = tone(hertz)
    for changed in (shorten(sound, 8000), lengthen(sound, 8000)):
        periods = abs(changed.size - sound.size) * hertz / 8000
        assert periods == pytest.approx(round(periods), abs=0.05)
        assert round(periods) >= 1
        assert np.abs(np.diff(changed.astype(int))).max() < 1.3 * np.abs(np.diff(sound.astype(int))).max()


def test_noise_is_not_stretched_and_silence_is() -> None:
    noise = np.random.default_rng(1).integers(-8000, 8000, 160).astype(np.int16)
    assert shorten(noise, 8000).size == lengthen(noise, 8000).size == 160
    assert shorten(np.zeros(160, dtype=np.int16), 8000).size == 80
    assert lengthen(np.zeros(160, dtype=np.int16), 8000).size == 240


@pytest.mark.parametrize("hertz", [80.0, 111.0, 160.0])
def test_the_period_of_a_tone_is_found(hertz: float) -> None:
    lag, alike = period(tone(hertz, 400).astype(float), 40, 120, 80)
    assert lag % (8000 / hertz) == pytest.approx(0.0, abs=1.0) or lag == pytest.approx(8000 / hertz, abs=1.0)
    assert alike > 0.999
