"""Whole calls against a local endpoint of this test, as a run would make them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from tests.agent.loopback import serving_app
from voicebench.call import CallFiles, CallSetup, WorkUnit, prepare, run_call_unit
from voicebench.config import load_pipeline
from voicebench.llm import LlmTarget
from voicebench.packs import Pack, load_pack
from voicebench.serve import AgentServerOptions
from voicebench.serve.agent import make_app
from voicebench.serve.faults import FaultPlan
from voicebench.serve.models import make_model
from voicebench.store import from_jsonl

SEED = 7
KEY = "a-canary-that-no-file-may-hold"


SHOP = "customer_support"


@lru_cache
def shipped(pack: str) -> Pack:
    return load_pack(pack)


def shop() -> Pack:
    return shipped(SHOP)


def unit(task: str, pack: str = SHOP) -> WorkUnit:
    return WorkUnit(pack, task, 1, 1, SEED)


def seed_that_hits(unit: WorkUnit, kind: str, request: int) -> int:
    """The first fault seed that hits this request of a call."""
    call_id = unit.call_id
    return next(seed for seed in range(10_000) if FaultPlan(kind, seed=seed).hits(call_id) == request)


@dataclass(frozen=True)
class Held:
    """The files of a call, read."""

    artifacts: CallFiles

    @cached_property
    def call(self) -> dict[str, Any]:
        call: dict[str, Any] = json.loads(self.artifacts.files["call.json"])
        return call

    @cached_property
    def trace(self) -> list[dict[str, Any]]:
        return from_jsonl(self.artifacts.files["trace.jsonl"], "trace.jsonl")

    @cached_property
    def requests(self) -> list[dict[str, Any]]:
        """The exchanges with the language model."""
        lines = from_jsonl(self.artifacts.files["exchanges.jsonl"], "exchanges.jsonl")
        return [line for line in lines if line["kind"] == "llm"]

    @cached_property
    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = json.loads(self.artifacts.files["state.json"])
        return state

    @property
    def outcome(self) -> tuple[str, str]:
        return self.call["verdict"], self.call["end_reason"]

    def lines(self, name: str) -> list[dict[str, Any]]:
        return [line for line in self.trace if line["name"] == name]

    def attributes(self, name: str) -> list[dict[str, Any]]:
        return [line["attributes"] for line in self.lines(name)]

    @property
    def errors(self) -> list[str]:
        """Error codes of the tools, in order."""
        results = [span["gen_ai.tool.call.result"] for span in self.attributes("tool")]
        return [result["error_code"] for result in results if not result["ok"]]


def hold(
    options: AgentServerOptions, task: str, *overrides: str, pack: Pack | None = None, hit: int | None = None
) -> Held:
    """Hold one call of the pipeline ``fast`` with the endpoint, which is told the task.

    Args:
        options: of the endpoint.
        task: of the shop.
        overrides: keys of the pipeline.
        pack: instead of the shop.
        hit: the request that the endpoint's fault meets.
    """
    if hit is not None and options.fault is not None:
        options = AgentServerOptions(**{**vars(options), "fault_seed": seed_that_hits(unit(task), options.fault, hit)})
    pack = pack or shop()
    pipeline = load_pipeline("fast", overrides)
    with serving_app(make_app(options, make_model(options))) as url:
        target = LlmTarget(options.served_model, url, KEY, timeout_s=pipeline.agent.served.timeout_s, own=True)
        models = prepare(pipeline, [pipeline.caller.voice_for(pack.cases[task].caller.voice)])
        setup = CallSetup(pipeline, pack, pack.cases[task], target, models=models)
        return Held(run_call_unit(unit(task), setup))


def reference(fault: str | None = None, tries: int | None = None) -> AgentServerOptions:
    return AgentServerOptions(model="reference", ttft_ms=0, fault=fault, fault_tries=tries)


def script(path: Path) -> AgentServerOptions:
    return AgentServerOptions(script=path, ttft_ms=0)
