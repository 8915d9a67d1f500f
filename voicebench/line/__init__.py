"""The telephone line between caller and agent: pure functions of frames and a seed."""

from __future__ import annotations

from voicebench.line.apply import apply_file
from voicebench.line.codecs import CODECS
from voicebench.line.data import sample_speech
from voicebench.line.level import P56, SPEECH_LEVEL_DBOV, active_level_dbov
from voicebench.line.line import Line
from voicebench.line.packets import Burst, Packet, bursts
from voicebench.line.presets import Preset, preset, presets
from voicebench.line.report import write_report
from voicebench.line.settings import LEGS, Leg, LegSettings, LineSettings
from voicebench.line.speed import Speed, line_speeds
from voicebench.line.stage import FRAME, FRAME_MS, RATE

__all__ = [
    "CODECS",
    "FRAME",
    "FRAME_MS",
    "LEGS",
    "P56",
    "RATE",
    "SPEECH_LEVEL_DBOV",
    "Burst",
    "Leg",
    "LegSettings",
    "Line",
    "LineSettings",
    "Packet",
    "Preset",
    "Speed",
    "active_level_dbov",
    "apply_file",
    "bursts",
    "line_speeds",
    "preset",
    "presets",
    "sample_speech",
    "write_report",
]
