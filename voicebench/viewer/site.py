"""What the pages show: the runs of a folder and their calls, read only, and as they are when asked for."""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from voicebench.config.models import stored_setting
from voicebench.errors import ConfigError, StoreError, advise
from voicebench.packs import PackSnapshot
from voicebench.record.run import RunRecord
from voicebench.store import RunFolder, StoredCall, find_runs, read_call
from voicebench.store.index import Index
from voicebench.stored.identity import RunIdentity, TaskKey, check_record, planned_trials
from voicebench.stored.results import UNDECIDED
from voicebench.stored.score import read_snapshot

__all__ = ["AttemptRow", "NotFound", "Site", "SiteRun"]

CallKey = tuple[str, str, str, int, int]
"""Run, pack, task, trial, attempt."""

_Stat = tuple[int, int] | None
"""When a file was changed, and its size; None if it is not there."""

_UNREADABLE = "corrupt"

# Names become parts of addresses and of files' paths: none begins with a dot, so none is "..".
_NAME, _TRIAL, _ATTEMPT = re.compile(r"[^./\0][^/\0]*"), re.compile(r"[0-9]{1,9}"), re.compile(r"attempt-[0-9]{1,9}")


class NotFound(LookupError):
    """There is no such run, pack, task or call."""


@dataclass(frozen=True)
class SiteRun(RunIdentity):
    """A run as its ``run.json`` has it.

    Attributes:
        root: its folder.
        record: the content.
    """

    root: Path
    record: RunRecord

    @property
    def started_at(self) -> str:
        """When it was first started, as ISO 8601 in UTC."""
        return self.record.started_at

    @property
    def subject(self) -> str:
        """Who was under test: the model, with the harness where that is not the cascade."""
        return self.model if self.harness == "cascade" else f"{self.model} ({self.harness})"

    @property
    def who_calls(self) -> str:
        """Who calls: kind, the model that plays it if one does, voice, and whether it reads the agent's words."""
        kind, voice, hears = (stored_setting(self.configuration, f"caller.{key}") for key in ("kind", "voice", "hears"))
        played = f" ({stored_setting(self.configuration, 'caller.llm.model')})" if kind == "llm" else ""
        reads = ", reads the agent's words" if hears == "text" else ""
        return f"{kind}{played}, voice {voice}{reads}"


@dataclass(frozen=True)
class AttemptRow:
    """One attempt, in a list.

    Attributes:
        run, pack, task, trial, attempt: which.
        verdict: ``passed``, ``failed``, ``void``, ``error``; or ``corrupt``, if it cannot be read.
        void_kind: of a void call, what made it void.
        hung_up: whether the agent's service broke off a call that it had begun to answer; of a trial, in any attempt.
        tools, handoffs, database: rewards of the gates, 1 exactly when the gate passed; None without a verdict.
        call_s: its length, seconds of call time.
        usd: what it cost; None if unknown.
        cause: what kept it from passing first; None if it passed, or was stored without one.
        problem: why it cannot be read.
    """

    run: str
    pack: str
    task: str
    trial: int
    attempt: int
    verdict: str
    void_kind: str | None = None
    hung_up: int = 0
    tools: float | None = None
    handoffs: float | None = None
    database: float | None = None
    call_s: float | None = None
    usd: float | None = None
    cause: str | None = None
    problem: str | None = None

    @property
    def key(self) -> CallKey:
        """What names the call."""
        return self.run, self.pack, self.task, self.trial, self.attempt

    @property
    def outcome(self) -> str:
        """What the trial counts as, of whose attempts this is the last: who hung up on a caller did not pass."""
        return "failed" if self.hung_up else self.verdict

    @property
    def decided(self) -> bool:
        """Whether there is a verdict on the agent."""
        return self.verdict not in (*UNDECIDED, _UNREADABLE)

    @property
    def failed_gates(self) -> list[str]:
        """The gates that did not pass."""
        gates = {"tools": self.tools, "handoffs": self.handoffs, "database": self.database}
        return [name for name, reward in gates.items() if self.decided and reward != 1.0]


