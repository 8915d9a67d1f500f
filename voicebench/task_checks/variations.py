"""The fourth proof: calls that differ from the solution in nothing that matters, each of which must pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from voicebench.packs.models import Case
from voicebench.packs.templates import options_of
from voicebench.record.json_types import JsonValue
from voicebench.record.verdict import MadeToolCall
from voicebench.task_checks.sandbox import AgentAction, Rollout, TaskFinding, TaskSandbox
from voicebench.task_checks.solution import failed_gates
from voicebench.task_checks.values import SPELLINGS, arguments_for, respell
from voicebench.verify import Evidence, verify_call

__all__ = ["Variation", "check_variations", "variations_of"]

_READS = 8
_READ_TRIES = 6


@dataclass(frozen=True)
class Variation:
    """A call that must pass, and the task that it must pass: the task itself, or one that says the same."""

    what: str
    evidence: Evidence
    case: Case


def check_variations(sandbox: TaskSandbox) -> tuple[list[TaskFinding], int]:
    """Return a finding for each variation that fails, and how many were made."""
    findings, made = [], 0
    for variation in variations_of(sandbox):
        made += 1
        verdict = verify_call(sandbox.snapshot, variation.case, variation.evidence)
        if not verdict.passed:
            findings.append(TaskFinding("variation", f"fails: {variation.what}: {failed_gates(verdict)}"))
    return findings, made


def variations_of(sandbox: TaskSandbox) -> Iterator[Variation]:
    """Yield the variations of a task whose solution passes."""
    for vary in (extra_reads, other_orders, other_ways, other_spellings, other_row_orders):
        yield from vary(sandbox)
    for handoff in sandbox.case.expect.allow_hops if not sandbox.case.expect.exact_path else ():
        actions = (
            [*sandbox.actions, AgentAction(handoff, handoff=True)]
            if not _ends(sandbox)
            else [AgentAction(handoff, handoff=True), *sandbox.actions]
        )
        yield _variation(sandbox, f"the allowed detour {handoff}", sandbox.run(actions))


def _variation(sandbox: TaskSandbox, what: str, rollout: Rollout) -> Variation:
    return Variation(what, sandbox.evidence(rollout), sandbox.case)


def _ends(sandbox: TaskSandbox) -> bool:
    last = sandbox.actions[-1] if sandbox.actions else None
    return last is not None and not last.handoff and sandbox.snapshot.tools[last.name].ends_call


def extra_reads(sandbox: TaskSandbox) -> Iterator[Variation]:
    """Read something more before the last step: what was read before, once more, and whatever else answers."""
    at = len(sandbox.actions) - _ends(sandbox)
    read = 0
    for name, tool in sandbox.snapshot.tools.items():
        if tool.writes or tool.ends_call or name in sandbox.case.expect.forbidden_tools or read == _READS:
            continue
        again = [r.arguments for r in sandbox.solution.records[:at] if r is not None and r.ok and r.name == name]
        tries = [*again[-1:], *arguments_for(sandbox, name, foreign=False)]
        for arguments in tries[:_READ_TRIES]:
            actions = [*sandbox.actions[:at], AgentAction(name, arguments=arguments), *sandbox.actions[at:]]
            rollout = sandbox.run(actions)
            extra = rollout.records[at]
            if extra is not None and extra.ok:
                read += 1
                yield _variation(sandbox, f"{name} is read besides, with {arguments}", rollout)
                break


def other_orders(sandbox: TaskSandbox) -> Iterator[Variation]:
    """Exchange two calls that follow each other, where the tools answer as before, but for ids that they count up."""
    for at, (one, two) in enumerate(zip(sandbox.actions, sandbox.actions[1:], strict=False)):
        if (
            one.handoff
            or two.handoff
            or f"$result.{one.name}." in str(dict(two.arguments))
            or sandbox.snapshot.tools[two.name].ends_call
        ):
            continue
        rollout = sandbox.run([*sandbox.actions[:at], two, one, *sandbox.actions[at + 2 :]])
        answers = [_answer(record) for record in rollout.records]
        before = [_answer(record) for record in sandbox.solution.records]
        before[at], before[at + 1] = before[at + 1], before[at]
        if not rollout.unmade and answers == before:
            yield _variation(
                sandbox, f"{two.name} (step {_number(two)}) before {one.name} (step {_number(one)})", rollout
            )


def _answer(record: MadeToolCall | None) -> tuple[str, bool, JsonValue] | None:
    return None if record is None else (record.name, record.ok, record.error_code)


def other_ways(sandbox: TaskSandbox) -> Iterator[Variation]:
    """Take each alternative of a step, and each option of an argument."""
    for index, action in enumerate(sandbox.actions):
        step = sandbox.case.solution[action.step or 0]
        for number, other in enumerate(step.alternatives, start=1):
            way = replace(action, name=other.call or action.name, arguments=other.with_)
            yield _variation(sandbox, f"alternative {number} of step {_number(action)}", _instead(sandbox, index, way))
        for name, value in action.arguments.items():
            for option in options_of(value)[1:]:
                way = replace(action, arguments={**action.arguments, name: option})
                what = f"step {_number(action)}, {action.name}: {name} is {option!r}"
                yield _variation(sandbox, what, _instead(sandbox, index, way))


def _instead(sandbox: TaskSandbox, index: int, action: AgentAction) -> Rollout:
    return sandbox.run([*sandbox.actions[:index], action, *sandbox.actions[index + 1 :]])


def other_spellings(sandbox: TaskSandbox) -> Iterator[Variation]:
    """Write all values of one type another way; those that come from an earlier answer too."""
    for what, (kind, way) in SPELLINGS.items():
        actions, changed = [], False
        for action, record in zip(sandbox.actions, sandbox.solution.records, strict=True):
            if record is None:
                actions.append(action)
                continue
            types = sandbox.types(action.name)
            spelled = {
                name: respell(kind, way, value)
                for name, value in record.arguments.items()
                if types[name] == kind and respell(kind, way, value) != value
            }
            changed = changed or bool(spelled)
            actions.append(replace(action, arguments={**action.arguments, **spelled}))
        if changed:
            yield _variation(sandbox, what, sandbox.run(actions))


def other_row_orders(sandbox: TaskSandbox) -> Iterator[Variation]:
    """Turn round the rows that were left, the rows expected, and the lists in both."""
    final = {table: rows[::-1] for table, rows in sandbox.solution.final.items()}
    yield Variation("the rows in another order", sandbox.evidence(sandbox.solution, final=final), sandbox.case)
    expect = sandbox.case.expect
    expected = {
        table: [
            row
            if row.added is None
            else row.model_copy(update={"added": {column: _reversed(value) for column, value in row.added.items()}})
            for row in rows[::-1]
        ]
        for table, rows in expect.rows.items()
    }
    turned = expect.model_copy(update={"rows": expected})
    if turned.rows != expect.rows:
        case = sandbox.case.model_copy(update={"expect": turned})
        yield Variation("the expected rows and lists in another order", sandbox.evidence(sandbox.solution), case)
    actions = [
        replace(action, arguments={name: _reversed(value) for name, value in action.arguments.items()})
        for action in sandbox.actions
    ]
    if actions != sandbox.actions:
        yield _variation(sandbox, "lists of arguments in another order", sandbox.run(actions))


def _reversed(value: JsonValue) -> JsonValue:
    return value[::-1] if isinstance(value, list) else value


def _number(action: AgentAction) -> int:
    return (action.step or 0) + 1
