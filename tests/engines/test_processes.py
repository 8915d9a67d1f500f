"""Calls in worker processes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.engines.suite import SEED, TEXT, EngineSuite
from tests.processes import workers
from voicebench.config import load_pipeline
from voicebench.engines import Engine, ProcessEngine
from voicebench.errors import ModelMissing
from voicebench.runner import RunRequest, run

pytestmark = pytest.mark.e2e


class TestWorkerEngine(EngineSuite):
    def make(self, **changes: Any) -> ProcessEngine:
        return ProcessEngine(**{"pipeline": TEXT, "seed": SEED, "workers": 2, **changes})

    def workers_of(self, engine: Engine) -> Sequence[int]:
        return workers("self")


def test_a_voice_that_only_a_later_caller_has_is_missed_before_the_first_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("en_US-joe-medium.onnx", "en_US-joe-medium.onnx.json"):
        file = tmp_path / "models" / "joe" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"{}")
    monkeypatch.setenv("VOICEBENCH_MODELS", str(tmp_path / "models"))
    pipeline = load_pipeline("fast", ["caller.voice=task", "agent.tts.voice=heart"])
    tasks = ["legal/L1-H1", "legal/L1-E1"]
    with pytest.raises(ModelMissing, match=r"joe.*is not the pinned file"):
        run(RunRequest(pipeline, tasks=tasks, out=tmp_path / "run"), make_engine=ProcessEngine)
    assert not (tmp_path / "run").exists()


def test_a_worker_inherits_its_socket_and_nothing_else(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as lock:
        os.set_inheritable(lock.fileno(), True)
        engine = ProcessEngine(TEXT, SEED)
        try:
            engine.prepare(["heart"])
            [worker] = workers("self")
            opened = [os.readlink(entry) for entry in Path(f"/proc/{worker}/fd").iterdir()]
        finally:
            engine.close()
    assert str(tmp_path / "lock") not in opened
    assert len([one for one in opened if one.startswith("socket:")]) == 1