class Site:
    """The runs in a folder, or one run.

    Every question looks first whether calls came, went or changed; an ``index.db`` in the folder spares reading those
    that it has. Nothing is written.

    Args:
        root: the folder of runs, or of one run.

    Raises:
        ConfigError: there is no such folder.
    """

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise ConfigError(f"{root}: no such folder; give the folder of a run, or of runs")
        self.root = root.resolve()
        self._index = Index(self.root / "index.db", in_memory=True)
        self._lock = threading.RLock()
        self._seen: dict[str, _Stat] = {}
        self._pause = threading.local()  # Starlette runs each request in a thread of its own
        self._runs: dict[str, SiteRun] = {}
        self._corrupt: dict[CallKey, str] = {}
        self.problems: list[str] = []
        self._refresh()

    def runs(self) -> list[SiteRun]:
        """Return the runs, newest first."""
        with self._lock:
            self._refresh()
            return sorted(self._runs.values(), key=lambda run: (run.started_at, run.run_id), reverse=True)

    def run(self, run: str) -> SiteRun:
        """Return a run by its name.

        Raises:
            NotFound: there is none.
        """
        with self._lock:
            self._refresh()
            if run not in self._runs:
                raise NotFound(f"no run {run}")
            return self._runs[run]

    def rows(self, run: str | None = None, pack: str | None = None, task: str | None = None) -> list[AttemptRow]:
        """Return all attempts of a run, a pack and a task, by name and number; unreadable ones too."""
        asked = {"run_id": run, "pack": pack, "task": task}
        given = {name: value for name, value in asked.items() if value is not None}
        where = " and ".join(f"{name} = ?" for name in given) or "true"
        columns = (
            "run_id, pack, task, trial, attempt, verdict, void_kind, hung_up, tools, handoffs, database, call_s, usd, "
            "cause"
        )
        query = f"select {columns} from calls where {where}"  # noqa: S608
        with self._lock:
            self._refresh()
            rows = self._index.query(AttemptRow, query, list(given.values()))
            rows += [
                AttemptRow(*key, verdict=_UNREADABLE, problem=problem)
                for key, problem in self._corrupt.items()
                if all(wanted in (None, name) for wanted, name in zip(asked.values(), key, strict=False))
            ]
        return sorted(rows, key=lambda row: (row.run, row.pack, row.task, row.trial, row.attempt))

    def trials(self, run: str | None = None, pack: str | None = None, task: str | None = None) -> list[AttemptRow]:
        """Return the last attempt of every trial, which tells whether any of them was hung up."""
        last: dict[tuple[str, str, str, int], AttemptRow] = {}
        for row in self.rows(run, pack, task):
            before = last.get(key := row.key[:4])
            last[key] = replace(row, hung_up=int(row.hung_up or (before is not None and before.hung_up)))
        return list(last.values())

    def planned(self, run: str) -> dict[TaskKey, int]:
        """Return how many trials of which task a run was asked for, as far as its packs can be read."""
        found = self.run(run)
        snapshots = {}
        for pack in found.record.packs:
            with contextlib.suppress(StoreError):
                snapshots[pack] = self.snapshot(run, pack)
        made = ((row.pack, row.task, row.trial) for row in self.rows(run))
        return {key: trials for key, trials in planned_trials(found.record, snapshots, made).items() if key[0]}

    def unfinished(self) -> Iterator[CallKey]:
        """Give the first attempt of each trial that a run was asked for and that has none."""
        for run in self.runs():
            made = {(row.pack, row.task, row.trial) for row in self.rows(run.run_id)}
            for (pack, task), trials in self.planned(run.run_id).items():
                for trial in range(1, trials + 1):
                    if (pack, task, trial) not in made:
                        yield run.run_id, pack, task, trial, 1

    def latencies_ms(self, run: str, kind: Literal["ttft", "v2v"]) -> list[float]:
        """Return the latencies of every request, or answered turn, of a run's calls with a verdict, milliseconds."""
        query = """
            select ms from latencies join calls using (run_id, pack, task, trial, attempt)
            where run_id = ? and kind = ? and verdict in ('passed', 'failed')
        """
        with self._lock:
            self._refresh()
            return self._index.query(float, query, [run, kind])

    def call(self, run: str, pack: str, task: str, trial: int, attempt: int) -> StoredCall:
        """Return a call.

        Raises:
            NotFound: there is no such attempt.
            StoreError: it cannot be read.
        """
        folder = self.call_dir(run, pack, task, trial, attempt)
        if not folder.is_dir():
            raise NotFound(f"no call {run}/{pack}/{task}/{trial}/attempt-{attempt}")
        return _read(folder)

    def call_dir(self, run: str, pack: str, task: str, trial: int, attempt: int) -> Path:
        """Return the folder of an attempt, which need not be there.

        Raises:
            NotFound: there is no such run, or a name leads out of it.
        """
        calls = RunFolder(self.run(run).root)
        folder = calls.attempt_dir(pack, task, trial, attempt)
        if not folder.resolve().is_relative_to(calls.root):
            raise NotFound(f"no call {pack}/{task}")
        return folder

    def snapshot(self, run: str, pack: str) -> PackSnapshot:
        """Return a run's copy of a pack.

        Raises:
            NotFound: the run has no such pack.
            StoreError: the copy cannot be read.
        """
        found = self.run(run)
        if pack not in found.record.packs:
            raise NotFound(f"no pack {pack} in run {run}")
        path = RunFolder(found.root).pack_json(pack)
        return _snapshot(path, _stat(path))

    def newest(self, pack: str) -> tuple[SiteRun, PackSnapshot]:
        """Return the newest run that has a readable copy of a pack, and the copy.

        Raises:
            NotFound: no run has one.
        """
        for run in self.runs():
            try:
                return run, self.snapshot(run.run_id, pack)
            except (NotFound, StoreError):
                continue
        raise NotFound(f"no pack {pack} in these runs")

    def packs(self) -> list[str]:
        """Return the names of all packs that the runs used."""
        return sorted({pack for run in self.runs() for pack in run.record.packs})

    def relative(self, problems: Iterable[str]) -> list[str]:
        """Return problems with files named by their place in the folder: others may see what a page says."""
        return [problem.replace(f"{self.root}/", "") for problem in problems]

    @contextlib.contextmanager
    def one_look(self) -> Iterator[None]:
        """Look for changed files once, on entry, so that everything in one page comes from the same state."""
        with self._lock:
            self._refresh()
        self._pause.looking = True
        try:
            yield
        finally:
            self._pause.looking = False

    def _refresh(self) -> None:
        if getattr(self._pause, "looking", False):
            return
        self._runs, self.problems = self._find_runs()
        found = {
            path: (run, _stat(f"{path}/call.json")) for run in self._runs.values() for path in _call_dirs(run.root)
        }
        # The index on disk is read once; what changes afterwards is read from the files.
        if not self._seen:
            self._load_index(found)
        gone: list[CallKey] = []
        for path in [path for path, stat in self._seen.items() if path not in found or found[path][1] != stat]:
            del self._seen[path]
            gone += [_key(run, path) for run in self._runs.values() if path.startswith(f"{run.root}/calls/")]
        self._index.drop_calls(gone)
        self._corrupt = {key: problem for key, problem in self._corrupt.items() if key not in gone}
        fresh: dict[str, list[StoredCall]] = {}
        for path, (run, stat) in found.items():
            if path in self._seen:
                continue
            self._seen[path] = stat  # a corrupt call too: it is read again once its file changes, not at every page
            try:
                fresh.setdefault(run.run_id, []).append(_read(Path(path)))
            except StoreError as error:
                self._corrupt[_key(run, path)] = str(error)
        for run_id, calls in fresh.items():
            self._index.put_calls(run_id, calls)

    def _find_runs(self) -> tuple[dict[str, SiteRun], list[str]]:
        runs: dict[str, SiteRun] = {}
        problems = []
        for folder in find_runs(self.root):
            try:
                record = folder.record()
                check_record(record, folder.run_json)
            except StoreError as error:
                problems.append(advise(error))
                continue
            run = SiteRun(folder.root, record)
            if not all(_NAME.fullmatch(name) for name in (run.run_id, *record.packs)):
                problems.append(f"{folder.run_json}: the name of the run or of a pack is none that a folder could have")
            elif run.run_id in runs:
                problems.append(f"{folder.root}: a copy of another run here")
            else:
                runs[run.run_id] = run
        return runs, problems

    def _load_index(self, found: dict[str, tuple[SiteRun, _Stat]]) -> None:
        """Keep the rows of the index on disk whose files are older than it, and forget the others."""
        written = _stat(self.root / "index.db")
        unknown = []

        def indexed(run: str, pack: str, task: str, trial: int, attempt: int, folder: str) -> tuple[CallKey, str]:
            return (run, pack, task, trial, attempt), folder

        for key, folder in self._index.query(indexed, "select run_id, pack, task, trial, attempt, dir from calls"):
            path = str(self.root / folder)
            run, stat = found.get(path, (None, None))
            # A file as old as the index may have been written after its row; only older ones are trusted.
            if run and stat and written and stat[0] < written[0] and _key(run, path) == key:
                self._seen[path] = stat
            else:
                unknown.append(key)
        self._index.drop_calls(unknown)


