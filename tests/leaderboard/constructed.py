"""Runs that nobody made: folders with the files a board reads, for tests and for the example in the documentation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from voicebench.config import load_pipeline
from voicebench.metrics.cost import PARTS as COST_PARTS
from voicebench.metrics.latency import PARTS
from voicebench.packs import base_task, load_pack
from voicebench.store import SCORING_VERSION, to_json, to_jsonl

__all__ = ["TASKS", "SixModels", "make_run", "task_ids"]

WALL = "clock.charges.llm=wall"
REQUESTS = 6
TASKS = 36

Outcomes = Mapping[str, Sequence[str]]
"""Task to the verdict of each trial; ``void>passed`` has two attempts, an empty one has none. ``hung_up`` is an error
of the agent's service after it had begun to answer."""


def task_ids(count: int = TASKS) -> list[str]:
    """Return ids of all difficulties."""
    return [f"T{1 + number // 12}-{'EMH'[number // 4 % 3]}{1 + number % 4}" for number in range(count)]


def make_run(
    root: Path,
    model: str,
    outcomes: Outcomes,
    *,
    ttft_ms: float = 400.0,
    spread: float = 0.2,
    profile: str = "bench",
    settings: Sequence[str] = (),
    seed: int = 0,
    trials: int | None = None,
    usd: float | None = 0.01,
    request: Mapping[str, Any] | None = None,
    scoring_version: int | None = SCORING_VERSION,
) -> Path:
    """Write a run's folder; TTFT of each request is log-normal around a median."""
    pipeline = load_pipeline("fast", [WALL, *settings, f"agent.llm.model={json.dumps(model)}"])
    pack_hash, snapshot = pack(tuple(dict.fromkeys(base_task(task) for task in outcomes)))
    asked = {"tasks": list(outcomes), "trials": trials or max(map(len, outcomes.values())), "limit": None}
    record = {
        "schema_version": 1,
        "run_id": root.name,
        "pipeline": profile,
        "configuration": pipeline.model_dump(mode="json"),
        "config_hash": pipeline.config_hash,
        "seed": seed,
        "packs": {"customer_support": pack_hash},
        "unranked": [] if pipeline.clock.charges.llm.kind == "wall" else ["charges"],
        "request": {**asked, **(request or {})},
        "started_at": "2026-08-01T12:00:00+00:00",
    }
    write(root / "run.json", to_json(record))
    write(root / "packs" / "customer_support.json", snapshot)
    rng = np.random.default_rng(seed)
    for task, verdicts in outcomes.items():
        for trial, attempts in enumerate(verdicts, start=1):
            for attempt, verdict in enumerate(filter(None, attempts.split(">")), start=1):
                folder = root / "calls" / "customer_support" / task / str(trial) / f"attempt-{attempt}"
                ttfts = ttft_ms * np.exp(rng.normal(0, spread, REQUESTS))
                measured = [round(float(ms), 3) for ms in ttfts]
                content = call(task, trial, attempt, verdict, usd, measured)
                write_call(folder, {**content, "scoring_version": scoring_version}, measured)
    return root


def call(
    task: str, trial: int, attempt: int, verdict: str, usd: float | None, ttfts: Sequence[float]
) -> dict[str, Any]:
    passed, hung_up = verdict == "passed", verdict == "hung_up"
    gates = {
        "tools": {"passed": passed, "reward": 1.0 if passed else 0.5, "reasons": []},
        "handoffs": {"passed": True, "reward": 1.0, "reasons": []},
        "database": {"passed": passed, "reward": float(passed), "reasons": []},
    }
    decided = verdict in ("passed", "failed")
    return {
        "pack": "customer_support",
        "task": task,
        "trial": trial,
        "attempt": attempt,
        "verdict": "error" if hung_up else verdict,
        "error_by": "service" if hung_up else None,
        "service_began_s": 0.5,
        "reason": None if passed else verdict,
        "gates": gates if decided else None,
        "reward": (1.0 if passed else 0.5) if decided else None,
        "latencies_ms": {"ttft": list(ttfts), "v2v": [1_500.0, 1_700.0], "first_audio": [1_400.0], "yield": [250.0]},
        "v2v_parts": [answered(1_500), answered(1_700)],
        "talk_over_s": 0.25,
        "missed_turns": int(not passed),
        "cost": {"usd": usd, "on": "2026-08-01", **{part: priced(part, usd) for part in COST_PARTS}},
        "call_s": 60.0,
        "wall_s": 20.0,
        "cpu_s": 10.0,
    }


