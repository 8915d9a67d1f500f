"""Noise of the line itself: continuous, in the telephone band, the same for the same seed."""

from __future__ import annotations

from voicebench.line.filters import telephone_filter
from voicebench.line.level import FULL_SCALE
from voicebench.line.stage import FRAME_MS, Samples, to_sample_grid
from voicebench.line.streams import Stream

__all__ = ["LineNoise"]


class LineNoise:
    """Add white noise shaped to the telephone band.

    Args:
        level_dbov: power of the noise after shaping, in dBov.
        rate_hz: samples per second of what it is added to.
        stream: the random stream of this stage; packet ``i`` always gets the same noise.
    """

    delay_samples = 0

    def __init__(self, level_dbov: float, rate_hz: int, stream: Stream) -> None:
        self._shape = telephone_filter("telephone", rate_hz)
        self._gain = FULL_SCALE * 10.0 ** (level_dbov / 20.0) / self._shape.noise_gain
        self._packet = rate_hz * FRAME_MS // 1000
        self._stream = stream
        self._index = 0

    def process(self, samples: Samples) -> Samples:
        """Return float64[n], the samples of one packet with noise added."""
        white = self._stream.at(self._index).standard_normal(self._packet)
        self._index += 1
        return samples + self._shape.process(to_sample_grid(self._gain * white))
