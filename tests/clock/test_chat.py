"""What counts as a token, and what is stored of a response."""

from __future__ import annotations

import json
from typing import Any

import pytest

from voicebench.clock.chat import ChunkNormalizer, ContentReader, deliverable

pytestmark = pytest.mark.unit


def chunk(**delta: Any) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": delta}]})


def call(index: int, id: str | None, name: str = "get_order", arguments: str = "") -> dict[str, Any]:
    return {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    ("data", "token", "answer"),
    [
        (chunk(role="assistant", content=""), False, False),
        (chunk(content=None), False, False),
        (chunk(content="Hello"), True, True),
        (chunk(reasoning_content="Let me see"), True, False),
        (chunk(reasoning="Let me see"), True, False),
        (chunk(tool_calls=[call(0, "x")]), True, True),
        (json.dumps({"choices": [{"message": {"content": "Hello"}}]}), True, True),
        (json.dumps({"choices": [], "usage": {"completion_tokens": 3}}), False, False),
        ("[DONE]", False, False),
    ],
)
def test_text_reasoning_and_tool_calls_are_tokens_and_reasoning_is_no_answer(
    data: str, token: bool, answer: bool
) -> None:
    content = ContentReader().read(data)
    assert (content.token, content.answer) == (token, answer)


def test_text_and_tool_arguments_are_counted_apart_from_reasoning() -> None:
    content = ContentReader().read(
        chunk(content="four", reasoning="thinking", tool_calls=[call(0, "x", arguments="{}")])
    )
    assert (content.chars, content.reasoning_chars) == (6, 8)


@pytest.mark.parametrize(
    "text",
    [
        " ",
        "\n\n",
        "\u200b",
        "\ufeff",
        "\u2060\u00ad",
        "\u2800",
        "\u3164",
        "\x00",
        "<think>",
        "</think>",
        "<th",
        "<",
        "</",
    ],
)
def test_what_nobody_could_hear_is_no_token(text: str) -> None:
    reader = ContentReader()
    assert not reader.read(chunk(content=text)).token
    assert not reader.read(chunk(reasoning_content=" \u200b")).token


def test_text_after_blanks_is_the_first_token() -> None:
    reader = ContentReader()
    assert [reader.read(chunk(content=text)).answer for text in (" ", "\n", " Hello")] == [False, False, True]


def test_text_within_think_is_reasoning_wherever_the_tags_are_cut() -> None:
    reader = ContentReader()
    pieces = ["<th", "ink>", "Let me", " see.</", "think>", "\n\n", "Hello", " <b> there"]
    read = [reader.read(chunk(content=piece)) for piece in pieces]
    assert [one.token for one in read] == [False, False, True, True, False, False, True, True]
    assert [one.answer for one in read] == [False, False, False, False, False, False, True, True]
    assert sum(one.reasoning_chars for one in read) == len("Let me see.")
    assert sum(one.chars for one in read) == len("\n\nHello <b> there")


def test_a_tool_call_is_a_token_once_it_has_its_name() -> None:
    reader = ContentReader()
    pieces = [
        call(0, "x", name=""),
        call(0, None, name=" "),
        call(0, None, name="get_order"),
        call(0, None, name="", arguments="{}"),
    ]
    assert [reader.read(chunk(tool_calls=[piece])).token for piece in pieces] == [False, False, True, True]
    assert not reader.read(chunk(tool_calls=[call(1, "y", name="", arguments="{}")])).token


def ids(rewritten: str) -> list[str | None]:
    return [call.get("id") for call in json.loads(rewritten)["choices"][0]["delta"]["tool_calls"]]


def test_tool_call_ids_count_up_over_the_responses_of_a_call() -> None:
    normalizer = ChunkNormalizer()
    first, second = normalizer.response(), normalizer.response()
    assert ids(first(chunk(tool_calls=[call(0, "toolu_9f")]))) == ["call00001"]
    assert ids(first(chunk(tool_calls=[call(0, None)]))) == [None]
    assert ids(first(chunk(tool_calls=[call(0, "toolu_9f"), call(1, "toolu_a0")]))) == ["call00001", "call00002"]
    assert ids(second(chunk(tool_calls=[call(0, "toolu_9f")]))) == ["call00003"]


def test_a_tool_call_without_an_id_gets_one_and_a_new_id_at_an_old_index_is_a_new_call() -> None:
    rewrite = ChunkNormalizer().response()
    assert ids(rewrite(chunk(tool_calls=[call(0, "")]))) == ["call00001"]
    assert ids(rewrite(chunk(tool_calls=[call(0, "b")]))) == ["call00002"]


def test_only_what_equal_calls_have_in_common_is_stored() -> None:
    stored = ChunkNormalizer().response()(
        json.dumps(
            {
                "id": "chatcmpl-17",
                "object": "chat.completion.chunk",
                "created": 1_767_000_000,
                "model": "m",
                "system_fingerprint": "fp_1",
                "service_tier": "default",
                "obfuscation": "xx",
                "timings": {"predicted_ms": 3.2},
                "choices": [],
                "usage": {"prompt_tokens": 3, "queue_time": 0.02},
            }
        )
    )
    assert json.loads(stored) == {
        "object": "chat.completion.chunk",
        "model": "m",
        "choices": [],
        "usage": {"prompt_tokens": 3},
    }


def test_clients_get_placeholders_for_what_is_not_stored() -> None:
    delivered = json.loads(deliverable(chunk(content="Hi")))
    assert delivered["id"]
    assert delivered["created"] == 0
    assert delivered["choices"] == [{"index": 0, "delta": {"content": "Hi"}}]
    assert deliverable("[DONE]") == "[DONE]"


@pytest.mark.parametrize(
    "data",
    [
        '{"choices": "none"}',
        '{"choices": ["none", 3]}',
        '{"choices": {"delta": {}}}',
        '{"choices": [{"delta": {"content": 5, "reasoning": ["x"], "tool_calls": "f"}}]}',
        '{"choices": [{"delta": {"tool_calls": ["f", {"index": [1], "id": {"x": 1}, "function": "f"}]}}], "usage": 5}',
    ],
)
def test_garbage_neither_counts_nor_breaks_anything(data: str) -> None:
    content = ContentReader().read(data)
    assert (content.chars, content.reasoning_chars) == (0, 0)
    assert json.loads(ChunkNormalizer().response()(data)).keys() <= {"choices", "usage"}
