"""An engine that plays a list of results, for tests of what a run makes of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from voicebench.call import CallFiles
from voicebench.config import Pipeline
from voicebench.engines import CallRequest, CallResult
from voicebench.errors import AgentError
from voicebench.store import SCORING_VERSION, to_json, to_jsonl

Result = str | Exception | Callable[[], None]


class ScriptedEngine:
    """Plays verdicts, exceptions, and functions that are called while a call is under way, which then passes."""

    def __init__(self, *script: Result, usd: Iterable[float | None] = ()) -> None:
        self.script = list(script)
        self.usd = list(usd)
        self.requests: list[CallRequest] = []
        self.prepared = 0
        self.caller_voices: list[str] = []
        self.closed = 0

    def __call__(self, pipeline: Pipeline, seed: int) -> ScriptedEngine:
        return self

    @property
    def made(self) -> list[tuple[str, int, int]]:
        """Task, trial and attempt of each call, in order."""
        return [(request.unit.task, request.unit.trial, request.unit.attempt) for request in self.requests]

    def prepare(self, caller_voices: Collection[str]) -> None:
        self.prepared += 1
        self.caller_voices = list(caller_voices)

    def results(self, requests: Iterable[CallRequest | None]) -> Iterator[CallResult]:
        for request in requests:
            if request is None:
                continue
            self.requests.append(request)
            result: Result = self.script.pop(0) if self.script else "passed"
            if callable(result):
                try:
                    result()
                    result = "passed"
                except AgentError as error:
                    result = error
            yield CallResult(
                request, result if isinstance(result, Exception) else call_files(request, result, self._usd())
            )

    def _usd(self) -> float | None:
        return self.usd.pop(0) if self.usd else 0.0

    def close(self) -> None:
        self.closed += 1


FREE = {"model": "m", "usd": 0.0, "reason": "runs on this machine"}


def call_files(request: CallRequest, verdict: str, usd: float | None = 0.0) -> CallFiles:
    passed = verdict == "passed"
    gate = {"passed": passed, "reward": float(passed), "reasons": []}
    unit = request.unit
    part = {"model": "m", "usd": usd, "reason": None if usd is not None else "unknown"}
    cost = {"usd": usd, "on": "2026-08-01", "agent": part, **dict.fromkeys(("caller", "asr", "tts"), FREE)}
    call: dict[str, Any] = {
        "pack": unit.pack,
        "task": unit.task,
        "trial": unit.trial,
        "attempt": unit.attempt,
        "seed": unit.seed,
        "verdict": verdict,
        "scoring_version": SCORING_VERSION,
        "reason": None if passed else verdict,
        "gates": {"tools": gate, "handoffs": gate, "database": gate},
        "call_s": 60.0,
        "wall_s": 20.0,
        "cpu_s": 10.0,
        "ttft_ms": {"p50": 100.0 * unit.trial, "p95": 100.0 * unit.trial, "n": 1},
        "v2v_ms": {"p50": None, "p95": None, "n": 0},
        "latencies_ms": {"ttft": [100.0 * unit.trial], "v2v": []},
        "cost": cost,
    }
    llm = {"type": "span", "name": "llm", "start_ns": 0, "end_ns": 1, "attributes": {"ttft_ms": 100.0 * unit.trial}}
    return CallFiles({"call.json": to_json(call), "trace.jsonl": to_jsonl([llm]), "exchanges.jsonl": b""})
