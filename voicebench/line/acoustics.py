"""What happens to speech before the codec and at the listener: room, echo, gain control, clipping, sidetone."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from voicebench.line.data import shipped
from voicebench.line.level import FULL_SCALE
from voicebench.line.resample import Resampler
from voicebench.line.stage import RATE, Samples, to_sample_grid

__all__ = ["Agc", "AgcSettings", "Clip", "Echo", "EchoSettings", "Room", "RoomName", "Sidetone"]

RoomName = Literal["none", "speakerphone"]

Decibels = Annotated[float, Field(ge=0.0, le=120.0, allow_inf_nan=False)]


class EchoSettings(BaseModel):
    """What the talker's microphone picks up of the loudspeaker, after the canceller.

    Attributes:
        loss_db: by how much it is quieter than what the loudspeaker plays.
        delay_ms: how much later it comes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    loss_db: Decibels
    delay_ms: Annotated[float, Field(ge=0.0, le=500.0, allow_inf_nan=False)] = 10.0


class AgcSettings(BaseModel):
    """A gain control that follows the level of what it gets.

    Attributes:
        target_dbov: mean power that it works towards.
        most_db: the largest gain, and the largest loss.
        attack_ms: time constant where the level rises.
        release_ms: time constant where it falls.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    target_dbov: Annotated[float, Field(ge=-60.0, le=0.0, allow_inf_nan=False)] = -23.0
    most_db: Decibels = 15.0
    attack_ms: Annotated[float, Field(ge=5.0, le=10_000.0, allow_inf_nan=False)] = 20.0
    release_ms: Annotated[float, Field(ge=5.0, le=10_000.0, allow_inf_nan=False)] = 1_000.0


class Room:
    """The reverberation of a room; the direct sound is not delayed, and the energy stays what it was.

    The convolution is by overlap-save in one block (Oppenheim and Schafer, section 8.7).
    """

    delay_samples = 0

    def __init__(self, rate_hz: int) -> None:
        response = shipped("room", rate_hz)
        self._taps = response.size
        self._history = np.zeros(response.size - 1)
        self._size = 2 ** math.ceil(math.log2(response.size + rate_hz // 50))
        self._spectrum = np.fft.rfft(response / np.sqrt(np.sum(response * response)), self._size)

    def process(self, samples: Samples) -> Samples:
        """Return float64[n] as heard across the room; n is at most 20 ms."""
        heard = np.concatenate([self._history, samples])
        self._history = heard[samples.size :]
        wet = np.fft.irfft(np.fft.rfft(heard, self._size) * self._spectrum, self._size)
        return to_sample_grid(wet[self._taps - 1 : self._taps - 1 + samples.size])


class Echo:
    """Add what the loudspeaker plays, later and quieter."""

    delay_samples = 0

    def __init__(self, settings: EchoSettings, rate_hz: int) -> None:
        self._resampler = Resampler(RATE, rate_hz) if rate_hz != RATE else None
        self._gain = 10.0 ** (-settings.loss_db / 20.0)
        self._coming: Samples = np.zeros(round(settings.delay_ms * rate_hz / 1000.0))

    def feed(self, far: Samples) -> None:
        """Take 20 ms of what the loudspeaker plays, float64[320] at 16 kHz."""
        played = self._resampler.process(far) if self._resampler is not None else far
        self._coming = np.concatenate([self._coming, to_sample_grid(self._gain * played)])

    def process(self, samples: Samples) -> Samples:
        """Return float64[n] with the echo added."""
        echo, self._coming = self._coming[: samples.size], self._coming[samples.size :]
        return samples + echo


class Agc:
    """Gain that brings the level towards a target, changed every 5 ms in a straight line."""

    delay_samples = 0
    _QUIET_DBOV = -60.0
    _STEP_MS = 5

    def __init__(self, settings: AgcSettings, rate_hz: int) -> None:
        self._settings = settings
        self._step = rate_hz * self._STEP_MS // 1000
        self._power = (FULL_SCALE * 10.0 ** (settings.target_dbov / 20.0)) ** 2
        self._target = self._power
        self._gain = 1.0

    def process(self, samples: Samples) -> Samples:
        """Return float64[n] with its level controlled; n is a multiple of 5 ms."""
        settings = self._settings
        most = 10.0 ** (settings.most_db / 20.0)
        controlled = []
        for step in samples.reshape(-1, self._step):
            power = float(np.mean(step * step))
            # The level is held through pauses: it would fall there, and the gain would pump up the noise between words.
            if power > FULL_SCALE**2 * 10.0 ** (self._QUIET_DBOV / 10.0):
                constant = settings.attack_ms if power > self._power else settings.release_ms
                self._power += (power - self._power) * (1.0 - math.exp(-self._STEP_MS / constant))
            wanted = min(most, max(1.0 / most, math.sqrt(self._target / self._power)))
            # A ramp and not a step: a gain that jumps is heard as a click.
            controlled.append(step * (self._gain + (wanted - self._gain) * np.arange(1, step.size + 1) / step.size))
            self._gain = wanted
        return to_sample_grid(np.concatenate(controlled))


class Clip:
    """Samples beyond a limit are cut off, as by an overdriven amplifier."""

    delay_samples = 0

    def __init__(self, limit_dbov: float) -> None:
        self._limit = float(to_sample_grid(np.array(FULL_SCALE * 10.0 ** (limit_dbov / 20.0))))
        self._cut = 0
        self._count = 0

    @property
    def clipped_rate(self) -> float:
        """Samples cut off so far, of all."""
        return self._cut / self._count if self._count else 0.0

    def process(self, samples: Samples) -> Samples:
        """Return float64[n] within the limit."""
        self._cut += int(np.count_nonzero(np.abs(samples) > self._limit))
        self._count += samples.size
        return np.clip(samples, -self._limit, self._limit)


class Sidetone:
    """Add what the listener says to what the listener hears, as a telephone set does."""

    delay_samples = 0

    def __init__(self, loss_db: float) -> None:
        self._gain = 10.0 ** (-loss_db / 20.0)
        self._said: Samples = np.zeros(0)

    def feed(self, listener: Samples) -> None:
        """Take 20 ms of what the listener says, float64[320] at 16 kHz."""
        self._said = to_sample_grid(self._gain * listener)

    def process(self, samples: Samples) -> Samples:
        """Return float64[320] with the sidetone added."""
        return samples + self._said
