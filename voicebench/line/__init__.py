"""The telephone line between caller and agent: pure functions of frames and a seed."""

from __future__ import annotations

from voicebench.line.apply import apply_file
from voicebench.line.level import P56, SPEECH_LEVEL_DBOV, active_level_dbov
from voicebench.line.line import Line
from voicebench.line.packets import Packet
from voicebench.line.presets import Preset, preset, presets
from voicebench.line.settings import LEGS, Leg, LegSettings, LineSettings
from voicebench.line.stage import FRAME, FRAME_MS, RATE

__all__ = [
    "FRAME",
    "FRAME_MS",
    "LEGS",
    "P56",
    "RATE",
    "SPEECH_LEVEL_DBOV",
    "Leg",
    "LegSettings",
    "Line",
    "LineSettings",
    "Packet",
    "Preset",
    "active_level_dbov",
    "apply_file",
    "preset",
    "presets",
]
