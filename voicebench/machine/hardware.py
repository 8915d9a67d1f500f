"""Cores, memory, the disk of the run folder, and the GPU."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from voicebench.machine.checks import Check, Status
from voicebench.speech.cuda import CUBLAS, CUBLAS_PACKAGE, preload_cublas

__all__ = [
    "CALL_MEMORY_MB",
    "GpuReading",
    "MachineReading",
    "gpu_checks",
    "machine_checks",
    "read_gpu",
    "read_machine",
]

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


def machine_checks(reading: MachineReading) -> list[Check]:
    """Judge cores, memory and disk."""
    return [_cores(reading), _memory(reading.memory_mb), _disk(reading)]


def _cores(reading: MachineReading) -> Check:
    detail = f"{reading.cores:g} usable; load {reading.load:.1f} in the last minute"
    if reading.cores >= 1.0:
        return Check("machine", "cores", "ok", detail)
    return Check(
        "machine", "cores", "warning", f"{detail}; with less than one, calls take long", "docker run --cpus 2 …"
    )


def _memory(memory_mb: float | None) -> Check:
    if memory_mb is None:
        return Check("machine", "memory", "info", "cannot be told on this system")
    detail = f"{memory_mb:,.0f} MB available; a process that makes calls takes up to {CALL_MEMORY_MB:,.0f} MB"
    text_only = "voicebench run local-cpu --channel text"
    if memory_mb < CALL_MEMORY_MB:
        return Check("machine", "memory", "missing", detail, f"end other programs, or: {text_only}")
    if memory_mb < 2 * CALL_MEMORY_MB:
        return Check("machine", "memory", "warning", f"{detail}: room for one", f"end other programs, or: {text_only}")
    return Check("machine", "memory", "ok", detail)


def _disk(reading: MachineReading) -> Check:
    if not reading.writable:
        detail = f"{reading.folder} cannot be written, and runs go there"
        return Check("machine", "disk", "missing", detail, "voicebench run local-cpu --out DIR, or change the folder")
    calls = int(reading.disk_mb / USUAL_CALL_DISK_MB)
    detail = f"{reading.disk_mb:,.0f} MB free at {reading.folder}: about {calls:,} calls of a minute"
    elsewhere = "voicebench run local-cpu --out DIR, on a disk with more room"
    if reading.disk_mb < CALL_DISK_MB:
        return Check("machine", "disk", "missing", f"{detail}; one may take {CALL_DISK_MB:.0f} MB", elsewhere)
    if reading.disk_mb < _COMFORT_DISK_MB:
        return Check("machine", "disk", "warning", detail, elsewhere)
    return Check("machine", "disk", "ok", detail)


_VERSION_FILE = Path("/proc/driver/nvidia/version")


@dataclass(frozen=True)
class GpuReading:
    """What is here of a GPU.

    Attributes:
        driver: what the NVIDIA driver says of itself and its GPUs, or None without one.
        devices: CUDA devices that CTranslate2 counts; None when it is not installed.
        cublas: whether the library that CTranslate2 needs on a GPU can be loaded.
        hidden: whether ``CUDA_VISIBLE_DEVICES`` hides every device.
    """

    driver: str | None
    devices: int | None
    cublas: bool = False
    hidden: bool = False


def read_gpu() -> GpuReading:
    """Ask the driver and CTranslate2."""
    devices = _devices()
    return GpuReading(
        driver=_driver(),
        devices=devices,
        cublas=bool(devices) and preload_cublas(),
        hidden=os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1"),
    )


def _driver() -> str | None:
    tool = shutil.which("nvidia-smi")
    if tool is not None:
        asked = [tool, "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]
        try:
            said = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True).stdout  # noqa: S603
            return "; ".join(said.strip().splitlines()) or None
        except (OSError, subprocess.SubprocessError):
            pass
    return _VERSION_FILE.read_text().splitlines()[0] if _VERSION_FILE.is_file() else None


def _devices() -> int | None:
    try:
        import ctranslate2
    except ImportError:
        return None
    return int(ctranslate2.get_cuda_device_count())


def gpu_checks(reading: GpuReading) -> list[Check]:
    """Judge the GPU: a recognizer with ``device: auto`` goes there as soon as CTranslate2 counts one."""
    if reading.devices:
        return [_usable(reading, reading.devices)]
    if reading.driver is None:
        return [_finding("info", "no NVIDIA driver: recognition runs on the CPU")]
    if reading.devices is None:
        return [_finding("info", f"{reading.driver}; CTranslate2, which would use it, is not installed")]
    if reading.hidden:
        return [_finding("info", f"{reading.driver}; hidden by CUDA_VISIBLE_DEVICES", "unset CUDA_VISIBLE_DEVICES")]
    reason = f"{reading.driver}; but CTranslate2 counts no CUDA device, so recognition runs on the CPU"
    return [_finding("warning", reason, "nvidia-smi  or, in a container,  docker run --gpus all …")]


def _usable(reading: GpuReading, devices: int) -> Check:
    counted = f"{reading.driver or 'driver unknown'}; CTranslate2 counts {devices} CUDA device{'s'[: devices > 1]}"
    if reading.cublas:
        return _finding("ok", f"{counted}: recognition runs there")
    reason = f"{counted}; but {CUBLAS} cannot be loaded, so recognition runs on the CPU"
    return _finding("warning", reason, f"pip install {shlex.quote(CUBLAS_PACKAGE)}")


def _finding(status: Status, detail: str, fix: str = "") -> Check:
    return Check("gpu", "cuda", status, detail, fix)
