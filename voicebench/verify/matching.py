"""Which actual call stands for which step of a solution."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from voicebench.packs.models import Case, Step, ToolSpec
from voicebench.packs.templates import as_written, expand, tools_in
from voicebench.record.json_types import JsonObject
from voicebench.record.verdict import ArgumentRow, MadeToolCall
from voicebench.verify.arguments import compare_arguments

__all__ = ["Match", "StepMatcher", "largest_matching", "match_steps"]

CHOICES = 2_000
"""Choices that are tried: a bound for an agent that calls the same tools in endless rounds."""


@dataclass(frozen=True)
class Match:
    """How a call fits a step: its arguments side by side, and what is wrong with it; nothing, if it satisfies it."""

    arguments: tuple[ArgumentRow, ...]
    wrong: list[str]


class StepMatcher:
    """Compares any call with any step of one task.

    Attributes:
        case: the task.
        calls: what was called, in order of time.
        steps: indices of the solution's steps that call.
        sources: those whose results other steps use.
    """

    def __init__(self, case: Case, tools: Mapping[str, ToolSpec], calls: Sequence[MadeToolCall]) -> None:
        self.case = case
        self.calls = calls
        self.steps = [index for index, step in enumerate(case.solution) if step.call]
        self._tools = tools
        self._facts = {name: fact.value for name, fact in case.caller.facts.items()}
        self._uses: dict[int, dict[str, int]] = {}
        before: dict[str, int] = {}
        for step in self.steps:
            # A result is that of the last step before that calls the tool, so a step never uses its own.
            templates = [arguments for _, arguments in _options(case.solution[step])]
            self._uses[step] = {name: before[name] for name in tools_in(templates) if name in before}
            before[case.solution[step].call or ""] = step
        self.sources = sorted({source for uses in self._uses.values() for source in uses.values()})
        self._known: dict[tuple[int, int, tuple[int | None, ...]], Match | None] = {}

    def is_gating(self, step: int) -> bool:
        """Whether the gate needs the step.

        It does if it writes, or is a read that ``reads_required`` names. A call that is refused leaves nothing behind:
        whoever knows from its prompt that it would be, may leave it out, unless a sentence there demands it anyhow.
        """
        if self.case.solution[step].refused and not self.case.solution[step].because:
            return self.case.solution[step].call in self.case.expect.reads_required
        names = [tool for tool, _ in _options(self.case.solution[step])]
        required = self.case.expect.reads_required
        return any(name in required or (name in self._tools and self._tools[name].writes) for name in names)

    def match(self, step: int, call: int, matched: Mapping[int, int]) -> Match | None:
        """Compare a call with the option of the step that it fits best; None if it is another tool.

        Args:
            step: index in the solution.
            call: index of the actual call.
            matched: step → call for the sources, by which ``$result`` is resolved.
        """
        # Every choice of sources asks for most pairs again; only the calls of the sources that the step uses matter.
        key = (step, call, tuple(matched.get(source) for source in self._uses[step].values()))
        if key not in self._known:
            results = self._results(step, matched)
            matches = [
                self._match_option(arguments, self.case.solution[step], self.calls[call], results)
                for tool, arguments in _options(self.case.solution[step])
                if tool == self.calls[call].name
            ]
            self._known[key] = min(matches, key=lambda match: len(match.wrong), default=None)
        return self._known[key]

    def _results(self, step: int, matched: Mapping[int, int]) -> dict[str, JsonObject]:
        uses = self._uses[step].items()
        return {name: self.calls[matched[source]].result for name, source in uses if source in matched}

    def expected(self, step: int, matched: Mapping[int, int]) -> JsonObject:
        """Return the arguments of a step with all values that are known; parameters as in :meth:`match`."""
        results = self._results(step, matched)
        arguments = self.case.solution[step].with_.items()
        return {name: as_written(expand(value, self._facts, results)) for name, value in arguments}

    def satisfied(self, step: int, call: int, matched: Mapping[int, int]) -> bool:
        """Whether a call satisfies a step; arguments as those of :meth:`match`."""
        match = self.match(step, call, matched)
        return match is not None and not match.wrong

    def _match_option(
        self, arguments: JsonObject, step: Step, call: MadeToolCall, results: Mapping[str, JsonObject]
    ) -> Match:
        types = self._tools[call.name].arg_types if call.name in self._tools else {}
        rows = compare_arguments(arguments, call.arguments, types, self._facts, results)
        wrong = [f"{row.name} {row.rule}" for row in rows if row.gates and not row.equal]
        if step.refused is None and not call.ok:
            wrong.append(f"was refused: {call.error_code}")
        elif step.refused is not None and (call.ok or call.error_code != step.refused):
            wrong.append(f"should have been refused with {step.refused}")
        return Match(tuple(rows), wrong)


def match_steps(matcher: StepMatcher) -> dict[int, int]:
    """Return step → call, each call once, so that the most gating steps are satisfied, and then the most others.

    A ``$result`` argument means the result of the call that its own step is matched to. So every choice of calls for
    the steps that are referred to is tried (the first ``CHOICES`` of them, in order of time), and for each the other
    steps are matched as well as can be.
    """
    best: dict[int, int] = {}
    best_score = (-1, -1)
    possible = (sum(matcher.is_gating(step) for step in matcher.steps), len(matcher.steps))
    for fixed in itertools.islice(_choices(matcher, matcher.sources, {}), CHOICES):
        # What is left goes to the steps that are no sources, gating ones first.
        calls = [index for index in range(len(matcher.calls)) if index not in fixed.values()]
        free = [step for step in matcher.steps if step not in matcher.sources]
        fits = {step: [index for index in calls if matcher.satisfied(step, index, fixed)] for step in free}
        order = sorted(free, key=lambda step: (not matcher.is_gating(step), step))
        matched = {**fixed, **largest_matching(order, fits)}
        score = (sum(matcher.is_gating(step) for step in matched), len(matched))
        if score > best_score:
            best, best_score = matched, score
        if best_score == possible:
            break
    return best


def _choices(matcher: StepMatcher, sources: list[int], fixed: dict[int, int]) -> Iterator[dict[int, int]]:
    """Yield every assignment of satisfying calls to the sources, also without some of them; of equal calls one."""
    if not sources:
        yield fixed
        return
    step, *others = sources
    seen = set()
    for index, call in enumerate(matcher.calls):
        if index in fixed.values() or not matcher.satisfied(step, index, fixed):
            continue
        same = json.dumps([call.name, call.arguments, call.result], sort_keys=True)
        if same not in seen:
            seen.add(same)
            yield from _choices(matcher, others, {**fixed, step: index})
    yield from _choices(matcher, others, fixed)


def largest_matching(order: Iterable[int], fits: Mapping[int, list[int]]) -> dict[int, int]:
    """Return a largest matching left → right of a bipartite graph, by augmenting paths (Kuhn, 1955).

    A left vertex that is matched stays so, hence no other matching covers more of the earlier ones in ``order``.

    Args:
        order: left vertices, the most valuable first.
        fits: right vertices of each left one, the preferred first.
    """
    owner: dict[int, int] = {}

    def assign(left: int, seen: set[int]) -> bool:
        for right in fits[left]:
            if right not in seen:
                seen.add(right)
                if right not in owner or assign(owner[right], seen):
                    owner[right] = left
                    return True
        return False

    for left in order:
        assign(left, set())
    return {left: right for right, left in owner.items()}


def _options(step: Step) -> list[tuple[str, JsonObject]]:
    """Return the ways to satisfy a step, each a tool and its arguments."""
    name = step.call or ""
    return [(name, dict(step.with_)), *((other.call or name, dict(other.with_)) for other in step.alternatives)]
