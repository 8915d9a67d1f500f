"""Codecs of the line: which of them this machine can run."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from voicebench.errors import ConfigError
from voicebench.line import CODECS, LEGS, presets
from voicebench.line.codecs.amrwb import DEBIAN_PACKAGE
from voicebench.machine.findings import Finding

__all__ = ["CodecReading", "codec_findings", "read_codecs"]

_SYSTEM_PACKAGES = (DEBIAN_PACKAGE, "libopus0")


@dataclass(frozen=True)
class CodecReading:
    """One codec.

    Attributes:
        name: as a leg's settings name it.
        presets: of the line that use it.
        problem: why it cannot run here, or None; it names the package that is absent.
    """

    name: str
    presets: tuple[str, ...] = ()
    problem: str | None = None


def read_codecs() -> list[CodecReading]:
    """Ask each codec whether its libraries are here."""
    return [CodecReading(name, _users(name), _problem(name)) for name in CODECS]


def _users(codec: str) -> tuple[str, ...]:
    return tuple(each.name for each in presets() if any(each.settings.leg(leg).codec == codec for leg in LEGS))


def _problem(name: str) -> str | None:
    try:
        CODECS[name].require()
    except (ConfigError, OSError) as error:
        return str(error)
    return None


def codec_findings(readings: Iterable[CodecReading], needed: Collection[str]) -> list[Finding]:
    """Judge each codec; one that cannot run is missing only if it is needed."""
    return [_codec(reading, reading.name in needed) for reading in readings]


def _codec(reading: CodecReading, needed: bool) -> Finding:
    used = f"presets {', '.join(reading.presets)}" if reading.presets else "no preset uses it"
    if reading.problem is None:
        return Finding("line", reading.name, "ok", used)
    named = [package for package in _SYSTEM_PACKAGES if package in reading.problem]
    install = f"apt-get install {named[0]}" if named else "pip install av"
    return Finding("line", reading.name, "missing" if needed else "info", f"{used}; {reading.problem}", install)
