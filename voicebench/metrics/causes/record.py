"""One stored call, as the search for its cause looks at it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from voicebench.language.compare import compare_values
from voicebench.language.intents import Intents
from voicebench.language.understanding import readable
from voicebench.metrics.causes.scripted_reply import React
from voicebench.metrics.fact_mentions import fact_arguments
from voicebench.packs import PackSnapshot
from voicebench.packs.models import Case, Step

__all__ = ["Record", "StepRow", "agent_requests"]


def agent_requests(trace: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the spans of the requests to the agent's model; a caller may be played by another."""
    return [line for line in trace if line["name"] == "llm" and line["attributes"].get("party") != "caller"]


@dataclass(frozen=True)
class StepRow:
    """A call or a handoff of the solution beside what was done of it, as the verdict has it.

    Attributes:
        index: among the solution's calls and handoffs.
        step: of the solution.
        row: of ``tool_calls.rows``.
    """

    index: int
    step: Step
    row: Mapping[str, Any]

    @property
    def satisfied(self) -> bool:
        """Whether it was done."""
        return bool(self.row["satisfied"])

    @property
    def needed(self) -> bool:
        """Whether a gate fails without it."""
        return bool(self.row["gating"]) and not self.satisfied

    @property
    def actual(self) -> Mapping[str, Any] | None:
        """The call or handoff that stands beside it."""
        actual: Mapping[str, Any] | None = self.row["actual"]
        return actual

    @property
    def name(self) -> str:
        """The tool or handoff expected."""
        return str(self.row["expected"]["name"])

    @property
    def start_s(self) -> float:
        """When it was done; never is infinitely late."""
        return float("inf") if self.actual is None else float(self.actual["start_s"])

    @property
    def wrong_arguments(self) -> list[Mapping[str, Any]]:
        """The arguments that fail it."""
        return [argument for argument in self.row["arguments"] if argument["gates"] and not argument["equal"]]

    @property
    def as_written(self) -> bool:
        """Whether it was called just as the solution has it, and the tool did not answer as the solution expects."""
        return (
            self.row["kind"] == "tool" and not self.satisfied and self.actual is not None and not self.wrong_arguments
        )


