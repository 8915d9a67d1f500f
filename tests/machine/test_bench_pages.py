"""The bench asks a server for every kind of page, of a run and of a call that are as long as was asked for."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import voicebench

pytestmark = pytest.mark.e2e


def test_bench_pages_times_a_run_of_many_calls_and_a_long_call() -> None:
    done = voicebench("bench", "pages", "--calls", "5", "--minutes", "1.5")
    assert done.code == 0, done.err
    printed = done.out
    assert printed["calls"] == 5
    assert 90 <= printed["length_s"] < 180
    sizes = {page["name"]: page["size"] for page in printed["pages"]}
    assert list(sizes) == [
        "start",
        "run of 5 calls",
        "pack",
        "task with 1 trials",
        "call in text",
        "call with sound",
        "call of 1.5 minutes",
        "1 MB of its recording",
    ]
    assert sizes["1 MB of its recording"] == 1 << 20
    assert sizes["call of 1.5 minutes"] > sizes["call with sound"] > sizes["call in text"]
    assert all(0 < page["median_ms"] <= page["worst_ms"] for page in printed["pages"])
