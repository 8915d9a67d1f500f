"""Room, echo, gain control, clipping, sidetone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from voicebench.line import FRAME, Line, active_level_dbov, sample_speech
from voicebench.line.acoustics import Room
from voicebench.line.data import shipped
from voicebench.line.settings import LegSettings
from voicebench.line.stage import RATE

pytestmark = pytest.mark.unit

SILENCE = np.zeros(FRAME, dtype=np.int16)


def line_of(**keys: Any) -> Line:
    return Line(LegSettings.model_validate(keys), leg="caller_to_agent", seed=1)


def tone(amplitude: float, seconds: float = 4.0, hertz: float = 1000.0) -> NDArray[np.int16]:
    time = np.arange(round(seconds * RATE)) / RATE
    return np.rint(amplitude * np.sin(2.0 * np.pi * hertz * time)).astype(np.int16)


@pytest.mark.parametrize("rate_hz", [8_000, 16_000])
def test_the_room_decays_by_60_db_in_400_ms(rate_hz: int) -> None:
    """Schroeder's backward integral of the response, fitted from -5 to -35 dB (ISO 3382)."""
    response = shipped("room", rate_hz)
    decay = 10.0 * np.log10(np.cumsum(response[::-1] ** 2)[::-1] / np.sum(response**2) + 1e-12)
    fitted = np.flatnonzero((decay < -5.0) & (decay > -35.0))
    slope = np.polyfit(fitted / rate_hz, decay[fitted], 1)[0]
    assert -60.0 / slope == pytest.approx(0.4, abs=0.025)
    assert int(np.argmax(np.abs(response))) <= 1


def test_the_room_convolves_and_keeps_the_energy() -> None:
    room = Room(RATE)
    impulse = np.zeros(RATE)
    impulse[500] = 10_000.0
    heard = np.concatenate([room.process(frame) for frame in impulse.reshape(-1, FRAME)])
    response = shipped("room", RATE)
    unit = response / np.sqrt(np.sum(response**2))
    assert heard[500 : 500 + unit.size] == pytest.approx(10_000.0 * unit, abs=0.01)
    assert float(np.sum(heard**2)) == pytest.approx(1e8, rel=1e-3)
    assert not heard[:500].any()


def test_speech_across_the_room_keeps_its_level() -> None:
    heard = line_of(room="speakerphone").process(sample_speech())
    before, after = (active_level_dbov(samples, RATE).rms_dbov for samples in (sample_speech(), heard))
    assert after == pytest.approx(before, abs=2.0)
    assert not np.array_equal(heard, sample_speech())


@pytest.mark.parametrize(("codec", "filters"), [("none", 0), ("g711u", 64)])
def test_echo_is_what_the_loudspeaker_plays_later_and_quieter(codec: str, filters: int) -> None:
    line = line_of(codec=codec, echo={"loss_db": 20.0, "delay_ms": 15.0})
    far = np.zeros(10 * FRAME, dtype=np.int16)
    far[700] = 20_000
    heard = np.concatenate([line.push(SILENCE, frame) for frame in far.reshape(-1, FRAME)]).astype(int)
    peak = int(np.argmax(np.abs(heard)))
    assert peak == 700 + 15 * 16 + filters
    if codec == "none":
        assert heard[peak] == 2000


def test_without_a_far_end_there_is_no_echo_and_without_echo_no_far_end() -> None:
    assert not line_of(echo={"loss_db": 20.0}).process(np.zeros(RATE, dtype=np.int16)).any()
    assert not line_of().push(SILENCE, tone(8000, 0.02)).any()


def test_sidetone_is_the_listeners_own_voice_at_once() -> None:
    line = line_of(codec="g711u", delay_ms=100.0, sidetone_db=15.0)
    said = tone(8000, 0.02)
    heard = line.push(SILENCE, None, said)
    assert heard == pytest.approx(said * 10.0 ** (-15.0 / 20.0), abs=1.0)
    assert not line.push(SILENCE).any()


@pytest.mark.parametrize("amplitude", [1000.0, 4000.0, 12_000.0])
def test_gain_control_brings_quiet_and_loud_to_its_target(amplitude: float) -> None:
    line = line_of(agc={"target_dbov": -20.0, "release_ms": 300.0})
    heard = line.process(tone(amplitude))[-RATE:]
    assert active_level_dbov(heard, RATE).rms_dbov == pytest.approx(-20.0, abs=0.3)


def test_gain_control_has_a_limit_and_leaves_silence_alone() -> None:
    line = line_of(agc={"target_dbov": -20.0, "most_db": 6.0, "release_ms": 300.0})
    heard = line.process(tone(500.0))
    assert 20.0 * math.log10(np.std(heard[-RATE:]) / np.std(tone(500.0))) == pytest.approx(6.0, abs=0.1)
    quiet = line.process(np.full(RATE, 10, dtype=np.int16))
    assert np.abs(quiet[FRAME:]).max() <= 20


def test_gain_control_answers_a_louder_talker_faster_than_a_quieter_one() -> None:
    line = line_of(agc={"target_dbov": -20.0, "attack_ms": 20.0, "release_ms": 1000.0, "most_db": 20.0})
    line.process(tone(4000.0))
    louder = line.process(tone(12_000.0, 0.1))
    assert np.std(louder[-800:]) < 1.2 * 3277
    quieter = line.process(tone(1500.0, 0.1))
    assert np.std(quieter[-800:]) < 0.7 * 3277


def test_clipping_cuts_off_at_its_level_and_nothing_else() -> None:
    limit = round(32768 * 10.0 ** (-12.0 / 20.0))
    loud, quiet = tone(20_000.0), tone(8000.0)
    heard = line_of(clip_dbov=-12.0).process(loud)
    assert np.abs(heard).max() == pytest.approx(limit, abs=1)
    assert np.array_equal(np.abs(heard.astype(int)) >= limit - 1, np.abs(loud.astype(int)) >= limit)
    assert np.array_equal(line_of(clip_dbov=-12.0).process(quiet), quiet)
