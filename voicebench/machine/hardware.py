"""Cores, memory, and the disk of the run folder."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from voicebench.machine.findings import Finding

__all__ = ["CALL_MEMORY_MB", "MachineReading", "machine_findings", "read_machine"]

CALL_MEMORY_MB = 1000.0
"""Resident size of a process that makes calls of ``local-cpu``: 650 to 1,020 MB were measured."""

CALL_DISK_MB = 50.0
"""The longest call: 10 minutes of two channels at 16 kHz and 16 bit are 38 MB; traces and exchanges come on top."""

USUAL_CALL_DISK_MB = 5.0
"""A call of about a minute, all files."""

_COMFORT_DISK_MB = 1000.0


@dataclass(frozen=True)
class MachineReading:
    """What the machine has.

    Attributes:
        cores: that this process may use: its affinity, and the share that a container gives; may be a fraction.
        load: runnable processes, average of the last minute.
        memory_mb: available, megabytes (what a container leaves, if that is less); None where it cannot be told.
        folder: where runs go, or the nearest folder above that exists.
        disk_mb: free there, megabytes.
        writable: whether a folder can be made there.
    """

    cores: float
    load: float
    memory_mb: float | None
    folder: Path
    disk_mb: float
    writable: bool


def read_machine(runs: Path, root: Path = Path("/")) -> MachineReading:
    """Read the machine.

    Args:
        runs: the folder of runs; it need not exist.
        root: where ``proc`` and ``sys`` lie.
    """
    folder = next(path for path in (runs.absolute(), *runs.absolute().parents) if path.exists())
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cgroup = root / "sys/fs/cgroup"
    return MachineReading(
        cores=min(float(affinity), _quota(cgroup) or float(affinity)),
        load=os.getloadavg()[0],
        memory_mb=_memory_mb(root / "proc/meminfo", cgroup),
        folder=folder,
        disk_mb=shutil.disk_usage(folder).free / 1e6,
        writable=folder.is_dir() and os.access(folder, os.W_OK | os.X_OK),
    )


def _quota(cgroup: Path) -> float | None:
    """Cores that a control group (version 2) allows, or None where there is no limit."""
    quota, _, period = _text(cgroup / "cpu.max").partition(" ")
    return int(quota) / int(period) if quota.isdigit() else None


def _memory_mb(meminfo: Path, cgroup: Path) -> float | None:
    of_host = _field(_text(meminfo), "MemAvailable:")
    available = [] if of_host is None else [of_host * 1024 / 1e6]
    limit, used = _text(cgroup / "memory.max"), _text(cgroup / "memory.current")
    if limit.isdigit() and used.isdigit():
        reclaimable = _field(_text(cgroup / "memory.stat"), "inactive_file") or 0
        available.append((int(limit) - int(used) + reclaimable) / 1e6)
    return min(available, default=None)


def _field(text: str, name: str) -> int | None:
    lines = (line.split() for line in text.splitlines())
    return next((int(words[1]) for words in lines if words and words[0] == name), None)


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def machine_findings(reading: MachineReading) -> list[Finding]:
    """Judge cores, memory and disk."""
    return [_cores(reading), _memory(reading.memory_mb), _disk(reading)]


def _cores(reading: MachineReading) -> Finding:
    detail = f"{reading.cores:g} usable; load {reading.load:.1f} in the last minute"
    if reading.cores >= 1.0:
        return Finding("machine", "cores", "ok", detail)
    return Finding(
        "machine", "cores", "warning", f"{detail}; with less than one, calls take long", "docker run --cpus 2 …"
    )


def _memory(memory_mb: float | None) -> Finding:
    if memory_mb is None:
        return Finding("machine", "memory", "info", "cannot be told on this system")
    detail = f"{memory_mb:,.0f} MB available; a process that makes calls takes up to {CALL_MEMORY_MB:,.0f} MB"
    text_only = "voicebench run local-cpu --channel text"
    if memory_mb < CALL_MEMORY_MB:
        return Finding("machine", "memory", "missing", detail, f"end other programs, or: {text_only}")
    if memory_mb < 2 * CALL_MEMORY_MB:
        return Finding(
            "machine", "memory", "warning", f"{detail}: room for one", f"end other programs, or: {text_only}"
        )
    return Finding("machine", "memory", "ok", detail)


def _disk(reading: MachineReading) -> Finding:
    if not reading.writable:
        detail = f"{reading.folder} cannot be written, and runs go there"
        return Finding("machine", "disk", "missing", detail, "voicebench run local-cpu --out DIR, or change the folder")
    calls = int(reading.disk_mb / USUAL_CALL_DISK_MB)
    detail = f"{reading.disk_mb:,.0f} MB free at {reading.folder}: about {calls:,} calls of a minute"
    elsewhere = "voicebench run local-cpu --out DIR, on a disk with more room"
    if reading.disk_mb < CALL_DISK_MB:
        return Finding("machine", "disk", "missing", f"{detail}; one may take {CALL_DISK_MB:.0f} MB", elsewhere)
    if reading.disk_mb < _COMFORT_DISK_MB:
        return Finding("machine", "disk", "warning", detail, elsewhere)
    return Finding("machine", "disk", "ok", detail)
