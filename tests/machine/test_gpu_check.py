"""The check for a machine with a GPU, here with a fake in its place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fake_cuda import fake_cuda
from voicebench.call.audio import asr_charge
from voicebench.cli import main
from voicebench.config import load_pipeline
from voicebench.config.charges import Charge
from voicebench.errors import ConfigError
from voicebench.machine.benches.gpu import SENTENCES, CheckedSentence, GpuCheck, check_gpu
from voicebench.record.results import CallRow
from voicebench.runner import NullReporter
from voicebench.speech.asr import load_recognizer

pytestmark = pytest.mark.audio

ON_GPU = ["agent.asr.device=cuda"]


def test_the_same_words_the_memory_and_a_whole_call_on_the_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "bin" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\necho '7, 999'; echo '{os.getpid()}, 412'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    with fake_cuda() as fake:
        check = check_gpu(load_pipeline("fast", ON_GPU), "T2-H3", tmp_path / "run", NullReporter())
    assert check.holds
    assert [one.said for one in check.utterances] == list(SENTENCES)
    assert ("cuda", "int8") in fake.loaded
    assert check.memory_mb == 412.0
    assert (check.call.task, check.call.verdict) == ("T2-H3", "passed")


def test_a_gpu_s_recognitions_are_charged_by_the_wall_unless_the_charge_is_fixed() -> None:
    with fake_cuda():
        gpu, cpu = load_recognizer("tiny.en", device="cuda"), load_recognizer("tiny.en", device="cpu")
        assert asr_charge(Charge("cpu"), gpu) == Charge("wall")
        assert asr_charge(Charge("cpu"), cpu) == Charge("cpu")
        assert asr_charge(Charge("fixed", 400.0), gpu) == Charge("fixed", 400.0)


def row(verdict: str) -> CallRow:
    missing = {name: None for name, field in CallRow.model_fields.items() if field.is_required()}
    unit = {"pack": "p", "task": "T2-H3", "trial": 1, "attempt": 1, "dir": "d", "attempts": ()}
    return CallRow.model_validate({**missing, **unit, "verdict": verdict})


def test_another_word_or_a_call_without_a_verdict_does_not_hold() -> None:
    same, other = CheckedSentence("a", "A one.", "a, one", 0.2, 0.1), CheckedSentence("a", "a one", "a won", 0.4, 0.1)
    assert GpuCheck("base", "int8", [same], None, row("failed")).holds
    assert not GpuCheck("base", "int8", [same, other], None, row("passed")).holds
    assert not GpuCheck("base", "int8", [same], None, row("error")).holds
    assert GpuCheck("base", "int8", [same, other], None, row("passed")).median_s["cpu"] == pytest.approx(0.3)


def test_without_a_gpu_it_says_so(tmp_path: Path) -> None:
    with fake_cuda(devices=0), pytest.raises(ConfigError, match="no NVIDIA GPU"):
        check_gpu(load_pipeline("fast", ON_GPU), "T2-H3", tmp_path / "run", NullReporter())


def test_the_command_prints_what_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    with fake_cuda(devices=0), pytest.raises(SystemExit, match="2"):
        main(["bench", "gpu", "--json"])
    assert "asr device cuda cannot be used" in capsys.readouterr().err
