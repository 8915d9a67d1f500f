"""Lines by name. A preset is a scenario, not a measurement of any carrier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from voicebench.errors import ConfigError
from voicebench.line.acoustics import EchoSettings
from voicebench.line.delay import GammaJitter, JitterSettings, NoJitter
from voicebench.line.loss import Bernoulli, Gilbert, LossSettings
from voicebench.line.noise import NoiseSettings
from voicebench.line.settings import LegSettings, LineSettings, nearest

__all__ = ["Preset", "preset", "presets"]


@dataclass(frozen=True)
class Preset:
    """A named line.

    Attributes:
        name: what a pipeline's ``line.preset`` says.
        description: one line for people.
        settings: both legs.
    """

    name: str
    description: str
    settings: LineSettings


def _network(codec: str, loss: LossSettings, network_ms: tuple[float, float, float], **keys: Any) -> LegSettings:
    """Return what both legs of a packet network have in common; ``network_ms`` is delay, jitter and buffer."""
    delay_ms, sd_ms, buffer_ms = network_ms
    jitter: JitterSettings = GammaJitter(sd_ms=sd_ms) if sd_ms else NoJitter()
    return LegSettings(codec=codec, loss=loss, jitter=jitter, delay_ms=delay_ms, buffer_ms=buffer_ms, **keys)


def _call(network: LegSettings, noise: str | None = None, snr_db: float = 20.0, **caller: Any) -> LineSettings:
    """Return a call over a network; noise and acoustics are the caller's alone."""
    if noise is not None:
        caller["noise"] = NoiseSettings(kind=noise, snr_db=snr_db)
    return LineSettings(caller_to_agent=network.model_copy(update=caller), agent_to_caller=network)


# A landline: the caller speaks into a telephone set, the agent sits behind a trunk. So the caller's leg has the sending
# response of a set and the noise of a subscriber's line; the agent's has the band of the channel alone, and no sound
# when the agent is silent.
_TRUNK = LegSettings(codec="g711u", delay_ms=30.0, buffer_ms=20.0)
_PSTN = LineSettings(
    caller_to_agent=_TRUNK.model_copy(update={"send_filter": "irs", "line_noise_dbov": -65.0}),
    agent_to_caller=_TRUNK.model_copy(update={"band_limit": "telephone"}),
)
_VOIP = _network("g711u", Bernoulli(p=0.005), (40.0, 5.0, 40.0))
_WIFI = _network("g711u", Gilbert.of(0.03, 2.0), (60.0, 10.0, 60.0), concealment="pitch")
_VOLTE = _network("amr_wb", Gilbert.of(0.005, 1.2), (100.0, 8.0, 60.0), kbps=12.65, concealment="native")
_MOBILE = _network("amr_nb", Gilbert.of(0.01, 1.5), (100.0, 10.0, 60.0), kbps=12.2, concealment="native")
_POOR = _network("amr_nb", Gilbert.of(0.05, 2.0), (150.0, 25.0, 80.0), kbps=5.9, concealment="native")
_WEBRTC = _network("opus_wb", Bernoulli(p=0.03), (50.0, 15.0, 60.0), kbps=24.0, fec=True, concealment="native")
_DESK = _network("g711u", Bernoulli(p=0.01), (60.0, 10.0, 60.0))
_CAR = _network("amr_nb", Gilbert.of(0.02, 2.0), (100.0, 15.0, 60.0), kbps=12.2, concealment="native")
_BAD = _network("amr_nb", Gilbert.of(0.08, 3.0), (150.0, 30.0, 60.0), kbps=5.9, concealment="native")

_PRESETS = (
    Preset("clean", "no line at all: 16 kHz, no codec, no delay", LineSettings()),
    Preset("pstn", "landline: G.711 µ-law, 50 ms, telephone set and line noise on the caller's leg", _PSTN),
    Preset("voip", "a good packet network: G.711 µ-law, 0.5 % single losses, 80 ms", _call(_VOIP)),
    Preset(
        "voip_wifi",
        "the same over busy Wi-Fi: 3 % loss in bursts of 2, concealed by pitch, pink noise at 20 dB",
        _call(_WIFI, "pink", 20.0),
    ),
    Preset("volte", "HD voice: AMR-WB 12.65, 0.5 % loss, 160 ms", _call(_VOLTE)),
    Preset("mobile", "a mobile call in the street: AMR-NB 12.2, 1 % loss, 15 dB", _call(_MOBILE, "street", 15.0)),
    Preset(
        "mobile_poor",
        "at the edge of coverage: AMR-NB 5.9, 5 % loss in bursts of 2, jitter, street at 10 dB",
        _call(_POOR, "street", 10.0),
    ),
    Preset("webrtc", "a browser: Opus wide-band at 24 kbit/s, 3 % loss with error correction", _call(_WEBRTC)),
    Preset(
        "speakerphone",
        "across a desk: G.711 µ-law, room of 0.4 s, babble at 20 dB, echo 45 dB down after a canceller",
        _call(_DESK, "babble", 20.0, room="speakerphone", echo=EchoSettings(loss_db=45.0)),
    ),
    Preset("car", "hands-free on the road: AMR-NB 12.2, 2 % loss in bursts of 2, 10 dB", _call(_CAR, "car", 10.0)),
    Preset("background_noise", "people talk around the caller: G.711 µ-law, babble at 15 dB",
           _call(_VOIP, "babble", 15.0)),
    Preset(
        "bad_signal",
        "AMR-NB 5.9, 8 % loss in bursts of 3 and more from jitter, pink noise at 20 dB",
        _call(_BAD, "pink", 20.0),
    ),
)  # fmt: skip


def presets() -> list[Preset]:
    """Return all presets, in the order in which they are listed."""
    return list(_PRESETS)


def preset(name: str) -> LineSettings:
    """Return the settings of a preset.

    Raises:
        ConfigError: there is no such preset.
    """
    for candidate in _PRESETS:
        if candidate.name == name:
            return candidate.settings
    raise ConfigError(f"line preset {name!r} is unknown; {nearest(name, [each.name for each in _PRESETS])}")
