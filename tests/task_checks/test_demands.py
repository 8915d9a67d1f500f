"""A step that leaves nothing behind gates only where the prompt of its agent demands it."""

from __future__ import annotations

import pytest

from voicebench.packs import Pack, list_packs, load_pack
from voicebench.packs.models import Case, Step
from voicebench.task_checks.demands import check_demands
from voicebench.task_checks.sandbox import TaskSandbox
from voicebench.verify.matching import StepMatcher

pytestmark = pytest.mark.unit

PACKS = {name: load_pack(name) for name in list_packs()}
NEVER_IN_VAIN = {"H4-M2": "request_refill", "R-H2": "file_data_request"}
"""Calls that a careful agent leaves out: its prompt says already that they would be refused, or when they are made."""


def sandbox(pack: Pack, case: Case) -> TaskSandbox:
    return TaskSandbox(pack, case, pack.snapshot())


def of(task: str) -> tuple[Pack, Case]:
    return next((pack, pack.cases[task]) for pack in PACKS.values() if task in pack.cases)


@pytest.mark.parametrize("name", PACKS)
def test_every_demand_of_a_shipped_task_stands_in_the_prompt_of_its_agent(name: str) -> None:
    pack = PACKS[name]
    assert [str(finding) for case in pack.cases.values() for finding in check_demands(sandbox(pack, case))] == []


@pytest.mark.parametrize(("task", "tool"), NEVER_IN_VAIN.items())
def test_a_call_in_vain_that_no_sentence_demands_may_be_left_out(task: str, tool: str) -> None:
    tried = sandbox(*of(task))
    [step] = [at for at, step in enumerate(tried.case.solution) if step.call == tool and step.refused]
    careful = tried.run([action for action in tried.actions if action.step != step])
    assert tried.verify(tried.evidence(careful)).passed
    assert tried.verify(tried.evidence(tried.solution)).passed, "nor does it harm"


def test_a_read_that_is_demanded_before_something_else_may_be_left_out() -> None:
    tried = sandbox(*of("H2-M2"))
    careful = tried.run([action for action in tried.actions if action.name != "check_eligibility"])
    assert tried.verify(tried.evidence(careful)).passed


def test_a_refused_call_that_a_sentence_demands_gates() -> None:
    tried = sandbox(*of("R-M1"))
    careless = tried.run([action for action in tried.actions if action.name != "set_delivery_instructions"])
    assert not tried.verify(tried.evidence(careless)).passed


@pytest.mark.parametrize("because", ["Always try it.", "Say that it is noted. Never."])
def test_a_sentence_that_is_in_no_prompt_of_its_agent_is_found(because: str) -> None:
    pack, case = of("R-M1")
    steps = [step.model_copy(update={"because": because}) if step.refused else step for step in case.solution]
    [finding] = check_demands(sandbox(pack, case.model_copy(update={"solution": steps})))
    assert finding.proof == "demands"
    assert "(set_delivery_instructions): the prompt of orders does not say" in str(finding)


def test_the_sentence_of_another_agent_is_no_demand() -> None:
    pack, case = of("R-M1")
    [other] = [step.because for step in pack.cases["T4-H1"].solution if step.refused]
    steps = [step.model_copy(update={"because": other}) if step.refused else step for step in case.solution]
    assert len(check_demands(sandbox(pack, case.model_copy(update={"solution": steps})))) == 1


def test_only_a_call_has_a_reason() -> None:
    with pytest.raises(ValueError, match="'because' stands beside 'call'"):
        Step.model_validate({"say": "Look.", "because": "Look."})


def test_a_call_that_gates_and_that_no_sentence_demands_is_found() -> None:
    pack, case = of("T2-H1")
    steps = [step.model_copy(update={"because": None}) for step in case.solution]
    found = check_demands(sandbox(pack, case.model_copy(update={"solution": steps})))
    assert [str(finding).partition(";")[0] for finding in found] == ["demands: step 11 (open_return) gates"]


def test_what_gates_is_what_writes_and_is_not_refused_or_is_demanded() -> None:
    pack, case = of("L5-H1")
    matcher = StepMatcher(case, pack.snapshot().tools, [])
    gating = {case.solution[step].call for step in matcher.steps if matcher.is_gating(step)}
    assert {"request_document", "log_refused_request"} <= gating
    assert "get_matter_overview" not in gating - set(case.expect.reads_required)
