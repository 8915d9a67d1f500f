"""Events are cut at their blank lines, whatever the network did to them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicebench.clock.sse import SseDecoder, frame

pytestmark = pytest.mark.unit

STREAM = (
    'data: {"a": "café\u2028"}\n\n: keep-alive\n\ndata:two\r\n\r\n'
    "event: x\ndata: three\ndata: lines\n\ndata: [DONE]\n\n"
).encode()
EVENTS = ['{"a": "café\u2028"}', "two", "three\nlines", "[DONE]"]


@given(st.sets(st.integers(0, len(STREAM))))
def test_any_cutting_gives_the_same_events(cuts: set[int]) -> None:
    decoder = SseDecoder()
    edges = [0, *sorted(cuts), len(STREAM)]
    got = [data for start, end in itertools.pairwise(edges) for data in decoder.feed(STREAM[start:end])]
    assert got + decoder.flush() == EVENTS


def test_an_event_comes_with_the_chunk_that_completes_it() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: one\n") == []
    assert decoder.feed(b"\ndata: two\n\nda") == ["one", "two"]
    assert decoder.feed(b"ta: three") == []
    assert decoder.flush() == ["three"]


@pytest.mark.parametrize("data", EVENTS)
def test_what_is_framed_is_read_back(data: str) -> None:
    assert SseDecoder().feed(frame(data)) == [data]
