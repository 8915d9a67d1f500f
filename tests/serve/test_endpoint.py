from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest

import voicebench
from voicebench.errors import ConfigError
from voicebench.serve import AgentServerOptions, Endpoint, start_endpoint
from voicebench.serve.process import listen

pytestmark = pytest.mark.unit

TASK = {
    "steps": [
        {"ask": ["order_number"]},
        {"call": "identify_customer", "with": {"order_number": "$fact.order_number"}},
    ],
    "facts": {"order_number": {"type": "id", "question": "What is the order number?", "format": r"KE\d{7}"}},
    "seed": 1,
    "tools": {"identify_customer": {"order_number": "id"}},
}
METADATA = {"voicebench_call": "call-1", "voicebench_task": json.dumps(TASK)}
TOOLS: Any = [
    {
        "type": "function",
        "function": {"name": "identify_customer", "parameters": {"properties": {"order_number": {"type": "string"}}}},
    }
]
GREETING = {"role": "assistant", "content": "Kestrel, hello."}
ASKS: Any = [{"role": "system", "content": "Be kind."}, GREETING, {"role": "user", "content": "I want a refund."}]
TELLS: Any = [*ASKS, {"role": "assistant", "content": "The number?"}, {"role": "user", "content": "K E 4479002"}]
CHECKOUT = str(Path(voicebench.__file__).parents[1])


def client(url: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=url, api_key="none", max_retries=0, timeout=20)


@pytest.fixture(scope="module")
def reference() -> Iterator[Endpoint]:
    with start_endpoint(AgentServerOptions(ttft_ms=30, ttft_sd_ms=5, token_ms=2, seed=3)) as endpoint:
        yield endpoint


def test_it_lists_its_model(reference: Endpoint) -> None:
    assert [model.id for model in client(reference.url).models.list()] == ["reference"]


def test_words_come_as_chunks_with_the_usage_last(reference: Endpoint) -> None:
    stream = client(reference.url).chat.completions.create(
        model="reference",
        messages=ASKS,
        tools=TOOLS,
        stream=True,
        stream_options={"include_usage": True},
        metadata=METADATA,
    )
    chunks = list(stream)
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert deltas[0].role == "assistant"
    assert [delta.content for delta in deltas if delta.content] == ["What", " is", " the", " order", " number?"]
    assert [c.choices[0].finish_reason for c in chunks if c.choices and c.choices[0].finish_reason] == ["stop"]
    usage = chunks[-1].usage
    assert usage is not None
    assert usage.completion_tokens == 6
    assert usage.total_tokens == usage.prompt_tokens + 6
    assert usage.prompt_tokens_details is not None
    assert usage.prompt_tokens_details.cached_tokens is not None
    assert 0 < usage.prompt_tokens_details.cached_tokens < usage.prompt_tokens


def test_a_call_is_streamed_as_its_name_and_its_arguments(reference: Endpoint) -> None:
    stream = client(reference.url).chat.completions.create(
        model="reference", messages=TELLS, tools=TOOLS, stream=True, metadata=METADATA
    )
    chunks = list(stream)
    assert all(chunk.usage is None for chunk in chunks)
    calls = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or ()]
    functions = [call.function for call in calls if call.function is not None]
    assert [call.id for call in calls] == ["call_1", None]
    assert functions[0].name == "identify_customer"
    assert json.loads("".join(function.arguments or "" for function in functions)) == {"order_number": "KE4479002"}
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


def test_one_answer_equals_the_stream(reference: Endpoint) -> None:
    ask: Any = {"model": "reference", "messages": TELLS, "tools": TOOLS, "metadata": METADATA}
    answer = client(reference.url).chat.completions.create(**ask)
    (choice,) = answer.choices
    (call,) = choice.message.tool_calls or []
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content is None
    assert call.type == "function"
    assert (call.function.name, json.loads(call.function.arguments)) == (
        "identify_customer",
        {"order_number": "KE4479002"},
    )
    assert answer.usage is not None
    assert answer.usage.prompt_tokens > 0


def test_the_log_tells_each_delay_and_none_is_shorter_than_drawn() -> None:
    with start_endpoint(AgentServerOptions(ttft_ms=25, seed=3)) as endpoint:
        for messages in (ASKS, TELLS):
            list(
                client(endpoint.url).chat.completions.create(
                    model="reference", messages=messages, tools=TOOLS, stream=True, metadata=METADATA
                )
            )
        log = httpx2.get(endpoint.log_url).json()
    assert [(entry["call"], entry["request"]) for entry in log] == [("call-1", 1), ("call-1", 2)]
    assert all(entry["ttft_ms"] >= 25 for entry in log)


def test_without_a_task_the_reference_says_what_it_lacks(reference: Endpoint) -> None:
    with pytest.raises(openai.BadRequestError, match=r"metadata\.voicebench_task") as caught:
        client(reference.url).chat.completions.create(model="reference", messages=ASKS)
    assert caught.value.param == "metadata"


