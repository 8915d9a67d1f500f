"""The adaptive buffer follows the delays, and loses less for it."""

from __future__ import annotations

import numpy as np
import pytest

from voicebench.line import FRAME, RATE, Line, sample_speech
from voicebench.line.delay import GammaJitter, UniformJitter
from voicebench.line.pitch import lengthen, period, shorten
from voicebench.line.settings import LegSettings

pytestmark = pytest.mark.unit


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
    assert adaptive.realised().late < fixed.realised().late / 4
    assert adaptive.realised().delay_ms > fixed.realised().delay_ms + 20.0


def test_an_adaptive_buffer_shrinks_where_the_network_is_quick() -> None:
    keys = {"jitter": UniformJitter(range_ms=5.0), "delay_ms": 40.0, "buffer_ms": 150.0}
    line = Line(leg("adaptive", **keys), leg="caller_to_agent", seed=5)
    line.process(sample_speech())
    assert lead_ms(line, 200) < 60.0
    assert line.realised().late == 0


def test_an_adaptive_buffer_keeps_to_its_limit() -> None:
    keys = {"jitter": GammaJitter(sd_ms=60.0), "delay_ms": 150.0, "buffer_ms": 20.0, "buffer_max_ms": 60.0}
    line = Line(leg("adaptive", **keys), leg="caller_to_agent", seed=5)
    line.process(sample_speech())
    leads = [packet.turn_ms - packet.sent_ms for packet in line.packets if packet.turn_ms is not None]
    assert max(leads) <= 210.0
    assert lead_ms(line, 200) > 195.0


def test_a_buffer_of_both_kinds_gives_20_ms_for_20_ms() -> None:
    line = Line(leg("adaptive", jitter=GammaJitter(sd_ms=20.0), delay_ms=80.0), leg="caller_to_agent", seed=1)
    assert all(line.push(frame).shape == (FRAME,) for frame in sample_speech()[: 4 * RATE].reshape(-1, FRAME))


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
