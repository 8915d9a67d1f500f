"""Noise: of the line itself, in the telephone band, and of what surrounds the talker, at a ratio to the speech.

Noise of the surroundings is a loop of 20 s, made or read when a leg is built, whose mean power is exactly 1; it starts
at a place that the seed chooses, and so is the same for the same seed, leg and packet.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Annotated, Literal, Self

import numpy as np
import soundfile
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from voicebench.errors import ConfigError
from voicebench.line.data import PinnedFile, at_rate, shipped
from voicebench.line.filters import telephone_filter
from voicebench.line.level import FULL_SCALE, SPEECH_LEVEL_DBOV
from voicebench.line.stage import FRAME_MS, Samples, to_sample_grid
from voicebench.line.streams import Stream

__all__ = ["NOISES", "LineNoise", "Noise", "NoiseSettings", "loop"]

LOOP_S = 20

PINK_DB = {20: 17.0, 40: 14.0, 80: 11.0, 1000: 0.0, 8000: -9.0}
"""Power falls by 3 dB an octave; nothing below 20 Hz."""

CAR_DB = {20: -6.0, 40: 0.0, 80: -2.0, 160: -10.0, 315: -20.0, 630: -28.0, 1250: -36.0, 2500: -44.0, 8000: -60.0}
"""The inside of a car at speed: tyres and engine below 200 Hz, then 8 to 9 dB less an octave."""

STREET_DB = {20: -8.0, 63: 0.0, 125: -1.0, 250: -4.0, 500: -6.0, 1000: -6.0, 2000: -9.0, 4000: -16.0, 8000: -26.0}
"""Traffic at the kerb: engines below 125 Hz, tyres around 1 kHz."""

STREET_SWELL_DB, STREET_SWELL_HZ = 3.0, 0.25
"""Vehicles pass: the level swells by 3 dB (standard deviation), slower than four seconds."""

HUM_DB = {1: 0.0, 2: -6.0, 3: -4.0, 5: -10.0, 7: -14.0, 9: -18.0}
"""A mains hum: harmonics of 50 or 60 Hz."""


class NoiseSettings(BaseModel):
    """Noise around the talker.

    Attributes:
        kind: a name in ``NOISES``, or ``file``.
        snr_db: active level of the speech (ITU-T P.56) above the mean power of the noise, both in the codec's band.
        speech_dbov: active level of the speech that the ratio refers to; the voices and ``line apply`` keep to -26.
        hum_hz: frequency of the mains, for ``hum``.
        file: a recording that libsndfile reads, for ``file``; it is repeated from its end.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    snr_db: Annotated[float, Field(ge=-20.0, le=100.0, allow_inf_nan=False)] = 20.0
    speech_dbov: Annotated[float, Field(ge=-60.0, le=0.0, allow_inf_nan=False)] = SPEECH_LEVEL_DBOV
    hum_hz: Literal[50, 60] = 50
    file: PinnedFile | None = None

    @field_validator("kind")
    @classmethod
    def _is_known(cls, kind: str) -> str:
        if kind not in NOISES:
            raise ValueError(f"{kind!r} is unknown; valid: {', '.join(NOISES)}")
        return kind

    @model_validator(mode="after")
    def _has_its_file(self) -> Self:
        if (self.kind == "file") != (self.file is not None):
            raise ValueError("noise of the kind 'file', and only that, has a file with its path and sha256")
        return self


class _Added:
    """The base of both kinds of noise; it measures the mean power of the noise that was added.

    Attributes:
        power: mean square of all noise so far.
    """

    delay_samples = 0

    def __init__(self) -> None:
        self._energy = 0.0
        self._count = 0

    @property
    def power(self) -> float:
        return self._energy / self._count if self._count else 0.0

    def _add(self, samples: Samples, noise: Samples) -> Samples:
        self._energy += float(np.dot(noise, noise))
        self._count += noise.size
        return samples + noise


class Noise(_Added):
    """Add noise to the speech of a talker.

    Args:
        settings: which, and how loud.
        rate_hz: samples per second of what it is added to.
        stream: the random stream of this stage.
    """

    def __init__(self, settings: NoiseSettings, rate_hz: int, stream: Stream) -> None:
        super().__init__()
        power_db = settings.speech_dbov - settings.snr_db
        # Two places of the stream: how many numbers a loop takes must not move the place where it starts.
        unit = loop(settings, rate_hz, stream.at(0))
        self._loop = to_sample_grid(FULL_SCALE * 10.0 ** (power_db / 20.0) * unit)
        self._place = int(stream.at(1).integers(self._loop.size))

    def process(self, samples: Samples) -> Samples:
        """Return float64[n] with noise added."""
        noise = self._loop.take(np.arange(self._place, self._place + samples.size), mode="wrap")
        self._place = (self._place + samples.size) % self._loop.size
        return self._add(samples, noise)


