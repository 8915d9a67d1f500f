"""The tools gate: each gating step of the solution has a distinct call of its own that agrees with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from voicebench.packs.models import Case, Step, ToolSpec
from voicebench.verify.arguments import ArgumentRow, compare_arguments
from voicebench.verify.evidence import ToolCallRecord

__all__ = ["StepRow", "ToolsResult", "check_tools"]

_SEARCH_LIMIT = 50_000


@dataclass(frozen=True)
class StepRow:
    """An expected call beside the actual one that it was matched to.

    ``call`` is the index of the actual call, None if none has its name; ``satisfied`` says whether it agrees.
    """

    step: int
    name: str
    expected: dict[str, Any]
    gating: bool
    call: int | None = None
    satisfied: bool = False
    arguments: list[ArgumentRow] = field(default_factory=list)
    reason: str = ""


@dataclass(frozen=True)
class ToolsResult:
    """Outcome of the tools gate. ``reward`` is matched / (expected + forbidden calls made)."""

    passed: bool
    reward: float
    reasons: list[str]
    rows: list[StepRow]
    extra: list[int]


@dataclass(frozen=True)
class _Option:
    """One way to satisfy a step: a tool and its arguments."""

    tool: str
    arguments: dict[str, Any]


def check_tools(case: Case, tools: Mapping[str, ToolSpec], calls: list[ToolCallRecord]) -> ToolsResult:
    """Match the solution's calls with the actual ones, as many gating steps as possible, and judge.

    Steps are tried in order and calls in order of time, with backtracking: a ``$result`` argument means the result of
    the call that its own step was matched to.
    """
    matcher = _Matcher(case, tools, calls)
    matched = matcher.best()
    rows = matcher.rows(matched)
    gating = [row for row in rows if row.gating]
    forbidden = [c for c in calls if c.name in case.expect.forbidden_tools]
    won = sum(row.satisfied for row in gating)
    total = len(gating) + len(forbidden)
    reasons = [f"{row.name}: {row.reason}" for row in gating]
    reasons += [f"{call.name}: forbidden, and called" for call in forbidden]
    used = {row.call for row in rows if row.call is not None}
    extra = [index for index in range(len(calls)) if index not in used]
    passed = won == len(gating) and not forbidden
    return ToolsResult(passed, won / total if total else 1.0, reasons or ["no tool is required"], rows, extra)


class _Matcher:
    """Finds the assignment of calls to steps that satisfies the most gating steps."""

    def __init__(self, case: Case, tools: Mapping[str, ToolSpec], calls: list[ToolCallRecord]) -> None:
        self._facts = {name: fact.value for name, fact in case.caller.facts.items()}
        self._tools = tools
        self._calls = calls
        self._steps = [(i, step) for i, step in enumerate(case.solution) if step.call is not None]
        self._gating = [self._gates(step, case.expect.reads_required) for _, step in self._steps]
        self._nodes = 0
        self._best: tuple[tuple[int, int], dict[int, int]] = ((-1, -1), {})

    def _gates(self, step: Step, required: Mapping[str, str]) -> bool:
        names = [step.call, *(a.call for a in step.alternatives if a.call)]
        return any((n in self._tools and self._tools[n].writes) or n in required for n in names if n)

    def best(self) -> dict[int, int]:
        """Return step position → call index of the best assignment."""
        self._search(0, {}, {}, (0, 0))
        return self._best[1]

    def _search(
        self, position: int, taken: dict[int, int], results: dict[str, dict[str, Any]], score: tuple[int, int]
    ) -> None:
        self._nodes += 1
        left = len(self._steps) - position
        gating_left = sum(self._gating[position:])
        bound = (score[0] + gating_left, score[1] + left)
        if bound <= self._best[0] or self._nodes > _SEARCH_LIMIT:
            return
        if position == len(self._steps):
            self._best = (score, dict(taken))
            return
        step = self._steps[position][1]
        for index in range(len(self._calls)):
            if index in taken.values() or self._judge(step, self._calls[index], results)[1]:
                continue
            name = step.call or ""
            won = (score[0] + self._gating[position], score[1] + 1)
            self._search(
                position + 1, {**taken, position: index}, {**results, name: self._calls[index].result}, won
            )
        self._search(position + 1, taken, results, score)

    def _judge(
        self, step: Step, call: ToolCallRecord, results: Mapping[str, dict[str, Any]]
    ) -> tuple[list[ArgumentRow], str]:
        """Return the argument rows of the option that fits best, and what is wrong with it (empty if nothing)."""
        judged = [self._judge_option(option, step, call, results) for option in _options(step)]
        fitting = [j for j in judged if j is not None]
        if not fitting:
            return [], "another tool"
        return min(fitting, key=lambda j: bool(j[1]))

    def _judge_option(
        self, option: _Option, step: Step, call: ToolCallRecord, results: Mapping[str, dict[str, Any]]
    ) -> tuple[list[ArgumentRow], str] | None:
        if call.name != option.tool:
            return None
        types = self._tools[call.name].arg_types if call.name in self._tools else {}
        rows = compare_arguments(option.arguments, call.arguments, types, self._facts, results)
        wrong = [row.rule for row in rows if row.gates and not row.equal]
        if step.refused is not None:
            if call.ok or call.result.get("error_code") != step.refused:
                wrong.append(f"should have been refused with {step.refused}")
        elif not call.ok:
            wrong.append(f"was refused: {call.result.get('error_code')}")
        return rows, "; ".join(wrong)

    def rows(self, matched: dict[int, int]) -> list[StepRow]:
        """Return one row a step: satisfied steps first in the choice of calls, then same-named calls to show."""
        results: dict[str, dict[str, Any]] = {}
        used = set(matched.values())
        rows: list[StepRow] = []
        for position, (index, step) in enumerate(self._steps):
            call_index = matched.get(position)
            satisfied = call_index is not None
            if call_index is None:
                call_index = self._same_name(step, used)
            row = self._row(index, step, position, call_index, satisfied, results)
            if call_index is not None:
                used.add(call_index)
                results[step.call or ""] = self._calls[call_index].result
            rows.append(row)
        return rows

    def _row(
        self,
        index: int,
        step: Step,
        position: int,
        call_index: int | None,
        satisfied: bool,
        results: Mapping[str, dict[str, Any]],
    ) -> StepRow:
        arguments: list[ArgumentRow] = []
        reason = "never called"
        if call_index is not None:
            arguments, wrong = self._judge(step, self._calls[call_index], results)
            compared = [row.rule for row in arguments if row.gates]
            reason = wrong or "; ".join(compared) or "called"
        return StepRow(
            index, step.call or "", dict(step.with_), self._gating[position], call_index, satisfied, arguments, reason
        )

    def _same_name(self, step: Step, used: set[int]) -> int | None:
        names = {option.tool for option in _options(step)}
        candidates = [i for i, c in enumerate(self._calls) if c.name in names and i not in used]
        return max(candidates, key=lambda i: (self._calls[i].ok, -i), default=None)


def _options(step: Step) -> list[_Option]:
    own = _Option(step.call or "", dict(step.with_))
    return [own, *(_Option(a.call or step.call or "", dict(a.with_)) for a in step.alternatives)]
