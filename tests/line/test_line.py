"""A leg of the line: delay, level, seeds, packets."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from voicebench.line import FRAME, LEGS, RATE, Leg, Line, active_level_dbov, preset
from voicebench.line.filters import IRS_SEND_DB

pytestmark = pytest.mark.unit


def leg_of(name: str, leg: Leg = "caller_to_agent", seed: int = 1) -> Line:
    return Line(preset(name).leg(leg), leg=leg, seed=seed)


def speechlike(seconds: float, seed: int = 2) -> NDArray[np.int16]:
    generator = np.random.default_rng(seed)
    size = round(seconds * RATE)
    loudness = np.repeat(generator.choice([0.0, 0.2, 1.0], size // 800 + 1), 800)[:size]
    return np.rint(loudness * generator.normal(0.0, 3000.0, size)).astype(np.int16)


def frames(samples: NDArray[np.int16]) -> NDArray[np.int16]:
    return samples.reshape(-1, FRAME)


def test_clean_passes_every_bit_at_once() -> None:
    line = leg_of("clean")
    speech = speechlike(1.0)
    assert np.array_equal(np.concatenate([line.push(frame) for frame in frames(speech)]), speech)
    assert line.delay_samples == 0


@pytest.mark.parametrize("name", ["clean", "pstn"])
@pytest.mark.parametrize("size", [7, 100, 441, 4410])
def test_chunks_of_any_size_give_the_bits_of_frames(name: str, size: int) -> None:
    speech = speechlike(1.0)
    pushed, chunked = leg_of(name), leg_of(name)
    expected = np.concatenate([pushed.push(frame) for frame in frames(speech)])
    out = [chunked.process(speech[start : start + size]) for start in range(0, speech.size, size)]
    assert np.array_equal(np.concatenate(out), expected)
    assert chunked.packets == pushed.packets


@given(cuts=st.lists(st.integers(0, 3000), max_size=10), size=st.integers(0, 3000))
@settings(max_examples=20, deadline=None)
def test_with_flush_as_much_comes_out_as_went_in(cuts: list[int], size: int) -> None:
    speech = speechlike(0.2)[:size]
    whole, chunked = leg_of("pstn"), leg_of("pstn")
    expected = np.concatenate([whole.process(speech), whole.flush()])
    out = [chunked.process(chunk) for chunk in np.split(speech, sorted(cuts))]
    assert np.array_equal(np.concatenate([*out, chunked.flush()]), expected)
    assert expected.size == speech.size


@pytest.mark.parametrize("delay_ms", [0.0, 10.0, 30.0, 123.0])
@pytest.mark.parametrize("buffer_ms", [0.0, 20.0])
@pytest.mark.parametrize("name", ["clean", "pstn"])
def test_an_impulse_comes_out_at_the_configured_delay(name: str, delay_ms: float, buffer_ms: float) -> None:
    changed = preset(name).with_leg("agent_to_caller", {"delay_ms": delay_ms, "buffer_ms": buffer_ms})
    line = Line(changed.agent_to_caller, leg="agent_to_caller", seed=1)
    impulse = np.zeros(20 * FRAME, dtype=np.int16)
    impulse[1000] = 20_000
    heard = line.process(impulse).astype(int)
    filters_ms = 0 if name == "clean" else 2 + 10 + 2
    assert int(np.argmax(np.abs(heard))) - 1000 == round((delay_ms + buffer_ms + filters_ms) * 16)
    assert line.delay_samples == round((delay_ms + buffer_ms + filters_ms) * 16)


def test_pstn_delays_by_50_ms_and_its_filters() -> None:
    assert {leg_of("pstn", leg).delay_samples for leg in LEGS} == {(50 + 14) * 16}


def test_the_callers_leg_carries_noise_of_65_dbov_below() -> None:
    heard = leg_of("pstn").process(np.zeros(20 * RATE, dtype=np.int16))[RATE:]
    assert active_level_dbov(heard, RATE).rms_dbov == pytest.approx(-65.0, abs=0.5)
    spectrum = np.abs(np.fft.rfft(heard)) ** 2
    hertz = np.fft.rfftfreq(heard.size, 1 / RATE)
    assert spectrum[(hertz > 250) & (hertz < 3500)].sum() / spectrum.sum() > 0.95


def test_the_agents_leg_is_silent_when_the_agent_is() -> None:
    line = leg_of("pstn", "agent_to_caller")
    heard = line.process(np.concatenate([speechlike(1.0), np.zeros(RATE, dtype=np.int16)]))
    assert np.abs(heard[:RATE]).max() > 1000
    assert not heard[RATE + line.delay_samples + 400 :].any()


def test_speech_keeps_its_shape_through_the_telephone_band() -> None:
    """A tone in the band comes out at its level, one outside does not come out."""
    time = np.arange(2 * RATE) / RATE
    inside, outside = (
        np.rint(8000.0 * np.sin(2.0 * np.pi * hertz * time)).astype(np.int16) for hertz in (1000.0, 5000.0)
    )
    for leg in LEGS:
        assert np.std(leg_of("pstn", leg).process(inside)[RATE:]) == pytest.approx(8000 / np.sqrt(2), rel=0.01)
        assert np.std(leg_of("pstn", leg).process(outside)[RATE:]) < 30.0


def through_db(leg: Leg, hertz: float) -> float:
    """What a whole leg makes of a tone at -12 dBov, read at the tone's own frequency."""
    time = np.arange(2 * RATE) / RATE
    tone = np.rint(11_640.0 * np.sin(2.0 * np.pi * hertz * time)).astype(np.int16)
    heard = leg_of("pstn", leg).process(tone)
    before, after = (
        abs(np.dot(samples[RATE:], np.exp(-2j * np.pi * hertz * time[RATE:]))) for samples in (tone, heard)
    )
    return float(20.0 * np.log10(after / before))


