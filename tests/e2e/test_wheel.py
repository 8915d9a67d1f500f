"""The built wheel, installed by itself, works in an empty folder."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest
import soundfile

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment that holds the wheel, and borrows what it depends on from this one."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT], check=True, timeout=300)
    [wheel] = folder.glob("voicebench_sim-*.whl")
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True, timeout=120)
    target = next(environment.glob("lib/python*/site-packages"))
    (target / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    into = ["--python", str(environment / "bin" / "python")]
    subprocess.run([*pip, *into, "install", "--no-deps", "--no-index", wheel], check=True, timeout=120)
    return environment / "bin"


def command(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [installed / "voicebench", *arguments], cwd=folder, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    return done


def test_it_is_the_wheel_that_runs(installed: Path, tmp_path: Path) -> None:
    asked = "import voicebench; from voicebench.config import data_dir; print(voicebench.__file__, data_dir('tasks'))"
    done = subprocess.run([installed / "python", "-c", asked], cwd=tmp_path, capture_output=True, text=True)
    where, tasks = done.stdout.split()
    assert Path(where).is_relative_to(installed.parent)
    assert Path(tasks).is_relative_to(installed.parent)


def test_labelled_turns_of_others_are_in_no_package(installed: Path) -> None:
    target = next((installed.parent / "lib").glob("python*/site-packages"))
    assert not list(target.rglob("utterances.jsonl"))
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    assert "/tests/data/comprehension" in build["sdist"]["exclude"]
    assert (ROOT / "tests" / "data" / "comprehension" / "utterances.jsonl").exists()


def test_it_makes_a_call_in_an_empty_folder_and_shows_it(installed: Path, tmp_path: Path) -> None:
    done = command(installed, tmp_path, "run", "fast", "--channel", "text", "--task", "T2-H3", "--json")
    printed = json.loads(done.stdout)
    assert [call["verdict"] for call in printed["calls"]] == ["passed"]
    assert Path(printed["run_dir"]).parent == tmp_path / "runs"
    command(installed, tmp_path, "view", "--static", "site")
    scripts = {path.name for path in (tmp_path / "site" / "static").rglob("*.js")}
    assert {"call.js", "wavesurfer.min.js"} <= scripts
    [page] = (tmp_path / "site" / "call").rglob("index.html")
    assert "Marketplace headphone return" in page.read_text()


def test_it_checks_a_pack_that_is_not_its_own(installed: Path, tmp_path: Path) -> None:
    pack = str(ROOT / "tests" / "task_checks" / "broken_pack")
    done = command(installed, tmp_path, "tasks", "check", "--pack", pack, "--task", "F1-E1", "--json")
    assert [task["fair"] for task in json.loads(done.stdout)["tasks"]] == [True]


def test_it_speaks_and_knows_its_line(installed: Path, tmp_path: Path) -> None:
    command(installed, tmp_path, "voices", "say", "joe", "Hello, this is Kestrel.", "said.wav")
    command(installed, tmp_path, "line", "apply", "said.wav", "heard.wav", "--preset", "pstn")
    said, heard = soundfile.info(tmp_path / "said.wav"), soundfile.info(tmp_path / "heard.wav")
    assert said.duration > 1.0
    assert heard.samplerate == 16_000
    assert 0.0 < heard.duration - said.duration < 0.2
