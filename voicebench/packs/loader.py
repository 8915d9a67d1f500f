"""Load packs from their folders: shipped ones by name, others by path."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from voicebench.config import data_dir
from voicebench.errors import ConfigError
from voicebench.packs.crossrefs import check_pack
from voicebench.packs.database import copy_database, make_database
from voicebench.packs.models import Case, PackSnapshot, PackSpec
from voicebench.packs.strict_yaml import nearest, parse_yaml, read_model
from voicebench.packs.tool_code import load_tools, read_text
from voicebench.packs.tool_context import ToolContext
from voicebench.packs.tool_process import ToolProcess
from voicebench.packs.tools import Tool

__all__ = ["VARIANT_LINES", "Pack", "TaskRef", "base_task", "find_tasks", "list_packs", "load_pack"]

Variant = Literal["BG", "SIG"]

VARIANT_LINES: dict[Variant, str] = {"BG": "background_noise", "SIG": "bad_signal"}
"""The line preset that a task id's suffix selects."""

_INCLUDE = re.compile(r"^\{\{ *include +(\S+) *\}\}$", re.MULTILINE)


@dataclass(frozen=True)
class Pack:
    """One industry, loaded and checked.

    Attributes:
        root: its folder.
        spec: pack.yaml.
        cases: tasks by id, sorted.
        prompts: by agent name, includes expanded.
        tools: by name, those of tools.py (or of the package tools/) and the session's own.
        schema_sql: makes the tables.
        seed_sql: fills them.
        hash: SHA-256 over the folder's files.
        process: where the tools of a pack that is not shipped run; None if they run here.
    """

    root: Path
    spec: PackSpec
    cases: dict[str, Case]
    prompts: dict[str, str]
    tools: dict[str, Tool]
    schema_sql: str
    seed_sql: str
    hash: str
    process: ToolProcess | None = None

    @property
    def name(self) -> str:
        """The pack's name, whatever its folder is called."""
        return self.spec.name

    @property
    def tasks(self) -> Mapping[str, Case]:
        """The tasks by their ids, as ``pack.tasks["T2-H3"]``."""
        return self.cases

    @property
    def is_shipped(self) -> bool:
        """Whether it is one of voicebench's own, found by its name anywhere."""
        return _is_shipped(self.root)

    @property
    def today(self) -> dt.date:
        """The pack's fixed date."""
        return dt.date.fromisoformat(self.spec.today)

    def open_database(self) -> sqlite3.Connection:
        """Return a fresh database in memory, schema and seed applied, rows as ``sqlite3.Row``.

        It may be used from other threads, one at a time.
        """
        return copy_database(self._database)

    def open_context(self) -> ToolContext:
        """Return what the tools of one call work on, with a database of its own.

        Raises:
            PackError: the process of the pack's tools cannot be started again.
        """
        if self.process is not None:
            return self.process.open_context(self._database, self.today)
        return ToolContext(self.open_database(), self.today)

    @cached_property
    def _database(self) -> bytes:
        return make_database(self.schema_sql, self.seed_sql)

    def snapshot(self) -> PackSnapshot:
        """Return all that can be stored of the pack: everything but the code of its tools."""
        return PackSnapshot(
            spec=self.spec,
            cases=self.cases,
            prompts=self.prompts,
            tools={name: tool.spec for name, tool in self.tools.items()},
            schema_sql=self.schema_sql,
            seed_sql=self.seed_sql,
            hash=self.hash,
        )


_IDENTIFIER = re.compile(r"[a-z0-9_]+")


def _is_shipped(root: Path) -> bool:
    return root.parent == data_dir("tasks")


# ---- finding ------------------------------------------------------------------------------------------------------


def _shipped() -> dict[str, Path]:
    found = {}
    for path in sorted(data_dir("tasks").glob("*/pack.yaml")):
        content = parse_yaml(path.read_text(encoding="utf-8"), str(path))
        name = content.get("name") if isinstance(content, dict) else None
        found[str(name or path.parent.name)] = path.parent
    return found


def list_packs() -> list[str]:
    """Return the names of the shipped packs, sorted."""
    return sorted(_shipped())


def load_pack(name_or_path: str | Path) -> Pack:
    """Load a shipped pack by name, or any pack by the path of its folder.

    Raises:
        ConfigError: there is no such pack, or something in it is wrong; names file, key and the nearest valid name.

    Example:
        print(vb.load_pack("customer_support").tasks["T2-H3"].caller.opening)
    """
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or "/" in text or Path(text, "pack.yaml").is_file():
        root = Path(text).expanduser().resolve()
        if not (root / "pack.yaml").is_file():
            raise ConfigError(f"pack {text}: {root} has no pack.yaml; give a pack's folder, or one of {list_packs()}")
        return _load(root)
    shipped = _shipped()
    if text not in shipped:
        raise ConfigError(f"no pack {text!r}: {nearest(text, shipped)}; a path to a pack's folder works as well")
    return _load(shipped[text])


