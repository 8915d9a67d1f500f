"""A scripted caller that keeps to its script is never the cause, whatever an agent does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.agent.loopback import serving_app
from tests.hard.calls import KEY, Held, shipped, unit
from voicebench.call import CallSetup, run_call_unit
from voicebench.config import load_pipeline
from voicebench.config.profiles import BASELINES
from voicebench.llm import LlmTarget
from voicebench.serve import AgentServerOptions
from voicebench.serve.agent import make_app
from voicebench.serve.models import make_model

PACKS = ("customer_support", "healthcare", "legal")
TASKS = [(pack, task) for pack in PACKS for task in shipped(pack).cases]
SAMPLE = [(pack, task) for pack in PACKS for task in list(shipped(pack).cases)[5::11]]


def causes(model: str, tasks: list[tuple[str, str]]) -> Iterator[tuple[str, str, str | None]]:
    """What kept a baseline from passing some tasks: pack, task and cause."""
    options = AgentServerOptions(model=model, ttft_ms=0)
    pipeline = load_pipeline("fast", ["channel=text"])
    with serving_app(make_app(options, make_model(options))) as url:
        target = LlmTarget(model, url, KEY, timeout_s=pipeline.cascade.llm.timeout_s, own=True)
        for pack, task in tasks:
            case = shipped(pack).cases[task]
            setup = CallSetup(pipeline, shipped(pack), case, target)
            held = Held(run_call_unit(unit(task, pack), setup))
            yield pack, task, held.call["attribution"] and held.call["attribution"]["cause"]


@pytest.mark.unit
@pytest.mark.parametrize("model", BASELINES)
def test_a_baseline_fails_by_its_own_fault(model: str) -> None:
    assert len(SAMPLE) == 9
    assert [found for found in causes(model, SAMPLE) if found[2] != "model"] == []


@pytest.mark.unit
@pytest.mark.long
@pytest.mark.parametrize("model", BASELINES)
def test_a_baseline_fails_by_its_own_fault_on_each_task(model: str) -> None:
    assert len(TASKS) == 108
    assert [found for found in causes(model, TASKS) if found[2] != "model"] == []
