"""A stored call made again from its exchanges, and where the two first differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from voicebench.call import CallFiles, CallSetup, WorkUnit, run_call_unit
from voicebench.call.compare import (
    Difference,
    exchange_difference,
    recording_difference,
    state_difference,
    trace_difference,
    verdict_difference,
)
from voicebench.call.replay import Replay
from voicebench.config import Pipeline
from voicebench.config.models import RealtimeAgent, Served
from voicebench.errors import ConfigError, StoreError
from voicebench.llm import LlmTarget
from voicebench.packs import Pack, TaskRef, find_tasks, load_pack
from voicebench.store import RunFolder, StoredCall, read_call, redact
from voicebench.stored.replayed import Replayed, first_difference, written
from voicebench.stored.score import read_snapshot
from voicebench.stored.session_replay import repeat_session

__all__ = ["Replayed", "replay_call"]

_NO_ADDRESS = "http://replay.invalid/v1"
_NO_KEY = "none"
_AFTERWARDS = ("state.json", "recording.wav", "call.json")
_FILES = (("spec", "pack.yaml"), ("schema_sql", "schema.sql"), ("seed_sql", "seed.sql"))


def replay_call(call_dir: Path, pack: str | None = None) -> Replayed:
    """Make a stored call again: its language model, ears and charges come from its exchanges, all else runs.

    Of a realtime call the session is repeated (:func:`voicebench.stored.session_replay.repeat_session`). Nothing is
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
        reason = stored.call.get("reason")
        raise StoreError(f"{call_dir}: the call did not take place ({reason}), so that there is nothing to replay")
    folder = RunFolder(stored.dir.parents[4])
    record = _run_record(folder)
    unit = _unit(stored, record)
    task = _task(folder, record, unit, pack)
    pipeline = _pipeline(folder, record, task)
    if isinstance(pipeline.agent, RealtimeAgent):
        return repeat_session(stored, unit, pipeline, task)
    replay = Replay(stored.exchanges, str(stored.dir / "exchanges.jsonl"))
    target = _target(pipeline.agent.served, own=replay.was_own("agent"))
    caller = _target(pipeline.caller.llm, own=replay.was_own("caller"))
    setup = CallSetup(pipeline, task.pack, task.case, target, caller, replay.keep, replay)
    return _compare(stored, replay, run_call_unit(unit, setup))


def _target(served: Served, *, own: bool) -> LlmTarget:
    return LlmTarget(served.model, served.base_url or _NO_ADDRESS, _NO_KEY, served.params, served.timeout_s, own)


# ---- what the call was made of --------------------------------------------------------------------------------------


def _run_record(folder: RunFolder) -> dict[str, Any]:
    record = folder.record()
    missing = [key for key in ("configuration", "pipeline", "seed", "packs") if key not in record]
    if missing:
        raise StoreError(f"{folder.run_json}: {missing[0]!r} is missing; the file is corrupt")
    return record


def _unit(stored: StoredCall, record: dict[str, Any]) -> WorkUnit:
    call = stored.call
    unit = WorkUnit(call["pack"], call["task"], call["trial"], call["attempt"], record["seed"])
    if unit.seed != call.get("seed"):
        raise StoreError(
            f"{stored.dir}: its seed is not one of the run {stored.dir.parents[4]}; the folder was mixed up"
        )
    return unit


def _pipeline(folder: RunFolder, record: dict[str, Any], task: TaskRef) -> Pipeline:
    try:
        pipeline = Pipeline.model_validate(record["configuration"]).named(str(record["pipeline"]))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise ConfigError(
            f"{folder.run_json}: configuration.{key}: {first['msg']}; the run was made by another version of "
            f"voicebench ({record.get('versions', {}).get('voicebench')}): replay it with that"
        ) from error
    if pipeline.clock.mode != "charge" and not isinstance(pipeline.agent, RealtimeAgent):
        raise ConfigError(
            f"{folder.run_json}: the call was made in clock mode {pipeline.clock.mode}, where the machine's own time "
            "is part of it; only calls in mode charge and sessions of a service can be replayed"
        )
    return pipeline if task.line is None else pipeline.over(task.line)


