"""Each fault of a provider in a whole call over the text channel: verdict, end, and what is left on the disk."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.agent.loopback import serving
from tests.hard.calls import KEY, SEED, Held, hold, reference, shop, unit
from voicebench.call import CallSetup, run_call_unit
from voicebench.cli.app import exit_code
from voicebench.config import load_pipeline
from voicebench.engines import LocalEngine
from voicebench.errors import ProviderError
from voicebench.leaderboard.evidence import evidence_problems, tool_problems
from voicebench.llm import LlmTarget
from voicebench.runner import RunRequest, run
from voicebench.serve import AgentServerOptions, Endpoint, start_endpoint
from voicebench.serve.faults import FAULTS, FaultPlan
from voicebench.store import RunFolder, commit_call, read_call

pytestmark = pytest.mark.unit

TASK = "T1-E1"
AT = 3
"""The request that is hit: after the handoff, the first question and its answer."""
TEXT = ("channel=text",)
HASTY = ("agent.llm.timeout_s=2",)
"""For requests that hang; the others of such a call have as long, which a busy machine may need."""
PRICED = (
    "agent.llm.base_url=https://models.example/v1",
    "prices.reference.input_mtok=1",
    "prices.reference.output_mtok=1",
)

STOPS = ("401", "404")
ERRORS = {
    "429": ("answered 429", [429, 429]),
    "429-retry-after": ("answered 429", [429]),
    "500": ("answered 500", [500, 500]),
    "503": ("answered 503", [503, 503]),
    "hang-first-byte": ("no byte came for 2 s", [0, 0]),
    "hang-mid-stream": ("no byte came for 2 s", [200]),
    "stream-cut": ("peer closed connection", [200]),
    "garbage": ("sent what is no chat completion", [200]),
}
"""What ends an attempt as an error: words of the reason, and the status of each try of the request that is hit."""
RETRIED = ("429", "500", "503", "hang-first-byte")
MISTAKES = {
    "malformed-tool-json": ("MALFORMED_ARGUMENTS", 2),
    "unknown-tool": ("UNKNOWN_TOOL", 1),
    "other-agents-tool": ("TOOL_NOT_AVAILABLE", 1),
}
"""What the model does wrong: the tool's answer, and how many more requests the call takes."""
SCORED = {"200-tool-calls": ("failed", "agent_silent"), "endless-text": ("passed", "caller_hung_up")}
NORMAL = ("reasoning", "dripping", "no-usage")


@lru_cache
def call(kind: str | None, tries: int | None = None) -> Held:
    hasty = HASTY if kind is not None and kind.startswith("hang") else ()
    return hold(reference(kind, tries), TASK, *TEXT, *PRICED, *hasty, hit=AT)


def statuses(held: Held) -> list[int]:
    return [request["status"] for request in held.requests]


def said(held: Held) -> list[str]:
    return [span["spoken"] for span in held.attributes("agent.speech")]


def test_no_kind_is_left_out() -> None:
    assert {*STOPS, *ERRORS, *MISTAKES, *SCORED, *NORMAL, "empty-answer"} == set(FAULTS)


def test_without_a_fault_the_call_passes() -> None:
    held = call(None)
    assert held.outcome == ("passed", "caller_hung_up")
    assert set(statuses(held)) == {200}
    assert held.call["tokens"]["input"] > 0
    assert held.call["cost"]["usd"] > 0
    assert held.call["v2v_ms"] == {"p50": None, "p95": None, "n": 0}
    assert "recording.wav" not in held.artifacts.files


@pytest.mark.parametrize("kind", STOPS)
def test_a_refusal_for_good_leaves_no_call_unless_the_service_had_begun_to_answer_it(kind: str) -> None:
    with pytest.raises(ProviderError, match=f"answered {kind}") as raised:
        hold(reference(kind), TASK, *TEXT, hit=1)
    assert (raised.value.status, raised.value.retryable) == (int(kind), False)
    assert KEY not in str(raised.value)
    kept = call(kind).call
    assert (kept["verdict"], kept["error_by"]) == ("error", "service")
    assert kept["service_began_s"] > 0
    assert f"answered {kind}" in kept["reason"]


@pytest.mark.parametrize("kind", ERRORS)
def test_trouble_of_the_provider_is_an_error_with_all_its_files(kind: str, tmp_path: Path) -> None:
    held = call(kind)
    reason, tries = ERRORS[kind]
    assert held.outcome == ("error", "error")
    assert (held.call["error_by"], held.call["service_began_s"] > 0) == ("service", True)
    assert reason in held.call["reason"]
    assert statuses(held) == [200] * (AT - 1) + tries
    assert said(held) == said(call(None))[:2]
    commit_call(tmp_path / "attempt-1", held.artifacts.files)
    stored = read_call(tmp_path / "attempt-1")
    stored.check()
    assert stored.call.verdict == "error"
    assert held.state["final"] == held.state["seed"]
    assert all(KEY.encode() not in data for data in held.artifacts.files.values())


@pytest.mark.parametrize("kind", [*ERRORS, *MISTAKES, *SCORED, *NORMAL, "empty-answer", None])
def test_what_is_stored_of_a_faulty_provider_bears_out_its_trace(kind: str | None, tmp_path: Path) -> None:
    commit_call(tmp_path / "attempt-1", call(kind).artifacts.files)
    stored = read_call(tmp_path / "attempt-1")
    assert [*evidence_problems(stored, load_pipeline("fast", [*TEXT, *PRICED])), *tool_problems(stored, shop())] == []


