"""A run whose ``run.json`` was lost: whether what the folder holds is of the command that goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from voicebench.config import Pipeline, unit_seed
from voicebench.config.models import stored_model
from voicebench.errors import ConfigError, StoreError
from voicebench.packs.loader import VARIANT_LINES
from voicebench.store import RunFolder, StoredCall
from voicebench.stored.score import read_snapshot

__all__ = ["packs_without_record"]


def packs_without_record(folder: RunFolder, pipeline: Pipeline, seed: int, packs: dict[str, str]) -> dict[str, str]:
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
            said = {key: stored.call[key] for key in _KEYS if stored.call.get(key) is not None}
            _refuse(folder, said, _expected(stored.call, pipeline, seed), f" of {stored.dir.relative_to(folder.root)}")
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
