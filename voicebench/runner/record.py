"""``run.json``: what was run, with what; and whether a folder's run is the one that is asked for."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from voicebench import __version__
from voicebench.config import Pipeline, unit_seed
from voicebench.config.models import stored_model
from voicebench.errors import ConfigError, CorruptFile, StoreError
from voicebench.packs import Pack
from voicebench.packs.loader import VARIANT_LINES
from voicebench.runner.plan import RunRequest
from voicebench.runner.progress import ProgressReporter
from voicebench.store import SCHEMA_VERSION, RunFolder, StoredCall, read_json, to_json, write_file
from voicebench.stored.score import read_snapshot

__all__ = ["new_folder", "open_run"]


def new_folder(request: RunRequest) -> RunFolder:
    """Return the folder of the run: the one asked for, else a new name in ``runs/`` that says when and what."""
    if request.out is not None:
        return RunFolder(request.out.resolve())
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    base = Path("runs").resolve() / f"{stamp}-{request.pipeline.name or 'pipeline'}"
    path, number = base, 2
    while path.exists():
        path, number = base.with_name(f"{base.name}-{number}"), number + 1
    return RunFolder(path)


def open_run(
    folder: RunFolder, request: RunRequest, packs: Iterable[Pack], reporter: ProgressReporter
) -> dict[str, Any]:
    """Write or check ``run.json`` and the copies of the packs; return the content of ``run.json``.

    A run that is there already goes on if pipeline, seed and packs are what they were; more tasks, trials and packs may
    join. A file of these that is corrupt is moved to ``corrupt/`` and written anew: ``run.json`` only if the calls that
    are there are of this command.

    Args:
        folder: of the run.
        request: what was asked for.
        packs: those of its tasks.
        reporter: is told of what was corrupt.

    Raises:
        ConfigError: the folder holds a run with another configuration; the message has the difference.
        StoreError: the folder cannot be read or written.
    """
    opened = list(packs)
    snapshots = {pack.name: pack.snapshot().model_dump(mode="json", by_alias=True) for pack in opened}
    hashes = {pack.name: pack.hash for pack in opened}
    record = _record(folder, request, hashes, {pack.name: str(pack.root) for pack in opened if not pack.is_shipped})
    before = _stored_record(folder)
    if isinstance(before, CorruptFile) or (before is None and any(folder.call_dirs())):
        hashes = {**_packs_without_record(folder, request.pipeline, request.seed, hashes), **hashes}
        record = {**record, "packs": hashes, "hash": _hash(record, hashes)}
        if isinstance(before, CorruptFile):
            _set_aside(folder, folder.run_json, before, reporter)
    elif before is not None:
        _refuse_another(folder, before, record)
        hashes = {**before["packs"], **record["packs"]}
        kept = {key: before[key] for key in ("run_id", "started_at", "versions", "git_revision", "host")}
        paths = {**before.get("pack_paths", {}), **record["pack_paths"]}
        record = {**record, **kept, "packs": hashes, "pack_paths": paths, "hash": _hash(record, hashes)}
    for name, snapshot in snapshots.items():
        path = folder.pack_json(name)
        try:
            if path.exists():
                read_json(path)
        except CorruptFile as error:
            _set_aside(folder, path, error, reporter)
        write_file(path, to_json(snapshot))
    write_file(folder.run_json, to_json(record))
    return record


def _stored_record(folder: RunFolder) -> dict[str, Any] | CorruptFile | None:
    """Return the content of ``run.json``, or what is wrong with it; None if it is not there."""
    try:
        return folder.record_json() if folder.run_json.exists() else None
    except CorruptFile as error:
        return error


def _set_aside(folder: RunFolder, path: Path, error: CorruptFile, reporter: ProgressReporter) -> None:
    reporter.note(f"{error}; moved to {folder.quarantine(path)}, and written anew")


def _record(folder: RunFolder, request: RunRequest, hashes: dict[str, str], paths: dict[str, str]) -> dict[str, Any]:
    pipeline = request.pipeline
    record = {
        "schema_version": SCHEMA_VERSION,
        "run_id": folder.root.name,
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "pipeline": pipeline.name,
        "configuration": pipeline.model_dump(mode="json"),
        "config_hash": pipeline.config_hash,
        "seed": request.seed,
        "packs": hashes,
        "pack_paths": paths,
        "unranked": ["charges"] if pipeline.clock.charges.llm.kind != "wall" else [],
        "request": {
            "tasks": list(request.tasks),
            "trials": request.trials,
            "limit": request.limit,
            "variants": request.variants,
        },
        "versions": _versions(),
        "git_revision": _git_revision(),
        "host": _host(),
    }
    return {**record, "hash": _hash(record, hashes)}


def _hash(record: dict[str, Any], hashes: dict[str, str]) -> str:
    covered = {"pipeline": record["config_hash"], "seed": record["seed"], "packs": hashes}
    return hashlib.sha256(json.dumps(covered, sort_keys=True).encode()).hexdigest()


def _refuse_another(folder: RunFolder, before: dict[str, Any], now: dict[str, Any]) -> None:
    try:
        old = {**_flat(_as_now(before["configuration"])), "seed": before["seed"], **_flat(before["packs"], "pack ")}
    except (KeyError, AttributeError) as error:
        raise ConfigError(f"{folder.run_json}: no record of a run; give another folder with --out") from error
    new = {**_flat(now["configuration"]), "seed": now["seed"], **_flat(now["packs"], "pack ")}
    shared = old.keys() & new.keys()
    differing = [key for key in shared if old[key] != new[key]]
    differing += [key for key in old.keys() ^ new.keys() if not key.startswith("pack ")]
    differences = [
        f"{key}: {old.get(key, 'not set')} there, {new.get(key, 'not set')} now" for key in sorted(differing)
    ]
    if differences:
        raise ConfigError(
            f"{folder.root}: holds a run with another configuration ({'; '.join(differences)}); "
            "repeat its command, or give another folder with --out"
        )


def _as_now(configuration: dict[str, Any]) -> dict[str, Any]:
    """Return a stored configuration with the keys that it would have today: what it did not say is the default."""
    try:
        return Pipeline.model_validate(configuration).model_dump(mode="json")
    except ValidationError:
        return configuration


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    return dict(_leaves(values, prefix))


def _leaves(values: dict[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


# ---- a folder without run.json --------------------------------------------------------------------------------------


def _packs_without_record(folder: RunFolder, pipeline: Pipeline, seed: int, packs: dict[str, str]) -> dict[str, str]:
    """Return name and hash of each pack that a folder has a copy of, if all that it holds is of this command.

    Of every call the seed, the model and the hash of the configuration are looked at, as far as it has them: older
    versions stored no hash. What cannot be read will be made again, and says nothing.

    Args:
        folder: the run's.
        pipeline: of the command.
        seed: of the command.
        packs: of the command, name to hash.

    Raises:
        ConfigError: a call or a pack is of another command; the message has the difference.
    """
    copies = dict(_copies(folder))
    there = {f"pack {name}": copies[name] for name in copies.keys() & packs}
    _refuse(folder, there, {f"pack {name}": packs[name] for name in packs})
    for stored in folder.calls():
        if isinstance(stored, StoredCall):
            said = {key: stored.call_json[key] for key in _KEYS if stored.call_json.get(key) is not None}
            _refuse(
                folder, said, _expected(stored.call_json, pipeline, seed), f" of {stored.dir.relative_to(folder.root)}"
            )
    return copies


_KEYS = ("seed", "model", "config_hash")


def _copies(folder: RunFolder) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.root.glob("packs/*.json")):
        try:
            yield path.stem, read_snapshot(path).hash
        except StoreError:
            continue


def _expected(call: dict[str, Any], pipeline: Pipeline, seed: int) -> dict[str, Any]:
    """Return what a call has that the command makes."""
    pack, task = str(call["pack"]), str(call["task"])
    line = next((preset for suffix, preset in VARIANT_LINES.items() if task.endswith(f"-{suffix}")), None)
    of_call = pipeline if line is None else pipeline.over(line)
    return {
        "seed": unit_seed(seed, pack, task, call["trial"], call["attempt"]),
        "model": stored_model(pipeline.model_dump(mode="json")),
        "config_hash": of_call.config_hash,
    }


def _refuse(folder: RunFolder, there: dict[str, Any], now: dict[str, Any], of: str = "") -> None:
    differences = [f"{key}{of}: {there[key]} there, {now[key]} now" for key in sorted(there) if there[key] != now[key]]
    if differences:
        raise ConfigError(
            f"{folder.run_json}: missing or corrupt, and what the folder holds is not of this command "
            f"({'; '.join(differences)}); repeat the command of the run, or give another folder with --out"
        )


# ---- what a run is made with ----------------------------------------------------------------------------------------

_PACKAGES = (
    "av",
    "ctranslate2",
    "faster-whisper",
    "genai-prices",
    "hibari-tts",
    "jellyfish",
    "numpy",
    "onnxruntime",
    "openai",
    "pipecat-ai",
    "piper-tts",
    "soxr",
    "webrtcvad-wheels",
)


def _versions() -> dict[str, str]:
    """Return the versions of voicebench, Python, and the packages that can change what a call sounds like or scores."""
    found = {"voicebench": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _git_revision() -> str | None:
    """Return the commit of the checkout that this is, ``+changes`` appended if it was edited; None elsewhere."""
    root = Path(__file__).resolve().parents[2]
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return None

    def ask(*arguments: str) -> str:
        asked = [git, "-C", str(root), *arguments]
        return subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True).stdout.strip()  # noqa: S603

    try:
        revision = ask("rev-parse", "HEAD")
        return f"{revision}+changes" if ask("status", "--porcelain", "--untracked-files=no") else revision
    except (OSError, subprocess.SubprocessError):
        return None


def _host() -> dict[str, Any]:
    """Return the kind of machine, its cores, and its load averages over 1, 5 and 15 minutes."""
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "load": [round(value, 2) for value in os.getloadavg()],
    }
