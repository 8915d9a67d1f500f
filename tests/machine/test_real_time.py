"""How many calls in real time may be in flight."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.scripted import ScriptedEngine
from voicebench.config import load_pipeline
from voicebench.engines import CallRequest, CallResult
from voicebench.machine import capacity
from voicebench.machine.capacity import most_at_once, recall, remember
from voicebench.runner import RunRequest, run

pytestmark = pytest.mark.unit

REAL = load_pipeline("realtime-local")


class Greedy(ScriptedEngine):
    """Takes as many jobs as it gets before it makes the first."""

    def __init__(self) -> None:
        super().__init__()
        self.at_once: list[int] = []

    def results(self, requests: Iterable[CallRequest | None]) -> Iterator[CallResult]:
        waiting, held = iter(requests), list[CallRequest]()
        for request in waiting:
            if request is not None:
                held.append(request)
                continue
            self.at_once.append(len(held))
            yield from super().results(held)
            held.clear()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOICEBENCH_CACHE", str(tmp_path))
    return tmp_path


def test_calls_on_their_own_clock_have_no_limit() -> None:
    assert most_at_once(load_pipeline("fast"), 16, print) == math.inf


def test_one_call_needs_no_measurement() -> None:
    assert most_at_once(REAL, 1, print) == math.inf


def test_more_are_held_to_what_was_measured_here(cache: Path) -> None:
    remember(1_000.0)
    told: list[str] = []
    assert most_at_once(REAL, 64, told.append) == 1
    assert told[0].startswith("1 of 64 calls at once, as they are in real time: limited by ")


@pytest.mark.parametrize(("name", "at_once"), [("realtime-local", [1, 1]), ("fast", [2])])
def test_the_run_never_has_more_in_flight(
    cache: Path, asked: Callable[..., RunRequest], name: str, at_once: list[int]
) -> None:
    remember(1_000.0)
    engine = Greedy()
    request = asked(pipeline=load_pipeline(name), workers=4)
    result = run(replace(request, most_at_once=most_at_once(request.pipeline, 4, print)), make_engine=engine)
    assert (engine.at_once, result.status) == (at_once, "complete")


def test_what_another_machine_measured_does_not_count(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(0.25)
    assert recall() == 0.25
    monkeypatch.setattr(capacity, "_machine", lambda: "another")
    assert recall() is None


def test_a_corrupt_measurement_is_none(cache: Path) -> None:
    (cache / "real-time.json").write_text("[]")
    assert recall() is None
