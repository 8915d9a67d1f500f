"""Opus (RFC 6716) for speech: FFmpeg encodes, libopus decodes, conceals and reads in-band error correction."""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voicebench.errors import ConfigError
from voicebench.line.codecs import ffmpeg
from voicebench.line.codecs.base import CodecOptions

__all__ = ["KBPS_NB", "KBPS_WB", "OpusNb", "OpusWb", "require"]

KBPS_NB = (12.0, 8.0, 10.0, 16.0, 20.0)
KBPS_WB = (24.0, 16.0, 20.0, 28.0, 32.0, 40.0)
EXPECTED_LOSS_PERCENT = 10
"""Loss that the encoder is to expect with error correction: libopus spends bits on that only where it expects loss."""


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    """Open the libopus that PyAV's wheel carries, or the system's."""
    ffmpeg.require()
    import av

    bundled = sorted((Path(av.__file__).parent.parent / "av.libs").glob("libopus-*"))
    name = str(bundled[0]) if bundled else ctypes.util.find_library("opus")
    if name is None:
        raise ConfigError("Opus needs the library libopus, which is not installed; on Debian: apt-get install libopus0")
    library = ctypes.CDLL(name)
    library.opus_decoder_create.restype = ctypes.c_void_p
    library.opus_decoder_create.argtypes = [ctypes.c_int32, ctypes.c_int, ctypes.POINTER(ctypes.c_int)]
    library.opus_decoder_destroy.argtypes = [ctypes.c_void_p]
    library.opus_decode.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_int, ctypes.c_int,
    ]  # fmt: skip
    return library


def require() -> None:
    """Check that encoder and decoder are here.

    Raises:
        ConfigError: one is not; the message names the package.
    """
    _library()


class _Opus:
    """A mono Opus stream of 20 ms packets, as a telephone would make it."""

    rate_hz: int
    delay_samples: int

    def __init__(self, options: CodecOptions, usual_kbps: float) -> None:
        self._encoder = ffmpeg.Encoder(
            "libopus",
            self.rate_hz,
            options.kbps or usual_kbps,
            application="voip",
            frame_duration="20",
            fec=str(int(options.fec)),
            packet_loss=str(EXPECTED_LOSS_PERCENT if options.fec else 0),
        )
        self._fec = options.fec
        self._library = _library()
        self._decoder = self._library.opus_decoder_create(self.rate_hz, 1, ctypes.byref(ctypes.c_int()))

    def __del__(self) -> None:
        if getattr(self, "_decoder", None):
            self._library.opus_decoder_destroy(self._decoder)

    def encode(self, pcm: NDArray[np.int16]) -> bytes:
        """Code 20 ms into one packet."""
        return self._encoder.encode(pcm)

    def decode(self, payload: bytes) -> NDArray[np.int16]:
        """Decode one packet into 20 ms."""
        return self._decode(payload, from_following=False)

    def conceal(self, following: bytes | None) -> NDArray[np.int16]:
        """Return the lost packet's copy in the following one, else what the decoder makes up."""
        return self._decode(following if self._fec else None, from_following=True)

    def _decode(self, payload: bytes | None, *, from_following: bool) -> NDArray[np.int16]:
        pcm = np.zeros(self.rate_hz // 50, dtype=np.int16)
        # decode_fec=1 reads the copy of the packet before out of this payload; with no payload libopus conceals.
        correcting = int(from_following and payload is not None)
        self._library.opus_decode(self._decoder, payload, len(payload or b""), pcm.ctypes.data, pcm.size, correcting)
        return pcm


class OpusNb(_Opus):
    """Narrow band: 8 kHz, 12 kbit/s unless another rate is set."""

    rate_hz = 8_000
    delay_samples = 52

    def __init__(self, options: CodecOptions) -> None:
        super().__init__(options, KBPS_NB[0])


class OpusWb(_Opus):
    """Wide band: 16 kHz, 24 kbit/s unless another rate is set."""

    rate_hz = 16_000
    delay_samples = 104

    def __init__(self, options: CodecOptions) -> None:
        super().__init__(options, KBPS_WB[0])
