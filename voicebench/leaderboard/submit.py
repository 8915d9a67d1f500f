"""Submissions: a run as one file that others can check, and the check."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from multiprocessing.connection import Connection
from pathlib import Path

from voicebench import __version__
from voicebench.config import hash_of, unit_seed
from voicebench.errors import ConfigError, ModelMissing, StoreError
from voicebench.leaderboard.archive import MANIFEST, Refused, is_part, unpack, write_archive
from voicebench.leaderboard.board import ANY, make_board
from voicebench.leaderboard.evidence import evidence_problems, tool_problems
from voicebench.leaderboard.trials import StoredRun, load_run
from voicebench.packs import PackSnapshot, diff_state, dump_state, list_packs, load_pack
from voicebench.packs.database import State
from voicebench.record.call import CallRecord
from voicebench.record.json_types import JsonObject
from voicebench.record.row import BoardRow
from voicebench.store import RunFolder, StoredCall, changed_since, read_call, read_json, to_json
from voicebench.store.files import TEMPORARY
from voicebench.stored.replay import replay_call
from voicebench.stored.results import UNDECIDED
from voicebench.stored.score import read_pipeline, read_snapshot, rescore_run

__all__ = ["SubmissionCheck", "make_submission", "verify_submission"]

_SCHEMA_VERSION = 1
_HEARD = ("v2v_ms", "v2v_parts", "first_audio_ms", "yield_ms", "talk_over_s", "agent_speech_s", "caller_speech_s")
"""Figures that need the recording."""


@dataclass
class SubmissionCheck:
    """The result of the check of a submission.

    Attributes:
        problems: each number or file that does not hold.
        notes: what could not be checked, and why.
        calls: attempts that were scored again.
        rows: the board's rows of the run, computed again.
    """

    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    calls: int = 0
    rows: list[BoardRow] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether every number holds."""
        return not self.problems

    def to_json(self) -> JsonObject:
        """Return what ``submit verify --json`` prints."""
        return {
            "holds": self.holds,
            "problems": [*self.problems],
            "notes": [*self.notes],
            "calls": self.calls,
            "rows": [row.to_json() for row in self.rows],
        }


def make_submission(run: Path, target: Path, *, recordings: bool = False) -> int:
    """Write a run as one archive: configuration, versions, packs, results, traces, exchanges, and a hash of each.

    Args:
        run: the run's folder.
        target: the archive to be.
        recordings: whether to put them in; without them V2V cannot be checked.

    Returns:
        How many files it holds.

    Raises:
        StoreError: the run cannot be read, or the archive not be written.
    """
    root = run.resolve()
    stored = load_run(root)
    if stored.problems:
        more = f" (and {len(stored.problems) - 1} more)" if len(stored.problems) > 1 else ""
        raise StoreError(f"{stored.problems[0]}{more}; a run with calls that cannot be read cannot be submitted")
    names = []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not path.is_symlink() and is_part(name) and name != MANIFEST:
            names += [name] if recordings or path.suffix != ".wav" else []
    manifest = to_json(_manifest(stored, make_board([stored], profile=ANY).records(), names))
    temporary = target.with_name(f"{TEMPORARY}{target.name}")
    try:
        files = ((name, (root / name).read_bytes()) for name in names)
        write_archive(temporary, chain([(MANIFEST, manifest)], files))
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StoreError(f"{target}: cannot be written ({error.strerror}); give another file with --out") from error
    return len(names) + 1


def verify_submission(source: Path, *, time_limit_s: float | None = None, replay: bool = False) -> SubmissionCheck:
    """Score a submission again from its files, and say whether every number holds.

    The archive is unpacked into a temporary folder, and nothing in it is run: packs are judged by their copies as data,
    and only tools of packs that are installed here, and equal, are run again.

    Args:
        source: the archive.
        time_limit_s: seconds after which it does not hold, whatever it is busy with: it is then checked in a process
            of its own, which is ended. None: as long as it takes, in this process.
        replay: makes every call again too, from its exchanges; calls of packs that are not installed here are not.

    Raises:
        StoreError: there is no such file.
    """
    with tempfile.TemporaryDirectory(prefix="voicebench-") as folder:
        if time_limit_s is None:
            return _verify_in(Path(folder), source, replay)
        # spawn: a fork would inherit locks that threads hold, without the threads that free them.
        context = multiprocessing.get_context("spawn")
        receiver, sender = context.Pipe(duplex=False)
        child = context.Process(target=_send_verification, args=(Path(folder), source, replay, sender), daemon=True)
        child.start()
        sender.close()  # or a child that dies would leave the pipe open, and poll() waiting for its limit
        try:
            answer = receiver.recv() if receiver.poll(time_limit_s) else None
        except EOFError as error:
            raise StoreError(f"{source}: its check ended without an answer; was it short of memory?") from error
        finally:
            child.kill()
            child.join()
            child.close()
            receiver.close()
        if isinstance(answer, StoreError):
            raise answer
        return answer or SubmissionCheck(
            [f"cannot be scored again within {time_limit_s:g} s; give more with --time-limit"]
        )


