"""Models of network delay: a mean, and how packets jitter around it.

A new one is a settings class with ``build``, and its name in ``JitterSettings``. Each packet's jitter is its own, so
packets overtake each other where it is large: reordering and late loss follow.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from voicebench.errors import ConfigError
from voicebench.line.capture import read_capture
from voicebench.line.data import PinnedFile
from voicebench.line.streams import PacketDraws, Stream, named_model, uniform

__all__ = ["Delay", "GammaJitter", "JitterSettings", "NoJitter", "ReplayJitter", "UniformJitter"]

Positive = Annotated[float, Field(gt=0.0, le=2_000.0, allow_inf_nan=False)]


class Delay(Protocol):
    """Decides how long each packet takes."""

    def ms(self, index: int) -> float:
        """Return the time that packet ``index`` spends on the network, in milliseconds."""


class _JitterModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NoJitter(_JitterModel):
    """Every packet takes the same time."""

    model: Literal["none"] = "none"

    def build(self, delay_ms: float, stream: Stream) -> Delay:
        """Return the model, ready to be asked."""
        return _Fixed(delay_ms)


class UniformJitter(_JitterModel):
    """Every delay within ``range_ms`` of the mean is as likely as any other."""

    model: Literal["uniform"] = "uniform"
    range_ms: Positive

    def build(self, delay_ms: float, stream: Stream) -> Delay:
        """Return the model, ready to be asked.

        Raises:
            ConfigError: a packet would arrive before it is sent.
        """
        _refuse_negative(delay_ms, self.range_ms)
        draws = PacketDraws(stream, uniform)
        return _Drawn(draws, delay_ms - self.range_ms, 2.0 * self.range_ms)


class GammaJitter(_JitterModel):
    """Delays with a tail: gamma-distributed, shifted so that the mean is ``delay_ms``.

    Attributes:
        sd_ms: standard deviation.
        shape: of the gamma distribution; the earliest packet comes ``sqrt(shape) * sd_ms`` before the mean.
    """

    model: Literal["gamma"] = "gamma"
    sd_ms: Positive
    shape: Annotated[float, Field(gt=0.0, le=100.0, allow_inf_nan=False)] = 4.0

    def build(self, delay_ms: float, stream: Stream) -> Delay:
        """Return the model, ready to be asked.

        Raises:
            ConfigError: a packet would arrive before it is sent.
        """
        # A gamma of shape k and scale s has the mean k*s and the deviation sqrt(k)*s; with s = sd / sqrt(k) the mean is
        # sqrt(k)*sd, and is taken off, so that shape and sd change and delay_ms stays the mean.
        early = math.sqrt(self.shape) * self.sd_ms
        _refuse_negative(delay_ms, early)
        draws = PacketDraws(stream, lambda generator, count: generator.standard_gamma(self.shape, count))
        return _Drawn(draws, delay_ms - early, self.sd_ms / math.sqrt(self.shape))


class ReplayJitter(_JitterModel):
    """The delays of a user's capture, in place of ``delay_ms`` wherever it has one."""

    model: Literal["replay"] = "replay"
    file: PinnedFile

    def build(self, delay_ms: float, stream: Stream) -> Delay:
        """Read the capture and return the model, ready to be asked.

        Raises:
            ConfigError: the file is missing, changed or no capture, or has no delays.
        """
        return _ReplayedDelay(self.file, delay_ms)


class _Fixed:
    def __init__(self, delay_ms: float) -> None:
        self._delay_ms = delay_ms

    def ms(self, index: int) -> float:
        return self._delay_ms


class _Drawn:
    def __init__(self, draws: PacketDraws, least_ms: float, scale_ms: float) -> None:
        self._draws = draws
        self._least_ms = least_ms
        self._scale_ms = scale_ms

    def ms(self, index: int) -> float:
        return self._least_ms + self._scale_ms * self._draws.of(index)[0]


class _ReplayedDelay:
    def __init__(self, file: PinnedFile, delay_ms: float) -> None:
        self._capture = read_capture(file)
        self._delay_ms = delay_ms
        if not self._capture.delays_ms:
            raise ConfigError(f"{file.path}: has no column 'delay_ms' with a delay in it; jitter cannot replay it")

    def ms(self, index: int) -> float:
        return self._capture.delays_ms.get(self._capture.place(index), self._delay_ms)


def _refuse_negative(delay_ms: float, early_ms: float) -> None:
    if early_ms > delay_ms:
        raise ConfigError(
            f"line: jitter of up to {early_ms:g} ms before a mean delay of {delay_ms:g} ms would have packets arrive "
            f"before they are sent; set delay_ms to {early_ms:g} or more"
        )


JitterSettings = Annotated[
    Annotated[NoJitter | UniformJitter | GammaJitter | ReplayJitter, Field(discriminator="model")],
    BeforeValidator(named_model),
]
"""A model of jitter with its parameters; a name alone stands for a model that needs none."""
