"""Runs against an endpoint that breaks calls off when it is about to fail them, over HTTP and with real calls."""

from __future__ import annotations

from pathlib import Path

import pytest

import voicebench as vb
from tests.leaderboard.cheat import MODEL, cheating

pytestmark = pytest.mark.e2e

TASKS = ["T1-E2", "T2-H3", "T4-E1"]
TRIALS = 3
RATE = 0.5
GAIN = 0.015


def made(kind: str | None, out: Path) -> vb.Run:
    with cheating(kind, RATE) as url:
        return vb.run("fast", tasks=TASKS, trials=TRIALS, channel="text", model=MODEL, base_url=url, out=out)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> vb.Run:
    return made(None, tmp_path_factory.mktemp("honest") / "run")


@pytest.mark.parametrize("kind", ["503", "stream-cut"])
def test_breaking_off_what_it_is_about_to_fail_gains_nothing(kind: str, honest: vb.Run, tmp_path: Path) -> None:
    cheat = made(kind, tmp_path / "run")
    failing = honest.summary.failed
    assert 0 < failing < len(TASKS) * TRIALS
    assert honest.summary.pass_rate is not None
    assert cheat.summary.pass_rate is not None
    assert cheat.summary.pass_rate <= honest.summary.pass_rate + GAIN
    assert (cheat.summary.hung_up, cheat.summary.failed) == (failing, failing)
    in_the_end = sum(call.verdict == "passed" for call in cheat.calls)
    assert in_the_end > honest.summary.passed, "the last attempts alone would have given more"
    assert cheat.summary.attempts.error >= failing
