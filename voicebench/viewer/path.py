"""The paths of a call through the desk's agents: the expected one, and the one taken judged hop by hop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from voicebench.packs import Case, PackSpec
from voicebench.verify.handoffs import common_path

__all__ = ["Hop", "HopStatus", "expected_hops", "path_sentence", "taken_hops"]

HopStatus = Literal["right", "allowed", "wrong", "missing"]


@dataclass(frozen=True)
class Hop:
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
    status: HopStatus
    number: int


def expected_hops(spec: PackSpec, case: Case) -> list[Hop]:
    """Return the path that the task expects."""
    return [
        Hop(tool, source, target, "right", number)
        for number, (tool, source, target) in enumerate(_resolved(spec, case.expect.handoffs), start=1)
    ]


def taken_hops(spec: PackSpec, case: Case, call: Mapping[str, Any]) -> list[Hop]:
    """Return the path taken, and after it the expected hops that are missing.

    It is right along the prefix that it shares with the expected one, and wrong from the first wrong hop on.

    Args:
        spec: the pack.
        case: the task.
        call: content of ``call.json``.
    """
    expect = case.expect
    rows = [row["actual"] for row in call["tool_calls"]["rows"] if row["kind"] == "handoff" and row["actual"]]
    taken = sorted(rows, key=lambda actual: float(actual["start_s"]))
    hops: list[Hop] = []
    shared = 0
    diverged = False
    for number, actual in enumerate(taken, start=1):
        status: HopStatus = "wrong"
        if not diverged and shared < len(expect.handoffs) and actual["name"] == expect.handoffs[shared]:
            status, shared = "right", shared + 1
        elif not diverged and actual["name"] in expect.allow_hops and not expect.exact_path:
            status = "allowed"
        else:
            diverged = True
        hops.append(Hop(actual["name"], actual["from"], actual["to"], status, number))
    found = common_path(expect.handoffs, [actual["name"] for actual in taken])
    resolved = enumerate(_resolved(spec, expect.handoffs))
    return hops + [Hop(*names, "missing", index + 1) for index, names in resolved if index not in found]


def path_sentence(spec: PackSpec, hops: Sequence[Hop]) -> str:
    """Return a path as text: the agents in turn, with what is wrong, and then what is missing."""
    marks = {"right": "", "allowed": " (allowed detour)", "wrong": " (wrong)"}
    taken = [hop for hop in hops if hop.status != "missing"]
    steps = [f"{hop.target or hop.tool}{marks[hop.status]}" for hop in taken]
    missing = [f"{hop.source} → {hop.target}" for hop in hops if hop.status == "missing"]
    text = " → ".join([spec.agents[0].name, *steps]) if steps else f"{spec.agents[0].name} alone, no handoff"
    return text + (f"; missing: {', '.join(missing)}" if missing else "")


def _resolved(spec: PackSpec, tools: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return tool, source and target of each hop, walking from the first agent."""
    agents = {agent.name: agent for agent in spec.agents}
    here = spec.agents[0]
    found = []
    for tool in tools:
        holder = here if tool in here.handoffs else next((one for one in spec.agents if tool in one.handoffs), None)
        if holder is None:
            found.append((tool, "", ""))
            continue
        target = holder.handoffs[tool].to
        found.append((tool, holder.name, target))
        here = agents.get(target, here)
    return found
