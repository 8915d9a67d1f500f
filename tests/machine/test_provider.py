"""Whether the model under test answers: one request to a real server on loopback."""

from __future__ import annotations

import pytest

from voicebench.config import Pipeline, load_pipeline
from voicebench.machine.provider import ask_provider, provider_checks
from voicebench.serve import AgentServerOptions, start_endpoint
from voicebench.serve.faults import FaultPlan

pytestmark = pytest.mark.unit


def at(url: str) -> Pipeline:
    return load_pipeline("local-cpu", ["agent.llm.model=silent", f"agent.llm.base_url={url}"])


def test_a_local_model_needs_no_asking() -> None:
    [check] = provider_checks("reference", ask_provider(load_pipeline("local-cpu")))
    assert (check.status, check.detail) == ("ok", "served by voicebench itself")


def test_a_model_that_answers_is_told_with_its_place() -> None:
    with start_endpoint(AgentServerOptions(model="silent", ttft_ms=0)) as endpoint:
        answer = ask_provider(at(endpoint.url))
        [check] = provider_checks("silent", answer)
        assert isinstance(answer, list)
        assert check.status == "ok"
        assert check.detail.startswith(f"{endpoint.url} answered after ")


def test_a_refused_key_keeps_a_run_from_starting_and_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-doctor")
    seed = next(seed for seed in range(100) if FaultPlan("401", seed=seed).hits("") == 1)
    with start_endpoint(AgentServerOptions(model="silent", fault="401", fault_seed=seed)) as endpoint:
        [check] = provider_checks("silent", ask_provider(at(endpoint.url)))
    assert check.status == "missing"
    assert "answered 401" in check.detail
    assert "sk-canary-doctor" not in check.detail + check.fix


def test_an_unknown_model_is_missing() -> None:
    with start_endpoint(AgentServerOptions(model="silent")) as endpoint:
        pipeline = load_pipeline("local-cpu", ["agent.llm.model=nobody", f"agent.llm.base_url={endpoint.url}"])
        [check] = provider_checks("nobody", ask_provider(pipeline))
    assert check.status == "missing"
    assert "answered 404" in check.detail


def test_the_model_that_plays_the_caller_is_asked_too() -> None:
    with start_endpoint(AgentServerOptions(model="silent", ttft_ms=0)) as endpoint:
        caller = ("caller.kind=llm", "caller.llm.model=silent", f"caller.llm.base_url={endpoint.url}")
        asked = provider_checks("reference", ask_provider(load_pipeline("local-cpu", caller)))
        assert [(each.name, each.status) for each in asked] == [("silent", "ok")]
        caller = ("caller.kind=llm", "caller.llm.model=nobody", f"caller.llm.base_url={endpoint.url}")
        [refused] = provider_checks("reference", ask_provider(load_pipeline("local-cpu", caller)))
    assert refused.status == "missing"
    assert refused.detail.startswith("the caller's model 'nobody'")
