"""The preflight: one request a model, waits that are told, and refusals that stop the run."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from voicebench.config import Pipeline, load_pipeline
from voicebench.errors import ConfigError, ProviderError
from voicebench.runner import preflight

pytestmark = pytest.mark.unit

KEY = "sk-canary-0123456789"
CHUNK = {"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Yes."}}]}
ANSWER = f"data: {json.dumps(CHUNK)}\n\ndata: [DONE]\n\n"


def remote(*overrides: str) -> Pipeline:
    return load_pipeline("fast", ["agent.llm.model=m-1", "agent.llm.base_url=http://model.test/v1", *overrides])


def good() -> httpx2.Response:
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=ANSWER.encode())


class Server:
    """Gives a list of answers, and remembers what it was asked and how long it was left alone."""

    def __init__(self, *answers: httpx2.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.waits: list[tuple[str, float]] = []

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(json.loads(request.content))
        self.keys.append(request.headers["authorization"])
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def ask(self, pipeline: Pipeline) -> list[str]:
        def wait(reason: str, seconds: float) -> None:
            self.waits.append((reason, seconds))

        return [one.model for one in preflight(pipeline, wait, inner=httpx2.MockTransport(self.answer))]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def test_a_model_is_asked_once_with_its_parameters_and_key() -> None:
    server = Server(good())
    assert server.ask(remote("agent.llm.params={temperature: 0.5}")) == ["m-1"]
    [request] = server.requests
    assert (request["model"], request["temperature"], request["stream"]) == ("m-1", 0.5, True)
    assert server.keys == [f"Bearer {KEY}"]


def test_the_local_endpoint_is_not_asked() -> None:
    assert Server().ask(load_pipeline("fast")) == []


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_is_told_at_once_and_without_the_key(status: int) -> None:
    server = Server(httpx2.Response(status, json={"error": {"message": f"bad key {KEY}"}}))
    with pytest.raises(ProviderError, match=f"model 'm-1' at http://model.test/v1 answered {status}") as caught:
        server.ask(remote())
    assert (caught.value.status, caught.value.retryable, server.waits) == (status, False, [])
    assert KEY not in str(caught.value)


def test_what_may_pass_is_waited_for_as_long_as_it_asks() -> None:
    busy = httpx2.Response(429, headers={"retry-after": "7"}, json={})
    server = Server(busy, httpx2.Response(503, json={}), good())
    assert server.ask(remote()) == ["m-1"]
    assert [seconds for _, seconds in server.waits] == [7.0, 2.0]
    assert "answered 429" in server.waits[0][0]


def test_it_gives_up_after_three_further_tries_or_a_wait_of_over_a_minute() -> None:
    server = Server(*(httpx2.ConnectError("no route") for _ in range(4)))
    with pytest.raises(ProviderError, match="failed: Connection error") as caught:
        server.ask(remote())
    assert caught.value.retryable
    assert [seconds for _, seconds in server.waits] == [1.0, 2.0, 4.0]
    patient = Server(httpx2.Response(429, headers={"retry-after": "3600"}, json={}))
    with pytest.raises(ProviderError, match="answered 429"):
        patient.ask(remote())
    assert patient.waits == []


def test_a_parameter_that_the_client_does_not_know_is_told() -> None:
    with pytest.raises(ConfigError, match=r"agent\.llm\.params"):
        Server(good()).ask(remote("agent.llm.params={temprature: 0}"))


def test_the_model_of_the_caller_is_asked_as_well_and_told_apart() -> None:
    played = ["caller.kind=llm", "caller.llm.model=c-1", "caller.llm.base_url=http://caller.test/v1"]
    server = Server(good(), good())
    assert server.ask(remote(*played)) == ["m-1", "c-1"]
    assert [request["model"] for request in server.requests] == ["m-1", "c-1"]
    refused = Server(httpx2.Response(404, json={}))
    with pytest.raises(ProviderError, match=r"^the caller's model 'c-1' at http://caller\.test/v1 answered 404"):
        refused.ask(load_pipeline("fast", played))


def test_the_local_caller_is_not_asked() -> None:
    assert Server().ask(load_pipeline("fast", ["caller.kind=llm"])) == []
