"""Events are cut at their blank lines, whatever the network did to them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicebench.clock.sse import Framer, frame

pytestmark = pytest.mark.unit

STREAM = (
    'data: {"a": "café\u2028"}\n\n: keep-alive\n\ndata:two\r\n\r\n'
    "event: x\ndata: three\ndata: lines\n\ndata: [DONE]\n\n"
).encode()
EVENTS = ['{"a": "café\u2028"}', "two", "three\nlines", "[DONE]"]


@given(st.sets(st.integers(0, len(STREAM))))
def test_any_cutting_gives_the_same_events(cuts: set[int]) -> None:
    framer = Framer()
    edges = [0, *sorted(cuts), len(STREAM)]
    got = [data for start, end in itertools.pairwise(edges) for data in framer.feed(STREAM[start:end])]
    assert got + framer.flush() == EVENTS


def test_an_event_comes_with_the_chunk_that_completes_it() -> None:
    framer = Framer()
    assert framer.feed(b"data: one\n") == []
    assert framer.feed(b"\ndata: two\n\nda") == ["one", "two"]
    assert framer.feed(b"ta: three") == []
    assert framer.flush() == ["three"]


@pytest.mark.parametrize("data", EVENTS)
def test_what_is_framed_is_read_back(data: str) -> None:
    assert Framer().feed(frame(data)) == [data]
