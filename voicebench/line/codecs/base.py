"""The contract of a codec, what a codec's entry in the register says, and the codec that leaves the samples alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from voicebench.errors import ConfigError

__all__ = ["Codec", "CodecKind", "CodecOptions", "Linear", "NativeConcealment"]


class Codec(Protocol):
    """Encoder and decoder of one leg; an object serves one leg, so it may keep state.

    Attributes:
        rate_hz: samples per second of what it codes.
        delay_samples: from a sample to its place in the decoded signal, in samples at ``rate_hz``.
    """

    rate_hz: int
    delay_samples: int

    def encode(self, pcm: NDArray[np.int16]) -> bytes:
        """Code 20 ms of int16 samples at ``rate_hz`` into one payload."""

    def decode(self, payload: bytes) -> NDArray[np.int16]:
        """Turn one payload into 20 ms of int16 samples at ``rate_hz``."""


@runtime_checkable
class NativeConcealment(Protocol):
    """What a codec has that can make up a lost packet in its decoder."""

    def conceal(self, following: bytes | None) -> NDArray[np.int16]:
        """Return 20 ms in place of a lost payload; ``following`` is the next one, if it is there already."""


@dataclass(frozen=True)
class CodecOptions:
    """What a codec can be asked for.

    Attributes:
        kbps: bit rate, kilobits per second; None for the codec's usual one.
        fec: whether each packet carries a copy of the one before it at a lower rate.
    """

    kbps: float | None = None
    fec: bool = False


@dataclass(frozen=True)
class CodecKind:
    """A codec in the register.

    Attributes:
        make: builds encoder and decoder for one leg.
        kbps: the bit rates it has, the usual one first; empty where there is only one.
        native: whether its decoder conceals.
        fec: whether it has forward error correction.
        require: raises ConfigError where a library is missing.
    """

    make: Callable[[CodecOptions], Codec]
    kbps: tuple[float, ...] = ()
    native: bool = False
    fec: bool = False
    require: Callable[[], None] = lambda: None

    def check(self, name: str, options: CodecOptions) -> None:
        """Refuse options that the codec does not have.

        Raises:
            ConfigError: the bit rate or forward error correction is not offered by this codec.
        """
        if options.kbps is not None and options.kbps not in self.kbps:
            valid = ", ".join(f"{rate:g}" for rate in sorted(self.kbps))
            hint = f"valid: {valid}" if valid else "it has only one; leave kbps out"
            raise ConfigError(f"codec {name} has no bit rate of {options.kbps:g} kbit/s; {hint}")
        if options.fec and not self.fec:
            raise ConfigError(f"codec {name} has no forward error correction; set fec to false, or use an Opus codec")


class Linear:
    """No codec: 16 kHz linear PCM, bit for bit."""

    rate_hz = 16_000
    delay_samples = 0

    def __init__(self, options: CodecOptions) -> None:
        del options

    def encode(self, pcm: NDArray[np.int16]) -> bytes:
        """Return the samples as little-endian bytes."""
        return pcm.astype("<i2").tobytes()

    def decode(self, payload: bytes) -> NDArray[np.int16]:
        """Return the samples of a payload."""
        return np.frombuffer(payload, dtype="<i2").astype(np.int16)
