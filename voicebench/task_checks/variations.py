"""The fourth proof: calls that differ from the solution in nothing that matters, each of which must pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from voicebench.packs.models import Case, RowChange
from voicebench.packs.templates import tools_in
from voicebench.task_checks.findings import Finding
from voicebench.task_checks.sandbox import Bench, Move, Play
from voicebench.task_checks.solution import failed_gates
from voicebench.task_checks.values import SPELLINGS, arguments_for, respell
from voicebench.verify import Evidence, verify_call

__all__ = ["Variation", "check_variations", "variations_of"]

_READS = 8
_READ_TRIES = 6


@dataclass(frozen=True)
class Variation:
    """A call that must pass, and the task it is judged by: the task itself, or one that says the same."""

    what: str
    evidence: Evidence
    case: Case


def check_variations(bench: Bench) -> tuple[list[Finding], int]:
    """Return a finding for each variation that fails, and how many were made."""
    findings, made = [], 0
    for variation in variations_of(bench):
        made += 1
        verdict = verify_call(bench.snapshot, variation.case, variation.evidence)
        if not verdict.passed:
            findings.append(Finding("variation", f"fails: {variation.what}: {failed_gates(verdict)}"))
    return findings, made


def variations_of(bench: Bench) -> Iterator[Variation]:
    """Yield the variations of a task whose solution passes."""
    yield from _extra_reads(bench)
    yield from _other_orders(bench)
    yield from _other_ways(bench)
    yield from _other_spellings(bench)
    yield from _other_row_orders(bench)
    for hop in bench.case.expect.allow_hops if not bench.case.expect.exact_path else ():
        moves = [*bench.moves, Move(hop, hop=True)] if not _ends(bench) else [Move(hop, hop=True), *bench.moves]
        yield _variation(bench, f"the allowed detour {hop}", bench.play(moves))


def _variation(bench: Bench, what: str, play: Play) -> Variation:
    return Variation(what, bench.evidence(play), bench.case)


def _ends(bench: Bench) -> bool:
    last = bench.moves[-1] if bench.moves else None
    return last is not None and not last.hop and bench.snapshot.tools[last.name].ends_call


def _extra_reads(bench: Bench) -> Iterator[Variation]:
    """Read something more before the last step: what was read before, once more, and whatever else answers."""
    at = len(bench.moves) - _ends(bench)
    read = 0
    for name, tool in bench.snapshot.tools.items():
        if tool.writes or tool.ends_call or name in bench.case.expect.forbidden_tools or read == _READS:
            continue
        again = [r.arguments for r in bench.solution.records[:at] if r is not None and r.ok and r.name == name]
        tries = [*again[-1:], *arguments_for(bench, name, foreign=False)]
        for arguments in tries[:_READ_TRIES]:
            moves = [*bench.moves[:at], Move(name, arguments=arguments), *bench.moves[at:]]
            play = bench.play(moves)
            extra = play.records[at]
            if extra is not None and extra.ok:
                read += 1
                yield _variation(bench, f"{name} is read besides, with {arguments}", play)
                break


def _other_orders(bench: Bench) -> Iterator[Variation]:
    """Exchange two calls that follow each other, where the tools answer as before, but for ids that they count up."""
    for at, (one, two) in enumerate(zip(bench.moves, bench.moves[1:], strict=False)):
        if one.hop or two.hop or _uses(two, one) or bench.snapshot.tools[two.name].ends_call:
            continue
        play = bench.play([*bench.moves[:at], two, one, *bench.moves[at + 2 :]])
        answers = [_answer(record) for record in play.records]
        before = [_answer(record) for record in bench.solution.records]
        before[at], before[at + 1] = before[at + 1], before[at]
        if not play.unmade and answers == before:
            yield _variation(bench, f"{two.name} (step {_number(two)}) before {one.name} (step {_number(one)})", play)


def _answer(record: Any) -> Any:
    return None if record is None else (record.name, record.ok, record.error_code)


def _uses(move: Move, other: Move) -> bool:
    return other.name in tools_in(move.arguments)


def _other_ways(bench: Bench) -> Iterator[Variation]:
    """Take each alternative of a step, and each option of an argument."""
    for index, move in enumerate(bench.moves):
        step = bench.case.solution[move.step or 0]
        for number, other in enumerate(step.alternatives, start=1):
            way = replace(move, name=other.call or move.name, arguments=other.with_)
            yield _variation(bench, f"alternative {number} of step {_number(move)}", _instead(bench, index, way))
        for name, value in move.arguments.items():
            options = value["one_of"][1:] if isinstance(value, Mapping) and "one_of" in value else ()
            for option in options:
                way = replace(move, arguments={**move.arguments, name: option})
                what = f"step {_number(move)}, {move.name}: {name} is {option!r}"
                yield _variation(bench, what, _instead(bench, index, way))


def _instead(bench: Bench, index: int, move: Move) -> Play:
    return bench.play([*bench.moves[:index], move, *bench.moves[index + 1 :]])


def _other_spellings(bench: Bench) -> Iterator[Variation]:
    """Write all values of one type another way; those that come from an earlier answer too."""
    for what, (kind, way) in SPELLINGS.items():
        moves, changed = [], False
        for move, record in zip(bench.moves, bench.solution.records, strict=True):
            if record is None:
                moves.append(move)
                continue
            types = bench.types(move.name)
            spelled = {
                name: respell(kind, way, value)
                for name, value in record.arguments.items()
                if types[name] == kind and respell(kind, way, value) != value
            }
            changed = changed or bool(spelled)
            moves.append(replace(move, arguments={**move.arguments, **spelled}))
        if changed:
            yield _variation(bench, what, bench.play(moves))


def _other_row_orders(bench: Bench) -> Iterator[Variation]:
    """Turn round the rows that were left, the rows expected, and the lists in both."""
    final = {table: rows[::-1] for table, rows in bench.solution.final.items()}
    yield Variation("the rows in another order", bench.evidence(bench.solution, final=final), bench.case)
    expect = bench.case.expect
    turned = expect.model_copy(update={"rows": {table: _turned(rows) for table, rows in expect.rows.items()}})
    if turned.rows != expect.rows:
        case = bench.case.model_copy(update={"expect": turned})
        yield Variation("the expected rows and lists in another order", bench.evidence(bench.solution), case)
    moves = [
        replace(move, arguments={name: _reversed(value) for name, value in move.arguments.items()})
        for move in bench.moves
    ]
    if moves != bench.moves:
        yield _variation(bench, "lists of arguments in another order", bench.play(moves))


def _turned(rows: Sequence[RowChange]) -> list[RowChange]:
    return [
        row if row.added is None else row.model_copy(update={"added": {k: _reversed(v) for k, v in row.added.items()}})
        for row in reversed(rows)
    ]


def _reversed(value: Any) -> Any:
    return value[::-1] if isinstance(value, list) else value


def _number(move: Move) -> int:
    return (move.step or 0) + 1
