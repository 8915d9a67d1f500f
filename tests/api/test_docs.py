"""docs/python.md is what the docstrings say, it has every public name, and its examples run."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import voicebench as vb

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


def test_the_page_is_what_the_docstrings_say() -> None:
    assert runpy.run_path(str(ROOT / "scripts" / "python_page"))["render"]() == PAGE, "run scripts/python_page"


def test_every_public_name_is_documented() -> None:
    assert set(re.findall(r"^### `vb\.(\w+)`", PAGE, re.MULTILINE)) == {*vb.__all__} - {"__version__"}
    for name in re.findall(r"^### `vb\.(\w+)`\n\n((?:.+\n)*)", PAGE, re.MULTILINE):
        assert name[1].strip(), name


def test_every_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the order of the page, in one session, as in a notebook; the readme's example before them."""
    monkeypatch.chdir(tmp_path)
    [readme] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    examples = [readme, *re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)]
    session: dict[str, object] = {}
    for example in examples:
        exec(example, session)
    printed = capsys.readouterr().out
    assert len(examples) >= 15
    for line in ("passed 1.0", "'model': 2", "2 of 2", "Hello, I want to send back", "seconds", "complete"):
        assert line in printed, line
