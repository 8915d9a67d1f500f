"""A library whose tasks are broken, one for each way to be unfair (B), each with a fair twin (F)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from voicebench.packs import Pack, load_pack
from voicebench.task_checks.sandbox import TaskSandbox

FOLDER = Path(__file__).parent / "broken_pack"


@pytest.fixture(scope="session")
def library() -> Pack:
    return load_pack(FOLDER)


@pytest.fixture
def sandbox(library: Pack) -> Callable[[str], TaskSandbox]:
    snapshot = library.snapshot()
    return lambda task: TaskSandbox(library, library.cases[task], snapshot)
