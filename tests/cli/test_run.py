"""``voicebench run`` as a whole: what it estimates, writes, and refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.scripted import ScriptedEngine
from voicebench.config import load_pipeline
from voicebench.runner import RunRequest, run
from voicebench.serve import AgentServerOptions, start_endpoint
from voicebench.serve.faults import FaultPlan

pytestmark = pytest.mark.e2e

CANARY = "sk-canary-0123456789"


def voicebench(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OPENAI_API_KEY": CANARY}
    command = [sys.executable, "-m", "voicebench.cli", "run", "fast", "--channel", "text", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def at_request(kind: str, number: int) -> Iterator[str]:
    """Give the address of an endpoint that fails the request with this number of each conversation."""
    seed = next(seed for seed in range(100) if FaultPlan(kind, 1.0, seed).hits("") == number)
    with start_endpoint(AgentServerOptions(model="silent", ttft_ms=0, fault=kind, fault_seed=seed)) as endpoint:
        yield endpoint.url


@pytest.mark.parametrize("status", ["401", "404"])
@pytest.mark.parametrize("number", [1, 2], ids=["before the first call", "within a call"])
def test_a_refused_key_or_model_is_exit_2_and_the_key_is_nowhere(status: str, number: int, tmp_path: Path) -> None:
    out = tmp_path / "run"
    for url in at_request(status, number):
        model = ("--model", "silent", "--base-url", url)
        done = voicebench(*model, "--task", "T2-H3", "--out", str(out), "--junit", str(tmp_path / "junit.xml"))
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"error: model 'silent' at {url} answered {status}")
    assert out.exists() == (number == 2)
    kept = [json.loads(path.read_text()) for path in out.glob("calls/*/*/*/attempt-*/call.json")]
    # Whom a service had begun to answer it hung up on; of a call that it refused at once nothing is kept
    assert [(call["verdict"], call["error_by"]) for call in kept] == [("error", "service")] * (number - 1)
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert CANARY.encode() not in stored
    assert CANARY not in done.stdout + done.stderr


@pytest.mark.parametrize("flag", ["--address", "--gpus-per-worker"])
def test_what_is_for_a_cluster_is_refused_without_one(flag: str, tmp_path: Path) -> None:
    done = voicebench("--task", "T2-H3", flag, "1", "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert f"error: {flag} is for --engine ray" in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_limit_of_money_needs_a_price(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    done = voicebench("--model", "nobody-1", "--task", "T2-H3", "--max-cost", "1", "--out", out)
    assert done.returncode == 2
    assert "error: --max-cost: model 'nobody-1' has no price" in done.stderr
    priced = "prices={nobody-1: {input_mtok: 2, output_mtok: 8}}"
    told = voicebench("--model", "nobody-1", "--set", priced, "--task", "T2-H3", "--dry-run", "--out", out)
    assert "and $0.12 " in told.stdout


def test_a_dry_run_prints_an_estimate_and_makes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = voicebench("--model", "gpt-4.1-mini", "--task", "T2-H3", "--trials", "5", "--dry-run", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("5 of 5 calls to make: about 68 s and $0.12 (a usual call: 12 s")
    told = json.loads(voicebench("--task", "T2-H3", "--dry-run", "--json", "--out", str(out)).stdout)
    assert (told["trials"], told["due"], told["usd"]) == (1, 1, 0.0)
    assert not out.exists()


def test_a_junit_file_is_written_beside_the_result(tmp_path: Path) -> None:
    pipeline = load_pipeline("fast", ["channel=text"])
    request = RunRequest(pipeline, tasks=["T1-E1", "T2-H3"], out=tmp_path / "run")
    run(request, make_engine=ScriptedEngine("passed", "failed"))
    file = tmp_path / "reports" / "junit.xml"
    done = voicebench("--task", "T1-E1", "--task", "T2-H3", "--out", str(tmp_path / "run"), "--junit", str(file))
    assert done.returncode == 0, done.stderr
    [suite] = ElementTree.parse(file).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert "2 attempts: 0 void (0.0%), 0 error (0.0%)" in done.stdout
    assert "cost: $0.00 (agent $0.00, caller $0.00, asr $0.00, tts $0.00)" in done.stdout


def test_a_folder_of_the_same_name_where_it_is_started_is_not_what_runs(tmp_path: Path) -> None:
    package = tmp_path / "voicebench"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('another voicebench')\n")
    command = [sys.executable, "-P", "-m", "voicebench.cli", "run", "fast", "--channel", "text", "--task", "T1-E1"]
    done = subprocess.run([*command, "--workers", "2", "--out", "run"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "1 passed, 0 failed, 0 void, 0 error of 1" in done.stdout
