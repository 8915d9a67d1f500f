"""The GPU, in words: what the driver says, and what CTranslate2 would make of it."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from voicebench.runner.doctor.findings import Finding, Status

__all__ = ["GpuReading", "gpu_findings", "read_gpu"]

_CUBLAS = "libcublas.so.12"
_CUBLAS_PACKAGE = "nvidia-cublas-cu12>=12.4,<13"
_VERSION_FILE = Path("/proc/driver/nvidia/version")
_ON_CPU = "export CUDA_VISIBLE_DEVICES="


@dataclass(frozen=True)
class GpuReading:
    """What is here of a GPU.

    Attributes:
        driver: what the NVIDIA driver says of itself and its GPUs, or None without one.
        devices: CUDA devices that CTranslate2 counts; None when it is not installed.
        cublas: whether the library that CTranslate2 needs on a GPU can be loaded.
        cublas_folder: where an installed package has it, or None.
        hidden: whether ``CUDA_VISIBLE_DEVICES`` hides every device.
    """

    driver: str | None
    devices: int | None
    cublas: bool = False
    cublas_folder: Path | None = None
    hidden: bool = False


def read_gpu() -> GpuReading:
    """Ask the driver and CTranslate2."""
    devices = _devices()
    return GpuReading(
        driver=_driver(),
        devices=devices,
        cublas=bool(devices) and _loads(_CUBLAS),
        cublas_folder=_packaged_cublas(),
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


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _packaged_cublas() -> Path | None:
    spec = importlib.util.find_spec("nvidia")
    places = (spec.submodule_search_locations or []) if spec is not None else []
    folders = [Path(place) / "cublas" / "lib" for place in places]
    return next((folder for folder in folders if (folder / _CUBLAS).is_file()), None)


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
    reason = f"{counted}, and would recognize there, but {_CUBLAS} cannot be loaded"
    if reading.cublas_folder is not None:
        place = shlex.quote(str(reading.cublas_folder))
        return _finding("missing", reason, f"export LD_LIBRARY_PATH={place}  or  {_ON_CPU}")
    return _finding("missing", reason, f"pip install {shlex.quote(_CUBLAS_PACKAGE)}  or  {_ON_CPU}")


def _finding(status: Status, detail: str, fix: str = "") -> Finding:
    return Finding("gpu", "cuda", status, detail, fix)
