"""Callers that a model plays, end to end: over the telephone and over text, fair ones and others."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from voicebench.call import CallSetup, WorkUnit, run_call_unit
from voicebench.config import load_pipeline
from voicebench.leaderboard.board import ANY, make_board
from voicebench.leaderboard.trials import load_run
from voicebench.llm import LlmTarget
from voicebench.packs import load_pack
from voicebench.serve import AgentServerOptions, start_endpoint

from .conftest import Finished, lines, voicebench

pytestmark = pytest.mark.e2e

TASKS = ("T2-H3", "T3-H4")
BY_MODEL = ("--set", "caller.kind=llm")
KEY = "caller-canary-0123456789"


def at(url: str) -> tuple[str, ...]:
    return (*BY_MODEL, "--set", f"caller.llm.base_url={url}")


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """Both demo tasks over pstn with the deterministic pipeline."""
    out = tmp_path_factory.mktemp("played") / "run"
    return voicebench("run", "fast", "--task", "T2-H3", "--task", "T3-H4", *BY_MODEL, "--out", out)


def check_whole(run: Finished, task: str) -> None:
    """The call passed, and the caller kept to its script."""
    row = run.call(task)
    assert (row["verdict"], row["attempts"]) == ("passed", ["passed"]), row["reason"]
    call = json.loads((run.dir(task) / "call.json").read_text())
    assert (call["fidelity"], call["end_reason"]) == ([], "caller_hung_up")
    said = [line["attributes"] for line in lines(run.dir(task) / "trace.jsonl") if line["name"] == "caller.speech"]
    script = load_pack("customer_support").cases[task].caller
    assert (said[0]["spoken"], said[-1]["spoken"]) == (script.opening, script.closing)


@pytest.mark.parametrize("task", TASKS)
def test_a_model_calls_over_the_telephone_and_finishes_the_task(played: Finished, task: str) -> None:
    assert played.code == 0, played.err
    check_whole(played, task)


def test_it_calls_with_the_default_pipeline_as_well(tmp_path: Path) -> None:
    run = voicebench("run", "local-cpu", "--task", "T2-H3", *BY_MODEL, "--out", tmp_path / "run")
    assert run.code == 0, run.err
    check_whole(run, "T2-H3")


@pytest.mark.long
def test_the_longer_task_with_the_default_pipeline(tmp_path: Path) -> None:
    run = voicebench("run", "local-cpu", "--task", "T3-H4", *BY_MODEL, "--out", tmp_path / "run")
    assert run.code == 0, run.err
    check_whole(run, "T3-H4")


def test_what_the_caller_asks_its_model_is_no_part_of_the_agents_latency(played: Finished) -> None:
    trace = lines(played.dir("T3-H4") / "trace.jsonl")
    requests = [line for line in trace if line["name"] == "llm"]
    own = [line for line in requests if line["attributes"]["party"] == "caller"]
    spoken = [line for line in trace if line["name"] == "caller.speech"]
    assert len(own) == len(spoken) == 6
    assert all(line["start_ns"] == line["end_ns"] for line in own)
    assert played.call("T3-H4")["ttft_ms"]["n"] == len(requests) - len(own)
    assert played.call("T3-H4")["ttft_ms"]["p95"] == 300.0


def test_an_endpoint_of_the_runs_own_is_handed_the_script_of_its_party_and_no_more(played: Finished) -> None:
    requests = [line for line in lines(played.dir("T3-H4") / "exchanges.jsonl") if line["kind"] == "llm"]
    handed = {(line["party"], *line["request"]["metadata"]) for line in requests}
    assert handed == {("agent", "voicebench_call", "voicebench_task"), ("caller", "voicebench_caller")}


def test_a_replay_repeats_it_without_the_model(played: Finished) -> None:
    told = voicebench("replay", played.dir("T2-H3"))
    assert told.code == 0, told.err
    assert (told.out["equal"], told.out["verdict"]["replayed"]) == (True, "passed")
    assert set(told.out["files"].values()) == {"equal"}


def test_a_run_with_an_earlier_prompt_is_read_and_scored_and_no_call_is_made_with_that_prompt(
    played: Finished, tmp_path: Path
) -> None:
    call_dir = tmp_path / "run" / played.dir("T2-H3").relative_to(played.dir("T2-H3").parents[4])
    shutil.copytree(played.dir("T2-H3").parents[4], tmp_path / "run")
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    record["configuration"]["caller"]["llm"]["prompt"] = 1
    (tmp_path / "run" / "run.json").write_text(json.dumps(record))
    scored = voicebench("score", tmp_path / "run")
    assert (scored.code, [call["verdict"] for call in scored.out["calls"]]) == (0, ["passed", "passed"])
    assert voicebench("show", call_dir).out["verdict"] == "passed"
    [row] = make_board([load_run(tmp_path / "run")], profile=ANY).records()
    assert (row.caller, row.pass_at_1) == ("llm/locked/heart/asr/meaning 2/reader (prompt 1)", 1.0)
    anew = ("run", "fast", *BY_MODEL, "--set", "caller.llm.prompt=1", "--task", "T2-H3", "--out", tmp_path / "anew")
    for command in (("replay", call_dir), anew):
        refused = voicebench(*command)
        assert refused.code == 2
        assert "caller.llm.prompt is 1, and callers are now told prompt 3" in refused.err


def test_a_caller_that_breaks_its_script_makes_the_call_void_and_is_tried_again_blind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLER_KEY", KEY)
    out = tmp_path / "run"
    options = AgentServerOptions(role="caller", caller_fault="value", task="customer_support/T2-H3", ttft_ms=0)
    with start_endpoint(options) as endpoint:
        sets = [*at(endpoint.url), "--set", "caller.llm.api_key_env=CALLER_KEY"]
        run = voicebench("run", "fast", "--channel", "text", "--task", "T2-H3", *sets, "--out", out)
    row = run.call("T2-H3")
    assert (run.code, row["attempts"]) == (3, ["void"] * 3)
    assert row["reason"].startswith("value: the caller said '73199588', which is not in its task")
    [told] = voicebench("score", out).out["calls"][-1:]
    assert told["verdict"] == "void"
    call = json.loads((run.dir("T2-H3") / "call.json").read_text())
    assert (call["verdict"], call["fidelity"][0]["rule"]) == ("void", "value")
    exchanges = lines(run.dir("T2-H3") / "exchanges.jsonl")
    asked = [line["request"] for line in exchanges if line["kind"] == "llm" and line["party"] == "caller"]
    assert all("metadata" not in request for request in asked)  # it may be anybody's endpoint
    chats = [request["messages"] for request in asked]
    assert [len(chat) for chat in chats] == [2 * number for number in range(1, len(chats) + 1)]
    stored = b"".join(file.read_bytes() for file in out.rglob("*") if file.is_file())
    assert b"CALLER_KEY" in stored
    assert KEY.encode() not in stored


def test_a_caller_whose_model_fails_makes_the_call_an_error() -> None:
    pack = load_pack("customer_support")
    pipeline = load_pipeline("fast", ["channel=text", "caller.kind=llm"])
    nobody = LlmTarget("nobody", "http://127.0.0.1:9/v1", "none")
    setup = CallSetup(pipeline, pack, pack.cases["T2-H3"], nobody, caller=nobody)
    call = run_call_unit(WorkUnit("customer_support", "T2-H3", 1, 1, 0), setup).call
    assert (call.verdict, call.fidelity) == ("error", ())
    assert call.reason is not None
    assert call.reason.startswith("the caller's model 'nobody' at http://127.0.0.1:9/v1 failed")
    assert call.reason.endswith("(tried 5 times)")
