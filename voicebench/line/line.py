"""One direction of a telephone line: 20 ms in, 20 ms out, no clock and no global state."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from voicebench.line.codecs import CODECS
from voicebench.line.concealment import CONCEALMENTS
from voicebench.line.delay import FixedDelay
from voicebench.line.filters import telephone_filter
from voicebench.line.loss import LOSSES
from voicebench.line.meter import Meter
from voicebench.line.noise import LineNoise
from voicebench.line.packets import Network, Packet, mean_burst
from voicebench.line.playout import Playout
from voicebench.line.resample import Resampler
from voicebench.line.settings import Leg, LegSettings
from voicebench.line.stage import FRAME, FRAME_MS, RATE, Samples, Stage, to_pcm
from voicebench.line.streams import Stream

__all__ = ["Line"]


class Line:
    """One leg of a call.

    What comes out is a function of the settings, the leg, the seed and the samples pushed so far. Feed it by
    :meth:`push` or by :meth:`process`, not by both.

    Args:
        settings: the leg's stages.
        leg: its direction, part of the random streams' key.
        seed: the call's seed.

    Attributes:
        settings: as given.
        leg: as given.
    """

    def __init__(self, settings: LegSettings, *, leg: Leg, seed: int) -> None:
        self.settings = settings
        self.leg = leg
        codec = CODECS[settings.codec]()
        rate = codec.rate_hz
        path_ms = settings.delay_ms + settings.buffer_ms
        lead = round(path_ms * rate / 1000)
        self._codec = codec
        self._sending = _sending(settings, rate, leg, seed)
        self._network = Network(LOSSES[settings.loss](), FixedDelay(settings.delay_ms), path_ms)
        self._playout = Playout(codec, CONCEALMENTS[settings.concealment](), rate * FRAME_MS // 1000, lead)
        self._receiving: list[Stage] = [Resampler(rate, RATE)] if rate != RATE else []
        self._path_samples = lead * RATE // rate
        self._waiting = np.zeros(0, dtype=np.int16)
        self._meters = Meter(), Meter()

    @property
    def packets(self) -> list[Packet]:
        """The log, one row a packet, in the order of sending."""
        return self._network.packets

    @property
    def delay_samples(self) -> int:
        """From an input sample to its place in the output, in samples at 16 kHz: network, buffer and filters."""
        return self._path_samples + sum(stage.delay_samples for stage in (*self._sending, *self._receiving))

    def push(self, frame: NDArray[np.int16], far: NDArray[np.int16] | None = None) -> NDArray[np.int16]:
        """Send 20 ms and receive the 20 ms heard at the other end meanwhile.

        Args:
            frame: int16[320] at 16 kHz.
            far: the other leg's frame, from which a stage with echo takes it; no preset has such a stage.

        Returns:
            int16[320] at 16 kHz, of ``delay_samples`` ago.

        Raises:
            ValueError: a frame is not int16[320].
        """
        for given in (frame,) if far is None else (frame, far):
            if given.shape != (FRAME,) or given.dtype != np.int16:
                raise ValueError(f"a frame of the line is int16[{FRAME}], got {given.dtype}{given.shape}")
        payload = self._codec.encode(to_pcm(_through(self._sending, frame.astype(np.float64))))
        played = self._playout.exchange(self._network.send(payload))
        heard = to_pcm(_through(self._receiving, played.astype(np.float64)))
        for meter, samples in zip(self._meters, (frame, heard), strict=True):
            meter.add(samples)
        return heard

    def process(self, samples: NDArray[np.int16]) -> NDArray[np.int16]:
        """Send samples in chunks of any length.

        Whole frames go through; what is left waits for the next chunk or :meth:`flush`. All chunkings give the
        same samples, those that :meth:`push` gives.

        Args:
            samples: int16[n] at 16 kHz.

        Returns:
            int16[m] at 16 kHz, where m is all of whole frames that the samples completed.
        """
        pending = np.concatenate([self._waiting, samples])
        whole = pending.size // FRAME * FRAME
        self._waiting = pending[whole:]
        heard = [self.push(frame) for frame in pending[:whole].reshape(-1, FRAME)]
        return np.concatenate(heard) if heard else np.zeros(0, dtype=np.int16)

    def flush(self) -> NDArray[np.int16]:
        """Send what waits in :meth:`process`, and return as many samples as it had: the end of the stream."""
        size = self._waiting.size
        return self.process(np.zeros(-size % FRAME, dtype=np.int16))[:size]

    def report(self) -> dict[str, Any]:
        """Return what the line really did so far: packets, delays and levels, ready for JSON."""
        packets = self.packets
        delays = [packet.delay_ms for packet in packets if packet.delay_ms is not None]
        lost = sum(packet.lost for packet in packets)
        late = sum(packet.late for packet in packets)
        concealed = sum(packet.concealed for packet in packets)
        before, after = self._meters
        return {
            "leg": self.leg,
            "codec": self.settings.codec,
            "sent": len(packets),
            "received": len(packets) - lost - late,
            "lost": lost,
            "late": late,
            "concealed": concealed,
            "concealed_rate": concealed / len(packets) if packets else 0.0,
            "mean_burst": mean_burst(packets),
            "network_delay_ms": {"mean": float(np.mean(delays)), "max": max(delays)} if delays else None,
            "delay_ms": self.delay_samples * 1000 / RATE,
            "rms_in_dbov": before.rms_dbov,
            "rms_out_dbov": after.rms_dbov,
            "peak_in": before.peak,
            "peak_out": after.peak,
        }


def _sending(settings: LegSettings, rate: int, leg: Leg, seed: int) -> list[Stage]:
    """Build the stages before the codec."""
    stages: list[Stage] = [Resampler(RATE, rate)] if rate != RATE else []
    stages += [telephone_filter(name, rate) for name in (settings.send_filter, settings.band_limit) if name != "none"]
    if settings.line_noise_dbov is not None:
        stages.append(LineNoise(settings.line_noise_dbov, rate, Stream(seed, leg, "line_noise")))
    return stages


def _through(stages: list[Stage], samples: Samples) -> Samples:
    for stage in stages:
        samples = stage.process(samples)
    return samples
