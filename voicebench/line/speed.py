"""How fast the line is on this machine: times real time, and the slowest frames."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from voicebench.errors import ConfigError
from voicebench.line.codecs import CODECS
from voicebench.line.data import sample_speech
from voicebench.line.line import Line
from voicebench.line.presets import presets
from voicebench.line.settings import LEGS, Leg, LegSettings
from voicebench.line.stage import FRAME, FRAME_MS

__all__ = ["Speed", "line_speeds"]


@dataclass(frozen=True)
class Speed:
    """How fast one leg, or one codec, runs on this machine.

    Attributes:
        kind: ``preset`` or ``codec``.
        name: name of the preset or the codec.
        leg: direction of the leg.
        codec: name of the leg's codec.
        times_real_time: seconds of sound a second of one core's time.
        frame_p99_ms: 99 % of the frames took less.
        missing: why it could not be timed, else None; the figures are then 0.
    """

    kind: str
    name: str
    leg: Leg
    codec: str
    times_real_time: float
    frame_p99_ms: float
    missing: str | None = None


def line_speeds(seconds: float) -> Iterator[Speed]:
    """Time each leg of each preset, then each codec alone at its usual bit rate.

    Args:
        seconds: of sound that each leg carries.
    """
    for each in presets():
        for leg in LEGS:
            yield _timed("preset", each.name, leg, each.settings.leg(leg), seconds)
    for name in CODECS:
        yield _timed("codec", name, "caller_to_agent", LegSettings(codec=name), seconds)


def _timed(kind: str, name: str, leg: Leg, settings: LegSettings, seconds: float) -> Speed:
    try:
        line = Line(settings, leg=leg, seed=0)
    except ConfigError as error:
        return Speed(kind, name, leg, settings.codec, 0.0, 0.0, str(error))
    speech = sample_speech()
    frames = np.resize(speech, round(seconds * 1000 / FRAME_MS) * FRAME).reshape(-1, FRAME)
    taken: list[float] = []
    for frame in frames:
        start = time.thread_time()
        line.push(frame)
        taken.append(time.thread_time() - start)
    total_s = max(sum(taken), 1e-9)
    p99_ms = float(np.percentile(taken, 99)) * 1000.0
    return Speed(kind, name, leg, settings.codec, len(taken) * FRAME_MS / 1000.0 / total_s, p99_ms)
