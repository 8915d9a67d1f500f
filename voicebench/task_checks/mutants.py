"""The third proof: calls that are wrong in one thing, each of which must fail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from voicebench.packs import State, diff_state
from voicebench.packs.models import StateTable
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.task_checks.sandbox import AgentAction, TaskFinding, TaskSandbox, made_handoff
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


def check_mutants(sandbox: TaskSandbox) -> tuple[list[TaskFinding], int]:
    """Return a finding for each mutant that passes, and how many were made."""
    findings, made = [], 0
    for mutant in mutants_of(sandbox):
        made += 1
        if sandbox.verify(mutant.evidence).passed:
            findings.append(TaskFinding("mutant", f"passes: {mutant.what}"))
    return findings, made


def mutants_of(sandbox: TaskSandbox) -> Iterator[Mutant]:
    """Yield the mutants of a task whose solution passes: all that the mutation operators below make."""
    operators = (
        dropped_steps,
        changed_arguments,
        wrong_identity,
        early_writes,
        other_paths,
        extra_writes,
        other_rows,
    )
    for operator in operators:
        yield from operator(sandbox)


def _mutant(sandbox: TaskSandbox, what: str, actions: list[AgentAction]) -> Mutant:
    """Rollout some actions; what a step would have answered is guessed rightly, so that only the one thing is wrong."""
    return Mutant(what, sandbox.evidence(sandbox.run(actions, known=sandbox.solution.results)))


# ---- steps --------------------------------------------------------------------------------------------------------


def dropped_steps(sandbox: TaskSandbox) -> Iterator[Mutant]:
    """Leave out each step that gates."""
    for action in sandbox.actions:
        if action.step in sandbox.gating:
            rest = [other for other in sandbox.actions if other is not action]
            yield _mutant(sandbox, f"step {_number(action)}, {action.name}, is left out", rest)


def changed_arguments(sandbox: TaskSandbox) -> Iterator[Mutant]:
    """Change each argument by which a step gates: to another value, and where that is possible to none."""
    for index, action in enumerate(sandbox.actions):
        record = sandbox.solution.records[index]
        if action.step not in sandbox.gating or record is None:
            continue
        for name in action.arguments:
            for arguments in _wrong_arguments(sandbox, action, record.arguments, name):
                was = repr(record.arguments[name]) if name in record.arguments else "nothing"
                now = f"{arguments[name]!r} instead of {was}" if name in arguments else "not given"
                actions = [*sandbox.actions]
                actions[index] = replace(action, arguments=arguments)
                yield _mutant(sandbox, f"step {_number(action)}, {action.name}: {name} is {now}", actions)


def _wrong_arguments(
    sandbox: TaskSandbox, action: AgentAction, given: Mapping[str, JsonValue], name: str
) -> list[JsonObject]:
    """Return the step's arguments with another value of one, and without it, as far as the step does not take them."""
    tool = sandbox.snapshot.tools[action.name]
    options = [option for _, option in leaves(action.arguments[name])]
    value = given.get(name, options[0] if options else None)
    others = other_values(sandbox.types(action.name)[name], value, tool.schemas[name])
    changed = [{**given, name: other} for other in others]
    omitted = [] if name in tool.required else [{key: old for key, old in given.items() if key != name}]
    return [
        *[arguments for arguments in changed if not _fits(sandbox, action, arguments)][:1],
        *[arguments for arguments in omitted if not _fits(sandbox, action, arguments)],
    ]


def _fits(sandbox: TaskSandbox, action: AgentAction, arguments: Mapping[str, JsonValue]) -> bool:
    """Whether a step takes these arguments: by what it says itself, or by an alternative."""
    step = sandbox.case.solution[action.step or 0]
    options = [step.with_, *(other.with_ for other in step.alternatives if other.call in (None, action.name))]
    return any(
        all(
            row.equal or not row.gates
            for row in compare_arguments(
                option, arguments, sandbox.types(action.name), sandbox.facts, sandbox.solution.results
            )
        )
        for option in options
    )


# ---- identity -----------------------------------------------------------------------------------------------------


def _identity(sandbox: TaskSandbox) -> list[int]:
    """Return the actions that verify who calls, and are expected to succeed."""
    return [
        index
        for index, action in enumerate(sandbox.actions)
        if not action.handoff and action.refused is None and IDENTITY.search(action.name)
    ]


def _writes(sandbox: TaskSandbox, action: AgentAction) -> bool:
    return not action.handoff and action.refused is None and sandbox.snapshot.tools[action.name].writes


def wrong_identity(sandbox: TaskSandbox) -> Iterator[Mutant]:
    """Verify the caller by a value that is not the caller's."""
    if not any(_writes(sandbox, action) for action in sandbox.actions):
        return
    for index in _identity(sandbox):
        action, record = sandbox.actions[index], sandbox.solution.records[index]
        for name, value in record.arguments.items() if record is not None else ():
            others = other_values(sandbox.types(action.name)[name], value, {})
            if sandbox.types(action.name)[name] in ("prose", "enum", "bool") or not others:
                continue
            actions = [*sandbox.actions]
            actions[index] = replace(action, arguments={**action.arguments, name: others[0]})
            yield _mutant(sandbox, f"the caller is verified with {name} {others[0]!r} instead of {value!r}", actions)


