"""A run whose provider fails on a fifth of the attempts ends as if it had not, and says how often it did."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from voicebench.call import WorkUnit
from voicebench.config import Pipeline, load_pipeline
from voicebench.engines import LocalEngine
from voicebench.record.spans import LlmSpan
from voicebench.runner import NullReporter, RunRequest, run
from voicebench.serve import AgentServerOptions, Endpoint, start_endpoint
from voicebench.serve.faults import FaultPlan
from voicebench.store import read_call

pytestmark = pytest.mark.e2e

TASKS = ("T1-E1", "T2-H3", "T2-M1", "T3-H4")
TRIALS = 2
SEED = 5
RATE = 0.2
KINDS = ("429", "429-retry-after", "500", "503", "garbage", "hang-first-byte", "hang-mid-stream", "stream-cut")


def pipeline(kind: str) -> Pipeline:
    """Where requests hang, as long as a busy machine may need for those that do not."""
    return load_pipeline("fast", ["channel=text", *(["agent.llm.timeout_s=2"] if kind.startswith("hang") else [])])


def hit(plan: FaultPlan, task: str, trial: int) -> list[str]:
    """The verdicts of a trial's attempts: ``error`` for those that are hit, until one is not."""
    verdicts: list[str] = []
    for attempt in range(1, 4):
        unit = WorkUnit("customer_support", task, trial, attempt, SEED)
        if plan.hits(unit.call_id) is None:
            return [*verdicts, "passed"]
        verdicts.append("error")
    return verdicts


def chosen(kind: str) -> tuple[FaultPlan, dict[tuple[str, int], list[str]]]:
    """The first fault seed that hits a fifth of the attempts, and no trial three times."""
    for seed in range(1_000):
        plan = FaultPlan(kind, RATE, seed)
        expected = {(task, trial): hit(plan, task, trial) for task in TASKS for trial in range(1, TRIALS + 1)}
        attempts = [verdict for verdicts in expected.values() for verdict in verdicts]
        if attempts.count("error") == round(RATE * len(attempts)) and attempts.count("passed") == len(expected):
            return plan, expected
    raise AssertionError("no such seed")


def serve(plan: FaultPlan, options: AgentServerOptions) -> Endpoint:
    return start_endpoint(replace(options, fault=f"{plan.kind}:{plan.rate}", fault_seed=plan.seed))


class Waits(NullReporter):
    """Remembers who waited for what."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def waits(self, who: str, what: str, seconds: float) -> None:
        self.told.append((who, what))


@pytest.mark.parametrize("kind", KINDS)
def test_the_run_completes_with_the_verdicts_of_a_run_without_faults(kind: str, tmp_path: Path) -> None:
    plan, expected = chosen(kind)
    request = RunRequest(pipeline(kind), tasks=TASKS, trials=TRIALS, seed=SEED, out=tmp_path / "run")
    waits = Waits()
    result = run(request, reporter=waits, make_engine=partial(LocalEngine, serve=partial(serve, plan)))
    # What is no JSON came whole and in time: no reason to let the provider rest.
    assert {who for who, _ in waits.told} == (set() if kind == "garbage" else {"reference"})
    assert {what.partition(" after ")[0] for _, what in waits.told} <= {
        "its cooldown of 0.5 s",
        "its cooldown of 1.0 s",
        "its cooldown of 2.0 s",
    }
    assert {(call.task, call.trial): list(call.attempts) for call in result.calls} == expected
    assert result.status == "complete"
    attempts = result.summary.attempts
    injected = sum(verdicts.count("error") for verdicts in expected.values())
    assert (attempts.error, attempts.n) == (injected, injected + len(expected))
    assert attempts.error_rate == injected / (injected + len(expected)) == RATE
    assert result.summary.cost.usd == 0.0


def test_a_refusal_that_passes_is_tried_again_within_the_call(tmp_path: Path) -> None:
    plan, _ = chosen("503")
    once = partial(start_once, plan)
    request = RunRequest(pipeline("503"), tasks=TASKS[:2], seed=SEED, out=tmp_path / "run")
    result = run(request, make_engine=partial(LocalEngine, serve=once))
    assert [call.attempts for call in result.calls] == [("passed",), ("passed",)]
    for call in result.calls:
        spans = [span for span in read_call(Path(call.dir)).trace if isinstance(span, LlmSpan)]
        assert [span.retries for span in spans if span.error or span.retries] == [1]


def start_once(plan: FaultPlan, options: AgentServerOptions) -> Endpoint:
    """Only the first try of each hit request fails."""
    return start_endpoint(replace(options, fault=plan.kind, fault_seed=plan.seed, fault_tries=1))
