"""The first proof: the solution, played through the tools, passes and leaves exactly the rows written by hand."""

from __future__ import annotations

from collections.abc import Iterator

from voicebench.record.verdict import MadeToolCall
from voicebench.task_checks.sandbox import AgentAction, TaskFinding, TaskSandbox
from voicebench.verify import Verification

__all__ = ["check_solution", "failed_gates"]


def check_solution(sandbox: TaskSandbox) -> list[TaskFinding]:
    """Return what the tools and the gates have against the solution."""
    checks = (path_problems, answer_problems, gate_problems)
    return [TaskFinding("solution", what) for check in checks for what in check(sandbox)]


def failed_gates(verdict: Verification, *, without: str = "") -> str:
    """Return the gates that fail, each with what it has to say, but for one."""
    shown = []
    for name, gate in verdict.gates.by_name().items():
        if not gate.passed and name != without:
            # reasons that speak of agreement are left out where any speaks of something else
            wrong = [reason for reason in gate.reasons if " ≠ " in reason or " = " not in reason]
            shown.append(f"{name} ({', '.join(wrong or gate.reasons)})")
    return "; ".join(shown)


def path_problems(sandbox: TaskSandbox) -> Iterator[str]:
    """Walk the expected path: the agent that has the call must offer the next handoff, allowed detours in between."""
    expect = sandbox.case.expect
    allowed = set() if expect.exact_path else set(expect.allow_hops)
    agents = {agent.name: agent for agent in sandbox.pack.spec.agents}
    here = {sandbox.pack.spec.agents[0].name}
    for handoff in expect.handoffs:
        here = _detours(here, allowed, sandbox)
        reached = {agents[name].handoffs[handoff].to for name in here if handoff in agents[name].handoffs}
        if not reached:
            yield f"no agent can take the expected path: {handoff} is not offered by {' or '.join(sorted(here))}"
            return
        here = reached


def _detours(here: set[str], allowed: set[str], sandbox: TaskSandbox) -> set[str]:
    agents = {agent.name: agent for agent in sandbox.pack.spec.agents}
    while True:
        further = {handoff.to for name in here for tool, handoff in agents[name].handoffs.items() if tool in allowed}
        if further <= here:
            return here
        here = here | further


def answer_problems(sandbox: TaskSandbox) -> Iterator[str]:
    """Compare each answer with what the step expects: a success, or the refusal that is the point."""
    for action, why in sandbox.solution.unmade:
        yield f"{_name(action)} cannot be played: {why}"
    for action, record in zip(sandbox.actions, sandbox.solution.records, strict=True):
        if record is None:
            continue
        if action.refused is None and not record.ok:
            yield f"{_name(action)} is refused: {_refusal(record)}"
        elif action.refused is not None and record.error_code != action.refused:
            answered = "succeeds" if record.ok else f"is refused with {_refusal(record)}"
            yield f"{_name(action)} should be refused with {action.refused} and {answered}"


def _refusal(record: MadeToolCall) -> str:
    data = record.result.get("data")
    problems = data.get("problems") if isinstance(data, dict) else None
    return (
        f"{record.error_code} ({'; '.join(map(str, problems))})"
        if isinstance(problems, list)
        else str(record.error_code)
    )


def _name(action: AgentAction) -> str:
    return f"step {(action.step or 0) + 1}, {action.name},"


def gate_problems(sandbox: TaskSandbox) -> Iterator[str]:
    """Ask the three gates; of the database, say each row that the solution leaves and the case does not expect."""
    verdict = sandbox.verify(sandbox.evidence(sandbox.solution))
    if failed := failed_gates(verdict, without="database"):
        yield f"does not pass: {failed}"
    for row in verdict.state_diff:
        yield f"rows contradict it: {row.table}: expected {row.expected}, left {row.actual}"
