"""``run.json``: what was run, with what; and whether a folder's run is the one that is asked for."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pydantic import ValidationError

from voicebench import __version__
from voicebench.config import Pipeline, unit_seed
from voicebench.config.models import stored_model, stored_pipeline
from voicebench.errors import ConfigError, CorruptFile, StoreError
from voicebench.packs import Pack
from voicebench.packs.loader import VARIANT_LINES
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.record.run import HostRecord, RequestRecord, RunRecord
from voicebench.runner.plan import RunRequest
from voicebench.runner.progress import ProgressReporter
from voicebench.store import SCHEMA_VERSION, RunFolder, StoredCall, read_json, to_json, write_file
from voicebench.store.files import make_folder, not_writable
from voicebench.stored.score import read_snapshot

__all__ = ["git_revision", "new_folder", "open_run"]

_KEPT = ("run_id", "started_at", "versions", "git_revision", "host")
"""What ``run.json`` says of the first command of a run, and those that go on with it leave."""
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
"""Those that can change what a call sounds like or scores; ``run.json`` has their versions."""


def new_folder(request: RunRequest) -> RunFolder:
    """Return the folder of the run: the one asked for, else a new one in ``runs/`` whose name says when and what.

    The new one is made here, so that runs that start in the same second do not share it.

    Raises:
        NotWritable: it cannot be made.
    """
    if request.out is not None:
        return RunFolder(request.out.resolve())
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    base = Path("runs").resolve() / f"{stamp}-{request.pipeline.name or 'pipeline'}"
    path, number = base, 2
    make_folder(base.parent)
    while True:
        try:
            path.mkdir()
        except FileExistsError:
            path, number = base.with_name(f"{base.name}-{number}"), number + 1
        except OSError as error:
            raise not_writable(path, error) from error
        else:
            return RunFolder(path)


def open_run(folder: RunFolder, request: RunRequest, packs: Iterable[Pack], reporter: ProgressReporter) -> RunRecord:
    """Write or check ``run.json`` and the copies of the packs; return the content of ``run.json``.

    A run that is there already goes on if pipeline, seed and packs are what they were; more tasks, trials and packs may
    join. A file of these that is corrupt is moved to ``corrupt/`` and written again: ``run.json`` only if the calls
    that are there are of this command.

    Args:
        folder: of the run.
        request: what was asked for.
        packs: those of its tasks.
        reporter: gets a note of each corrupt file.

    Raises:
        ConfigError: the folder holds a run with another configuration; the message has the difference.
        StoreError: the folder cannot be read or written.
    """
    opened = list(packs)
    record = _new_record(folder, request, opened)
    try:
        before = folder.record() if folder.run_json.exists() else None
    # Calls may have been made for hours when run.json is lost. They are kept if they are what this command would make.
    except CorruptFile as error:
        if isinstance(error.__cause__, ValidationError):  # JSON of something else, which is not ours to move
            raise ConfigError(f"{folder.run_json}: no record of a run; give another folder with --out") from error
        record = _with_packs(record, _packs_without_record(folder, request.pipeline, request.seed, record.packs))
        _set_aside(folder, folder.run_json, error, reporter)
    else:
        if before is not None:
            _refuse_another(folder, before, record)
            kept = {key: getattr(before, key) for key in _KEPT}
            paths = {**before.pack_paths, **record.pack_paths}
            record = _with_packs(record.model_copy(update={**kept, "pack_paths": paths}), before.packs)
        elif any(folder.call_dirs()):
            record = _with_packs(record, _packs_without_record(folder, request.pipeline, request.seed, record.packs))
    for pack in opened:
        path = folder.pack_json(pack.name)
        try:
            if path.exists():
                read_json(path)
        except CorruptFile as error:
            _set_aside(folder, path, error, reporter)
        write_file(path, to_json(pack.snapshot().model_dump(mode="json", by_alias=True)))
    write_file(folder.run_json, to_json(record.to_json()))
    return record


def _set_aside(folder: RunFolder, path: Path, error: CorruptFile, reporter: ProgressReporter) -> None:
    reporter.note(f"{error}; moved to {folder.quarantine(path)}, and written again")


def _new_record(folder: RunFolder, request: RunRequest, packs: Sequence[Pack]) -> RunRecord:
    pipeline = request.pipeline
    versions: dict[str, str | None] = {"voicebench": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            versions[package] = version(package)
    record = RunRecord(
        schema_version=SCHEMA_VERSION,
        run_id=folder.root.name,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        pipeline=pipeline.name,
        configuration=pipeline.model_dump(mode="json"),
        config_hash=pipeline.config_hash,
        seed=request.seed,
        packs={},
        pack_paths={pack.name: str(pack.root) for pack in packs if not pack.is_shipped},
        unranked=("charges",) if pipeline.clock.charges.llm.kind != "wall" else (),
        request=RequestRecord(
            tasks=tuple(request.tasks), trials=request.trials, limit=request.limit, variants=request.variants
        ),
        versions=versions,
        git_revision=git_revision(),
        host=HostRecord(
            system=platform.system(),
            machine=platform.machine(),
            cpus=os.cpu_count(),
            load=tuple(round(value, 2) for value in os.getloadavg()),
        ),
        hash=None,
    )
    return _with_packs(record, {pack.name: pack.hash for pack in packs})


def _with_packs(record: RunRecord, more: Mapping[str, str]) -> RunRecord:
    """Return a record with the hashes of further packs, its own first in doubt, and the hash of it all."""
    packs = {**more, **record.packs}
    covered = {"pipeline": record.config_hash, "seed": record.seed, "packs": packs}
    digest = hashlib.sha256(json.dumps(covered, sort_keys=True).encode()).hexdigest()
    return record.model_copy(update={"packs": packs, "hash": digest})


def _refuse_another(folder: RunFolder, before: RunRecord, now: RunRecord) -> None:
    """Refuse to go on with a run of another configuration, seed, or content of a pack."""
    configuration = before.configuration
    with contextlib.suppress(ValidationError):  # what a stored pipeline did not say is today's default
        configuration = stored_pipeline(configuration).model_dump(mode="json")
    old, new = (
        {**dict(_leaves(keys)), "seed": run.seed, **dict(_leaves(dict(run.packs), "pack "))}
        for run, keys in ((before, configuration), (now, now.configuration))
    )
    differing = [key for key in old.keys() & new.keys() if old[key] != new[key]]
    differing += [key for key in old.keys() ^ new.keys() if not key.startswith("pack ")]
    differences = [
        f"{key}: {old.get(key, 'not set')} there, {new.get(key, 'not set')} now" for key in sorted(differing)
    ]
    if differences:
        raise ConfigError(
            f"{folder.root}: holds a run with another configuration ({'; '.join(differences)}); "
            "repeat its command, or give another folder with --out"
        )


def _leaves(values: JsonObject, prefix: str = "") -> Iterator[tuple[str, JsonValue]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _packs_without_record(folder: RunFolder, pipeline: Pipeline, seed: int, packs: Mapping[str, str]) -> dict[str, str]:
    """Return name and hash of each pack that a folder without ``run.json`` has a copy of.

    All that it holds must be of this command. Of every call the seed, the model and the hash of the configuration are
    compared, as far as it has them: older versions stored no hash. What cannot be read will be made again, and is left
    out here.

    Args:
        folder: the run's.
        pipeline: of the command.
        seed: of the command.
        packs: of the command, name to hash.

    Raises:
        ConfigError: a call or a pack is of another command; the message has the difference.
    """
    copies = {}
    for path in sorted(folder.root.glob("packs/*.json")):
        with contextlib.suppress(StoreError):
            copies[path.stem] = read_snapshot(path).hash
    differing = [
        f"pack {name}: {copies[name]} there, {packs[name]} now"
        for name in sorted(copies.keys() & packs.keys())
        if copies[name] != packs[name]
    ]
    model = stored_model(pipeline.model_dump(mode="json"))
    for stored in folder.calls():
        if differing or not isinstance(stored, StoredCall):
            continue
        call = stored.call
        line = next((preset for suffix, preset in VARIANT_LINES.items() if call.task.endswith(f"-{suffix}")), None)
        config_hash = (pipeline if line is None else pipeline.over(line)).config_hash
        now = {
            "config_hash": (call.config_hash, config_hash),
            "model": (call.model, model),
            "seed": (call.seed, unit_seed(seed, call.pack, call.task, call.trial, call.attempt)),
        }
        place = stored.dir.relative_to(folder.root)
        differing = [
            f"{key} of {place}: {there} there, {here} now"
            for key, (there, here) in now.items()
            if there is not None and there != here
        ]
    if differing:
        raise ConfigError(
            f"{folder.run_json}: missing or corrupt, and what the folder holds is not of this command "
            f"({'; '.join(differing)}); repeat the command of the run, or give another folder with --out"
        )
    return copies


def git_revision() -> str | None:
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
