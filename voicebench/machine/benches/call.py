"""Where the time of a call goes, from the calls of a run."""

from __future__ import annotations

import resource
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from voicebench.config import Pipeline
from voicebench.engines import LocalEngine, LogEntry
from voicebench.record.call import CallRecord
from voicebench.record.spans import LlmSpan
from voicebench.runner.plan import RunRequest
from voicebench.runner.progress import ProgressReporter
from voicebench.runner.run import run
from voicebench.store import StoredCall, read_call
from voicebench.stored.results import RunResult

__all__ = ["PARTS", "CallBench", "bench_calls", "call_timing", "ttft_difference_ms"]

PARTS = {
    "agent.asr": "recognition, agent's side",
    "caller.asr": "recognition, caller's side",
    "agent.tts": "synthesis, agent's voice",
    "caller.tts": "synthesis, caller's voice",
    "llm_wait": "waiting for the language model",
    "harness": "pipecat and our own code",
    "other": "the rest",
}
"""The parts of a call's wall time; together they are all of it."""


@dataclass(frozen=True)
class CallBench:
    """Timings of the calls of one benchmark.

    Attributes:
        result: the run.
        calls: one timing a call (:func:`call_timing`).
        median: of each figure.
        memory_mb: the largest resident size of this process, megabytes.
        ttft_difference_ms: median of the TTFT in the trace less what the local endpoint logged of itself, request read
            to first write; None without such an endpoint or with a fixed charge.
    """

    result: RunResult
    calls: list[dict[str, float]]
    median: dict[str, float]
    memory_mb: float
    ttft_difference_ms: float | None


def bench_calls(
    pipeline: Pipeline, tasks: Sequence[str], repeat: int, seed: int, folder: Path, reporter: ProgressReporter
) -> CallBench:
    """Make calls and say where their time went.

    Args:
        pipeline: the configuration.
        tasks: ``[PACK/]ID`` of each.
        repeat: how often each call is made.
        seed: the run's seed.
        folder: where the run is kept.
        reporter: gets the progress.
    """
    engine = LocalEngine(pipeline, seed)
    request = RunRequest(pipeline, (), tasks, repeat, seed, None, folder)
    result = run(request, reporter=reporter, make_engine=lambda _pipeline, _seed: engine)
    stored = [read_call(Path(row.dir)) for row in result.calls if row.call_s is not None]
    calls = [call_timing(one.call) for one in stored]
    median = {key: statistics.median(call[key] for call in calls) for key in calls[0]} if calls else {}
    measured = pipeline.clock.charges.llm.kind == "wall"
    difference = ttft_difference_ms(stored, engine.endpoint_log) if measured else None
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return CallBench(result, calls, median, memory_mb, difference)


def call_timing(call: CallRecord) -> dict[str, float]:
    """Return lengths and parts of one call that took place, seconds; ``share`` is wall time over call time."""
    assert call.load is not None
    assert call.call_s is not None
    wall_s, cpu_s = call.wall_s or 0.0, call.cpu_s or 0.0
    jobs = call.load.jobs
    parts = {name: jobs[name].wall_s if name in jobs else 0.0 for name in PARTS if "." in name}
    parts["llm_wait"] = call.load.llm_wait_s
    parts["harness"] = call.load.harness_s
    parts["other"] = wall_s - sum(parts.values())
    lengths = {"call_s": call.call_s, "wall_s": wall_s, "cpu_s": cpu_s}
    return {**lengths, "share": wall_s / call.call_s, **{f"{name}_s": value for name, value in parts.items()}}


def ttft_difference_ms(calls: Iterable[StoredCall], log: Sequence[LogEntry]) -> float | None:
    """Return the median of traced TTFT less logged TTFT, over requests that both know; None if there are none."""
    logged: dict[str, list[float]] = defaultdict(list)
    for entry in log:
        logged[entry["call"]].append(entry["ttft_ms"])
    differences: list[float] = []
    for stored in calls:
        spans = [span.ttft_ms for span in stored.trace if isinstance(span, LlmSpan)]
        entries = logged.get(str(stored.call.call_id), [])
        if len(spans) == len(entries):
            pairs = zip(spans, entries, strict=True)
            differences += [span - entry for span, entry in pairs if span is not None]
    return statistics.median(differences) if differences else None