def _task(folder: RunFolder, record: dict[str, Any], unit: WorkUnit, given: str | None) -> TaskRef:
    """Return the task from the pack as it was.

    The run's own copy cannot be used: it has no code of the tools.
    """
    name = unit.pack
    where = given or str(record.get("pack_paths", {}).get(name, name))
    try:
        pack = load_pack(where)
    except ConfigError as error:
        raise ConfigError(
            f"pack {name} of the run cannot be loaded: {error}. Give its folder, as it was then, with --pack"
        ) from error
    if pack.name != name or pack.hash != record["packs"].get(name):
        raise ConfigError(_refusal(folder, record, name, pack))
    return find_tasks([f"{name}/{unit.task}"], [pack])[0]


def _refusal(folder: RunFolder, record: dict[str, Any], name: str, pack: Pack) -> str:
    """Say what is another in the pack that is here, and what to do."""
    if pack.name != name:
        return f"{pack.root}: is the pack {pack.name}, and the call is of {name}; give that one's folder with --pack"
    was, now = (one.model_dump(mode="json") for one in (read_snapshot(folder.pack_json(name)), pack.snapshot()))
    parts = [f"{key} {part}" for key in ("cases", "prompts", "tools") for part in _changed(was[key], now[key])]
    parts += [file for key, file in _FILES if was[key] != now[key]]
    then, revision = record["packs"].get(name, "none"), record.get("git_revision")
    return (
        f"pack {name} in {pack.root} is not what it was: hash {pack.hash[:12]} now, {then[:12]} in the run. "
        f"Different: {', '.join(parts) or 'the code of its tools, or a file beside'}. Put it back"
        f"{f' as of revision {revision}' if revision else ''}, or give a folder that holds it as it was with --pack"
    )


def _changed(was: dict[str, Any], now: dict[str, Any]) -> list[str]:
    return [name for name in sorted({*was, *now}) if was.get(name) != now.get(name)]


# ---- side by side ---------------------------------------------------------------------------------------------------


def _compare(stored: StoredCall, replay: Replay, artifacts: CallFiles) -> Replayed:
    whole = replay.divergence is None
    found: dict[str, Difference | None] = {
        "trace.jsonl": trace_difference(stored.trace, written(replay.trace), whole=whole),
        "exchanges.jsonl": exchange_difference(stored.exchanges, written(replay.exchanged()), whole=whole),
    }
    if replay.divergence is not None:  # what differs before it is its cause
        first = first_difference(found) or replay.divergence
        files = {name: "different" if difference else "equal so far" for name, difference in found.items()}
        left = [name for name in _AFTERWARDS if (stored.dir / name).exists()]
        files |= {replay.divergence.file: "different", **dict.fromkeys(left, "not compared")}
        return Replayed(stored, files, first, None, None)
    found |= _ending(stored, artifacts)
    call = artifacts.call
    reason = None if call["verdict"] in ("passed", "failed") else str(call["reason"])
    files = {name: "different" if difference else "equal" for name, difference in found.items()}
    return Replayed(stored, files, first_difference(found), str(call["verdict"]), reason)


def _ending(stored: StoredCall, artifacts: CallFiles) -> dict[str, Difference | None]:
    """Compare what is there when a call has ended."""
    found = {"state.json": state_difference(stored.state, json.loads(redact(artifacts.files["state.json"])))}
    recording = stored.recording.read_bytes() if stored.recording.exists() else None
    replayed = artifacts.files.get("recording.wav")
    if recording is not None or replayed is not None:
        start_ns = next((line["start_ns"] for line in stored.trace if line["name"] == "call"), 0)
        found["recording.wav"] = recording_difference(recording, replayed, start_ns)
    return {**found, "call.json": verdict_difference(stored.call, json.loads(redact(artifacts.files["call.json"])))}
