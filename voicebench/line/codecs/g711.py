"""G.711 µ-law and A-law by table, value for value as in ITU-T G.191's software tools.

µ-law has 14-bit resolution, A-law 13-bit; both take and give int16 whose low bits are not used. Negative inputs are
folded by their one's complement, as G.191 does it, which is where common libraries differ from it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from voicebench.line.codecs.base import CodecOptions

__all__ = ["ALAW_DECODE", "ALAW_ENCODE", "G711A", "G711U", "ULAW_DECODE", "ULAW_ENCODE"]

_ULAW_BIAS = 33


def _ulaw_encode_table() -> NDArray[np.uint8]:
    """Codes of the inputs 0..32767, -32768..-1: the order of an int16 read as uint16."""
    linear = np.arange(65536, dtype=np.uint16).view(np.int16).astype(np.int64)
    folded = np.where(linear < 0, ~linear, linear)
    magnitude = np.minimum((folded >> 2) + _ULAW_BIAS, 0x1FFF)
    exponent = np.frexp(magnitude)[1] - 6
    mantissa = magnitude >> (exponent + 1) & 0x0F
    sign = np.where(linear < 0, 0x80, 0)
    codes: NDArray[np.uint8] = ((sign | exponent << 4 | mantissa) ^ 0xFF).astype(np.uint8)
    return codes


def _ulaw_decode_table() -> NDArray[np.int16]:
    code = np.arange(256) ^ 0xFF
    exponent, mantissa = code >> 4 & 7, code & 0x0F
    magnitude = ((2 * mantissa + 33 << exponent) - _ULAW_BIAS) << 2
    linear: NDArray[np.int16] = np.where(code & 0x80, -magnitude, magnitude).astype(np.int16)
    return linear


def _alaw_encode_table() -> NDArray[np.uint8]:
    """Codes of the inputs 0..32767, -32768..-1: the order of an int16 read as uint16."""
    linear = np.arange(65536, dtype=np.uint16).view(np.int16).astype(np.int64)
    magnitude = np.where(linear < 0, ~linear, linear) >> 4
    exponent = np.maximum(np.frexp(magnitude)[1] - 4, 0)
    mantissa = magnitude >> np.maximum(exponent - 1, 0) & 0x0F
    sign = np.where(linear < 0, 0, 0x80)
    codes: NDArray[np.uint8] = ((sign | exponent << 4 | mantissa) ^ 0x55).astype(np.uint8)
    return codes


def _alaw_decode_table() -> NDArray[np.int16]:
    code = np.arange(256) ^ 0x55
    exponent, mantissa = code >> 4 & 7, code & 0x0F
    implied = np.where(exponent > 0, mantissa | 0x10, mantissa)
    magnitude = (2 * implied + 1 << np.maximum(exponent - 1, 0)) << 3
    linear: NDArray[np.int16] = np.where(code & 0x80, magnitude, -magnitude).astype(np.int16)
    return linear


ULAW_ENCODE = _ulaw_encode_table()
"""uint8[65536], indexed by an int16 read as uint16."""

ULAW_DECODE = _ulaw_decode_table()
"""int16[256]."""

ALAW_ENCODE = _alaw_encode_table()
"""uint8[65536], indexed by an int16 read as uint16."""

ALAW_DECODE = _alaw_decode_table()
"""int16[256]."""


class _G711:
    """One companding law: a byte a sample at 8 kHz, without state."""

    rate_hz = 8_000
    delay_samples = 0

    def __init__(self, encode_table: NDArray[np.uint8], decode_table: NDArray[np.int16]) -> None:
        self._encode_table = encode_table
        self._decode_table = decode_table

    def encode(self, pcm: NDArray[np.int16]) -> bytes:
        """Code int16[n] into n bytes."""
        return self._encode_table[pcm.view(np.uint16)].tobytes()

    def decode(self, payload: bytes) -> NDArray[np.int16]:
        """Decode n bytes into int16[n]."""
        return self._decode_table[np.frombuffer(payload, dtype=np.uint8)]


class G711U(_G711):
    """µ-law, as North America and Japan use it."""

    def __init__(self, options: CodecOptions) -> None:
        del options
        super().__init__(ULAW_ENCODE, ULAW_DECODE)


class G711A(_G711):
    """A-law, as the rest of the world uses it."""

    def __init__(self, options: CodecOptions) -> None:
        del options
        super().__init__(ALAW_ENCODE, ALAW_DECODE)
