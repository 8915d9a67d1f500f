"""The third proof: calls that are wrong in one thing, each of which must fail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from voicebench.packs import State, diff_state
from voicebench.packs.models import StateTable
from voicebench.task_checks.findings import Finding
from voicebench.task_checks.sandbox import Bench, Move, Play, made_handoff
from voicebench.task_checks.values import arguments_for, leaves, other_values
from voicebench.verify import Evidence
from voicebench.verify.arguments import compare_arguments

__all__ = ["IDENTITY", "Mutant", "check_mutants", "mutants_of"]

IDENTITY = re.compile(r"verif|identity|authenticat")
"""What the name of a tool that verifies who calls holds; an agent tells it by nothing else either."""

_EXTRA_TRIES = 10


@dataclass(frozen=True)
class Mutant:
    """A call that is wrong in one thing."""

    what: str
    evidence: Evidence


def check_mutants(bench: Bench) -> tuple[list[Finding], int]:
    """Return a finding for each mutant that passes, and how many were made."""
    findings, made = [], 0
    for mutant in mutants_of(bench):
        made += 1
        if bench.verify(mutant.evidence).passed:
            findings.append(Finding("mutant", f"passes: {mutant.what}"))
    return findings, made


def mutants_of(bench: Bench) -> Iterator[Mutant]:
    """Yield the mutants of a task whose solution passes."""
    yield from _dropped(bench)
    yield from _changed(bench)
    yield from _unverified(bench)
    yield from _written_too_early(bench)
    yield from _other_paths(bench)
    yield from _extra_writes(bench)
    yield from _other_rows(bench)


def _mutant(bench: Bench, what: str, moves: list[Move]) -> Mutant:
    """Play some moves; what a step would have answered is guessed rightly, so that only the one thing is wrong."""
    return Mutant(what, bench.evidence(bench.play(moves, known=bench.solution.results)))


# ---- steps --------------------------------------------------------------------------------------------------------


def _dropped(bench: Bench) -> Iterator[Mutant]:
    for move in bench.moves:
        if move.step in bench.gating:
            rest = [other for other in bench.moves if other is not move]
            yield _mutant(bench, f"step {_number(move)}, {move.name}, is left out", rest)


def _changed(bench: Bench) -> Iterator[Mutant]:
    """Change each argument by which a step gates: to another value, and where that is possible to none."""
    for index, move in enumerate(bench.moves):
        record = bench.solution.records[index]
        if move.step not in bench.gating or record is None:
            continue
        for name in move.arguments:
            for arguments in _wrong_arguments(bench, move, record.arguments, name):
                was = repr(record.arguments[name]) if name in record.arguments else "nothing"
                told = f"{arguments[name]!r} instead of {was}" if name in arguments else "not given"
                moves = [*bench.moves]
                moves[index] = replace(move, arguments=arguments)
                yield _mutant(bench, f"step {_number(move)}, {move.name}: {name} is {told}", moves)


def _wrong_arguments(bench: Bench, move: Move, given: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the step's arguments with another value of one, and without it, as far as the step does not take them."""
    tool = bench.snapshot.tools[move.name]
    options = [option for _, option in leaves(move.arguments[name])]
    value = given.get(name, options[0] if options else None)
    others = other_values(bench.types(move.name)[name], value, tool.schemas[name])
    changed = [{**given, name: other} for other in others]
    omitted = [] if name in tool.required else [{key: old for key, old in given.items() if key != name}]
    return [
        *[arguments for arguments in changed if not _fits(bench, move, arguments)][:1],
        *[arguments for arguments in omitted if not _fits(bench, move, arguments)],
    ]


def _fits(bench: Bench, move: Move, arguments: Mapping[str, Any]) -> bool:
    """Whether a step takes these arguments: by what it says itself, or by an alternative."""
    step = bench.case.solution[move.step or 0]
    options = [step.with_, *(other.with_ for other in step.alternatives if other.call in (None, move.name))]
    return any(
        all(
            row.equal or not row.gates
            for row in compare_arguments(option, arguments, bench.types(move.name), bench.facts, bench.solution.results)
        )
        for option in options
    )


# ---- identity -----------------------------------------------------------------------------------------------------


def _identity(bench: Bench) -> list[int]:
    """Return the moves that verify who calls, and are expected to succeed."""
    return [
        index
        for index, move in enumerate(bench.moves)
        if not move.hop and move.refused is None and IDENTITY.search(move.name)
    ]


def _writes(bench: Bench, move: Move) -> bool:
    return not move.hop and move.refused is None and bench.snapshot.tools[move.name].writes


def _unverified(bench: Bench) -> Iterator[Mutant]:
    """Verify the caller by a value that is not the caller's."""
    if not any(_writes(bench, move) for move in bench.moves):
        return
    for index in _identity(bench):
        move, record = bench.moves[index], bench.solution.records[index]
        for name, value in record.arguments.items() if record is not None else ():
            others = other_values(bench.types(move.name)[name], value, {})
            if bench.types(move.name)[name] in ("prose", "enum", "bool") or not others:
                continue
            moves = [*bench.moves]
            moves[index] = replace(move, arguments={**move.arguments, name: others[0]})
            yield _mutant(bench, f"the caller is verified with {name} {others[0]!r} instead of {value!r}", moves)


