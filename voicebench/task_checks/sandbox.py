"""A task set up to be played through its tools without a call: moves, what they leave, and what the verifier says."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from voicebench.language.slots import FactType
from voicebench.packs import Pack, PackSnapshot, State, ToolContext, diff_state, dump_state
from voicebench.packs.models import AgentSpec, Case, Step
from voicebench.packs.templates import Unresolved, choose_arguments
from voicebench.record.verdict import MadeHandoff, MadeToolCall
from voicebench.verify import Evidence, Verification, verify_call
from voicebench.verify.matching import StepMatcher

__all__ = ["Bench", "Move", "Play", "made_handoff"]

Envelope = dict[str, Any]


@dataclass(frozen=True)
class Move:
    """One thing that an agent does: a tool call, or a handoff.

    Attributes:
        name: of the tool or the handoff.
        hop: whether it is a handoff.
        arguments: as a solution writes them; references are resolved when it is played.
        step: its index in the solution, None if it is none of it.
        refused: the refusal that the solution expects.
    """

    name: str
    hop: bool = False
    arguments: Mapping[str, Any] = field(default_factory=dict)
    step: int | None = None
    refused: str | None = None


@dataclass(frozen=True)
class Play:
    """What came of some moves.

    Attributes:
        records: the tool call that each move became; None for a handoff and for a move that could not be made.
        handoffs: those made.
        final: the state tables afterwards.
        unmade: moves that could not be made, and why.
    """

    records: list[MadeToolCall | None]
    handoffs: list[MadeHandoff]
    final: State
    unmade: list[tuple[Move, str]]

    @property
    def results(self) -> dict[str, Envelope]:
        """The latest answer of each tool."""
        return {record.name: record.result for record in self.records if record is not None}


class Bench:
    """One task of a pack, ready to be played again and again; each play has a database of its own.

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
        self.moves = [_move(index, step) for index, step in enumerate(case.solution) if step.call or step.hand_off]

    @cached_property
    def solution(self) -> Play:
        """The solution, played as it is written; of alternatives and options the first."""
        return self.play(self.moves)

    def beginning_with(self, form: int) -> Bench:
        """Return the same task with a caller that says another form of each fact first, and the others after it."""
        caller = self.case.caller
        facts = {
            name: fact.model_copy(update={"forms": [*fact.forms[form:], *fact.forms[:form]]})
            for name, fact in caller.facts.items()
        }
        case = self.case.model_copy(update={"caller": caller.model_copy(update={"facts": facts})})
        return Bench(self.pack, case, self.snapshot)

    def verify(self, evidence: Evidence) -> Verification:
        """Judge by the three gates."""
        return verify_call(self.snapshot, self.case, evidence)

    def types(self, tool: str) -> Mapping[str, FactType]:
        """How the arguments of a tool are compared."""
        return self.snapshot.tools[tool].arg_types

    def evidence(
        self, play: Play, final: State | None = None, handoffs: Sequence[MadeHandoff] | None = None
    ) -> Evidence:
        """Return a play as the verifier gets it, or with another final state, or with other handoffs."""
        difference = diff_state(self.seed, play.final if final is None else final, self.pack.spec)
        calls = [record for record in play.records if record is not None]
        return Evidence(calls, list(play.handoffs if handoffs is None else handoffs), difference)

    def play(self, moves: Sequence[Move], *, known: Mapping[str, Envelope] | None = None) -> Play:
        """Make some moves on a fresh database.

        Args:
            moves: in order; those after a tool that ended the call are not made.
            known: answers that the agent has guessed: used where a reference finds none of this play's own.

        Raises:
            PackError: a tool's own code failed.
        """
        with contextlib.closing(self.pack.open_context()) as context:
            play = _Playing(self, context, dict(known or {}))
            for move in moves:
                play.make(move)
            final = context.dump(self.pack.spec)
        return Play(play.records, play.handoffs, final, play.unmade)

    def agents_along(self, path: Sequence[str]) -> Iterator[AgentSpec]:
        """Yield the agent that has the call before each hop of a path and after the last."""
        agents = {agent.name: agent for agent in self.pack.spec.agents}
        targets = {name: hop.to for agent in agents.values() for name, hop in agent.handoffs.items()}
        active = self.pack.spec.agents[0]
        yield active
        for hop in path:
            active = agents[targets[hop]]
            yield active


def made_handoff(name: str, number: int) -> MadeHandoff:
    """Return a handoff that was made, at a number of moves from the start."""
    return MadeHandoff(name=name, from_agent="", to_agent="", start_s=number)


def _move(index: int, step: Step) -> Move:
    if step.hand_off:
        return Move(step.hand_off, hop=True, step=index)
    return Move(step.call or "", arguments=step.with_, step=index, refused=step.refused)


class _Playing:
    """A play under way."""

    def __init__(self, bench: Bench, context: ToolContext, known: dict[str, Envelope]) -> None:
        self.records: list[MadeToolCall | None] = []
        self.handoffs: list[MadeHandoff] = []
        self.unmade: list[tuple[Move, str]] = []
        self._bench = bench
        self._context = context
        self._known = known
        self._results: dict[str, Envelope] = {}
        self._over = False

    def make(self, move: Move) -> None:
        record = None
        if self._over:
            self.unmade.append((move, "the call has ended before it"))
        elif move.hop:
            self.handoffs.append(made_handoff(move.name, len(self.records)))
        else:
            try:
                record = self._call(move)
            except Unresolved as error:
                self.unmade.append((move, str(error)))
        self.records.append(record)

    def _call(self, move: Move) -> MadeToolCall:
        tool = self._bench.pack.tools[move.name]
        schemas = self._bench.snapshot.tools[move.name].schemas
        case, facts = self._bench.case, self._bench.facts
        results = (self._results, self._known)
        arguments = choose_arguments(move.arguments, schemas, facts, *results, words=case.caller.opening)
        result = tool.invoke(self._context, arguments)
        self._results[move.name] = result
        self._over = tool.ends_call and bool(result["ok"])
        return MadeToolCall(
            name=move.name, arguments=arguments, result=result, agent="", start_s=len(self.records), after_hangup=False
        )