@dataclass(frozen=True)
class TaskRef:
    """A task that was asked for.

    Attributes:
        pack: that holds it.
        case: the task.
        variant: ``BG`` or ``SIG`` when the id had that suffix.
    """

    pack: Pack
    case: Case
    variant: Variant | None = None

    @property
    def id(self) -> str:
        """The task's id with its suffix."""
        return f"{self.case.id}-{self.variant}" if self.variant else self.case.id

    @property
    def line(self) -> str | None:
        """The line preset that the suffix selects."""
        return VARIANT_LINES[self.variant] if self.variant else None

    def variants(self) -> list[TaskRef]:
        """Return the task as it is and, if it is a base task, with each suffix."""
        return [self, *(() if self.variant else (replace(self, variant=variant) for variant in VARIANT_LINES))]


def base_task(task: str) -> str:
    """Return a task's id without the suffix of a variant."""
    for variant in VARIANT_LINES:
        task = task.removesuffix(f"-{variant}")
    return task


def find_tasks(refs: Sequence[str], packs: Sequence[Pack]) -> list[TaskRef]:
    """Return the tasks that ``[PACK/]ID`` references name, in their order; without references all base tasks.

    Raises:
        ConfigError: a reference names no task (says the nearest) or more than one (says which).
    """
    if not refs:
        return [TaskRef(pack, case) for pack in packs for case in pack.cases.values()]
    return [_find_task(ref, packs) for ref in refs]


def _find_task(ref: str, packs: Sequence[Pack]) -> TaskRef:
    pack_name, _, task = ref.rpartition("/")
    searched = [pack for pack in packs if not pack_name or pack.name == pack_name]
    if not searched:
        raise ConfigError(f"task {ref!r}: no pack {pack_name!r}; {nearest(pack_name, [pack.name for pack in packs])}")
    variant: Variant | None = None
    for suffix in VARIANT_LINES:
        if task.endswith(f"-{suffix}"):
            task, variant = task.removesuffix(f"-{suffix}"), suffix
    matches = [TaskRef(pack, pack.cases[task], variant) for pack in searched if task in pack.cases]
    if len(matches) > 1:
        raise ConfigError(f"task {ref!r} is ambiguous: {', '.join(f'{one.pack.name}/{one.id}' for one in matches)}")
    if not matches:
        names = ", ".join(pack.name for pack in searched)
        raise ConfigError(
            f"no task {ref!r} in {names}; {nearest(task, {id for pack in searched for id in pack.cases})}"
        )
    return matches[0]


# ---- loading ------------------------------------------------------------------------------------------------------


def _load(root: Path) -> Pack:
    spec = read_model(root / "pack.yaml", PackSpec)
    # It names files and folders of a run, so that it must not be a path
    if not _IDENTIFIER.fullmatch(spec.name):
        raise ConfigError(
            f"{root / 'pack.yaml'}: the name {spec.name!r} is no identifier; use lower-case letters, digits and _, "
            "as in customer_support"
        )
    process = None if _is_shipped(root) else ToolProcess(spec.name, root)
    pack = Pack(
        root=root,
        spec=spec,
        cases=_cases(root / "cases"),
        prompts={agent.name: _prompt(root / "prompts", agent.prompt, ()) for agent in spec.agents},
        tools=load_tools(root) if process is None else process.tools,
        schema_sql=read_text(root / "schema.sql"),
        seed_sql=read_text(root / "seed.sql"),
        hash=_hash(root),
        process=process,
    )
    try:
        db = pack.open_database()
    except sqlite3.Error as error:
        raise ConfigError(f"{root}: schema.sql and seed.sql do not make a database: {error}") from error
    columns = {
        row["name"]: [column["name"] for column in db.execute(f'PRAGMA table_info("{row["name"]}")')]
        for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    problems = check_pack(spec, pack.cases, pack.tools, columns)
    if problems:
        raise ConfigError("\n".join(f"{root / problem}" for problem in problems))
    return pack


def _hash(root: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_file() and not any(part.startswith(".") or part == "__pycache__" for part in parts):
            content = path.read_bytes()
            digest.update(f"{'/'.join(parts)}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def _cases(folder: Path) -> dict[str, Case]:
    cases = {}
    for path in sorted(folder.glob("*.yaml")):
        case = read_model(path, Case)
        if case.id != path.stem:
            raise ConfigError(f"{path}: the id {case.id!r} differs from the file's name")
        cases[case.id] = case
    return cases


def _prompt(folder: Path, name: str, within: tuple[str, ...]) -> str:
    """Return a prompt with its ``{{ include NAME }}`` lines replaced by those files."""
    path = folder / name
    if name in within:
        raise ConfigError(f"{folder / within[-1]}: includes {name}, which includes it")
    if not path.is_file():
        raise ConfigError(f"{path}: no such prompt; {nearest(name, [one.name for one in folder.glob('*.md')])}")
    text = _INCLUDE.sub(lambda match: _prompt(folder, match[1], (*within, name)).strip(), read_text(path))
    if "{{" in text:
        raise ConfigError(f"{path}: '{{{{' stands only in a line of its own, '{{{{ include NAME.md }}}}'")
    return text.strip() + "\n"