@dataclass(frozen=True)
class Record:
    """What is known of a call.

    Attributes:
        snapshot: the run's copy of the pack.
        case: the task.
        trace: lines of ``trace.jsonl``.
        score: the verdict and the metrics of ``call.json``: ``gates``, ``tool_calls``, ``transcript``, ``facts``, …
        end_reason: why the call ended.
        react: what the caller's script makes of words.
    """

    snapshot: PackSnapshot
    case: Case
    trace: list[dict[str, Any]]
    score: Mapping[str, Any]
    end_reason: str
    react: React

    # ---- what was done ---------------------------------------------------------------------------------------

    @cached_property
    def steps(self) -> list[StepRow]:
        """The solution's calls and handoffs."""
        acts = [step for step in self.case.solution if step.call or step.hand_off]
        rows = [row for row in self.score["tool_calls"]["rows"] if row["expected"] is not None]
        return [StepRow(index, step, row) for index, (step, row) in enumerate(zip(acts, rows, strict=True))]

    @cached_property
    def extra(self) -> list[Mapping[str, Any]]:
        """Rows of what no step of the solution stands for."""
        return [row for row in self.score["tool_calls"]["rows"] if row["expected"] is None]

    def fails(self, gate: str) -> bool:
        """Whether a gate does not pass."""
        return not self.score["gates"][gate]["passed"]

    def wrote(self, actual: Mapping[str, Any]) -> bool:
        """Whether a call changed something."""
        tool = self.snapshot.tools.get(actual["name"])
        return tool is not None and tool.writes and actual["result"].get("ok") is True

    def act_spans(self, actual: Mapping[str, Any] | None) -> list[str]:
        """Return the span of a call or a handoff of the verdict."""
        if actual is None:
            return []
        names = {"tool": "gen_ai.tool.name", "handoff": "tool"}
        return [
            line["span_id"]
            for line in self.trace
            if line["name"] in names
            and line["attributes"][names[line["name"]]] == actual["name"]
            and line["start_ns"] / 1e9 == actual["start_s"]
        ][:1]

    def differing_facts(self, actual: Mapping[str, Any], step: Step | None = None) -> dict[str, Any]:
        """Return the facts of the caller's that a call was given another value for, with that value.

        Args:
            actual: the call.
            step: the step whose arguments say which is which fact; those of all steps if None.
        """
        ways = [way for one in (self.case.solution if step is None else [step]) for way in fact_arguments(one)]
        differing: dict[str, Any] = {}
        for argument, value in actual.get("arguments", {}).items():
            names = [facts[argument] for tool, facts in ways if tool == actual["name"] and argument in facts]
            if (
                names
                and value is not None
                and not any(self._is_fact(actual["name"], argument, n, value) for n in names)
            ):
                differing[names[0]] = value
        return differing

    def _is_fact(self, tool: str, argument: str, name: str, value: Any) -> bool:
        fact = self.case.caller.facts.get(name)
        kind = self.snapshot.tools[tool].arg_types.get(argument) if tool in self.snapshot.tools else None
        return fact is not None and compare_values(kind, fact.value, value).equal

    def lacking(self, step: StepRow) -> list[str]:
        """Return the facts that a step needs and that the caller never gave; none if one way to do it has them all."""
        ways = [list(facts.values()) for _, facts in fact_arguments(step.step)]
        unsaid = [[fact for fact in way if not self._may_have_given(fact)] for way in ways]
        return min(unsaid, key=len, default=[])

    def _may_have_given(self, fact: str) -> bool:
        """Whether the caller gave a fact, as far as one can know: free words are not found in those of a model."""
        spec = self.snapshot.spec.facts.get(fact)
        free = spec is None or not readable(spec)
        by_model = any(self.rule(turn) == "model" for turn in self.caller_turns)
        by_script = any(fact in self.gives(turn) for turn in self.caller_turns)
        return by_script or bool(self.sayings_of(fact)) or (free and by_model)

    @cached_property
    def agent_ended(self) -> bool:
        """Whether the agent ended the call by a tool, or gave it to a person."""
        tools = (line["attributes"] for line in self.trace if line["name"] == "tool")
        ending = {tool.name for tool in self.snapshot.tools.values() if tool.ends_call}
        return any(
            made["gen_ai.tool.name"] in ending and made["gen_ai.tool.call.result"].get("ok") is True for made in tools
        )

    # ---- what was said ---------------------------------------------------------------------------------------

    @cached_property
    def turns(self) -> list[dict[str, Any]]:
        """Both sides' turns."""
        turns: list[dict[str, Any]] = self.score["transcript"]
        return turns

    @property
    def caller_turns(self) -> list[dict[str, Any]]:
        """The caller's turns."""
        return [turn for turn in self.turns if turn["speaker"] == "caller"]

    @cached_property
    def _utterances(self) -> dict[str, Mapping[str, Any]]:
        """Span of a caller's speech to what it says of it."""
        return {line["span_id"]: line["attributes"] for line in self.trace if line["name"] == "caller.speech"}

    def rule(self, turn: Mapping[str, Any]) -> str:
        """Return the rule behind a turn of the caller's; empty where it has none."""
        return str(self._utterances.get(turn["span_ids"][0], {}).get("rule", ""))

    def gives(self, turn: Mapping[str, Any]) -> list[str]:
        """Return the facts that the caller's script gave in a turn of its."""
        return list(self._utterances.get(turn["span_ids"][0], {}).get("facts", ()))

    def heard_by_caller(self, turn: Mapping[str, Any], before: Mapping[str, Any]) -> str:
        """Return what a turn of the caller's answers as the caller had understood it: the agent's turn before it."""
        answers = self._utterances.get(turn["span_ids"][0], {}).get("answers")
        if answers is not None:
            return str(answers)
        return str(before["spoken"] if before["heard"] is None else before["heard"])

    def agents_before(self, turn: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the agent's turns before a turn of the caller's."""
        return [one for one in self.turns[: self.turns.index(dict(turn))] if one["speaker"] == "agent"]

    def caller_after(self, turn: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the caller's answer to a turn of the agent's: what it said next but for "hello?"."""
        after = [one for one in self.turns[self.turns.index(dict(turn)) + 1 :] if one["speaker"] == "caller"]
        return next((one for one in after if self.rule(one) != "hello"), None)

    def sayings_of(self, fact: str) -> list[dict[str, Any]]:
        """Return the caller's sayings of a fact."""
        return [one for one in self.score["fact_mentions"] if one["fact"] == fact and one["speaker"] == "caller"]

    @cached_property
    def is_heard(self) -> bool:
        """Whether the agent listens through a recognizer whose words are known."""
        return any(line["name"] == "asr" and line["attributes"].get("party") != "caller" for line in self.trace)

    @cached_property
    def is_caller_listening(self) -> bool:
        """Whether the caller hears the agent's voice, or is told its words."""
        return any(line["name"] == "caller.heard" for line in self.trace)

    @cached_property
    def intents(self) -> Intents:
        """The pack's."""
        return Intents(self.snapshot.spec.intents)

    @property
    def today(self) -> dt.date:
        """The pack's date."""
        return dt.date.fromisoformat(self.snapshot.spec.today)

    # ---- time ------------------------------------------------------------------------------------------------

    @cached_property
    def end_s(self) -> float:
        """When the call ended, seconds of call time."""
        ends = [line["end_ns"] if line["type"] == "span" else line["time_ns"] for line in self.trace]
        return max(ends, default=0) / 1e9

    def requests(self, after_s: float = 0.0) -> list[dict[str, Any]]:
        """Return the spans of what the agent's model was asked at a time or later."""
        return [line for line in agent_requests(self.trace) if line["start_ns"] / 1e9 >= after_s]

    def events(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the events of a kind."""
        yield from (line for line in self.trace if line["type"] == "event" and line["name"] == name)
