"""What a reporter prints: plain lines, or the progress with a line for each call in flight."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from voicebench.runner.progress import LiveReporter, PlainReporter, Progress, duration

pytestmark = pytest.mark.unit

PROGRESS = Progress(8, 3, {"passed": 2, "failed": 1, "error": 1}, usd=0.125, unknown=0, left_s=250.0)


def test_the_standing_on_one_line() -> None:
    assert str(PROGRESS) == ("3 of 8 calls done, 2 passed, 1 failed, 0 void, 1 error, $0.12, about 4 min left")
    assert str(Progress(8, 8, {}, usd=1.0, unknown=2, left_s=0.0)) == (
        "8 of 8 calls done, 0 passed, 0 failed, 0 void, 0 error, $1.00 (2 unknown)"
    )


@pytest.mark.parametrize(
    ("seconds", "text"), [(8.4, "8 s"), (89, "89 s"), (150, "2 min"), (5_300, "88 min"), (7_200, "2 h 0 min")]
)
def test_lengths_of_time(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_without_a_terminal_there_is_a_line_an_event_and_waits_are_told_ever_more_rarely() -> None:
    lines: list[str] = []
    plain = PlainReporter(lines.append)
    plain.planned(PROGRESS)
    plain.started("T1-E1 trial 1")
    for second in range(1, 26):
        plain.waits("T1-E1 trial 1", "the request to api.test", float(second))
    plain.finished("T1-E1 trial 1", "T1-E1 trial 1: passed", PROGRESS)
    assert lines == [
        "8 calls, 3 of them done before",
        "T1-E1 trial 1: calling",
        "T1-E1 trial 1: waits for the request to api.test, 5 s so far",
        "T1-E1 trial 1: waits for the request to api.test, 10 s so far",
        "T1-E1 trial 1: waits for the request to api.test, 20 s so far",
        "T1-E1 trial 1: passed",
        f"    {PROGRESS}",
    ]


def test_a_new_wait_is_told_again() -> None:
    lines: list[str] = []
    plain = PlainReporter(lines.append)
    for second in (5.0, 1.0, 5.0):
        plain.waits("worker 1", "its models", second)
    assert lines == ["worker 1: waits for its models, 5 s so far"] * 2


def test_on_a_terminal_each_call_in_flight_has_a_line_with_its_wait() -> None:
    now_s = 100.0
    console = Console(file=io.StringIO(), width=120)
    live = LiveReporter(console, lambda: now_s)
    live.planned(PROGRESS)
    live.started("T1-E1 trial 1")
    live.started("T2-H3 trial 2")
    now_s = 112.0
    live.waits("T2-H3 trial 2", "the request to api.test", 4.0)
    live.waits("api.test", "its cooldown of 12.0 s after 429", 3.0)
    lines = drawn(live)
    assert lines[0] == str(PROGRESS)
    assert lines[1:] == [
        "T1-E1 trial 1 12 s",
        "T2-H3 trial 2 12 s waits for the request to api.test, 4 s",
        "api.test waits for its cooldown of 12.0 s after 429, 3 s",
    ]
    now_s = 116.0
    live.finished("T1-E1 trial 1", "T1-E1 trial 1: passed", PROGRESS)
    assert drawn(live)[1:] == ["T2-H3 trial 2 16 s"]


def drawn(live: LiveReporter) -> list[str]:
    console = Console(file=io.StringIO(), width=120)
    with console.capture() as capture:
        console.print(live)
    return [" ".join(line.split()) for line in capture.get().splitlines() if line.strip(" ━╸╺")]
