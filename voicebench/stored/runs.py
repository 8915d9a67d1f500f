"""Reads the results of a stored run from its files."""

from __future__ import annotations

from pathlib import Path

from voicebench.errors import StoreError, advise
from voicebench.store import RunFolder
from voicebench.stored.identity import check_record, planned_trials
from voicebench.stored.results import PackedRow, RunResult, Status, summarise, trial_row
from voicebench.stored.score import read_snapshot

__all__ = ["read_result"]


def read_result(root: Path) -> RunResult:
    """Return the results of a stored run.

    Args:
        root: the folder of the run.

    Raises:
        StoreError: the folder holds no run, or a later version wrote it.
        CorruptFile: ``run.json`` or the copy of a pack is corrupt. A call that cannot be read counts as not made, and
            is the result's ``problem``.
    """
    folder = RunFolder(root.resolve())
    record = folder.record()
    check_record(record, folder.run_json)
    made: dict[tuple[str, str, int], list[PackedRow]] = {}
    problems: list[str] = []
    for call in folder.calls():
        if isinstance(call, StoreError):
            problems.append(advise(call))
        else:
            key = (call.call.pack, call.call.task, call.call.trial)
            made.setdefault(key, []).append(PackedRow.of(call))
    snapshots = {name: read_snapshot(folder.pack_json(name)) for name in record.packs}
    summary = summarise(list(made.values()), sum(planned_trials(record, snapshots, made).values()))
    status: Status = "complete" if summary.complete else "incomplete"
    rows = [trial_row(attempts) for attempts in made.values()]
    return RunResult(record.run_id, folder.root, rows, summary, status, "; ".join(problems) or None)
