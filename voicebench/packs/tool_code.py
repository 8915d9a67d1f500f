"""The code of a pack's tools, run in this process."""

from __future__ import annotations

import hashlib
import sys
import traceback
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from voicebench.errors import ConfigError
from voicebench.packs.tools import SESSION_TOOLS, Tool

__all__ = ["load_tools", "read_text"]


def read_text(path: Path) -> str:
    """Return a file of a pack.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error


def load_tools(root: Path) -> dict[str, Tool]:
    """Run tools.py, or the package tools/, and return the tools that it holds, the session's added.

    The name of the module follows from its place and content, so that two copies of a pack live in one process.

    Raises:
        ConfigError: they cannot be read or run, or one has a name of the session's own.
    """
    path = root / "tools" / "__init__.py" if (root / "tools").is_dir() else root / "tools.py"
    files = sorted(path.parent.glob("*.py")) if path.name == "__init__.py" else [path]
    sources = "\0".join(f"{file}\0{read_text(file)}" for file in files or [path])
    name = f"voicebench_pack_{hashlib.sha256(sources.encode()).hexdigest()[:16]}"
    module = _run_tools(name, path, [str(file) for file in files])
    found = {value.name: value for value in vars(module).values() if isinstance(value, Tool)}
    clash = sorted(found.keys() & SESSION_TOOLS.keys())
    if clash:
        raise ConfigError(f"{path}: {clash[0]!r} is the session's own tool; do not define it")
    return {**found, **SESSION_TOOLS}


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
