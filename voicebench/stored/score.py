"""Verdicts and figures once more, from the files of a run alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pydantic import ValidationError

from voicebench.call.costs import cost_of_call
from voicebench.call.scoring import score_call, scoring_encoder
from voicebench.config import Pipeline
from voicebench.config.models import stored_pipeline
from voicebench.errors import CorruptFile, StoreError
from voicebench.metrics.causes import count_causes
from voicebench.packs import PackSnapshot, base_task
from voicebench.record.call import CallEnd
from voicebench.record.json_types import JsonObject
from voicebench.store import (
    SCHEMA_VERSION,
    SCORING_VERSION,
    RunFolder,
    StoredCall,
    read_call,
    read_json,
    run_lock,
    to_json,
    write_file,
)

__all__ = ["Rescored", "causes_of", "read_snapshot", "rescore_run"]


@dataclass(frozen=True)
class Rescored:
    """One call that was scored again.

    Attributes:
        call: as it is now.
        before: its verdict before.
        changed: whether anything in ``call.json`` but its versions is new.
    """

    call: StoredCall
    before: str
    changed: bool


def rescore_run(
    root: Path, *, tell: Callable[[CorruptFile], object] | None = None, recordings: bool = True
) -> list[Rescored]:
    """Score every call of a run again from its trace, state and recording, and the run's copy of the pack.

    A ``call.json`` that changes is written again. A call that infrastructure prevented left no trace: its verdict
    stays, under today's scoring version. A call of which a file is missing or corrupt stays as it is.

    Args:
        root: the run's folder.
        tell: is given what is wrong with such a call, and the others are scored; None raises it.
        recordings: False takes absent recordings for left out, as they are from a submission.

    Raises:
        StoreError: the folder holds no run, or another process works in it.
        CorruptFile: a file is corrupt.
    """
    folder = RunFolder(root.resolve())
    pipeline = read_pipeline(folder)
    snapshots: dict[str, PackSnapshot] = {}
    rescored = []
    with run_lock(folder.root):
        for path in folder.call_dirs():
            try:
                stored = read_call(path)
                stored.check_lengths(recordings=recordings)
                name = stored.call.pack
                if name not in snapshots:
                    snapshots[name] = read_snapshot(folder.pack_json(name))
                rescored.append(_rescore(stored, snapshots[name], pipeline))
            except CorruptFile as error:
                if tell is None:
                    raise
                tell(error)
    return rescored


def causes_of(calls: Iterable[StoredCall]) -> dict[str, int]:
    """Return how many trials did not pass for which first cause, by their last attempts."""
    last = {(one.call.pack, one.call.task, one.call.trial): one.call.attribution for one in calls}
    return count_causes(last.values())


def _rescore(stored: StoredCall, snapshot: PackSnapshot, pipeline: Pipeline) -> Rescored:
    if not stored.has_trace:
        return _written(stored, {"scoring_version": SCORING_VERSION})
    case = snapshot.cases.get(base_task(stored.call.task))
    if case is None:
        raise StoreError(f"{stored.dir}: its task is not in the run's copy of the pack; the folder was mixed up")
    recording = stored.recording.read_bytes() if stored.recording.exists() else None
    end = CallEnd(
        end_reason=stored.call.end_reason, error=stored.call.error, error_by=stored.call.error_by, void=stored.call.void
    )
    try:
        files = stored.trace, stored.exchanges, stored.state, recording
        encoder = scoring_encoder(pipeline.caller)
        score = score_call(snapshot, case, end, *files, line=stored.call.line, encoder=encoder).to_json()
        if stored.call.cost is not None:  # at the prices of the day of the call
            on = date.fromisoformat(stored.call.cost.on)
            score["cost"] = cost_of_call(pipeline, stored.trace, stored.exchanges, on).to_json()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CorruptFile(
            f"{stored.dir}: cannot be scored ({type(error).__name__}: {error}); a file is corrupt"
        ) from error
    return _written(stored, score)


def _written(stored: StoredCall, score: JsonObject) -> Rescored:
    """Write a score into ``call.json``, if it is another than that there."""
    # What was not computed from files, as wall time, stays as it was when the call was made.
    before = stored.call.to_json()
    call = {**before, "schema_version": SCHEMA_VERSION, **score}
    if call != before:
        write_file(stored.dir / "call.json", to_json(call))
    # A file that is only brought to these versions says what it said.
    changed = {**call, "schema_version": None, "scoring_version": None} != {
        **before,
        "schema_version": None,
        "scoring_version": None,
    }
    return Rescored(read_call(stored.dir), stored.call.verdict, changed)


def read_pipeline(folder: RunFolder) -> Pipeline:
    """Return the configuration of a run.

    Raises:
        StoreError: ``run.json`` is missing, or a later version wrote it.
        CorruptFile: it is corrupt.
    """
    path = folder.run_json
    try:
        return stored_pipeline(folder.record().configuration)
    except ValidationError as error:
        raise CorruptFile(
            f"{path}: no record of a run ({error.error_count()} problems); the file is corrupt"
        ) from error


def read_snapshot(path: Path) -> PackSnapshot:
    """Return a run's copy of a pack.

    Raises:
        StoreError: it is missing.
        CorruptFile: it is corrupt.
    """
    try:
        return PackSnapshot.model_validate(read_json(path))
    except ValidationError as error:
        raise CorruptFile(f"{path}: no copy of a pack ({error.error_count()} problems); the file is corrupt") from error
