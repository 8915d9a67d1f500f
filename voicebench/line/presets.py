"""Lines by name. A preset is a scenario, not a measurement of any carrier."""

from __future__ import annotations

from dataclasses import dataclass

from voicebench.errors import ConfigError
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


def _pstn() -> LineSettings:
    """Return a landline call: the caller speaks into a telephone set, the agent sits behind a trunk.

    So the caller's leg has the sending response of a set and the noise of a subscriber's line; the agent's has the
    channel's band alone, and is silent when the agent is.
    """
    network = LegSettings(codec="g711u", delay_ms=30.0, buffer_ms=20.0)
    return LineSettings(
        caller_to_agent=network.model_copy(update={"send_filter": "irs", "line_noise_dbov": -65.0}),
        agent_to_caller=network.model_copy(update={"band_limit": "telephone"}),
    )


_PRESETS = (
    Preset("clean", "no line at all: 16 kHz, no codec, no delay", LineSettings()),
    Preset("pstn", "landline: G.711 µ-law, 50 ms, telephone set and line noise on the caller's leg", _pstn()),
)


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