@lru_cache(maxsize=64)
def _snapshot(path: Path, _changed: _Stat) -> PackSnapshot:
    return read_snapshot(path)


def _read(folder: Path) -> StoredCall:
    """Read a call, and refuse one whose ``call.json`` holds something else, or says that it is another call."""
    stored = read_call(folder)
    call = stored.call
    said = (call.pack, call.task, str(call.trial), str(call.attempt))
    *names, attempt = folder.parts[-4:]
    if said != (*names, attempt.removeprefix("attempt-")):
        raise StoreError(f"{folder / 'call.json'}: is of call {'/'.join(said)}; the folder was mixed up")
    return stored


def _key(run: SiteRun, folder: str) -> CallKey:
    pack, task, trial, attempt = folder.rsplit("/", 4)[1:]
    return run.run_id, pack, task, int(trial), int(attempt.removeprefix("attempt-"))


def _stat(path: Path | str) -> _Stat:
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


def _call_dirs(root: Path) -> list[str]:
    """Return the folders of attempts, without following links: they could lead out of the folder that is shown."""
    folders = [str(root / "calls")]
    for pattern in (_NAME, _NAME, _TRIAL, _ATTEMPT):
        below: list[str] = []
        for folder in folders:
            with contextlib.suppress(OSError), os.scandir(folder) as entries:
                below += [
                    one.path for one in entries if pattern.fullmatch(one.name) and one.is_dir(follow_symlinks=False)
                ]
        folders = below
    return folders
