"""Calls in worker processes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.engines.suite import SEED, TEXT, EngineSuite
from tests.processes import workers
from voicebench.engines import Engine, WorkerEngine

pytestmark = pytest.mark.e2e


class TestWorkerEngine(EngineSuite):
    def make(self, **changes: Any) -> WorkerEngine:
        return WorkerEngine(**{"pipeline": TEXT, "seed": SEED, "workers": 2, **changes})

    def workers_of(self, engine: Engine) -> Sequence[int]:
        return workers("self")


def test_a_worker_inherits_its_socket_and_nothing_else(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as lock:
        os.set_inheritable(lock.fileno(), True)
        engine = WorkerEngine(TEXT, SEED)
        try:
            engine.prepare()
            [worker] = workers("self")
            opened = [os.readlink(entry) for entry in Path(f"/proc/{worker}/fd").iterdir()]
        finally:
            engine.close()
    assert str(tmp_path / "lock") not in opened
    assert len([one for one in opened if one.startswith("socket:")]) == 1
