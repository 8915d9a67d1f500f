"""Requests for runs of two tasks with fixed charges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voicebench.config import load_pipeline
from voicebench.runner import RunRequest


@pytest.fixture
def asked(tmp_path: Path) -> Callable[..., RunRequest]:
    def make(**changes: Any) -> RunRequest:
        values: dict[str, Any] = {"tasks": ["T1-E1", "T2-H3"], "out": tmp_path / "run", **changes}
        return RunRequest(values.pop("pipeline", load_pipeline("fast")), **values)

    return make
