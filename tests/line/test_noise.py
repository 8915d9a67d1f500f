"""Noise has the level and the spectrum that its name says."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from voicebench.errors import ConfigError
from voicebench.line import Line, LineSettings, active_level_dbov, sample_speech
from voicebench.line.data import PinnedFile, shipped
from voicebench.line.level import gain_db
from voicebench.line.noise import CAR_DB, NOISES, STREET_DB, NoiseSettings, loop
from voicebench.line.settings import LegSettings
from voicebench.line.stage import RATE, to_pcm
from voicebench.line.streams import Stream
from voicebench.record.json_types import JsonObject

pytestmark = pytest.mark.unit

KINDS = [kind for kind in NOISES if kind != "file"]


def through(samples: NDArray[np.int16], **keys: Any) -> tuple[NDArray[np.int16], Line]:
    line = Line(LegSettings.model_validate(keys), leg="caller_to_agent", seed=7)
    return line.process(samples), line


def made(kind: str, rate_hz: int = RATE, seed: int = 3) -> NDArray[np.float64]:
    return loop(NoiseSettings(kind=kind), rate_hz, Stream(seed, "caller_to_agent", "noise").at(0))


def band_db(samples: NDArray[np.float64], low: float, high: float, rate_hz: int = RATE) -> float:
    """Mean power density from ``low`` to ``high`` Hz."""
    power = np.abs(np.fft.rfft(samples)) ** 2
    hertz = np.fft.rfftfreq(samples.size, 1 / rate_hz)
    return 10.0 * math.log10(float(power[(hertz >= low) & (hertz < high)].mean()))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("snr_db", [20.0, 5.0])
def test_the_ratio_to_the_active_level_is_within_a_tenth_of_a_decibel(kind: str, snr_db: float) -> None:
    recorded = np.resize(sample_speech(), 20 * RATE)
    speech = to_pcm(recorded * 10.0 ** (gain_db(active_level_dbov(recorded, RATE)) / 20.0))
    noisy, line = through(speech, noise={"kind": kind, "snr_db": snr_db})
    noise = noisy.astype(np.float64) - speech
    level = active_level_dbov(speech, RATE).active_dbov
    ratio = level - 10.0 * math.log10(float(np.mean(noise**2)) / 32768.0**2)
    assert level == pytest.approx(-26.0, abs=0.05)
    assert ratio == pytest.approx(snr_db, abs=0.1)
    assert line.measured().snr_db == pytest.approx(ratio, abs=0.05)


@pytest.mark.parametrize("kind", KINDS)
def test_loops_have_power_one_at_both_rates(kind: str) -> None:
    for rate_hz in (8_000, 16_000):
        noise = made(kind, rate_hz)
        assert float(np.mean(noise**2)) == pytest.approx(1.0, abs=1e-9)
        assert noise.size in (rate_hz, 20 * rate_hz)


def test_white_is_flat_and_pink_falls_by_3_db_an_octave() -> None:
    white, pink = made("white"), made("pink")
    for low in (125.0, 500.0, 2000.0):
        assert band_db(white, low, 2 * low) - band_db(white, 2 * low, 4 * low) == pytest.approx(0.0, abs=0.4)
        assert band_db(pink, low, 2 * low) - band_db(pink, 2 * low, 4 * low) == pytest.approx(3.0, abs=0.4)


@pytest.mark.parametrize(("kind", "table"), [("car", CAR_DB), ("street", STREET_DB)])
def test_car_and_street_have_the_spectra_of_their_tables(kind: str, table: dict[int, float]) -> None:
    noise = made(kind)
    for hertz in (250, 500, 1000, 2000):
        expected = np.interp(math.log2(hertz), np.log2(list(table)), list(table.values()))
        at_63 = np.interp(math.log2(100), np.log2(list(table)), list(table.values()))
        measured = band_db(noise, 0.94 * hertz, 1.06 * hertz) - band_db(noise, 94.0, 106.0)
        assert measured == pytest.approx(expected - at_63, abs=2.0)


def test_the_street_swells_and_the_car_does_not() -> None:
    def spread(kind: str) -> float:
        seconds = made(kind).reshape(20, -1)
        return float(np.std(10.0 * np.log10(np.mean(seconds**2, axis=1))))

    assert spread("street") > 2.0
    assert spread("car") < 1.0


@pytest.mark.parametrize("hertz", [50, 60])
def test_hum_has_the_mains_and_its_harmonics_alone(hertz: int) -> None:
    hum = loop(NoiseSettings(kind="hum", hum_hz=hertz), RATE, Stream(1, "", "").at(0))
    power = np.abs(np.fft.rfft(hum)) ** 2
    tones = set(np.flatnonzero(power > power.max() * 1e-4).tolist())
    assert tones == {hertz * order for order in (1, 2, 3, 5, 7, 9)}
    assert int(np.argmax(power)) == hertz


def test_babble_is_speech_of_many_at_once() -> None:
    """Levels of 20 ms vary less than one talker's, and the spectrum is that of speech."""
    babble, talker = shipped("babble", RATE), sample_speech().astype(np.float64)

    def depth(samples: NDArray[np.float64]) -> float:
        frames = samples[: samples.size // 320 * 320].reshape(-1, 320)
        return float(np.std(10.0 * np.log10(np.mean(frames**2, axis=1) + 1.0)))

    assert depth(babble) < 0.4 * depth(talker)
    assert band_db(babble, 200, 1000) - band_db(babble, 3000, 6000) > 15.0
    assert babble.size == 20 * RATE


def test_the_seed_and_the_leg_choose_the_noise() -> None:
    silence = np.zeros(RATE, dtype=np.int16)
    settings = LegSettings(noise=NoiseSettings(kind="babble", snr_db=10.0))
    one, again, other = (Line(settings, leg="caller_to_agent", seed=seed).process(silence) for seed in (1, 1, 2))
    elsewhere = Line(settings, leg="agent_to_caller", seed=1).process(silence)
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert not np.array_equal(one, elsewhere)


def recording(path: Path, rate: int = 44_100) -> PinnedFile:
    sound = np.sin(2 * np.pi * 440 * np.arange(rate) / rate)[:, None] * np.array([0.2, 0.4])
    soundfile.write(path, sound, rate)
    return PinnedFile(path=path, sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def test_a_recording_of_the_users_is_noise_at_the_ratio(tmp_path: Path) -> None:
    file = recording(tmp_path / "a.wav")
    silence = np.zeros(4 * RATE, dtype=np.int16)
    noise, line = through(silence, noise={"kind": "file", "snr_db": 10.0, "file": file.model_dump()})
    assert line.measured().noise_dbov == pytest.approx(-36.0, abs=0.05)
    assert int(np.argmax(np.abs(np.fft.rfft(noise)))) == 4 * 440


def test_recordings_that_will_not_do_are_explained(tmp_path: Path) -> None:
    file = recording(tmp_path / "a.wav")
    with pytest.raises(ConfigError, match="has a file with its path and sha256"):
        LineSettings().with_leg("caller_to_agent", {"noise": "file"})
    with pytest.raises(ConfigError, match=r"'rain' is unknown; valid: white, pink"):
        LineSettings().with_leg("caller_to_agent", {"noise": "rain"})
    keys: JsonObject = {"noise": {"kind": "file", "file": {**file.model_dump(), "sha256": "0" * 64}}}
    with pytest.raises(ConfigError, match=r"has the SHA-256 [0-9a-f]{64}, not 0000"):
        LineSettings().with_leg("caller_to_agent", keys).require()
    (tmp_path / "b.wav").write_bytes(b"no sound")
    digest = hashlib.sha256(b"no sound").hexdigest()
    settings = NoiseSettings(kind="file", file=PinnedFile(path=tmp_path / "b.wav", sha256=digest))
    with pytest.raises(ConfigError, match="not readable as audio"):
        loop(settings, RATE, np.random.default_rng(0))
    soundfile.write(tmp_path / "c.wav", np.zeros(100), RATE)
    digest = hashlib.sha256((tmp_path / "c.wav").read_bytes()).hexdigest()
    settings = NoiseSettings(kind="file", file=PinnedFile(path=tmp_path / "c.wav", sha256=digest))
    with pytest.raises(ConfigError, match="is silent"):
        loop(settings, RATE, np.random.default_rng(0))


def test_noise_can_be_changed_key_by_key_and_taken_away() -> None:
    settings = LineSettings().with_leg("caller_to_agent", {"noise": "babble"})
    louder = settings.with_leg("caller_to_agent", {"noise": {"snr_db": 3}})
    assert louder.caller_to_agent.noise == NoiseSettings(kind="babble", snr_db=3.0)
    other = louder.with_leg("caller_to_agent", {"noise": {"kind": "pink"}})
    assert other.caller_to_agent.noise == NoiseSettings(kind="pink", snr_db=20.0)
    assert other.with_leg("caller_to_agent", {"noise": "none"}).caller_to_agent.noise is None
