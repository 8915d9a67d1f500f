"""The GPU, in words: what the driver says, and what CTranslate2 would make of it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from voicebench.machine.findings import Finding, Status
from voicebench.speech.cuda import CUBLAS, CUBLAS_PACKAGE, preload_cublas

__all__ = ["GpuReading", "gpu_findings", "read_gpu"]

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


def gpu_findings(reading: GpuReading) -> list[Finding]:
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


def _usable(reading: GpuReading, devices: int) -> Finding:
    counted = f"{reading.driver or 'driver unknown'}; CTranslate2 counts {devices} CUDA device{'s'[: devices > 1]}"
    if reading.cublas:
        return _finding("ok", f"{counted}: recognition runs there")
    reason = f"{counted}; but {CUBLAS} cannot be loaded, so recognition runs on the CPU"
    return _finding("warning", reason, f"pip install {shlex.quote(CUBLAS_PACKAGE)}")


def _finding(status: Status, detail: str, fix: str = "") -> Finding:
    return Finding("gpu", "cuda", status, detail, fix)