def priced(part: str, usd: float | None) -> dict[str, Any]:
    return {"model": part, "usd": usd if part == "agent" else 0.0, "reason": None}


def answered(v2v_ms: int) -> dict[str, Any]:
    return {"caller_end_s": 3.0, "agent_start_s": 3.0 + v2v_ms / 1e3, "v2v_ms": v2v_ms, "parts_ms": split(v2v_ms)}


def split(v2v_ms: int) -> dict[str, int]:
    """Return the parts of a voice-to-voice latency: all that is no silence, hearing or voice is the model's."""
    rest = {"turn_end": 600, "asr": 200, "llm": v2v_ms - 1_000, "tts": 150, "line": 50}
    return {name: rest.get(name, 0) for name in PARTS}


def write_call(folder: Path, content: dict[str, Any], ttfts: Sequence[float]) -> None:
    spans = [
        {"type": "span", "name": "llm", "start_ns": 0, "end_ns": 1, "attributes": {"ttft_ms": ms, "ttfat_ms": ms + 100}}
        for ms in ttfts
    ]
    write(folder / "call.json", to_json(content))
    write(folder / "trace.jsonl", to_jsonl(spans))
    write(folder / "exchanges.jsonl", b"")


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


@cache
def pack(tasks: tuple[str, ...]) -> tuple[str, bytes]:
    """Return hash and copy of a pack whose tasks all are like one of the shipped pack."""
    shipped = load_pack("customer_support")
    snapshot = shipped.snapshot().model_dump(mode="json", by_alias=True)
    like = snapshot["cases"]["T1-E1"]
    names = {"E": "easy", "M": "medium", "H": "hard"}
    snapshot["cases"] = {task: {**like, "id": task, "difficulty": names[task[3]]} for task in tasks}
    return shipped.hash, to_json(snapshot)


class SixModels:
    """Six models that differ in skill and speed, over 36 tasks and five trials, beside the line reference."""

    PROFILE = "example"
    NAMES = ("amber", "birch", "cedar", "dune", "ember", "fjord")
    SKILL = (0.86, 0.80, 0.72, 0.62, 0.60, 0.35)
    TTFT_MS = (620.0, 950.0, 540.0, 1_010.0, 1_400.0, 310.0)
    USD = (0.061, 0.038, 0.012, 0.004, 0.041, None)

    @classmethod
    def write(cls, folder: Path) -> list[Path]:
        """Write the seven runs."""
        rng = np.random.default_rng(20_260_801)
        difficulty = rng.normal(0, 1.2, TASKS)
        roots = []
        for number, name in enumerate(cls.NAMES):
            skill = np.log(cls.SKILL[number] / (1 - cls.SKILL[number])) * 1.4
            rates = 1 / (1 + np.exp(-(skill + difficulty + rng.normal(0, 0.8, TASKS))))
            run = dict(ttft_ms=cls.TTFT_MS[number], usd=cls.USD[number], spread=0.25)
            roots.append(make_run(folder / name, name, drawn(rates, rng), profile=cls.PROFILE, **run))  # type: ignore[arg-type]
        perfect = drawn(np.full(TASKS, 0.985), rng)
        return [*roots, make_run(folder / "reference", "reference", perfect, profile=cls.PROFILE, ttft_ms=301, usd=0.0)]


def drawn(rates: Sequence[float] | np.ndarray[Any, Any], rng: np.random.Generator) -> dict[str, list[str]]:
    """Draw five verdicts for each task."""
    return {
        task: ["passed" if rng.random() < rate else "failed" for _ in range(5)]
        for task, rate in zip(task_ids(len(rates)), rates, strict=True)
    }