def loop(settings: NoiseSettings, rate_hz: int, generator: np.random.Generator) -> Samples:
    """Return a loop of noise, float64[n], of mean power 1.

    Raises:
        ConfigError: a file is missing, is not the one it was, or holds no sound.
    """
    made = NOISES[settings.kind](settings, rate_hz, generator)
    power = float(np.mean(made * made)) if made.size else 0.0
    if not power > 0.0:
        raise ConfigError(f"noise of the kind {settings.kind!r} is silent; give a recording with sound in it")
    unit: Samples = made / np.sqrt(power)
    return unit


def _shaped(table: dict[int, float] | None) -> Callable[[NoiseSettings, int, np.random.Generator], Samples]:
    """Return a maker of Gaussian noise with a spectrum: Hz to dB, straight lines over the octaves."""

    def make(settings: NoiseSettings, rate_hz: int, generator: np.random.Generator) -> Samples:
        size = LOOP_S * rate_hz
        white = generator.standard_normal(size)
        if table is None:
            return white
        hertz = np.fft.rfftfreq(size, 1.0 / rate_hz)
        octaves = np.log2(np.maximum(hertz, 1.0))
        decibels = np.interp(octaves, np.log2(list(table)), list(table.values()), left=-120.0)
        return np.fft.irfft(np.fft.rfft(white) * 10.0 ** (decibels / 20.0), size)

    return make


def _street(settings: NoiseSettings, rate_hz: int, generator: np.random.Generator) -> Samples:
    steady = _shaped(STREET_DB)(settings, rate_hz, generator)
    bins = round(STREET_SWELL_HZ * LOOP_S)
    angles = 2.0 * np.pi * generator.random(bins)
    time = np.arange(steady.size) / steady.size
    # Random phases of equal amplitude: sqrt(2 / n) brings the sum of n cosines to a deviation of 1.
    waves = np.cos(2.0 * np.pi * np.arange(1, bins + 1)[:, None] * time + angles[:, None])
    swell_db: Samples = STREET_SWELL_DB * np.sqrt(2.0 / bins) * waves.sum(axis=0)
    return steady * 10.0 ** (swell_db / 20.0)


def _hum(settings: NoiseSettings, rate_hz: int, generator: np.random.Generator) -> Samples:
    time = np.arange(rate_hz) / rate_hz
    tones = [
        10.0 ** (decibels / 20.0) * np.sin(2.0 * np.pi * (settings.hum_hz * order * time + generator.random()))
        for order, decibels in HUM_DB.items()
    ]
    hum: Samples = np.sum(tones, axis=0)
    return hum


def _recorded(settings: NoiseSettings, rate_hz: int, generator: np.random.Generator) -> Samples:
    assert settings.file is not None
    try:
        samples, rate = soundfile.read(BytesIO(settings.file.read()), dtype="float64", always_2d=True)
    except soundfile.SoundFileError as error:
        raise ConfigError(f"{settings.file.path}: not readable as audio ({error})") from error
    mono: Samples = samples.mean(axis=1)
    return at_rate(mono * FULL_SCALE, rate, rate_hz) if mono.size else mono


NOISES: dict[str, Callable[[NoiseSettings, int, np.random.Generator], Samples]] = {
    "white": _shaped(None),
    "pink": _shaped(PINK_DB),
    "hum": _hum,
    "car": _shaped(CAR_DB),
    "street": _street,
    "babble": lambda settings, rate_hz, generator: shipped("babble", rate_hz),
    "file": _recorded,
}
"""Makers of noise by name: settings, samples per second and a generator to a loop of any power."""


class LineNoise(_Added):
    """Add white noise shaped to the telephone band: the noise of the line itself.

    Args:
        level_dbov: power of the noise after shaping, in dBov.
        rate_hz: samples per second of what it is added to.
        stream: the random stream of this stage; packet ``i`` always gets the same noise.
    """

    def __init__(self, level_dbov: float, rate_hz: int, stream: Stream) -> None:
        super().__init__()
        self._shape = telephone_filter("telephone", rate_hz)
        self._gain = FULL_SCALE * 10.0 ** (level_dbov / 20.0) / self._shape.noise_gain
        self._packet = rate_hz * FRAME_MS // 1000
        self._stream = stream
        self._index = 0

    def process(self, samples: Samples) -> Samples:
        """Return float64[n], the samples of one packet with noise added."""
        white = self._stream.at(self._index).standard_normal(self._packet)
        self._index += 1
        noise = self._shape.process(to_sample_grid(self._gain * white))
        return self._add(samples, noise)