def early_writes(sandbox: TaskSandbox) -> Iterator[Mutant]:
    """Make each writing call before the caller was verified, and not again."""
    identity = _identity(sandbox)
    for index, action in enumerate(sandbox.actions):
        if not identity or index < identity[0] or not _writes(sandbox, action):
            continue
        rest = [other for other in sandbox.actions if other is not action]
        actions = [*rest[: identity[0]], action, *rest[identity[0] :]]
        yield _mutant(sandbox, f"step {_number(action)}, {action.name}, comes before the caller was verified", actions)


# ---- handoffs -----------------------------------------------------------------------------------------------------


def other_paths(sandbox: TaskSandbox) -> Iterator[Mutant]:
    """Drop, change and add one handoff; the tool calls stay as they are."""
    path = sandbox.case.expect.handoffs
    allowed = [] if sandbox.case.expect.exact_path else sandbox.case.expect.allow_hops
    agents = list(sandbox.agents_along(path))
    every = [handoff for agent in sandbox.pack.spec.agents for handoff in agent.handoffs]
    for index, handoff in enumerate(path):
        yield _on_path(sandbox, f"{handoff} is left out", [*path[:index], *path[index + 1 :]])
        others = [other for other in [*agents[index].handoffs, *every] if other != handoff]
        if others:
            yield _on_path(sandbox, f"{others[0]} instead of {handoff}", [*path[:index], others[0], *path[index + 1 :]])
    for index, agent in enumerate(agents):
        extra = [other for other in [*agent.handoffs, *every] if other not in allowed]
        if extra:
            yield _on_path(
                sandbox, f"{extra[0]} as handoff {index + 1} too much", [*path[:index], extra[0], *path[index:]]
            )


def _on_path(sandbox: TaskSandbox, what: str, path: list[str]) -> Mutant:
    handoffs = [made_handoff(name, at) for at, name in enumerate(path)]
    return Mutant(f"the path: {what}", sandbox.evidence(sandbox.solution, handoffs=handoffs))


# ---- writes that were not asked for --------------------------------------------------------------------------------


def extra_writes(sandbox: TaskSandbox) -> Iterator[Mutant]:
    """Call each writing tool of the pack once more, with arguments that it accepts and that change something."""
    last = sandbox.actions[-1] if sandbox.actions else None
    ends = last is not None and not last.handoff and sandbox.snapshot.tools[last.name].ends_call
    at = len(sandbox.actions) - ends
    for name, tool in sandbox.snapshot.tools.items():
        if not tool.writes:
            continue
        again = [record.arguments for record in sandbox.solution.records if record is not None and record.name == name]
        tries = [*again, *arguments_for(sandbox, name, foreign=True)]
        for arguments in tries[:_EXTRA_TRIES]:
            actions = [*sandbox.actions[:at], AgentAction(name, arguments=arguments), *sandbox.actions[at:]]
            rollout = sandbox.run(actions, known=sandbox.solution.results)
            extra = rollout.records[at]
            if (
                extra is not None
                and extra.ok
                and diff_state(sandbox.solution.final, rollout.final, sandbox.pack.spec).tables
            ):
                yield Mutant(f"{name} is called once more, with {arguments}", sandbox.evidence(rollout))
                break


def other_rows(sandbox: TaskSandbox) -> Iterator[Mutant]:
    """Change one row of each state table that the solution leaves alone, or add one where there is none."""
    final = sandbox.solution.final
    for name, table in sandbox.pack.spec.state.items():
        kept = [row for row in final[name] if row in sandbox.seed[name]]
        column = _compared(kept[0] if kept else None, table)
        if column is None:
            columns = sandbox.pack.open_database().execute(f'SELECT * FROM "{name}"').description  # noqa: S608
            row = final[name][0] if final[name] else {column[0]: "new" for column in columns}
            added = {**row, **dict.fromkeys(table.key or list(row)[:1], "new-1")}
            yield _with_rows(sandbox, f"a row of {name} is added", name, [*final[name], added], final)
            continue
        other = other_values(table.types.get(column), kept[0][column], {})[0]
        rows = [{**row, column: other} if row is kept[0] else row for row in final[name]]
        yield _with_rows(sandbox, f"{column} of another row of {name} is changed to {other!r}", name, rows, final)


def _compared(row: Mapping[str, JsonValue] | None, table: StateTable) -> str | None:
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


def _with_rows(sandbox: TaskSandbox, what: str, table: str, rows: list[JsonObject], final: State) -> Mutant:
    return Mutant(what, sandbox.evidence(sandbox.solution, final={**final, table: rows}))


def _number(action: AgentAction) -> int:
    return (action.step or 0) + 1