def _verify_in(root: Path, source: Path, replay: bool) -> SubmissionCheck:
    """Verify in an empty folder."""
    found = SubmissionCheck()
    try:
        names = [name for name in unpack(source, root) if name != MANIFEST]
        claimed = read_json(root / MANIFEST)
        (root / MANIFEST).unlink()
        packs = read_json(root / "run.json")["packs"]
        if not isinstance(packs, dict):
            raise Refused("run.json: packs is no JSON object")
        for pack in packs:
            if f"packs/{pack}.json" not in names:
                raise Refused(f"pack {pack!r}: its copy is not in the archive")
        stored = load_run(root, recordings=False)
        found.problems += [problem.replace(f"{root}/", "") for problem in stored.problems]
        found.rows = make_board([stored], profile=ANY).records()
        true = {**_manifest(stored, found.rows, names), "made_with": claimed["made_with"]}
        found.problems += [
            f"manifest: {key} is not what the files say" for key in true if true[key] != claimed.get(key)
        ]
        found.problems += _record_problems(stored, root, found)
        found.problems += _call_problems(stored, root, found)
        if replay:
            found.problems += _replay_problems(stored, root, found)
    except Refused as error:
        found.problems.append(str(error))
    except (StoreError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        # What a stranger wrote may have any shape; that it has a wrong one is a finding, and no fault of ours.
        found.problems.append(f"cannot be scored again: {error}".replace(f"{root}/", ""))
    except OSError as error:
        raise StoreError(f"{source}: cannot be read ({error.strerror or error})") from error
    return found


def _send_verification(root: Path, source: Path, replay: bool, sender: Connection) -> None:
    try:
        sender.send(_verify_in(root, source, replay))
    except StoreError as error:
        sender.send(error)


def _manifest(stored: StoredRun, rows: Sequence[BoardRow], names: list[str]) -> JsonObject:
    return {
        "schema_version": _SCHEMA_VERSION,
        "made_with": __version__,
        "run_id": stored.run_id,
        "rows": [row.model_dump(mode="json", exclude_unset=True) for row in rows],
        "files": {name: hashlib.sha256((stored.root / name).read_bytes()).hexdigest() for name in sorted(names)},
    }


def _record_problems(stored: StoredRun, root: Path, found: SubmissionCheck) -> Iterator[str]:
    """Check what ``run.json`` says of itself, and the copies of the packs against the shipped ones."""
    pipeline = read_pipeline(RunFolder(root))
    if hash_of(stored.configuration) != stored.record.config_hash:
        yield "run.json: the configuration is not that of its hash"
    # Only wall time is measured; a run with another charge says so, and one that says so has another charge.
    measured = pipeline.clock.charges.llm.kind == "wall"
    if measured == ("charges" in stored.record.unranked):
        yield "run.json: 'unranked' is not what the charges say"
    for name, pack_hash in stored.record.packs.items():
        copy = _snapshot(root, name)
        if not _is_shipped(name, pack_hash):
            found.notes.append(f"pack {name}: not the one that is shipped here; judged by the copy in the archive")
            if copy.hash != pack_hash:
                yield f"packs/{name}.json: not the pack of the hash in run.json"
        elif load_pack(name).snapshot() != copy:
            yield f"packs/{name}.json: not the pack of its hash"


def _call_problems(stored: StoredRun, root: Path, found: SubmissionCheck) -> Iterator[str]:
    """Check that the calls are those of the run, then score every one again and compare."""
    before = {path: read_call(path) for path in RunFolder(root).call_dirs()}
    for path, call in before.items():
        name, record = path.relative_to(root), call.call
        if not call.has_trace and record.verdict not in UNDECIDED:
            yield f"{name}: a verdict without a trace"
        if name.parts[1:] != (record.pack, record.task, str(record.trial), f"attempt-{record.attempt}"):
            raise Refused(f"{name}: call.json is of another call")
        if record.seed != unit_seed(stored.record.seed, record.pack, record.task, record.trial, record.attempt):
            yield f"{name}: its seed is not that of the run"
    yield from _attempt_problems(before, root)
    yield from _evidence_problems(stored, before, root)
    yield from _state_problems(stored, before, root)
    unchecked = older = 0
    for one in rescore_run(root, recordings=False):
        claimed = before[one.call.dir].call
        # A recording that was left out takes the figures with it that only it could show.
        unheard = not one.call.recording.exists() and claimed.agent_speech_s is not None
        unchecked += unheard
        changed = changed_since(claimed.schema_version)
        older += bool(changed)
        old, new = _figures(claimed, unheard), _figures(one.call.call, unheard)
        keys = (old.keys() | new.keys()) - changed - ({"schema_version"} if changed else set())
        differing = [key for key in keys if old.get(key) != new.get(key)]
        if differing:
            yield f"{one.call.dir.relative_to(root)}: {', '.join(sorted(differing))} not what the files say"
        found.calls += 1
    if older:
        found.notes.append(f"{older} calls are of an older version; what that did not compute was not checked")
    if unchecked:
        found.notes.append(f"V2V of {unchecked} calls was not checked: their recordings are not in the archive")


def _attempt_problems(calls: Mapping[Path, StoredCall], root: Path) -> Iterator[str]:
    """Check that attempts are numbered from 1, and that only the last of a trial has a verdict on the agent."""
    trials: dict[Path, list[CallRecord]] = {}
    for path, call in calls.items():
        trials.setdefault(path.parent.relative_to(root), []).append(call.call)
    for name, records in trials.items():
        attempts = sorted(records, key=lambda record: record.attempt)
        if [record.attempt for record in attempts] != [*range(1, len(attempts) + 1)]:
            yield f"{name}: its attempts are not numbered from 1 to {len(attempts)}"
        if any(record.verdict not in UNDECIDED for record in attempts[:-1]):
            yield f"{name}: an attempt had a verdict, and another was made"


def _evidence_problems(stored: StoredRun, calls: Mapping[Path, StoredCall], root: Path) -> Iterator[str]:
    """Check that each trace follows from the exchanges with models, and from the tools of packs that are installed."""
    pipeline = read_pipeline(RunFolder(root))
    packs = {name: load_pack(name) for name, pack_hash in stored.record.packs.items() if _is_shipped(name, pack_hash)}
    for path, call in calls.items():
        if not call.has_trace:
            continue
        problems = [*evidence_problems(call, pipeline)]
        if call.call.pack in packs:
            problems += tool_problems(call, packs[call.call.pack])
        if problems:
            more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
            yield f"{path.relative_to(root)}: {problems[0]}{more}"


def _replay_problems(stored: StoredRun, root: Path, found: SubmissionCheck) -> Iterator[str]:
    """Make every call again from its exchanges, and look whether the same comes of it."""
    replayed = 0
    for path in RunFolder(root).call_dirs():
        call, name = read_call(path), path.relative_to(root)
        if not call.has_trace:
            continue
        if not _is_shipped(call.call.pack, stored.record.packs[call.call.pack]):
            found.notes.append(f"{name}: not made again, for its pack is not installed here")
            continue
        try:
            made = replay_call(path, call.call.pack)
        except (ConfigError, ModelMissing) as error:
            found.notes.append(f"{name}: not made again: {error}".replace(f"{root}/", ""))
            continue
        replayed += 1
        without = () if call.recording.exists() else ("recording.wav",)
        differing = [file for file, state in made.files.items() if state == "different" and file not in without]
        if differing or made.verdict is None:
            what = ", ".join(differing) or str(made.reason)
            yield f"{name}: made again, something else comes of it: {what}"
    found.notes.append(f"{replayed} calls were made again from their exchanges")


def _state_problems(stored: StoredRun, calls: Mapping[Path, StoredCall], root: Path) -> Iterator[str]:
    """Check that the stored differences, by which calls are judged, are those of the stored databases."""
    shipped: dict[str, State] = {}
    for name, pack_hash in stored.record.packs.items():
        if _is_shipped(name, pack_hash):
            pack = load_pack(name)
            shipped[name] = json.loads(json.dumps(dump_state(pack.open_database(), pack.spec)))  # as JSON has it
    for path, call in calls.items():
        name = call.call.pack
        if call.state is None:
            continue
        seed, final = ({name: list(rows) for name, rows in of.items()} for of in (call.state.seed, call.state.final))
        if diff_state(seed, final, _snapshot(root, name).spec) != call.state.difference:
            yield f"{path.relative_to(root)}: state.json: the difference is not that of its databases"
        if name in shipped and shipped[name] != seed:
            yield f"{path.relative_to(root)}: state.json: the database before the call is not the pack's"


def _is_shipped(name: str, pack_hash: str) -> bool:
    return name in list_packs() and load_pack(name).hash == pack_hash


def _snapshot(root: Path, name: str) -> PackSnapshot:
    return read_snapshot(RunFolder(root).pack_json(name))


def _figures(call: CallRecord, unheard: bool) -> JsonObject:
    """Return what a call stores, without what only its recording could show if there is none."""
    figures = call.to_json()
    if not unheard:
        return figures
    if call.latencies_ms is not None:
        kept = call.latencies_ms.to_json().items()
        figures["latencies_ms"] = {kind: values for kind, values in kept if f"{kind}_ms" not in _HEARD}
    return {key: value for key, value in figures.items() if key not in _HEARD}
