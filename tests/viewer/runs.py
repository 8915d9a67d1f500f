"""A folder of runs for the pages: real calls, and what may become of a run's files."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.conftest import SCRIPTS, voicebench
from voicebench.serve import AgentServerOptions, start_endpoint
from voicebench.viewer.render import page_path

__all__ = ["HOSTILE", "call_page", "make_runs", "runs"]

PACK = "customer_support"
FAILING, BOOKED, PASSING, VOID, UNFINISHED, TEXT, CORRUPT, BROKEN, INJECTED = (
    ("returns", "T2-H3"),
    ("service", "T3-H4"),
    ("passing", "T2-M1"),
    ("void", "T2-H3"),
    ("unfinished", "T2-H3"),
    ("text", "T2-H3"),
    ("corrupt", "T2-H3"),
    ("broken", "T2-H3"),
    ("injected", "T2-H3"),
)
"""Run and task of one call of each kind; ``broken`` has a verdict, and a trace and a recording that cannot be read."""

HOSTILE = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\">"

_HOSTILE_SCRIPT = [
    {"call": "transfer_to_verification"},
    {"say": f"Hello {HOSTILE} what is the order number?"},
    {"call": "identify_customer", "with": {"order_number": HOSTILE}},
    {"call": "escalate_to_human", "with": {"reason_code": "marketplace_seller", "summary": HOSTILE}},
    {"say": "A person on our team takes over this call now."},
]


def call_page(kind: tuple[str, str], trial: int = 1, attempt: int = 1) -> str:
    """The address of a call's page, from the root."""
    run, task = kind
    return page_path("call", run, PACK, task, trial, attempt)


def make_runs(folder: Path) -> None:
    """Make them: six runs over a line or in text, and three that others became."""
    hostile = folder / "hostile.json"
    hostile.write_text(json.dumps(_HOSTILE_SCRIPT))
    with ThreadPoolExecutor(2) as pool:
        made = [
            pool.submit(_scripted, folder, FAILING, SCRIPTS / "T2-H3-verifies-early.yaml"),
            pool.submit(_scripted, folder, BOOKED, SCRIPTS / "T3-H4-books-twice.yaml"),
            pool.submit(_run, folder, PASSING),
            pool.submit(_hung_up_on, folder, VOID),
            pool.submit(_scripted, folder, INJECTED, hostile, "--channel", "text"),
            pool.submit(_run, folder, TEXT, "--channel", "text", "--trials", "2"),
        ]
    for one in made:
        one.result()
    _became(folder, FAILING, CORRUPT, lambda call: (call / "call.json").write_text('{"verdict": "pas'))
    _became(folder, FAILING, BROKEN, _spoil)
    _became(folder, TEXT, UNFINISHED, lambda call: shutil.rmtree(call))


def _scripted(folder: Path, kind: tuple[str, str], script: Path, *flags: str) -> None:
    with start_endpoint(AgentServerOptions(script=script, ttft_ms=0)) as endpoint:
        _run(folder, kind, "--model", "script", "--base-url", endpoint.url, *flags)


def _hung_up_on(folder: Path, kind: tuple[str, str]) -> None:
    """Make a call, and with it both attempts after it, in which the caller hangs up before it may."""
    options = AgentServerOptions(role="caller", caller_fault="hung_up_early", task=kind[1], ttft_ms=0)
    with start_endpoint(options) as endpoint:
        _run(folder, kind, "--set", "caller.kind=llm", "--set", f"caller.llm.base_url={endpoint.url}", code=3)


def _run(folder: Path, kind: tuple[str, str], *flags: str, code: int = 0) -> None:
    name, task = kind
    done = voicebench("run", "fast", "--task", task, "--out", folder / name, *flags)
    assert done.code == code, done.err


def _became(folder: Path, before: tuple[str, str], after: tuple[str, str], change: Callable[[Path], object]) -> None:
    """Copy a run under another name and do something to its first call."""
    root = folder / after[0]
    shutil.copytree(folder / before[0], root)
    record = json.loads((root / "run.json").read_text())
    (root / "run.json").write_text(json.dumps({**record, "run_id": after[0]}))
    change(root / "calls" / PACK / after[1] / "1" / "attempt-1")


def _spoil(call: Path) -> None:
    (call / "trace.jsonl").write_text('{"type": "span", "name"\n')
    (call / "recording.wav").write_bytes(b"RIFF")


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder, made once, by the first process of the tests that needs it; nothing writes in it."""
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent
    folder, made = root / "viewer" / "runs", root / "viewer-made"
    with (root / "viewer.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            folder.mkdir(parents=True)
            make_runs(folder)
            made.touch()
    return folder
