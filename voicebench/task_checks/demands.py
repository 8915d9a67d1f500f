"""Whether the prompts demand what a task's gate needs: nobody may fail for a step that none of them asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from voicebench.packs.models import Step
from voicebench.task_checks.sandbox import TaskFinding, TaskSandbox

__all__ = ["check_demands"]


def check_demands(sandbox: TaskSandbox) -> list[TaskFinding]:
    """Return a finding for each gating step that names no sentence, or one that its agent's prompt does not hold.

    A step that reads, or is refused, and has no sentence is left out once: where the rows come out right all the same
    and the gates do not let the call pass, a careful agent fails for what nobody asked of it.
    """
    findings = []
    for one in _steps(sandbox):
        where = f"step {one.number} ({one.step.call})"
        if one.sentence and _in_one_line(one.sentence) not in _in_one_line(one.prompt):
            findings.append(TaskFinding("demands", f"{where}: the prompt of {one.agent} does not say {one.sentence!r}"))
        elif not one.sentence and one.gates:
            what = f"gates; write `because:` with the sentence of {one.agent}'s prompt that demands it"
            findings.append(TaskFinding("demands", f"{where} {what}"))
        elif not one.sentence and not one.lasts and _fails_without(sandbox, one.number - 1):
            what = "the rows come out right without it, and no sentence demands it"
            findings.append(TaskFinding("demands", f"{where}: {what}"))
    return findings


@dataclass(frozen=True)
class _CallStep:
    """A step that calls: its number from 1, the agent that is active there, and the sentence that demands it.

    Attributes:
        gates: whether the gate needs it.
        lasts: whether it writes, and so shows in the rows.
    """

    number: int
    step: Step
    agent: str
    prompt: str
    sentence: str | None
    gates: bool
    lasts: bool


def _steps(sandbox: TaskSandbox) -> Iterator[_CallStep]:
    active = sandbox.pack.spec.agents[0]
    agents = {agent.name: agent for agent in sandbox.pack.spec.agents}
    tools = sandbox.snapshot.tools
    for index, step in enumerate(sandbox.case.solution):
        if step.hand_off in active.handoffs:
            active = agents[active.handoffs[step.hand_off or ""].to]
        if step.call:
            yield _CallStep(
                index + 1,
                step,
                active.name,
                sandbox.snapshot.prompts[active.name],
                step.because or sandbox.case.expect.reads_required.get(step.call),
                gates=index in sandbox.gating,
                lasts=step.refused is None and step.call in tools and tools[step.call].writes,
            )


def _fails_without(sandbox: TaskSandbox, index: int) -> bool:
    """Whether leaving out a step keeps the rows and fails the call; what cannot be made without it proves nothing."""
    rollout = sandbox.run([action for action in sandbox.actions if action.step != index])
    if rollout.unmade:
        return False
    verified = sandbox.verify(sandbox.evidence(rollout))
    return verified.gates.database.passed and not verified.passed


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
