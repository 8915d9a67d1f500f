"""Cores, memory, the disk of the run folder, and the GPU."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from voicebench.machine.checks import Check, Status
from voicebench.speech.asr import CUBLAS, CUBLAS_PACKAGE, preload_cublas

__all__ = [
    "CALL_MEMORY_MB",
    "GpuReading",
    "MachineReading",
    "ask_driver",
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
        memory_mb: available, megabytes (what a container leaves, if that is less); None where the system does not say.
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

    def cores_check(self) -> Check:
        """Check the cores."""
        detail = f"{self.cores:g} usable; load {self.load:.1f} in the last minute"
        if self.cores >= 1.0:
            return Check("machine", "cores", "ok", detail)
        slow = f"{detail}; with less than one, calls take long"
        return Check("machine", "cores", "warning", slow, "docker run --cpus 2 …")

    def memory_check(self) -> Check:
        """Check the memory that is available."""
        if self.memory_mb is None:
            return Check("machine", "memory", "info", "cannot be read on this system")
        detail = f"{self.memory_mb:,.0f} MB available; a process that makes calls takes up to {CALL_MEMORY_MB:,.0f} MB"
        fix = "end other programs, or: voicebench run local-cpu --channel text"
        if self.memory_mb < CALL_MEMORY_MB:
            return Check("machine", "memory", "missing", detail, fix)
        if self.memory_mb < 2 * CALL_MEMORY_MB:
            return Check("machine", "memory", "warning", f"{detail}: room for one", fix)
        return Check("machine", "memory", "ok", detail)

    def disk_check(self) -> Check:
        """Check the disk of the run folder."""
        if not self.writable:
            detail = f"{self.folder} cannot be written, and runs go there"
            fix = "voicebench run local-cpu --out DIR, or change the folder"
            return Check("machine", "disk", "missing", detail, fix)
        calls = int(self.disk_mb / USUAL_CALL_DISK_MB)
        detail = f"{self.disk_mb:,.0f} MB free at {self.folder}: about {calls:,} calls of a minute"
        elsewhere = "voicebench run local-cpu --out DIR, on a disk with more room"
        if self.disk_mb < CALL_DISK_MB:
            return Check("machine", "disk", "missing", f"{detail}; one may take {CALL_DISK_MB:.0f} MB", elsewhere)
        if self.disk_mb < _COMFORT_DISK_MB:
            return Check("machine", "disk", "warning", detail, elsewhere)
        return Check("machine", "disk", "ok", detail)


def read_machine(runs: Path, root: Path = Path("/")) -> MachineReading:
    """Read the machine.

    Args:
        runs: the folder of runs; it need not exist.
        root: where ``proc`` and ``sys`` lie.
    """
    folder = next(path for path in (runs.absolute(), *runs.absolute().parents) if path.exists())
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cgroup = root / "sys/fs/cgroup"
    quota, _, period = _text(cgroup / "cpu.max").partition(" ")
    allowed = int(quota) / int(period) if quota.isdigit() else None
    free_kib = _field(_text(root / "proc/meminfo"), "MemAvailable:")
    available_mb = [] if free_kib is None else [free_kib * 1024 / 1e6]
    limit, used = _text(cgroup / "memory.max"), _text(cgroup / "memory.current")
    if limit.isdigit() and used.isdigit():
        # The page cache counts as used, but what of it was not touched lately is given up for a process that asks.
        reclaimable = _field(_text(cgroup / "memory.stat"), "inactive_file") or 0
        available_mb.append((int(limit) - int(used) + reclaimable) / 1e6)
    return MachineReading(
        cores=min(float(affinity), allowed or float(affinity)),
        load=os.getloadavg()[0],
        memory_mb=min(available_mb, default=None),
        folder=folder,
        disk_mb=shutil.disk_usage(folder).free / 1e6,
        writable=folder.is_dir() and os.access(folder, os.W_OK | os.X_OK),
    )


def _field(text: str, name: str) -> int | None:
    lines = (line.split() for line in text.splitlines())
    return next((int(words[1]) for words in lines if words and words[0] == name), None)


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def machine_checks(reading: MachineReading) -> list[Check]:
    """Check cores, memory and disk."""
    return [reading.cores_check(), reading.memory_check(), reading.disk_check()]


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
    try:
        import ctranslate2

        devices: int | None = int(ctranslate2.get_cuda_device_count())
    except ImportError:
        devices = None
    driver = ask_driver("--query-gpu=name,memory.total,driver_version", "--format=csv,noheader")
    if not driver and _VERSION_FILE.is_file():
        driver = _VERSION_FILE.read_text().splitlines()[:1]
    return GpuReading(
        driver="; ".join(driver) or None,
        devices=devices,
        cublas=bool(devices) and preload_cublas(),
        hidden=os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1"),
    )


def ask_driver(*arguments: str) -> list[str]:
    """Return the lines that ``nvidia-smi`` prints; none where there is no driver, or where it fails."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    try:
        asked = subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=10, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return []
    return asked.stdout.strip().splitlines()


def gpu_checks(reading: GpuReading) -> list[Check]:
    """Check the GPU: a recognizer with ``device: auto`` goes there as soon as CTranslate2 counts one."""
    status: Status = "info"
    fix = ""
    if reading.devices:
        detail = f"{reading.driver or 'driver unknown'}; CTranslate2 counts {reading.devices} CUDA device"
        detail += "s" if reading.devices > 1 else ""
        if reading.cublas:
            status, detail = "ok", f"{detail}: recognition runs there"
        else:
            status, fix = "warning", f"pip install {shlex.quote(CUBLAS_PACKAGE)}"
            detail += f"; but {CUBLAS} cannot be loaded, so recognition runs on the CPU"
    elif reading.driver is None:
        detail = "no NVIDIA driver: recognition runs on the CPU"
    elif reading.devices is None:
        detail = f"{reading.driver}; CTranslate2, which would use it, is not installed"
    elif reading.hidden:
        detail, fix = f"{reading.driver}; hidden by CUDA_VISIBLE_DEVICES", "unset CUDA_VISIBLE_DEVICES"
    else:
        status, fix = "warning", "nvidia-smi  or, in a container,  docker run --gpus all …"
        detail = f"{reading.driver}; but CTranslate2 counts no CUDA device, so recognition runs on the CPU"
    return [Check("gpu", "cuda", status, detail, fix)]
