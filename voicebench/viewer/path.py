"""The paths of a call through the agents: the expected one, and the one taken, with a status for each handoff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from voicebench.packs import Case, PackSpec
from voicebench.record.verdict import MadeHandoff, ToolCalls
from voicebench.verify.handoffs import common_path

__all__ = ["PathStep", "StepStatus", "expected_path", "path_sentence", "taken_path"]

StepStatus = Literal["right", "allowed", "wrong", "missing"]


@dataclass(frozen=True)
class PathStep:
    """One handoff of a path.

    Attributes:
        tool: the handoff tool.
        source, target: the agents; empty if the tool belongs to no agent of the pack.
        status: ``right``; ``allowed``, a detour that costs nothing; ``wrong``; ``missing``, expected and never taken.
        number: its place in its path, from 1.
    """

    tool: str
    source: str
    target: str
    status: StepStatus
    number: int


def expected_path(spec: PackSpec, case: Case) -> list[PathStep]:
    """Return the path that the task expects."""
    return [
        PathStep(tool, source, target, "right", number)
        for number, (tool, source, target) in enumerate(_resolved(spec, case.expect.handoffs), start=1)
    ]


def taken_path(spec: PackSpec, case: Case, tool_calls: ToolCalls) -> list[PathStep]:
    """Return the path taken, and after it the expected handoffs that are missing.

    It is right along the prefix that it shares with the expected one, and wrong from the first wrong handoff on.

    Args:
        spec: the pack.
        case: the task.
        tool_calls: the calls and handoffs that were made.
    """
    expect = case.expect
    made = [row.actual for row in tool_calls.rows if isinstance(row.actual, MadeHandoff)]
    taken = sorted(made, key=lambda handoff: handoff.start_s)
    path: list[PathStep] = []
    shared = 0
    diverged = False
    for number, handoff in enumerate(taken, start=1):
        status: StepStatus = "wrong"
        if not diverged and shared < len(expect.handoffs) and handoff.name == expect.handoffs[shared]:
            status, shared = "right", shared + 1
        elif not diverged and handoff.name in expect.allow_hops and not expect.exact_path:
            status = "allowed"
        else:
            diverged = True
        path.append(PathStep(handoff.name, handoff.from_agent, handoff.to_agent, status, number))
    # Missing is what the longest common path leaves out: a detour does not make all that follows it missing too.
    found = common_path(expect.handoffs, [handoff.name for handoff in taken])
    resolved = enumerate(_resolved(spec, expect.handoffs))
    return path + [PathStep(*names, "missing", index + 1) for index, names in resolved if index not in found]


def path_sentence(spec: PackSpec, path: Sequence[PathStep]) -> str:
    """Return a path as text: the agents in turn, with what is wrong, and then what is missing."""
    marks = {"right": "", "allowed": " (allowed detour)", "wrong": " (wrong)"}
    taken = [step for step in path if step.status != "missing"]
    steps = [f"{step.target or step.tool}{marks[step.status]}" for step in taken]
    missing = [f"{step.source} → {step.target}" for step in path if step.status == "missing"]
    text = " → ".join([spec.agents[0].name, *steps]) if steps else f"{spec.agents[0].name} alone, no handoff"
    return text + (f"; missing: {', '.join(missing)}" if missing else "")


def _resolved(spec: PackSpec, tools: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return tool, source and target of each handoff, walking from the first agent."""
    agents = {agent.name: agent for agent in spec.agents}
    active = spec.agents[0]
    found = []
    for tool in tools:
        holder = active if tool in active.handoffs else next((one for one in spec.agents if tool in one.handoffs), None)
        if holder is None:
            found.append((tool, "", ""))
            continue
        target = holder.handoffs[tool].to
        found.append((tool, holder.name, target))
        active = agents.get(target, active)
    return found