def _written_too_early(bench: Bench) -> Iterator[Mutant]:
    """Make each writing call before the caller was verified, and not again."""
    identity = _identity(bench)
    for index, move in enumerate(bench.moves):
        if not identity or index < identity[0] or not _writes(bench, move):
            continue
        rest = [other for other in bench.moves if other is not move]
        moves = [*rest[: identity[0]], move, *rest[identity[0] :]]
        yield _mutant(bench, f"step {_number(move)}, {move.name}, comes before the caller was verified", moves)


# ---- handoffs -----------------------------------------------------------------------------------------------------


def _other_paths(bench: Bench) -> Iterator[Mutant]:
    """Drop, change and add one hop; the tool calls stay as they are."""
    path = bench.case.expect.handoffs
    allowed = [] if bench.case.expect.exact_path else bench.case.expect.allow_hops
    agents = list(bench.agents_along(path))
    every = [hop for agent in bench.pack.spec.agents for hop in agent.handoffs]
    for index, hop in enumerate(path):
        yield _on_path(bench, f"{hop} is left out", [*path[:index], *path[index + 1 :]])
        others = [other for other in [*agents[index].handoffs, *every] if other != hop]
        if others:
            yield _on_path(bench, f"{others[0]} instead of {hop}", [*path[:index], others[0], *path[index + 1 :]])
    for index, agent in enumerate(agents):
        extra = [other for other in [*agent.handoffs, *every] if other not in allowed]
        if extra:
            yield _on_path(bench, f"{extra[0]} as hop {index + 1} too much", [*path[:index], extra[0], *path[index:]])


def _on_path(bench: Bench, what: str, path: list[str]) -> Mutant:
    handoffs = [made_handoff(name, at) for at, name in enumerate(path)]
    return Mutant(f"the path: {what}", bench.evidence(bench.solution, handoffs=handoffs))


# ---- writes that nobody asked for ---------------------------------------------------------------------------------


def _extra_writes(bench: Bench) -> Iterator[Mutant]:
    """Call each writing tool of the pack once more, with arguments that it accepts and that change something."""
    last = bench.moves[-1] if bench.moves else None
    ends = last is not None and not last.hop and bench.snapshot.tools[last.name].ends_call
    at = len(bench.moves) - ends
    for name, tool in bench.snapshot.tools.items():
        if not tool.writes:
            continue
        again = [record.arguments for record in bench.solution.records if record is not None and record.name == name]
        tries = [*again, *arguments_for(bench, name, foreign=True)]
        for arguments in tries[:_EXTRA_TRIES]:
            moves = [*bench.moves[:at], Move(name, arguments=arguments), *bench.moves[at:]]
            play = bench.play(moves, known=bench.solution.results)
            extra = play.records[at]
            if extra is not None and extra.ok and not _same_state(bench, play):
                yield Mutant(f"{name} is called once more, with {arguments}", bench.evidence(play))
                break


def _same_state(bench: Bench, play: Play) -> bool:
    return not diff_state(bench.solution.final, play.final, bench.pack.spec).tables


def _other_rows(bench: Bench) -> Iterator[Mutant]:
    """Change one row of each state table that the solution leaves alone, or add one where there is none."""
    final = bench.solution.final
    for name, table in bench.pack.spec.state.items():
        kept = [row for row in final[name] if row in bench.seed[name]]
        column = _compared(kept[0] if kept else None, table)
        if column is None:
            row = {**(final[name][0] if final[name] else _blank(bench, name))}
            added = {**row, **dict.fromkeys(table.key or list(row)[:1], "new-1")}
            yield _with_rows(bench, f"a row of {name} is added", name, [*final[name], added], final)
            continue
        other = other_values(table.types.get(column), kept[0][column], {})[0]
        rows = [{**row, column: other} if row is kept[0] else row for row in final[name]]
        yield _with_rows(bench, f"{column} of another row of {name} is changed to {other!r}", name, rows, final)


def _compared(row: Mapping[str, Any] | None, table: StateTable) -> str | None:
    """Return a column of a row that is compared, has a value, and is no part of its key."""
    if row is None:
        return None
    key = table.key or list(row)[:1]
    fit = [
        column
        for column, value in row.items()
        if column not in key and column not in table.ignore and table.types.get(column) != "prose" and value is not None
    ]
    return next((column for column in fit if other_values(table.types.get(column), row[column], {})), None)


def _blank(bench: Bench, table: str) -> dict[str, Any]:
    cursor = bench.pack.open_database().execute(f'SELECT * FROM "{table}"')  # noqa: S608 - a table of pack.yaml
    return {column[0]: "new" for column in cursor.description}


def _with_rows(bench: Bench, what: str, table: str, rows: list[dict[str, Any]], final: State) -> Mutant:
    return Mutant(what, bench.evidence(bench.solution, final={**final, table: rows}))


def _number(move: Move) -> int:
    return (move.step or 0) + 1