@pytest.mark.parametrize("hertz", [hertz for hertz in IRS_SEND_DB if 300 <= hertz <= 3400])
def test_the_callers_leg_has_the_spectrum_of_p48(hertz: int) -> None:
    expected = IRS_SEND_DB[hertz] - IRS_SEND_DB[1000]
    assert through_db("caller_to_agent", hertz) == pytest.approx(expected, abs=0.5)


@pytest.mark.parametrize("leg", LEGS)
def test_100_hz_is_at_least_40_db_down(leg: Leg) -> None:
    assert through_db(leg, 100) <= -40.0


def test_the_same_seed_gives_the_same_bits_and_another_does_not() -> None:
    speech = speechlike(1.0)
    first, again, other = (leg_of("pstn", seed=seed).process(speech) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_noise_of_a_packet_depends_on_its_index_alone() -> None:
    """Louder noise on the same seed is the same noise: what one stage draws moves no other draw."""
    quiet = preset("pstn").with_leg("caller_to_agent", {"codec": "none", "line_noise_dbov": -40}).caller_to_agent
    loud = preset("pstn").with_leg("caller_to_agent", {"codec": "none", "line_noise_dbov": -20}).caller_to_agent
    silence = np.zeros(RATE, dtype=np.int16)
    one, two = (Line(leg, leg="caller_to_agent", seed=9).process(silence).astype(float) for leg in (quiet, loud))
    assert np.corrcoef(one, two)[0, 1] > 0.9999
    assert np.std(two) / np.std(one) == pytest.approx(10.0, rel=0.01)


def test_packets_add_up() -> None:
    line = leg_of("pstn")
    line.process(speechlike(1.0))
    report = line.measured()
    assert report.sent == 50 == len(line.packets)
    assert report.sent == report.received + report.lost + report.late
    assert (report.lost, report.late, report.concealed, report.mean_burst) == (0, 0, 0, 0.0)
    assert [packet.sequence for packet in line.packets] == list(range(50))
    assert {packet.delay_ms for packet in line.packets} == {30.0}
    assert line.packets[-1].sent_ms == 980


def test_the_report_is_json_with_levels() -> None:
    line = leg_of("clean")
    assert json.loads(json.dumps(line.measured().to_json(), allow_nan=False))["rms_in_dbov"] is None
    line.push(np.full(FRAME, -32768, dtype=np.int16))
    report = line.measured().to_json()
    assert (report["rms_in_dbov"], report["peak_out"], report["delay_ms"]) == (0.0, 32768, 0.0)
    assert leg_of("pstn").measured().delay_ms == 64.0


@pytest.mark.parametrize(
    "frame", [np.zeros(160, dtype=np.int16), np.zeros(FRAME), np.zeros((FRAME, 1), dtype=np.int16)]
)
def test_anything_but_a_frame_is_refused(frame: NDArray[np.int16]) -> None:
    with pytest.raises(ValueError, match=r"int16\[320\]"):
        leg_of("clean").push(frame)
    with pytest.raises(ValueError, match=r"int16\[320\]"):
        leg_of("clean").push(np.zeros(FRAME, dtype=np.int16), far=frame)
