"""The page on packs of one's own, followed word for word in an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

PAGE = (Path(__file__).parents[2] / "docs" / "authoring.md").read_text(encoding="utf-8")
HOME = "/home/you"
"""Where the page has the empty folder."""

_END = "<end of a command>"
_PROGRESS = re.compile(r"checked: \S+ \(\d+ of \d+\)")
"""A line for each step of a check, where a terminal has a bar that vanishes."""


@dataclass
class Command:
    """A command of the page, and what the page says that it prints; ``...`` stands for anything within a line."""

    line: str
    printed: list[str] = field(default_factory=list)


def steps() -> list[tuple[str, str] | list[Command]]:
    """Return what the page wants done, in order: files (path, content), and blocks of commands."""
    found: list[tuple[str, str] | list[Command]] = []
    for path, kind, text in re.findall(r"(?:\*\*`([^`\n]+)`\*\*\n\n)?```(\w*)\n(.*?)```\n", PAGE, re.DOTALL):
        if path:
            found.append((path, text))
        elif kind == "console":
            found.append(commands(text))
    return found


def commands(block: str) -> list[Command]:
    found: list[Command] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:]))
        else:
            found[-1].printed.append(line)
    return found


def execute(block: list[Command], folder: Path) -> list[list[str]]:
    """Run the commands of a block in one shell; return the lines that each of them prints, anywhere."""
    python = shlex.quote(sys.executable)
    script = [f'voicebench() {{ {python} -m voicebench.cli "$@"; }}']
    for command in block:
        script += [command.line, f"code=$?; echo {shlex.quote(_END)}; (exit $code)"]
    done = subprocess.run(
        ["/bin/bash", "-c", "\n".join(script)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    printed = done.stdout.replace(str(folder), HOME).split(f"{_END}\n")
    return [lines(text.splitlines()) for text in printed[: len(block)]]


def lines(printed: list[str]) -> list[str]:
    """Leave out how wide columns are, which depends on how long things took, empty lines, and what a terminal wipes."""
    plain = [re.sub("─+", "─", " ".join(line.split())) for line in printed]
    return [line for line in plain if line and not _PROGRESS.fullmatch(line)]


def agrees(shown: str, printed: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, shown.split("..."))), printed) is not None


def test_whoever_follows_the_page_has_a_fair_pack(tmp_path: Path) -> None:
    last: list[str] = []
    for step in steps():
        if isinstance(step, tuple):
            (tmp_path / step[0]).write_text(step[1], encoding="utf-8")
            continue
        for command, printed in zip(step, execute(step, tmp_path), strict=True):
            shown = lines(command.printed)
            assert len(printed) == len(shown), (command.line, printed)
            for expected, got in zip(shown, printed, strict=True):
                assert agrees(expected, got), f"$ {command.line}\n{expected}\n{got}"
            last = printed
    assert last == ["0"]
    assert {path.name for path in (tmp_path / "waterworks" / "cases").iterdir()} == {"W-E1.yaml", "W-M1.yaml"}


def test_the_page_has_the_files_and_ends_with_the_exit_code_of_a_check() -> None:
    files = [step[0].removeprefix("waterworks/") for step in steps() if isinstance(step, tuple)]
    prompts = [f"prompts/{name}.md" for name in ("_core", "reception", "meters")]
    assert files == ["pack.yaml", *prompts, "schema.sql", "seed.sql", "tools.py", "cases/W-E1.yaml", "cases/W-M1.yaml"]
    blocks = [step for step in steps() if isinstance(step, list)]
    assert [command.line for command in blocks[-1]][-2:] == ["voicebench tasks check --pack ./waterworks", "echo $?"]
