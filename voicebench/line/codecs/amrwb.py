"""3GPP AMR wide-band: encoded by VisualOn's library where it is installed, decoded by FFmpeg."""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from voicebench.errors import ConfigError
from voicebench.line.codecs import ffmpeg
from voicebench.line.codecs.base import CodecOptions

__all__ = ["MODES_KBPS", "AmrWb", "require"]

MODES_KBPS = (6.6, 8.85, 12.65, 14.25, 15.85, 18.25, 19.85, 23.05, 23.85)
USUAL_KBPS = 12.65
DEBIAN_PACKAGE = "libvo-amrwbenc0"
_LARGEST_FRAME = 64


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    name = ctypes.util.find_library("vo-amrwbenc")
    if name is None:
        raise ConfigError(
            f"AMR-WB needs the encoder library libvo-amrwbenc, which is not installed; on Debian: "
            f"apt-get install {DEBIAN_PACKAGE}; or choose another codec"
        )
    library = ctypes.CDLL(name)
    library.E_IF_init.restype = ctypes.c_void_p
    library.E_IF_encode.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
    library.E_IF_exit.argtypes = [ctypes.c_void_p]
    return library


def require() -> None:
    """Check that encoder and decoder are here.

    Raises:
        ConfigError: one is not; the message names the package.
    """
    _library()
    ffmpeg.require()


class AmrWb:
    """AMR-WB (TS 26.171, ITU-T G.722.2), one of its nine modes."""

    rate_hz = 16_000
    delay_samples = 95

    def __init__(self, options: CodecOptions) -> None:
        self._library = _library()
        self._encoder = self._library.E_IF_init()
        self._mode = MODES_KBPS.index(options.kbps or USUAL_KBPS)
        self._frame = (ctypes.c_ubyte * _LARGEST_FRAME)()
        self._decoder = ffmpeg.Decoder("libopencore_amrwb", self.rate_hz)

    def __del__(self) -> None:
        if getattr(self, "_encoder", None):
            self._library.E_IF_exit(self._encoder)

    def encode(self, pcm: NDArray[np.int16]) -> bytes:
        """Code int16[320] into one frame of the storage format (RFC 4867)."""
        samples = np.ascontiguousarray(pcm)
        size = self._library.E_IF_encode(self._encoder, self._mode, samples.ctypes.data, self._frame, 0)
        return bytes(self._frame[:size])

    def decode(self, payload: bytes) -> NDArray[np.int16]:
        """Decode one frame into int16[320]."""
        return self._decoder.decode(payload)

    def conceal(self, following: bytes | None) -> NDArray[np.int16]:
        """Return what the decoder makes up (TS 26.191), int16[320]."""
        return self._decoder.decode(ffmpeg.AMR_NO_DATA)
