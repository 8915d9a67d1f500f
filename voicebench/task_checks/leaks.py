"""The fifth proof's other half: nothing that an agent is given tells it what only the caller should.

What counts as a leak, and nothing else does:

1. a value that only the caller knows (a fact that is an identifier, a phone number, a name or a date, of four
   characters or more) in a prompt, the greeting, a question of the pack, or the text of a tool or handoff, however it
   is spaced and punctuated;
2. the same of an identifier that the solution leaves in a row without having got it (the caller's customer
   number), and of the task's id;
3. the solution itself saying a fact's value instead of its name (found when the line reference is given it);
4. an answer of a tool, before the caller was verified, that holds a value by which the caller is then verified:
   whatever tool is called with what is known by then, the solution's calls among them;
5. a cell of the seed with a sentence in it (five words or more) that names the task, a tool of its solution, or a code
   with an underscore that the solution must choose.

That the seed holds the caller's numbers as values is no leak: the tools compare with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from voicebench.language.itn import normalise
from voicebench.packs import Pack
from voicebench.packs.models import PackSnapshot
from voicebench.packs.templates import facts_in
from voicebench.task_checks.mutants import IDENTITY
from voicebench.task_checks.sandbox import AgentAction, TaskFinding, TaskSandbox
from voicebench.task_checks.values import arguments_for, leaves

__all__ = ["check_leaks"]

_SECRET = ("id", "phone", "name", "date")
_SHORTEST = 4
_SENTENCE = 5
_TRIES = 4


def check_leaks(sandbox: TaskSandbox) -> list[TaskFinding]:
    """Return where an answer is given away."""
    checks = (leaks_in_texts, leaks_in_answers, leaks_in_seed)
    found = dict.fromkeys(what for check in checks for what in check(sandbox))
    return [TaskFinding("leak", what) for what in found]


# ---- prompts and tools --------------------------------------------------------------------------------------------


def leaks_in_texts(sandbox: TaskSandbox) -> Iterator[str]:
    """Look for a secret in what an agent can read without asking."""
    secrets = _secrets(sandbox)
    for where, text in _texts(sandbox.pack, sandbox.snapshot).items():
        for what, value in secrets.items():
            without_year = re.sub(r"^([a-z]+ \d+) \d{4}$", r"\1", normalise(value))  # texts may name a date so
            if any(_holds(text, way) for way in {normalise(value), without_year}):
                yield f"{where} holds {what}, {value}"


def _secrets(sandbox: TaskSandbox) -> dict[str, str]:
    """Return what no text may hold, by what it is."""
    kinds = sandbox.pack.spec.facts
    found = {
        f"the fact {name}": fact.value
        for name, fact in sandbox.case.caller.facts.items()
        if kinds[name].type in _SECRET and len(_squash(fact.value)) >= _SHORTEST
    }
    given = {str(value) for step in sandbox.case.solution for _, value in leaves(dict(step.with_))} | set(
        sandbox.facts.values()
    )
    for table, changes in sandbox.case.expect.rows.items():
        types = sandbox.pack.spec.state[table].types
        for change in changes:
            parts = change.model_dump()
            for column, value in leaves({k: v for k, v in parts.items() if v is not None}):
                secret = types.get(column) == "id" and str(value) not in given and re.search(r"\d|_", str(value))
                if secret and not str(value).startswith("$"):
                    found[f"{table}.{column}"] = str(value)
    return {**found, "the task's id": sandbox.case.id}


def _texts(pack: Pack, snapshot: PackSnapshot) -> dict[str, str]:
    """Return all that an agent can read without asking, by where it stands."""
    texts = {f"the prompt of {name}": text for name, text in pack.prompts.items()}
    texts["the greeting"] = pack.spec.greeting
    texts |= {f"the question for {name}": spec.question for name, spec in pack.spec.facts.items()}
    for name, tool in snapshot.tools.items():
        words = [tool.description, *(str(text) for _, text in leaves(tool.parameters))]
        texts[f"the text of the tool {name}"] = ". ".join(words)
    for agent in pack.spec.agents:
        texts |= {f"the text of the handoff {name}": handoff.description for name, handoff in agent.handoffs.items()}
    return texts


@lru_cache(maxsize=2_000)
def _run(text: str) -> tuple[str, frozenset[int]]:
    """Return a text's plain words in one run, and where one may begin or end."""
    words = [_squash(word) for word in normalise(text).split()]
    edges, at = {0}, 0
    for word in words:
        at += len(word)
        edges.add(at)
    return "".join(words), frozenset(edges)


def _holds(text: str, value: str) -> bool:
    """Whether a text holds a value as whole words, however these are spaced and punctuated."""
    run, edges = _run(text)
    sought = _squash(value)
    at = run.find(sought) if sought else -1
    while at >= 0:
        if at in edges and at + len(sought) in edges:
            return True
        at = run.find(sought, at + 1)
    return False


def _squash(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


# ---- answers ------------------------------------------------------------------------------------------------------


def leaks_in_answers(sandbox: TaskSandbox) -> Iterator[str]:
    """Call whatever can be called before the caller is verified, and look for the proof in the answers."""
    verifies = [
        index for index, action in enumerate(sandbox.actions) if not action.handoff and IDENTITY.search(action.name)
    ]
    if not verifies:
        return
    before, action = sandbox.actions[: verifies[0]], sandbox.actions[verifies[0]]
    used = {name for other in before for name in facts_in(dict(other.arguments))}
    proof = {name: sandbox.facts[name] for name in facts_in(dict(action.arguments)) if name not in used}
    secret = {_squash(value) for value in proof.values()}
    for tool, spec in sandbox.snapshot.tools.items():
        if spec.ends_call or IDENTITY.search(tool):
            continue
        ways = arguments_for(sandbox, tool, foreign=False)
        uninformed = [way for way in ways if not any(_squash(str(value)) in secret for value in way.values())]
        for arguments in uninformed[:_TRIES]:
            record = sandbox.run([*before, AgentAction(tool, arguments=arguments)]).records[-1]
            for name, value in proof.items() if record is not None else ():
                if record is not None and any(_holds(str(leaf), value) for _, leaf in leaves(record.result)):
                    yield f"{tool} answers with {name}, {value}, before the caller was verified by it"


# ---- the seed -----------------------------------------------------------------------------------------------------


def leaks_in_seed(sandbox: TaskSandbox) -> Iterator[str]:
    """Look for sentences of the database that name the task, its tools or its codes."""
    case = sandbox.case
    chosen = {
        str(v) for step in case.solution for _, v in leaves(dict(step.with_)) if "_" in str(v) and "$" not in str(v)
    }
    tools = {step.call for step in case.solution if step.call}
    sought = {case.id: "the task's id"} | dict.fromkeys(tools, "a tool of the solution")
    sought |= dict.fromkeys(chosen, "a code that the solution chooses")
    for where, text in _sentences(sandbox.pack):
        for word, what in sought.items():
            if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text):
                yield f"the seed's {where} holds {word}, {what}: {text!r}"


def _sentences(pack: Pack) -> list[tuple[str, str]]:
    """Return the cells of the seed that hold a sentence, with table and column."""
    db = pack.open_database()
    tables = [row["name"] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    rows = [(table, row) for table in tables for row in db.execute(f'SELECT * FROM "{table}"')]  # noqa: S608
    cells = [(f"{table}.{column}", row[column]) for table, row in rows for column in row.keys()]  # noqa: SIM118
    return [(where, cell) for where, cell in cells if isinstance(cell, str) and len(cell.split()) >= _SENTENCE]
