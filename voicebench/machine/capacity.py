"""How many calls this machine can hold at once in real time, from what a second of a call costs it."""

from __future__ import annotations

import contextlib
import json
import math
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from voicebench.call import WorkUnit
from voicebench.config import Pipeline, load_pipeline
from voicebench.engines import CallRequest, LocalEngine
from voicebench.errors import VoicebenchError
from voicebench.machine.checks import Check
from voicebench.machine.hardware import CALL_MEMORY_MB, read_machine
from voicebench.machine.needs import PIPELINE
from voicebench.runner.plan import RunRequest, plan_trials
from voicebench.speech.hash_cache import cache_dir

__all__ = [
    "Capacity",
    "MeasuredCall",
    "capacity_checks",
    "measure_call",
    "most_at_once",
    "real_time_calls",
    "recall",
    "remember",
]

MEASURED_S = 20
"""Call time that is measured: greeting, the caller's request, the answer. Whole calls cost within a tenth the same."""

BUSY_SHARE = 0.5
"""How much of the cores calls may take: in real time a call costs about a third more than on its own clock (measured),
and recognition comes in bursts for which the line's ticks must not wait."""

MOST_A_CORE = 2
"""More than two to three calls on a core were seen to stall each other, whatever they cost."""

_MEASURED = (
    "channel=audio",
    "clock.mode=charge",
    "clock.charges.llm=fixed:300/20",
    "agent.llm.model=reference",
    "agent.llm.base_url=null",
    "agent.llm.ttft_ms=0",
    f"limits.call_s={MEASURED_S}",
)
"""A call that stands still for no wait, so that its CPU seconds are its own; no other server is asked."""


@dataclass(frozen=True)
class MeasuredCall:
    """What a call took: its length and its CPU time, seconds."""

    call_s: float
    cpu_s: float

    @property
    def share(self) -> float:
        """CPU seconds a second of the call."""
        return self.cpu_s / self.call_s


@dataclass(frozen=True)
class Capacity:
    """How many calls at once, and what the limit is, in words."""

    calls: int
    limit: str


def measure_call() -> MeasuredCall:
    """Make the first 20 s of the first task's call, with real recognition, synthesis and line.

    The call is made by an engine, without a run's folder, lock and signal handler: Ctrl-C ends it as any other program.

    Raises:
        VoicebenchError: the call cannot be made; the message says why.
    """
    pipeline = load_pipeline(PIPELINE, _MEASURED)
    [trial] = plan_trials(RunRequest(pipeline, limit=1))
    with contextlib.closing(LocalEngine(pipeline, seed=0)) as engine:
        engine.prepare([pipeline.caller.voice_for(trial.task.case.caller.voice)])
        [ended] = engine.results([CallRequest(WorkUnit(*trial.key, attempt=1, run_seed=0), trial.task)])
    if isinstance(ended.result, Exception):
        raise ended.result
    call = ended.result.call
    if call.verdict == "error" or not call.call_s or call.cpu_s is None:
        raise VoicebenchError(f"the call ended with an error: {call.reason}")
    return MeasuredCall(call.call_s, call.cpu_s)


def real_time_calls(share: float, cores: float, memory_mb: float | None) -> Capacity:
    """Return how many calls fit, one process each: the least of three limits.

    1. CPU: ``BUSY_SHARE · cores / share``;
    2. punctuality: ``MOST_A_CORE`` on each core;
    3. memory: ``memory_mb / CALL_MEMORY_MB``.

    Args:
        share: CPU seconds that a second of a call costs.
        cores: that may be used.
        memory_mb: available, megabytes; None where the system does not say.
    """
    cores_text = f"{cores:g} core{'' if cores == 1 else 's'}"
    limits = [
        (BUSY_SHARE * cores / share, f"{BUSY_SHARE:.0%} of {cores_text}"),
        (MOST_A_CORE * cores, f"{MOST_A_CORE} on each of {cores_text}"),
    ]
    if memory_mb is not None:
        limits.append((memory_mb / CALL_MEMORY_MB, f"{memory_mb:,.0f} MB of memory, {CALL_MEMORY_MB:,.0f} each"))
    most, limit = min(limits, key=lambda each: math.floor(each[0]))
    return Capacity(math.floor(most), limit)


def capacity_checks(cost: MeasuredCall | VoicebenchError, cores: float, memory_mb: float | None) -> list[Check]:
    """Say whether a call could be made here, and how many there may be at once in real time.

    Args:
        cost: of the call that was measured, or why there was none.
        cores: that may be used.
        memory_mb: available before the call, megabytes; None where the system does not say.
    """
    if isinstance(cost, VoicebenchError):
        return [Check("capacity", "call", "missing", str(cost), f"voicebench call T1-E1 {PIPELINE} --debug")]
    capacity = real_time_calls(cost.share, cores, memory_mb)
    made = f"{cost.call_s:.0f} s of a call took {cost.cpu_s:.1f} CPU s: {cost.share:.2f} a second"
    held = f"{capacity.calls} at once in real time, limited by {capacity.limit}"
    checks = [Check("capacity", "call", "ok", made)]
    if capacity.calls >= 1:
        return [*checks, Check("capacity", "real time", "ok", held)]
    reason = f"not one call in real time, limited by {capacity.limit}; calls with clock.mode=charge need none"
    return [*checks, Check("capacity", "real time", "warning", reason, f"voicebench run {PIPELINE}")]


_FILE = "real-time.json"


def most_at_once(pipeline: Pipeline, workers: int, note: Callable[[str], object]) -> float:
    """Return how many calls may be in flight; without limit where calls do not follow the wall.

    One is always allowed: whether it was punctual is seen in its ticks.

    Args:
        pipeline: the configuration.
        workers: how many are wanted.
        note: called with a sentence when that is too many, or when the machine has to be measured first.
    """
    if pipeline.clock.mode != "real" or workers == 1:
        return math.inf
    machine = read_machine(Path.cwd())
    capacity = real_time_calls(recall() or _measure(note), machine.cores, machine.memory_mb)
    allowed = max(1, capacity.calls)
    if allowed < workers:
        note(f"{allowed} of {workers} calls at once, as they are in real time: limited by {capacity.limit}")
    return allowed


def _measure(note: Callable[[str], object]) -> float:
    """Measure what a second of a call costs; where that fails, one whole core, so that each call gets two."""
    note("measuring what a call costs this machine, once; `voicebench doctor` does the same")
    try:
        cost = measure_call()
    except VoicebenchError as error:
        note(f"it could not be measured ({error}); a second of a call is taken for a second of a core")
        return 1.0
    remember(cost.share)
    return cost.share


def remember(share: float) -> None:
    """Keep what a second of a call costs this machine, CPU seconds; a cache that cannot be written is no trouble."""
    try:
        cache_dir().mkdir(parents=True, exist_ok=True)
        (cache_dir() / _FILE).write_text(json.dumps({"machine": _machine(), "share": share}))
    except OSError:
        return


def recall() -> float | None:
    """Return what was kept on this machine, or None."""
    try:
        kept = json.loads((cache_dir() / _FILE).read_text())
        return float(kept["share"]) if kept["machine"] == _machine() else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _machine() -> str:
    return f"{platform.node()} {platform.machine()} {os.cpu_count()}"
