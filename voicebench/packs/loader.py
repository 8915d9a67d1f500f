"""Load packs from their folders: shipped ones by name, others by path."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import sqlite3
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Literal

from ..config import data_dir
from ..errors import ConfigError
from .crossrefs import check_pack
from .desk import Desk
from .models import Case, PackSnapshot, PackSpec
from .strict_yaml import nearest, parse_yaml, read_model
from .tools import SESSION_TOOLS, Tool

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
    """

    root: Path
    spec: PackSpec
    cases: dict[str, Case]
    prompts: dict[str, str]
    tools: dict[str, Tool]
    schema_sql: str
    seed_sql: str
    hash: str

    @property
    def name(self) -> str:
        """The pack's name, whatever its folder is called."""
        return self.spec.name

    @property
    def is_shipped(self) -> bool:
        """Whether it is one of voicebench's own, found by its name anywhere."""
        return self.root.parent == data_dir("tasks")

    @property
    def today(self) -> dt.date:
        """The pack's fixed date."""
        return dt.date.fromisoformat(self.spec.today)

    def open_database(self) -> sqlite3.Connection:
        """Return a fresh database in memory, schema and seed applied, rows as ``sqlite3.Row``.

        It may be used from other threads, one at a time.
        """
        return _open_database(self.schema_sql, self.seed_sql)

    def open_desk(self) -> Desk:
        """Return a desk with a database of its own, for one call."""
        return Desk(self.open_database(), self.today)

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


def _open_database(schema_sql: str, seed_sql: str) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", check_same_thread=False)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA foreign_keys = ON")
    db.executescript(schema_sql)
    db.executescript(seed_sql)
    db.commit()
    return db


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
    pack = Pack(
        root=root,
        spec=spec,
        cases=_cases(root / "cases"),
        prompts={agent.name: _prompt(root / "prompts", agent.prompt, ()) for agent in spec.agents},
        tools=_tools(root),
        schema_sql=_text(root / "schema.sql"),
        seed_sql=_text(root / "seed.sql"),
        hash=_hash(root),
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


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error


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
    text = _INCLUDE.sub(lambda match: _prompt(folder, match[1], (*within, name)).strip(), _text(path))
    if "{{" in text:
        raise ConfigError(f"{path}: '{{{{' stands only in a line of its own, '{{{{ include NAME.md }}}}'")
    return text.strip() + "\n"


class _Uncached(SourceFileLoader):
    """Compiles from the source each time: no byte code is read or written, so that an edit within a second is seen."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the module's code."""
        return self.source_to_code(self.get_data(self.path), self.path)


class _Siblings(MetaPathFinder):
    """Finds the modules of one pack's tools, by the name under which they are loaded."""

    def __init__(self, package: str, folder: Path) -> None:
        self._package, self._folder = package, folder

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return where a module of this package is."""
        package, _, name = fullname.rpartition(".")
        file = self._folder / f"{name}.py"
        return _spec(fullname, file) if package == self._package and file.is_file() else None


def _spec(name: str, path: Path) -> ModuleSpec | None:
    folders = [str(path.parent)] if path.name == "__init__.py" else None
    return spec_from_file_location(name, path, loader=_Uncached(name, str(path)), submodule_search_locations=folders)


def _tools(root: Path) -> dict[str, Tool]:
    """Run tools.py, or the package tools/, and return the tools that it holds, the session's added.

    The name of the module follows from its place and content, so that two copies of a pack live in one process.
    """
    path = root / "tools" / "__init__.py" if (root / "tools").is_dir() else root / "tools.py"
    files = sorted(path.parent.glob("*.py")) if path.name == "__init__.py" else [path]
    sources = "\0".join(f"{file}\0{_text(file)}" for file in files or [path])
    name = f"voicebench_pack_{hashlib.sha256(sources.encode()).hexdigest()[:16]}"
    module = _run_tools(name, path, [str(file) for file in files])
    found = _collect(vars(module))
    clash = sorted(found.keys() & SESSION_TOOLS.keys())
    if clash:
        raise ConfigError(f"{path}: {clash[0]!r} is the session's own tool; do not define it")
    return {**found, **SESSION_TOOLS}


def _run_tools(name: str, path: Path, files: Sequence[str]) -> ModuleType:
    spec = _spec(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ConfigError(f"{path}: cannot be read: a pack's tools are in tools.py, or in the package tools/")
    siblings = _Siblings(name, path.parent)
    sys.meta_path.insert(0, siblings)
    try:
        sys.modules[name] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
    except ConfigError:
        raise
    except Exception as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
        where = f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else str(path)
        raise ConfigError(f"{where}: {type(error).__name__}: {error}") from error
    finally:
        sys.meta_path.remove(siblings)
    return module


def _collect(names: Mapping[str, object]) -> dict[str, Tool]:
    return {value.name: value for value in names.values() if isinstance(value, Tool)}
