"""What the machine is and holds, and what all checks come to."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from voicebench.errors import VoicebenchError
from voicebench.machine import Check, Diagnosis
from voicebench.machine.capacity import MeasuredCall, capacity_checks, real_time_calls
from voicebench.machine.hardware import GpuReading, MachineReading, gpu_checks, machine_checks, read_machine

pytestmark = pytest.mark.unit


# ---- what it comes to ------------------------------------------------------------------------------------------------


def test_only_what_is_missing_keeps_a_run_from_starting() -> None:
    fine = [
        Check("a", "b", "ok", ""),
        Check("a", "c", "warning", ""),
        Check("a", "d", "info", ""),
    ]
    assert Diagnosis(fine).ok
    bad = Diagnosis([*fine, Check("gpu", "cuda", "missing", "why", "how")])
    assert [check.name for check in bad.missing] == ["cuda"]
    printed = json.loads(json.dumps(bad.to_json()))
    assert printed["ok"] is False
    assert printed["findings"][3] == {
        "area": "gpu",
        "name": "cuda",
        "status": "missing",
        "detail": "why",
        "fix": "how",
    }


# ---- the machine -----------------------------------------------------------------------------------------------------


def machine(
    cores: float = 4.0, memory_mb: float | None = 8000.0, disk_mb: float = 50_000.0, writable: bool = True
) -> dict[str, Check]:
    reading = MachineReading(cores, 0.5, memory_mb, Path("/runs"), disk_mb, writable)
    return {check.name: check for check in machine_checks(reading)}


@pytest.mark.parametrize(
    ("memory_mb", "status"),
    [(999.0, "missing"), (1000.0, "warning"), (1999.0, "warning"), (2000.0, "ok"), (None, "info")],
)
def test_memory_must_hold_one_call_and_better_two(memory_mb: float | None, status: str) -> None:
    assert machine(memory_mb=memory_mb)["memory"].status == status


@pytest.mark.parametrize(("disk_mb", "status"), [(49.0, "missing"), (50.0, "warning"), (999.0, "warning"), (1e3, "ok")])
def test_the_disk_must_hold_the_longest_call(disk_mb: float, status: str) -> None:
    assert machine(disk_mb=disk_mb)["disk"].status == status


def test_a_folder_that_cannot_be_written_is_missing() -> None:
    check = machine(writable=False)["disk"]
    assert (check.status, check.detail) == ("missing", "/runs cannot be written, and runs go there")
    assert "--out DIR" in check.fix


@pytest.mark.parametrize(("cores", "status"), [(0.5, "warning"), (1.0, "ok")])
def test_less_than_a_core_is_a_warning(cores: float, status: str) -> None:
    assert machine(cores=cores)["cores"].status == status


@pytest.fixture
def tree(tmp_path: Path) -> Callable[..., Path]:
    def write(**files: str) -> Path:
        for name, text in files.items():
            path = tmp_path / ("proc" if name == "meminfo" else "sys/fs/cgroup") / name.replace("_", ".", 1)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def test_a_container_gives_less_than_its_host(tree: Callable[..., Path]) -> None:
    root = tree(
        meminfo="MemTotal: 9000000 kB\nMemAvailable: 8000000 kB\n",
        cpu_max="25000 100000\n",
        memory_max="3000000000\n",
        memory_current="1000000000\n",
        memory_stat="anon 800000000\ninactive_file 150000000\n",
    )
    reading = read_machine(root / "runs" / "not" / "yet", root)
    assert reading.cores == 0.25
    assert reading.memory_mb == pytest.approx(2150.0)
    assert reading.folder == root
    assert reading.writable


def test_without_a_limit_the_host_counts(tree: Callable[..., Path]) -> None:
    root = tree(meminfo="MemAvailable: 8000000 kB\n", cpu_max="max 100000\n", memory_max="max\n", memory_current="1\n")
    reading = read_machine(root, root)
    assert reading.memory_mb == pytest.approx(8192.0)
    assert reading.cores >= 1.0


def test_what_cannot_be_read_is_not_guessed(tmp_path: Path) -> None:
    assert read_machine(tmp_path, tmp_path).memory_mb is None


def test_a_file_in_the_place_of_the_folder_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("in the way")
    assert not read_machine(tmp_path / "runs").writable


# ---- the GPU ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reading", "status", "words", "fix"),
    [
        (GpuReading(None, 0), "info", "no NVIDIA driver", ""),
        (GpuReading(None, None), "info", "no NVIDIA driver", ""),
        (GpuReading("L4, 555", None), "info", "CTranslate2, which would use it, is not installed", ""),
        (GpuReading("L4, 555", 0), "warning", "counts no CUDA device", "nvidia-smi"),
        (GpuReading("L4, 555", 0, hidden=True), "info", "hidden by CUDA_VISIBLE_DEVICES", "unset CUDA_VISIBLE_DEVICES"),
        (GpuReading("L4, 555", 2, cublas=True), "ok", "L4, 555; CTranslate2 counts 2 CUDA devices", ""),
        (GpuReading("L4, 555", 1), "warning", "libcublas.so.12 cannot be loaded", "pip install 'nvidia-cublas-cu12"),
    ],
    ids=str,
)
def test_the_gpu_in_words(reading: GpuReading, status: str, words: str, fix: str) -> None:
    [check] = gpu_checks(reading)
    assert check.status == status
    assert words in check.detail
    assert check.fix.startswith(fix)
    assert bool(check.fix) == bool(fix)


# ---- capacity --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "cores", "memory_mb", "calls", "limit"),
    [
        (0.25, 2.0, 16_000.0, 4, "50% of 2 cores"),
        (0.30, 2.0, 16_000.0, 3, "50% of 2 cores"),
        (0.10, 2.0, 16_000.0, 4, "2 on each of 2 cores"),
        (0.10, 16.0, 5_900.0, 5, "5,900 MB of memory, 1,000 each"),
        (0.10, 16.0, None, 32, "2 on each of 16 cores"),
        (0.60, 1.0, 16_000.0, 0, "50% of 1 core"),
    ],
)
def test_capacity_is_the_least_of_three_limits(
    share: float, cores: float, memory_mb: float | None, calls: int, limit: str
) -> None:
    capacity = real_time_calls(share, cores, memory_mb)
    assert (capacity.calls, capacity.limit) == (calls, limit)


def test_the_call_that_was_made_is_told_with_its_cost() -> None:
    [call, real_time] = capacity_checks(MeasuredCall(20.0, 5.0), 2.0, 16_000.0)
    assert call == Check("capacity", "call", "ok", "20 s of a call took 5.0 CPU s: 0.25 a second")
    assert real_time == Check("capacity", "real time", "ok", "4 at once in real time, limited by 50% of 2 cores")


def test_a_machine_too_slow_for_real_time_can_still_run() -> None:
    [call, real_time] = capacity_checks(MeasuredCall(20.0, 30.0), 1.0, 16_000.0)
    assert (call.status, real_time.status) == ("ok", "warning")


def test_a_call_that_cannot_be_made_is_missing() -> None:
    [check] = capacity_checks(VoicebenchError("libgomp.so.1: cannot open"), 2.0, 16_000.0)
    assert (check.status, check.detail) == ("missing", "libgomp.so.1: cannot open")
    assert check.fix == "voicebench call T1-E1 local-cpu --debug"
