"""The image and the services, as files: valid, closed to the outside, and of commands that exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]
BASE, OVERLAY = ROOT / "docker" / "compose.yaml", ROOT / "docker" / "compose.gpu.yaml"
DOCKERFILE = (ROOT / "docker" / "Dockerfile").read_text()
VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?P<default>:-[^}]*)?\}")


def services(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text())["services"]
    return found


def ours() -> dict[str, Any]:
    return {name: one for name, one in services(BASE).items() if "BENCH_IMAGE" in one["image"]}


def arguments(command: str) -> list[str]:
    """Split a command as compose does, with the defaults of its variables."""
    return shlex.split(VARIABLE.sub(lambda match: (match["default"] or "")[2:], command))


@pytest.mark.parametrize("path", [BASE, OVERLAY, ROOT / "compose.yaml"], ids=lambda path: path.name)
def test_the_compose_files_keep_to_the_specification(path: Path) -> None:
    tool = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(path)]
    done = subprocess.run(tool, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_root_s_file_lays_the_gpu_over_the_services() -> None:
    [included] = yaml.safe_load((ROOT / "compose.yaml").read_text())["include"]
    assert [ROOT / path for path in included["path"]] == [BASE, OVERLAY]
    assert services(OVERLAY).keys() <= services(BASE).keys()
    for name in ("demo", "run", "vllm"):
        [device] = services(OVERLAY)[name]["deploy"]["resources"]["reservations"]["devices"]
        assert (device["driver"], device["capabilities"]) == ("nvidia", ["gpu"])


def test_every_container_of_ours_is_closed_and_keeps_its_results() -> None:
    assert {"demo", "view", "run"} <= ours().keys()
    for name, one in ours().items():
        assert (one["init"], one["read_only"], one["tmpfs"]) == (True, True, ["/tmp"]), name
        assert one["cap_drop"] == ["ALL"], name
        assert any(str(volume).startswith("runs:/runs") for volume in one["volumes"]), name


def test_the_pages_are_served_to_this_machine_alone_and_watched() -> None:
    view = services(BASE)["view"]
    assert all(str(port).startswith("127.0.0.1:") for port in view["ports"])
    assert "/healthz" in view["healthcheck"]["test"][-1]
    assert "HEALTHCHECK" not in DOCKERFILE
    assert not any("ports" in one for name, one in services(BASE).items() if name != "view")


def test_the_commands_are_the_command_line_s_own() -> None:
    demo = arguments(services(OVERLAY)["demo"]["command"])
    assert demo[: demo.index("--out")] == [
        *arguments(services(BASE)["demo"]["command"])[: demo.index("--set")],
        "--set",
        "agent.asr.device=cuda",
    ]
    script = (ROOT / "scripts" / "demo").read_text()
    assert " ".join(demo[:8]) in script
    for name in ("demo", "view", "run"):
        command = arguments(services(BASE)[name]["command"])
        told = subprocess.run(
            [sys.executable, "-m", "voicebench.cli", command[0], "--help"], capture_output=True, text=True, check=True
        )
        assert {part for part in command if part.startswith("--")} <= set(re.findall(r"--[a-z-]+", told.stdout)), name


def test_the_example_names_every_variable_that_has_no_place_elsewhere() -> None:
    used = {match["name"] for path in (BASE, OVERLAY) for match in VARIABLE.finditer(path.read_text())}
    named = set(re.findall(r"^(\w+)=", (ROOT / ".env.example").read_text(), flags=re.MULTILINE))
    assert named <= used
    assert {"OPENAI_API_KEY", "RUN_ARGS", "VIEW_PORT"} <= named
    assert all(match["default"] for path in (BASE, OVERLAY) for match in VARIABLE.finditer(path.read_text()))


def test_the_image_has_its_targets_the_default_last_and_nobody_s_rights() -> None:
    stages = re.findall(r"^FROM \S+ AS (\S+)$", DOCKERFILE, flags=re.MULTILINE)
    assert stages == ["build", "build-cuda", "base", "cuda", "cpu"]
    assert re.search(r"^USER 10001$", DOCKERFILE, flags=re.MULTILINE)
    assert not re.search(r"https?://|index-url|API_KEY", DOCKERFILE)
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert "*" in ignored
    assert not {"!.env", "!runs", "!.git"} & set(ignored)
