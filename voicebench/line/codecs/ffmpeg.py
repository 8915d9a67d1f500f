"""Encoders and decoders of FFmpeg, through PyAV: one frame in, one payload out, and back.

PyAV's wheel carries FFmpeg with its codecs (GPL-licensed parts included); this module alone touches it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voicebench.errors import ConfigError
from voicebench.line.codecs.base import CodecOptions

__all__ = ["G722", "AmrNb", "Decoder", "Encoder", "require"]

AMR_NO_DATA = b"\x7c"
"""A frame of type 15 in AMR's storage format (RFC 4867): nothing arrived, so the decoder conceals."""


def require() -> None:
    """Check that PyAV is here.

    Raises:
        ConfigError: it is not.
    """
    try:
        import av  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            "this codec needs PyAV, which is not installed; pip install 'voicebench-sim[local]', or pip install av"
        ) from error


class Encoder:
    """One FFmpeg encoder of mono int16."""

    def __init__(self, name: str, rate_hz: int, kbps: float | None = None, **options: str) -> None:
        import av

        context: Any = av.CodecContext.create(name, "w")
        context.sample_rate, context.layout, context.format = rate_hz, "mono", "s16"
        context.time_base = Fraction(1, rate_hz)
        if kbps is not None:
            context.bit_rate = round(kbps * 1000)
        context.options = options
        context.open()
        self._context = context
        self._rate_hz = rate_hz
        self._sent = 0

    def encode(self, pcm: NDArray[np.int16]) -> bytes:
        """Code int16[n], one frame of the codec."""
        from av import AudioFrame

        frame = AudioFrame.from_ndarray(np.ascontiguousarray(pcm)[None, :], format="s16", layout="mono")
        frame.sample_rate, frame.pts = self._rate_hz, self._sent
        self._sent += pcm.size
        (packet,) = self._context.encode(frame)
        return bytes(packet)


class Decoder:
    """One FFmpeg decoder to mono int16."""

    def __init__(self, name: str, rate_hz: int) -> None:
        import av

        context: Any = av.CodecContext.create(name, "r")
        context.sample_rate, context.layout = rate_hz, "mono"
        context.open()
        self._context = context

    def decode(self, payload: bytes) -> NDArray[np.int16]:
        """Decode one payload into int16[n]."""
        from av import Packet

        (frame,) = self._context.decode(Packet(payload))
        pcm: NDArray[np.int16] = frame.to_ndarray().reshape(-1).astype(np.int16)
        return pcm


class G722:
    """ITU-T G.722 at 64 kbit/s: two ADPCM bands, 50 to 7000 Hz."""

    rate_hz = 16_000
    delay_samples = 22

    def __init__(self, options: CodecOptions) -> None:
        del options
        self._encoder, self._decoder = Encoder("g722", self.rate_hz), Decoder("g722", self.rate_hz)

    def encode(self, pcm: NDArray[np.int16]) -> bytes:
        """Code int16[320] into 160 bytes."""
        return self._encoder.encode(pcm)

    def decode(self, payload: bytes) -> NDArray[np.int16]:
        """Decode 160 bytes into int16[320]."""
        return self._decoder.decode(payload)


class AmrNb:
    """3GPP AMR narrow-band (TS 26.071), one of its eight modes."""

    rate_hz = 8_000
    delay_samples = 39

    def __init__(self, options: CodecOptions) -> None:
        self._encoder = Encoder("libopencore_amrnb", self.rate_hz, options.kbps or 12.2)
        self._decoder = Decoder("libopencore_amrnb", self.rate_hz)

    def encode(self, pcm: NDArray[np.int16]) -> bytes:
        """Code int16[160] into one frame of the storage format (RFC 4867)."""
        return self._encoder.encode(pcm)

    def decode(self, payload: bytes) -> NDArray[np.int16]:
        """Decode one frame into int16[160]."""
        return self._decoder.decode(payload)

    def conceal(self, following: bytes | None) -> NDArray[np.int16]:
        """Return what the decoder makes up (TS 26.091), int16[160]."""
        return self._decoder.decode(AMR_NO_DATA)
