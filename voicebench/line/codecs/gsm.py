"""GSM full rate (ETSI GSM 06.10): libsndfile encodes, FFmpeg decodes."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import soundfile
from numpy.typing import NDArray

from voicebench.line.codecs.base import CodecOptions
from voicebench.line.codecs.ffmpeg import Decoder

__all__ = ["GsmFullRate"]


class GsmFullRate:
    """13 kbit/s, 33 bytes a frame of 160 samples."""

    rate_hz = 8_000
    delay_samples = 0

    def __init__(self, options: CodecOptions) -> None:
        del options
        self._stream = BytesIO()
        self._file = soundfile.SoundFile(
            self._stream, "w", samplerate=self.rate_hz, channels=1, format="RAW", subtype="GSM610"
        )
        self._taken = 0
        self._decoder = Decoder("gsm", self.rate_hz)

    def encode(self, pcm: NDArray[np.int16]) -> bytes:
        """Code int16[160] into 33 bytes."""
        self._file.write(pcm)
        payload = self._stream.getbuffer()[self._taken :].tobytes()
        self._taken += len(payload)
        return payload

    def decode(self, payload: bytes) -> NDArray[np.int16]:
        """Decode 33 bytes into int16[160]."""
        return self._decoder.decode(payload)
