"""One direction of a telephone line: 20 ms in, 20 ms out, no clock and no global state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from voicebench.line.acoustics import Agc, Clip, Echo, Room, Sidetone
from voicebench.line.codecs import CODECS, Codec
from voicebench.line.concealment import CONCEALMENTS
from voicebench.line.filters import telephone_filter
from voicebench.line.measured import leg_report
from voicebench.line.meter import Meter, SpeechMeter
from voicebench.line.noise import LineNoise, Noise
from voicebench.line.packets import Network, Packet
from voicebench.line.playout import Adaptive, Fixed, PlayoutBuffer
from voicebench.line.resample import Resampler
from voicebench.line.settings import Leg, LegSettings
from voicebench.line.stage import FRAME, RATE, Samples, Stage, to_pcm
from voicebench.line.streams import Stream
from voicebench.record.figures import LegReport

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

    Raises:
        ConfigError: a library or a file that the settings need is missing.

    Example:
        import numpy as np

        line = vb.Line(vb.preset("pstn").caller_to_agent, leg="caller_to_agent", seed=1)
        heard = line.process(np.zeros(16_000, dtype=np.int16))
        print(line.measured().delay_ms)
    """

    def __init__(self, settings: LegSettings, *, leg: Leg, seed: int) -> None:
        settings.require()
        self.settings = settings
        self.leg = leg
        self._codec = CODECS[settings.codec].make(settings.codec_options)
        self._sending = _sending(settings, self._codec.rate_hz, leg, seed)
        self._network = Network(
            settings.loss.build(Stream(seed, leg, "loss")),
            settings.jitter.build(settings.delay_ms, Stream(seed, leg, "jitter")),
        )
        self._playout = _playout(settings, self._codec, self._network)
        self._receiving = _receiving(settings, self._codec.rate_hz)
        self._waiting = np.zeros(0, dtype=np.int16)
        self._meters = SpeechMeter(), Meter()

    @property
    def packets(self) -> list[Packet]:
        """The log, one row a packet, in the order of sending."""
        return self._network.packets

    @property
    def filter_samples(self) -> int:
        """What filters and codec delay by, in samples at 16 kHz."""
        stages = sum(stage.delay_samples for stage in (*self._sending, *self._receiving))
        return stages + self._codec.delay_samples * RATE // self._codec.rate_hz

    @property
    def delay_samples(self) -> int:
        """From an input sample to its place in the output, in samples at 16 kHz: network, buffer, filters and codec.

        An adaptive buffer begins with this, and leaves it.
        """
        rate = self._codec.rate_hz
        path_ms = self.settings.delay_ms + self.settings.buffer_ms
        return round(path_ms * rate / 1000) * RATE // rate + self.filter_samples

    def push(
        self,
        frame: NDArray[np.int16],
        far: NDArray[np.int16] | None = None,
        listener: NDArray[np.int16] | None = None,
    ) -> NDArray[np.int16]:
        """Send 20 ms and receive the 20 ms heard at the other end meanwhile.

        Args:
            frame: int16[320] at 16 kHz.
            far: what the talker hears meanwhile, of which a setting ``echo`` sends a part back; None for silence.
            listener: what the listener says meanwhile, of which ``sidetone_db`` lets it hear a part; None for silence.

        Returns:
            int16[320] at 16 kHz, of ``delay_samples`` ago.

        Raises:
            ValueError: a frame is not int16[320].
        """
        for given in (frame, far, listener):
            if given is not None and (given.shape != (FRAME,) or given.dtype != np.int16):
                raise ValueError(f"a frame of the line is int16[{FRAME}], got {given.dtype}{given.shape}")
        _feed(self._sending, Echo, far)
        _feed(self._receiving, Sidetone, listener)
        payload = self._codec.encode(to_pcm(_through(self._sending, frame.astype(np.float64))))
        played = self._playout.exchange(payload)
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

    def measured(self) -> LegReport:
        """Return what the line did so far; ``to_json()`` of it is what ``call.json`` has of a leg."""
        noise = sum(stage.power for stage in self._sending if isinstance(stage, Noise | LineNoise))
        before, after = self._meters
        filter_ms = self.filter_samples * 1000 / RATE
        clipped = next((stage.clipped_rate for stage in self._sending if isinstance(stage, Clip)), None)
        report = leg_report(self.leg, self.settings, self.packets, filter_ms, before, after, noise)
        return report.model_copy(update={"clipped_rate": clipped})


def _sending(settings: LegSettings, rate: int, leg: Leg, seed: int) -> list[Stage]:
    """Build the stages before the codec."""
    stages: list[Stage] = [Resampler(RATE, rate)] if rate != RATE else []
    if settings.send_filter != "none":
        stages.append(telephone_filter(settings.send_filter, rate))
    if settings.room != "none":
        stages.append(Room(rate))
    if settings.noise is not None:
        stages.append(Noise(settings.noise, rate, Stream(seed, leg, "noise")))
    if settings.echo is not None:
        stages.append(Echo(settings.echo, rate))
    if settings.agc is not None:
        stages.append(Agc(settings.agc, rate))
    if settings.clip_dbov is not None:
        stages.append(Clip(settings.clip_dbov))
    if settings.band_limit != "none":
        stages.append(telephone_filter(settings.band_limit, rate))
    if settings.line_noise_dbov is not None:
        stages.append(LineNoise(settings.line_noise_dbov, rate, Stream(seed, leg, "line_noise")))
    return stages


def _playout(settings: LegSettings, codec: Codec, network: Network) -> PlayoutBuffer:
    most_ms = settings.delay_ms + settings.buffer_max_ms
    policy = Adaptive(codec.rate_hz, most_ms) if settings.buffer == "adaptive" else Fixed()
    concealment = CONCEALMENTS[settings.concealment](codec)
    return PlayoutBuffer(codec, concealment, network, settings.delay_ms + settings.buffer_ms, policy)


def _receiving(settings: LegSettings, rate: int) -> list[Stage]:
    """Build the stages after the decoder."""
    stages: list[Stage] = [Resampler(rate, RATE)] if rate != RATE else []
    if settings.sidetone_db is not None:
        stages.append(Sidetone(settings.sidetone_db))
    return stages


def _feed(stages: list[Stage], kind: type[Echo | Sidetone], frame: NDArray[np.int16] | None) -> None:
    """Give the stages of one kind what another leg carries."""
    for stage in stages:
        if isinstance(stage, kind):
            stage.feed(np.zeros(FRAME) if frame is None else frame.astype(np.float64))


def _through(stages: list[Stage], samples: Samples) -> Samples:
    for stage in stages:
        samples = stage.process(samples)
    return samples
