"""Whole calls that go wrong: what is the infrastructure's fault is an error with files, never a failed call."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.agent.loopback import chunk, serving, sse
from tests.ports import deaf_port
from voicebench.call import CallFiles, CallModels, CallSetup, WorkUnit, prepare, run_call_unit
from voicebench.config import load_pipeline
from voicebench.errors import ConfigError, ProviderError
from voicebench.llm import LlmTarget
from voicebench.packs import Pack, Result, Tool, ToolContext, load_pack
from voicebench.record.figures import Quantiles
from voicebench.speech.sentence_encoder import load_sentence_encoder
from voicebench.store import commit_call, read_call

pytestmark = pytest.mark.audio

TASK = "T2-M1"
FILES = {"call.json", "trace.jsonl", "exchanges.jsonl", "state.json", "recording.wav"}


def make_call(url: str, pack: Pack | None = None, *overrides: str, model: str = "m") -> CallFiles:
    pack = pack or load_pack("customer_support")
    pipeline = load_pipeline("fast", ["caller.hears=text", *overrides])
    target = LlmTarget(model, url, "a-secret-key", timeout_s=5.0)
    unit = WorkUnit("customer_support", TASK, 1, 1, 7)
    models = prepare(pipeline, [pipeline.caller.voice_for(pack.cases[TASK].caller.voice)])
    return run_call_unit(unit, CallSetup(pipeline, pack, pack.cases[TASK], target, models=models))


@contextlib.contextmanager
def answering(status: int) -> Iterator[str]:
    async def complete(request: Request) -> Response:
        return JSONResponse({"error": {"message": "not today"}}, status_code=status)

    with serving(complete) as url:
        yield url


@contextlib.contextmanager
def calling(tool: str, **arguments: Any) -> Iterator[str]:
    """An endpoint that calls one tool whatever is said."""

    async def complete(request: Request) -> Response:
        function = {"name": tool, "arguments": json.dumps(arguments)}
        call = {"index": 0, "id": "x", "type": "function", "function": function}
        body = chunk(content="One moment, please.") + chunk(tool_calls=[call]) + chunk("tool_calls") + sse("[DONE]")
        return Response(body, media_type="text/event-stream")

    with serving(complete) as url:
        yield url


def broken(desk: ToolContext, /) -> Result:
    raise ZeroDivisionError("a bug of the pack")


def test_a_provider_that_is_not_there_gives_an_error_whose_files_can_be_committed(tmp_path: Path) -> None:
    with deaf_port() as port:
        artifacts = make_call(f"http://127.0.0.1:{port}/v1")
    call = artifacts.call
    assert (call.verdict, call.end_reason) == ("error", "error")
    assert "Connection error" in str(call.reason)
    assert artifacts.files.keys() == FILES
    commit_call(tmp_path / "attempt-1", artifacts.files)
    stored = read_call(tmp_path / "attempt-1")
    stored.check()
    trace: list[dict[str, Any]] = [*map(json.loads, artifacts.files["trace.jsonl"].splitlines())]
    [event] = [line for line in trace if line["name"] == "error"]
    assert event["attributes"] == {"party": "agent", "kind": "ProviderError", "status": None}
    [asked] = [line["attributes"]["spoken"] for line in trace if line["name"] == "caller.speech"]
    assert asked == load_pack("customer_support").cases[TASK].caller.opening
    state = json.loads(artifacts.files["state.json"])
    assert state["final"] == state["seed"]


@pytest.mark.parametrize("status", [429, 500])
def test_a_provider_in_trouble_gives_an_error(status: int) -> None:
    with answering(status) as url:
        call = make_call(url).call
    assert call.verdict == "error"
    assert f"answered {status}" in str(call.reason)
    assert call.ttft_ms == Quantiles(p50=None, p95=None, n=0)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_provider_that_refuses_the_key_or_the_model_ends_the_run(status: int) -> None:
    with answering(status) as url, pytest.raises(ProviderError) as raised:
        make_call(url)
    assert raised.value.status == status


def test_a_tool_that_raises_gives_an_error_and_not_a_failed_call() -> None:
    pack = load_pack("customer_support")
    tool = Tool("end_call", "", (), False, True, broken)
    with calling("end_call") as url:
        artifacts = make_call(url, dataclasses.replace(pack, tools={**pack.tools, "end_call": tool}))
    assert artifacts.call.verdict == "error"
    assert "tool 'end_call' failed" in str(artifacts.call.reason)
    assert "a bug of the pack" in str(artifacts.call.reason)
    assert artifacts.files.keys() == FILES


def test_an_agent_that_ends_the_call_at_once_has_failed_and_is_no_error() -> None:
    with calling("end_call", reason="no time") as url:
        call = make_call(url).call
    assert (call.verdict, call.reason, call.error) == ("failed", "agent_ended", None)
    assert (call.end_reason, call.reward) == ("agent_ended", 0.0)
    assert call.turns is not None
    assert call.turns.agent == 2


class _SlowEncoder:
    """The encoder on a machine that is much slower."""

    def encode(self, sentences: Sequence[str]) -> npt.NDArray[np.float32]:
        time.sleep(0.01)
        return load_sentence_encoder().encode(sentences)


def test_what_a_caller_takes_to_understand_is_no_part_of_the_call() -> None:
    pack = load_pack("healthcare")
    case = next(case for case in pack.cases.values() if any(rule.asked == "dye" for rule in case.caller.answers))
    pipeline = load_pipeline("fast", ["channel=text", "limits.turns=4"])

    async def complete(request: Request) -> Response:
        body = (
            chunk(content="Does your skin react to the fluid that they inject for a scan?")
            + chunk("stop")
            + sse("[DONE]")
        )
        return Response(body, media_type="text/event-stream")

    with serving(complete) as url:
        target = LlmTarget("m", url, "a-secret-key", timeout_s=5.0)
        traces = [
            run_call_unit(
                WorkUnit("healthcare", case.id, 1, 1, 7),
                CallSetup(pipeline, pack, case, target, models=CallModels(encoder=encoder)),
            ).files["trace.jsonl"]
            for encoder in (load_sentence_encoder(), _SlowEncoder())
        ]
    assert traces[0] == traces[1]
    assert b"asked:dye" in traces[0]


def test_a_parameter_that_no_client_knows_ends_the_run() -> None:
    pack = load_pack("customer_support")
    target = LlmTarget("m", "http://127.0.0.1:9/v1", "a-secret-key", params={"temprature": 0})
    setup = CallSetup(load_pipeline("fast", ["channel=text"]), pack, pack.cases[TASK], target)
    with pytest.raises(ConfigError, match="temprature"):
        run_call_unit(WorkUnit("customer_support", TASK, 1, 1, 7), setup)
