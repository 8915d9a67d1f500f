"""A stored call made again from its exchanges, and where the two first differ."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from voicebench.call import CallFiles, CallSetup, WorkUnit, prepare, run_call_unit
from voicebench.config import Pipeline
from voicebench.config.models import RealtimeAgent, Served, stored_pipeline
from voicebench.errors import ConfigError, StoreError
from voicebench.llm import LlmTarget
from voicebench.packs import Pack, TaskRef, find_tasks, load_pack
from voicebench.record.call import CallRecord
from voicebench.record.run import RunRecord
from voicebench.record.spans import CallSpan
from voicebench.record.state import StateRecord
from voicebench.store import RunFolder, StoredCall, read_call, read_exchanges, read_trace, redact, to_jsonl
from voicebench.stored.replay.compare import (
    Difference,
    Replayed,
    as_stored,
    exchange_difference,
    first_difference,
    recording_difference,
    state_difference,
    trace_difference,
    verdict_difference,
)
from voicebench.stored.replay.recorded import Replay
from voicebench.stored.replay.session import repeat_session
from voicebench.stored.score import read_snapshot

__all__ = ["replay_call"]

_NO_ADDRESS = "http://replay.invalid/v1"
_AFTERWARDS = ("state.json", "recording.wav", "call.json")
_FILES = (("spec", "pack.yaml"), ("schema_sql", "schema.sql"), ("seed_sql", "seed.sql"))


def replay_call(call_dir: Path, pack: str | None = None) -> Replayed:
    """Make a stored call again: its models' answers and charges come from its exchanges, all else runs.

    Of a realtime call the session is repeated (:func:`voicebench.stored.replay.session.repeat_session`). Nothing is
    written, and neither model nor endpoint nor recognizer is needed.

    Args:
        call_dir: an attempt's folder, in the folder of its run.
        pack: name or folder of the pack, if it is not where the run found it.

    Raises:
        StoreError: the folder holds no call that took place, or a file of it is corrupt.
        ConfigError: the call's pack is not here as it was, or the call was not made on a clock that can be replayed.
        ModelMissing: a voice's weights are absent.
    """
    stored = read_call(call_dir.resolve())
    if not stored.has_trace:
        reason = stored.call.reason
        raise StoreError(f"{call_dir}: the call did not take place ({reason}), so that there is nothing to replay")
    folder = RunFolder(stored.dir.parents[4])
    record = folder.record()
    call = stored.call
    unit = WorkUnit(call.pack, call.task, call.trial, call.attempt, record.seed)
    if unit.seed != call.seed:
        raise StoreError(f"{stored.dir}: its seed is not one of the run {folder.root}; the folder was mixed up")
    task = _task(folder, record, unit, pack)
    pipeline = _pipeline(folder, record, task)
    if isinstance(pipeline.agent, RealtimeAgent):
        return repeat_session(stored, unit, pipeline, task)
    replay = Replay(stored.exchanges)
    target = _target(pipeline.agent.served, own=replay.was_own("agent"))
    caller = _target(pipeline.caller.llm, own=replay.was_own("caller"))
    models = prepare(pipeline, [pipeline.caller.voice_for(task.case.caller.voice)], replay)
    setup = CallSetup(pipeline, task.pack, task.case, target, caller, replay.keep, replay, models)
    return _compare(stored, replay, run_call_unit(unit, setup))


def _target(served: Served, *, own: bool) -> LlmTarget:
    return LlmTarget(served.model, served.base_url or _NO_ADDRESS, "none", served.params, served.timeout_s, own)


# ---- what the call was made of --------------------------------------------------------------------------------------


def _pipeline(folder: RunFolder, record: RunRecord, task: TaskRef) -> Pipeline:
    try:
        pipeline = stored_pipeline(record.configuration).named(record.pipeline or "")
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise ConfigError(
            f"{folder.run_json}: configuration.{key}: {first['msg']}; the run was made by another version of "
            f"voicebench ({record.versions.get('voicebench')}): replay it with that"
        ) from error
    if pipeline.clock.mode != "charge" and not isinstance(pipeline.agent, RealtimeAgent):
        raise ConfigError(
            f"{folder.run_json}: the call was made in clock mode {pipeline.clock.mode}, where the machine's own time "
            "is part of it; only calls in mode charge and sessions of a service can be replayed"
        )
    return pipeline if task.line is None else pipeline.over(task.line)


def _task(folder: RunFolder, record: RunRecord, unit: WorkUnit, given: str | None) -> TaskRef:
    """Return the task from the pack as it was.

    The run's own copy cannot be used: it has no code of the tools.
    """
    name = unit.pack
    where = given or record.pack_paths.get(name, name)
    try:
        pack = load_pack(where)
    except ConfigError as error:
        raise ConfigError(
            f"pack {name} of the run cannot be loaded: {error}. Give its folder, as it was then, with --pack"
        ) from error
    if pack.name != name:
        raise ConfigError(
            f"{pack.root}: is the pack {pack.name}, and the call is of {name}; give that one's folder with --pack"
        )
    if pack.hash != record.packs.get(name):
        raise ConfigError(_changes(folder, record, pack))
    return find_tasks([f"{name}/{unit.task}"], [pack])[0]


def _changes(folder: RunFolder, record: RunRecord, pack: Pack) -> str:
    """Return what differs in the pack that is here, and what to do."""
    was, now = (one.model_dump(mode="json") for one in (read_snapshot(folder.pack_json(pack.name)), pack.snapshot()))
    parts = [
        f"{key} {part}"
        for key in ("cases", "prompts", "tools")
        for part in sorted({*was[key], *now[key]})
        if was[key].get(part) != now[key].get(part)
    ]
    parts += [file for key, file in _FILES if was[key] != now[key]]
    then, revision = record.packs.get(pack.name, "none"), record.git_revision
    return (
        f"pack {pack.name} in {pack.root} is not what it was: hash {pack.hash[:12]} now, {then[:12]} in the run. "
        f"Different: {', '.join(parts) or 'the code of its tools, or a file next to it'}. Put it back"
        f"{f' as of revision {revision}' if revision else ''}, or give a folder that holds it as it was with --pack"
    )


# ---- side by side ---------------------------------------------------------------------------------------------------


def _compare(stored: StoredCall, replay: Replay, files: CallFiles) -> Replayed:
    whole = replay.divergence is None
    trace = read_trace(redact(to_jsonl(replay.trace)), "the replay")
    exchanges = read_exchanges(redact(to_jsonl(replay.exchanged())), "the replay")
    found: dict[str, Difference | None] = {
        "trace.jsonl": trace_difference(stored.trace, trace, whole=whole),
        "exchanges.jsonl": exchange_difference(stored.exchanges, exchanges, whole=whole),
    }
    if replay.divergence is not None:  # a difference before it is its cause
        first = first_difference(found) or replay.divergence
        status = {name: "different" if difference else "equal so far" for name, difference in found.items()}
        left = [name for name in _AFTERWARDS if (stored.dir / name).exists()]
        status |= {replay.divergence.file: "different", **dict.fromkeys(left, "not compared")}
        return Replayed(stored, status, first, None, None)
    state = json.loads(redact(files.files["state.json"]))
    call = CallRecord.model_validate_json(redact(files.files["call.json"]))
    found["state.json"] = state_difference(stored.state, None if state is None else StateRecord.model_validate(state))
    recording = stored.recording.read_bytes() if stored.recording.exists() else None
    replayed = files.files.get("recording.wav")
    if recording is not None or replayed is not None:
        start_ns = next((line.start_ns for line in stored.trace if isinstance(line, CallSpan)), 0)
        found["recording.wav"] = recording_difference(recording, replayed, start_ns)
    found["call.json"] = verdict_difference(as_stored(stored.call), as_stored(call))
    return Replayed.of(stored, found, call.verdict, call.reason)
