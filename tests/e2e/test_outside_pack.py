"""Packs that are not shipped, by the installed command: calls, scores and replays as with any other."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .conftest import Finished, voicebench

pytestmark = pytest.mark.e2e

MINIMAL = Path(__file__).parents[1] / "packs" / "minimal_pack"
EQUAL = ("trace.jsonl", "exchanges.jsonl", "state.json")


def run(pack: Path, out: Path) -> Finished:
    return voicebench("run", "fast", "--channel", "text", "--pack", pack, "--out", out)


def test_two_runs_store_the_same_bytes_and_are_scored_and_replayed(tmp_path: Path) -> None:
    first, second = (run(MINIMAL, tmp_path / name) for name in ("first", "second"))
    assert first.code == 0, first.err
    assert first.call("L1-E1")["verdict"] == "passed"
    files = [[(done.dir("L1-E1") / name).read_bytes() for name in EQUAL] for done in (first, second)]
    assert files[0] == files[1]
    scored = voicebench("score", tmp_path / "first")
    assert (scored.code, scored.call("L1-E1")["changed"]) == (0, False)
    replayed = voicebench("replay", first.dir("L1-E1"))
    assert (replayed.code, replayed.out["equal"]) == (0, True), replayed.err


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ('raise LookupError("no loans today")', "failed on {}: LookupError: no loans today"),
        ("__import__('os')._exit(0)", "ended its process"),
    ],
)
def test_tools_that_fail_are_an_error_of_the_call_and_a_finding_of_the_check(
    tmp_path: Path, code: str, what: str
) -> None:
    pack = Path(shutil.copytree(MINIMAL, tmp_path / "pack"))
    tools = (pack / "tools.py").read_text()
    (pack / "tools.py").write_text(tools.replace('    loan_id = desk.state("loan")\n', f"    {code}\n"))
    told = f"pack corner_library: tool 'renew_loan' {what}"
    done = run(pack, tmp_path / "run")
    assert done.code == 3
    assert (done.call("L1-E1")["verdict"], done.call("L1-E1")["reason"]) == ("error", told)
    check = voicebench("tasks", "check", "--pack", pack)
    assert check.code == 4
    assert check.out["tasks"][0]["findings"] == [{"proof": "solution", "what": told}]