@pytest.mark.parametrize("kind", ["hang-mid-stream", "stream-cut"])
def test_of_an_answer_that_broke_off_the_tokens_and_the_cost_are_unknown(kind: str) -> None:
    assert call(kind).call["tokens"] == {"input": None, "output": None, "cached": None}
    assert call(kind).call["cost"]["usd"] is None


@pytest.mark.parametrize("kind", ["429", "500", "503"])
def test_a_refused_request_used_no_tokens(kind: str) -> None:
    told = [request["gen_ai.usage.input_tokens"] for request in call(None).attributes("llm")[: AT - 1]]
    assert call(kind).call["tokens"]["input"] == sum(told)
    assert call(kind).call["cost"]["usd"] > 0


@pytest.mark.parametrize("kind", RETRIED)
def test_a_retry_that_succeeds_is_charged_and_changes_nothing_else(kind: str) -> None:
    held, healthy = call(kind, 1), call(None)
    assert held.outcome == healthy.outcome
    assert [span["retries"] for span in held.attributes("llm")] == [0] * AT + [1] + [0] * (len(healthy.requests) - AT)
    assert said(held) == said(healthy)
    assert held.call["call_s"] == pytest.approx(healthy.call["call_s"] + 0.350)
    assert held.call["tokens"] == healthy.call["tokens"]


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_of_the_model_is_answered_and_scored(kind: str) -> None:
    code, more = MISTAKES[kind]
    held = call(kind)
    assert held.errors == [code]
    assert held.outcome == ("passed", "caller_hung_up")
    assert len(held.requests) == len(call(None).requests) + more
    answer = next(m for m in held.requests[AT]["request"]["messages"] if m["role"] == "tool" and code in m["content"])
    assert '"ok": false' in answer["content"]


def test_an_empty_answer_is_a_silent_turn() -> None:
    held = call("empty-answer")
    assert held.outcome == ("passed", "caller_hung_up")
    assert [span["rule"] for span in held.attributes("caller.speech")].count("hello") == 1
    assert held.call["call_s"] == pytest.approx(call(None).call["call_s"] + 10.3, abs=0.5)


def test_two_hundred_tool_calls_in_a_row_are_cut_and_the_agent_has_failed() -> None:
    held = call("200-tool-calls")
    assert held.outcome == SCORED["200-tool-calls"]
    assert held.errors == ["INVALID_ARGUMENTS"] * 40
    assert held.state["final"] == held.state["seed"]


def test_endless_text_is_cut_and_the_call_goes_on() -> None:
    held = call("endless-text")
    assert held.outcome == SCORED["endless-text"]
    assert sorted(map(len, said(held)))[-1] in range(1_990, 2_001)
    assert held.requests[AT - 1]["truncated"]
    assert held.call["tokens"]["output"] is None


@pytest.mark.parametrize("kind", NORMAL)
def test_what_is_odd_but_normal_changes_no_word(kind: str) -> None:
    held = call(kind)
    assert held.outcome == ("passed", "caller_hung_up")
    assert said(held) == said(call(None))
    assert held.call["state_diff"] == call(None).call["state_diff"]


def test_thinking_aloud_is_a_first_token_and_no_answer() -> None:
    span = call("reasoning").attributes("llm")[AT - 1]
    assert (span["ttft_ms"], span["ttfat_ms"]) == (300, 400)


def test_without_usage_tokens_are_null_and_the_cost_is_unknown() -> None:
    held = call("no-usage").call
    assert held["tokens"] == {"input": None, "output": None, "cached": None}
    assert (held["cost"]["usd"], held["cost"]["agent"]["usd"]) == (None, None)
    assert held["cost"]["agent"]["reason"] == "unknown: an answer came without its usage"


def test_a_provider_that_repeats_the_key_in_its_error_does_not_bring_it_into_a_file() -> None:
    async def complete(request: Request) -> Response:
        return JSONResponse({"error": {"message": f"{request.headers['authorization']} is tired"}}, status_code=500)

    with serving(complete) as url:
        target = LlmTarget("reference", url, KEY)
        setup = CallSetup(load_pipeline("fast", TEXT), shop(), shop().cases[TASK], target)
        artifacts = run_call_unit(unit(TASK), setup)
    assert "Bearer [redacted] is tired" in str(artifacts.call.reason)
    assert all(KEY.encode() not in data for data in artifacts.files.values())


# ---- a run -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", STOPS)
def test_a_refusal_for_good_stops_the_run_and_what_was_made_before_stays(kind: str, tmp_path: Path) -> None:
    first, second = unit("T1-E1").call_id, unit("T2-M1").call_id
    plans = (FaultPlan(kind, 0.5, seed) for seed in range(10_000))
    plan = next(plan for plan in plans if plan.hits(first) is None and plan.hits(second) == AT)

    def serve(options: AgentServerOptions) -> Endpoint:
        return start_endpoint(replace(options, fault=f"{kind}:{plan.rate}", fault_seed=plan.seed))

    request = RunRequest(load_pipeline("fast", TEXT), tasks=("T1-E1", "T2-M1"), seed=SEED, out=tmp_path / "run")
    with pytest.raises(ProviderError) as raised:
        run(request, make_engine=partial(LocalEngine, serve=serve))
    assert (raised.value.status, exit_code(raised.value)) == (int(kind), 2)
    made = [read_call(path).call for path in RunFolder(tmp_path / "run").call_dirs()]
    assert [(one.task, one.verdict, one.hung_up) for one in made] == [
        ("T1-E1", "passed", False),
        ("T2-M1", "error", True),
    ]
    again = run(request)
    assert [row.attempts for row in again.calls] == [("passed",), ("error", "passed")]
    assert (again.summary.passed, again.summary.failed, again.summary.hung_up) == (1, 1, 1)
