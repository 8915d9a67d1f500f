"""A task set up to be played through its tools without a call: actions, what they leave, and what the verifier says."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from voicebench.language.slots import FactType
from voicebench.packs import Pack, PackSnapshot, State, ToolContext, diff_state, dump_state
from voicebench.packs.models import AgentSpec, Case
from voicebench.packs.templates import Unresolved, choose_arguments
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.record.verdict import MadeHandoff, MadeToolCall
from voicebench.verify import Evidence, Verification, verify_call
from voicebench.verify.matching import StepMatcher

__all__ = ["AgentAction", "Rollout", "TaskSandbox", "made_handoff"]

Proof = Literal[
    "solution",
    "demands",
    "duties",
    "baseline",
    "mutant",
    "variation",
    "facts",
    "leak",
    "reference",
    "wording",
    "caller",
    "audio",
    "text",
]
"""The six proofs, the leaks of the fifth and the wordings of the sixth apart; ``demands``: a step gates that no prompt
demands; ``duties``: a task has none, or the line reference does not keep to one; ``caller``: the scripted caller breaks
its own script in a call of a proof; ``audio``: a fact that is lost on the telephone; ``text``: the case is not filled
in."""


@dataclass(frozen=True)
class TaskFinding:
    """One reason why a task is not fair. ``proof`` says which proof fails, ``what`` says where and how."""

    proof: Proof
    what: str

    def __str__(self) -> str:
        return f"{self.proof}: {self.what}"


@dataclass(frozen=True)
class AgentAction:
    """One thing that an agent does: a tool call, or a handoff.

    Attributes:
        name: of the tool or the handoff.
        handoff: whether it is a handoff.
        arguments: as a solution writes them; references are resolved when it is played.
        step: its index in the solution, None if it is none of it.
        refused: the refusal that the solution expects.
    """

    name: str
    handoff: bool = False
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    step: int | None = None
    refused: str | None = None


@dataclass(frozen=True)
class Rollout:
    """The result of a list of actions that were run against the pack's tools.

    Attributes:
        records: the tool call that each action became; None for a handoff and for an action that could not be made.
        handoffs: the handoffs that were made.
        final: the state tables afterwards.
        unmade: actions that could not be made, and why.
    """

    records: list[MadeToolCall | None]
    handoffs: list[MadeHandoff]
    final: State
    unmade: list[tuple[AgentAction, str]]

    @property
    def results(self) -> dict[str, JsonObject]:
        """The latest answer of each tool."""
        return {record.name: record.result for record in self.records if record is not None}


class TaskSandbox:
    """One task of a pack, ready to be played again and again; each rollout has a database of its own.

    The agent that plays has all tools at once: that a handoff is missing must show at the gates, not by accident.

    Args:
        pack: that holds the task.
        case: the task.
        snapshot: the pack's, made once for all its tasks.
    """

    def __init__(self, pack: Pack, case: Case, snapshot: PackSnapshot) -> None:
        self.pack = pack
        self.case = case
        self.snapshot = snapshot
        self.facts = {name: fact.value for name, fact in case.caller.facts.items()}
        self.seed: State = dump_state(pack.open_database(), pack.spec)
        matcher = StepMatcher(case, snapshot.tools, [])
        self.gating = {step for step in matcher.steps if matcher.is_gating(step)}
        self.actions: list[AgentAction] = []
        for index, step in enumerate(case.solution):
            if step.hand_off:
                self.actions.append(AgentAction(step.hand_off, handoff=True, step=index))
            elif step.call:
                self.actions.append(AgentAction(step.call, arguments=step.with_, step=index, refused=step.refused))

    @cached_property
    def solution(self) -> Rollout:
        """The solution, played as it is written; of alternatives and options the first."""
        return self.run(self.actions)

    def beginning_with(self, form: int) -> TaskSandbox:
        """Return the same task with a caller that says another form of each fact first, and the others after it."""
        caller = self.case.caller
        facts = {
            name: fact.model_copy(update={"forms": [*fact.forms[form:], *fact.forms[:form]]})
            for name, fact in caller.facts.items()
        }
        case = self.case.model_copy(update={"caller": caller.model_copy(update={"facts": facts})})
        return TaskSandbox(self.pack, case, self.snapshot)

    def verify(self, evidence: Evidence) -> Verification:
        """Verify by the three gates."""
        return verify_call(self.snapshot, self.case, evidence)

    def types(self, tool: str) -> Mapping[str, FactType]:
        """How the arguments of a tool are compared."""
        return self.snapshot.tools[tool].arg_types

    def evidence(
        self, rollout: Rollout, final: State | None = None, handoffs: Sequence[MadeHandoff] | None = None
    ) -> Evidence:
        """Return a rollout as the verifier gets it, or with another final state, or with other handoffs."""
        difference = diff_state(self.seed, rollout.final if final is None else final, self.pack.spec)
        calls = [record for record in rollout.records if record is not None]
        return Evidence(calls, list(rollout.handoffs if handoffs is None else handoffs), difference)

    def run(self, actions: Sequence[AgentAction], *, known: Mapping[str, JsonObject] | None = None) -> Rollout:
        """Make some actions on a fresh database.

        Args:
            actions: in order; those after a tool that ended the call are not made.
            known: answers that the agent has guessed: used where a reference finds none of this rollout's own.

        Raises:
            PackError: a tool's own code failed.
        """
        with contextlib.closing(self.pack.open_context()) as context:
            rollout = _RolloutInProgress(self, context, dict(known or {}))
            for action in actions:
                rollout.make(action)
            final = context.dump(self.pack.spec)
        return Rollout(rollout.records, rollout.handoffs, final, rollout.unmade)

    def agents_along(self, path: Sequence[str]) -> Iterator[AgentSpec]:
        """Yield the agent that has the call before each handoff of a path and after the last."""
        agents = {agent.name: agent for agent in self.pack.spec.agents}
        targets = {name: handoff.to for agent in agents.values() for name, handoff in agent.handoffs.items()}
        active = self.pack.spec.agents[0]
        yield active
        for handoff in path:
            active = agents[targets[handoff]]
            yield active


def made_handoff(name: str, number: int) -> MadeHandoff:
    """Return a handoff that was made, at a number of actions from the start."""
    return MadeHandoff(name=name, from_agent="", to_agent="", start_s=number)


class _RolloutInProgress:
    """A rollout under way."""

    def __init__(self, sandbox: TaskSandbox, context: ToolContext, known: dict[str, JsonObject]) -> None:
        self.records: list[MadeToolCall | None] = []
        self.handoffs: list[MadeHandoff] = []
        self.unmade: list[tuple[AgentAction, str]] = []
        self._bench = sandbox
        self._context = context
        self._known = known
        self._results: dict[str, JsonObject] = {}
        self._over = False

    def make(self, action: AgentAction) -> None:
        record = None
        if self._over:
            self.unmade.append((action, "the call has ended before it"))
        elif action.handoff:
            self.handoffs.append(made_handoff(action.name, len(self.records)))
        else:
            try:
                record = self._call(action)
            except Unresolved as error:
                self.unmade.append((action, str(error)))
        self.records.append(record)

    def _call(self, action: AgentAction) -> MadeToolCall:
        tool = self._bench.pack.tools[action.name]
        schemas = self._bench.snapshot.tools[action.name].schemas
        case, facts = self._bench.case, self._bench.facts
        results = (self._results, self._known)
        arguments = choose_arguments(action.arguments, schemas, facts, *results, words=case.caller.opening)
        result = tool.invoke(self._context, arguments)
        self._results[action.name] = result
        self._over = tool.ends_call and bool(result["ok"])
        return MadeToolCall(
            name=action.name,
            arguments=arguments,
            result=result,
            agent="",
            start_s=len(self.records),
            after_hangup=False,
        )