def test_another_model_is_not_found(reference: Endpoint) -> None:
    with pytest.raises(openai.NotFoundError, match="this endpoint has 'reference'"):
        client(reference.url).chat.completions.create(model="gpt", messages=ASKS)


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"model": "reference", "messages": [1]}'])
def test_a_body_that_is_no_chat_is_refused(reference: Endpoint, content: bytes) -> None:
    answer = httpx2.post(f"{reference.url}/chat/completions", content=content)
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")


def test_silence_is_an_empty_answer() -> None:
    with start_endpoint(AgentServerOptions(model="silent", ttft_ms=0)) as endpoint:
        api = client(endpoint.url).chat.completions
        chunks = list(api.create(model="silent", messages=ASKS, stream=True))
        whole = api.create(model="silent", messages=ASKS).choices[0]
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == ""
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert (whole.message.content, whole.finish_reason) == ("", "stop")


def test_a_script_is_played(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("- {say: One moment.}\n")
    with start_endpoint(AgentServerOptions(script=script, ttft_ms=0)) as endpoint:
        answer = client(endpoint.url).chat.completions.create(model="script", messages=ASKS)
    assert answer.choices[0].message.content == "One moment."


def test_a_port_in_use_is_a_configuration_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"port {port} on 127.0.0.1 cannot be used"):
            start_endpoint(AgentServerOptions(port=port))


def test_an_unknown_model_is_a_configuration_error() -> None:
    with pytest.raises(
        ConfigError, match="no model 'gpt'; there are call_all, random, reference, refuse, silent, transfer_all"
    ):
        start_endpoint(AgentServerOptions(model="gpt"))


def test_stopping_ends_the_process() -> None:
    endpoint = start_endpoint(AgentServerOptions(model="silent"))
    endpoint.stop()
    endpoint.stop()
    assert endpoint.process.poll() is not None
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(endpoint.log_url)


def test_it_ends_when_standard_input_closes() -> None:
    endpoint = start_endpoint(AgentServerOptions(model="silent"))
    assert endpoint.process.stdin is not None
    endpoint.process.stdin.close()
    assert endpoint.process.wait(20) == 0
    endpoint.stop()


def test_an_interrupt_of_the_harness_does_not_reach_it() -> None:
    with start_endpoint(AgentServerOptions(model="silent")) as endpoint:
        assert os.getpgid(endpoint.process.pid) != os.getpgrp()


KILLED_PARENT = """
import os, sys
from voicebench.serve import AgentServerOptions, start_endpoint
endpoint = start_endpoint(AgentServerOptions(model="silent"))
os.set_inheritable(endpoint.process.stdin.fileno(), True)
keeper = os.fork()
if keeper == 0:  # a worker that outlives its parent and holds the pipe
    os.close(1)
    os.read(0, 1)
    os._exit(0)
print(endpoint.process.pid, flush=True)
os.kill(os.getpid(), 9)
"""


def test_it_ends_when_its_parent_is_killed_though_a_worker_holds_the_pipe() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", KILLED_PARENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": CHECKOUT},
    )
    assert parent.stdout is not None
    assert parent.stdin is not None
    endpoint = os.pidfd_open(int(parent.stdout.readline()))
    assert parent.wait(20) == -signal.SIGKILL
    ended, _, _ = select.select([endpoint], [], [], 20)
    os.close(endpoint)
    parent.stdin.close()
    parent.stdout.close()
    assert ended


AUDITED = """
import sys

def audit(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and not arguments[0].startswith(sys.prefix):
        path = arguments[0]
        if path.endswith((".yaml", ".yml", ".sql", ".md", ".db", "tools.py")) and "/packs/" not in path:
            print("opened", path, file=sys.stderr)
            sys.stderr.flush()
            import os
            os._exit(9)

sys.addaudithook(audit)
from voicebench.serve import AgentServerOptions
from voicebench.serve.agent import serve_agent
serve_agent(AgentServerOptions(ttft_ms=0, with_parent=True))
"""


def test_the_reference_works_in_an_empty_folder_and_opens_no_file_of_a_pack(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", AUDITED],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": CHECKOUT},
    )
    assert process.stdout is not None
    endpoint = Endpoint(json.loads(process.stdout.readline())["url"], process)
    with endpoint:
        answer = client(endpoint.url).chat.completions.create(
            model="reference", messages=TELLS, tools=TOOLS, metadata=METADATA
        )
        assert process.poll() is None
    (call,) = answer.choices[0].message.tool_calls or []
    assert call.type == "function"
    assert json.loads(call.function.arguments) == {"order_number": "KE4479002"}
    assert list(tmp_path.iterdir()) == []


def test_small_writes_are_not_held_back_for_an_acknowledgement() -> None:
    nagle_off: list[int] = []

    async def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted = writer.get_extra_info("socket")
        nagle_off.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async def main() -> None:
        listener = listen(0)
        async with await asyncio.start_server(accept, sock=listener):
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            await reader.read()
            writer.close()

    asyncio.run(main())
    assert nagle_off == [1]
