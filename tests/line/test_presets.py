"""The presets are those of the documentation's table, and each leg is a function of settings, seed and samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.line.installed import installed
from voicebench.line import FRAME, LEGS, Leg, LegSettings, Line, preset, presets, sample_speech
from voicebench.line.loss import Bernoulli, Gilbert

pytestmark = pytest.mark.unit

# codec, kbit/s, loss, mean burst, delay, jitter, buffer, noise, SNR
TABLE: dict[str, tuple[str, float | None, float, float, float, float, float, str | None, float | None]] = {
    "clean": ("none", None, 0.0, 0.0, 0.0, 0.0, 0.0, None, None),
    "pstn": ("g711u", None, 0.0, 0.0, 30.0, 0.0, 20.0, None, None),
    "voip": ("g711u", None, 0.005, 1.0, 40.0, 5.0, 40.0, None, None),
    "voip_wifi": ("g711u", None, 0.03, 2.0, 60.0, 10.0, 60.0, "pink", 20.0),
    "volte": ("amr_wb", 12.65, 0.005, 1.2, 100.0, 8.0, 60.0, None, None),
    "mobile": ("amr_nb", 12.2, 0.01, 1.5, 100.0, 10.0, 60.0, "street", 15.0),
    "mobile_poor": ("amr_nb", 5.9, 0.05, 2.0, 150.0, 25.0, 80.0, "street", 10.0),
    "webrtc": ("opus_wb", 24.0, 0.03, 1.0, 50.0, 15.0, 60.0, None, None),
    "speakerphone": ("g711u", None, 0.01, 1.0, 60.0, 10.0, 60.0, "babble", 20.0),
    "car": ("amr_nb", 12.2, 0.02, 2.0, 100.0, 15.0, 60.0, "car", 10.0),
    "background_noise": ("g711u", None, 0.005, 1.0, 40.0, 5.0, 40.0, "babble", 15.0),
    "bad_signal": ("amr_nb", 5.9, 0.08, 3.0, 150.0, 30.0, 60.0, "pink", 20.0),
}


def loss_of(leg: LegSettings) -> tuple[float, float]:
    if isinstance(leg.loss, Bernoulli):
        return leg.loss.p, 1.0
    if isinstance(leg.loss, Gilbert):
        return leg.loss.p / (leg.loss.p + leg.loss.r), 1.0 / leg.loss.r
    return 0.0, 0.0


def line_of(name: str, leg: Leg, seed: int = 1) -> Line | None:
    """The leg, or None where its codec is not installed."""
    settings = preset(name).leg(leg)
    return Line(settings, leg=leg, seed=seed) if installed(settings.codec) else None


@pytest.mark.parametrize("name", TABLE)
def test_presets_are_those_of_the_table(name: str) -> None:
    codec, kbps, rate, burst, delay, jitter, buffer, noise, snr = TABLE[name]
    for leg in LEGS:
        found = preset(name).leg(leg)
        assert (found.codec, found.kbps, found.delay_ms, found.buffer_ms) == (codec, kbps, delay, buffer)
        assert loss_of(found) == pytest.approx((rate, burst))
        assert getattr(found.jitter, "sd_ms", 0.0) == jitter
        assert found.fec == (name == "webrtc")
        assert found.buffer == "fixed"
    caller, agent = preset(name).caller_to_agent, preset(name).agent_to_caller
    assert [agent.noise, agent.echo, agent.line_noise_dbov] == [None, None, None]
    assert agent.room == "none"
    assert (caller.noise.kind if caller.noise else None, caller.noise.snr_db if caller.noise else None) == (noise, snr)
    assert (caller.room != "none") == (caller.echo is not None) == (name == "speakerphone")


def test_all_presets_are_in_the_table_and_wifi_conceals_by_pitch() -> None:
    assert [each.name for each in presets()] == list(TABLE)
    assert preset("voip_wifi").caller_to_agent.concealment == "pitch"
    echo = preset("speakerphone").caller_to_agent.echo
    assert echo is not None
    assert echo.loss_db == 45.0


@pytest.mark.parametrize("leg", LEGS)
@pytest.mark.parametrize("name", [name for name in TABLE if name not in ("clean", "pstn")])
def test_chunks_of_any_size_give_the_bits_of_frames(name: str, leg: Leg) -> None:
    speech = sample_speech()[8_000 : 8_000 + 60 * FRAME]
    pushed = line_of(name, leg)
    if pushed is None:
        return
    expected = np.concatenate([pushed.push(frame) for frame in speech.reshape(-1, FRAME)])
    for size in (7, 100, 441, 4410):
        chunked = line_of(name, leg)
        assert chunked is not None
        out = [chunked.process(speech[start : start + size]) for start in range(0, speech.size, size)]
        assert np.array_equal(np.concatenate(out), expected)
        assert chunked.packets == pushed.packets


@given(name=st.sampled_from([name for name in TABLE if name != "volte"]), seed=st.integers(0, 2**64), data=st.data())
@settings(max_examples=25, deadline=None)
def test_equal_seeds_give_equal_bits_in_any_chunks(name: str, seed: int, data: Any) -> None:
    size = data.draw(st.integers(0, 12 * FRAME))
    cuts = data.draw(st.lists(st.integers(0, size), max_size=8))
    speech = sample_speech()[20_000 : 20_000 + size]
    one, other = (Line(preset(name).caller_to_agent, leg="caller_to_agent", seed=seed) for _ in range(2))
    expected = np.concatenate([one.process(speech), one.flush()])
    got = np.concatenate([*(other.process(chunk) for chunk in np.split(speech, sorted(cuts))), other.flush()])
    assert np.array_equal(got, expected)
    assert expected.size == size
    done = one.measured()
    assert done == other.measured()
    assert done.sent == done.received + done.lost + done.late


def test_legs_of_one_seed_lose_different_packets() -> None:
    speech = np.zeros(400 * FRAME, dtype=np.int16)
    lost = []
    for leg in LEGS:
        line = line_of("bad_signal", leg)
        assert line is not None
        line.process(speech)
        lost.append([packet.sequence for packet in line.packets if packet.lost])
    assert lost[0] != lost[1]
    assert all(lost)


@pytest.mark.parametrize("name", [name for name in TABLE if name not in ("clean", "pstn")])
def test_speech_comes_out_at_the_delay_of_the_leg(name: str) -> None:
    """The lag at which what is heard is most like what was said, without loss and late packets."""
    leg = preset(name).agent_to_caller
    quiet = leg.model_copy(update={"loss": Bernoulli(p=0.0), "jitter": preset("clean").caller_to_agent.jitter})
    if line_of(name, "agent_to_caller") is None:
        return
    line = Line(quiet, leg="agent_to_caller", seed=1)
    speech = sample_speech()[: 6 * 16_000]
    heard = line.process(speech).astype(float)
    said = speech[: 5 * 16_000].astype(float)
    lags = range(line.delay_samples - 40, line.delay_samples + 41)
    alike = [float(np.dot(said, heard[lag : lag + said.size])) for lag in lags]
    step = 16_000 // line._codec.rate_hz
    assert lags[int(np.argmax(alike))] == pytest.approx(line.delay_samples, abs=step)
    assert line.delay_samples >= round((leg.delay_ms + leg.buffer_ms) * 16)
