"""How calls end and what is recorded of them: parties without models on a real line and the call's clock."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pytest
import soundfile

from tests.jsons import lines_of
from voicebench.agent import FRAME, CallContext, Pcm
from voicebench.call.session import CallSession, Lines
from voicebench.clock import current_loop, run_call, sleep
from voicebench.config import Limits
from voicebench.errors import AgentError, CallerInvalid
from voicebench.line import Line, preset
from voicebench.record.spans import EndReason
from voicebench.store import Tracer

pytestmark = pytest.mark.unit

QUIET = np.zeros(FRAME, np.int16)
TONE = np.round(8_000 * np.sin(np.arange(FRAME) * 2 * np.pi * 1_000 / 16_000)).astype(np.int16)

Stretches = list[tuple[float, float]]


def within(stretches: Stretches) -> bool:
    now_s = current_loop().time()
    return any(start <= now_s < end for start, end in stretches)


def when(at_s: float | None) -> bool:
    return at_s is not None and current_loop().time() >= at_s


@dataclass
class FakeAgent:
    """Makes a tone in some stretches of the call; finishes or fails at a time."""

    speaks: Stretches = field(default_factory=lambda: [(0.0, 1.0)])
    finishes_s: float | None = None
    fails_s: float | None = None
    end_reason: str | None = None
    turn_s: float = 1e9
    finished: asyncio.Event = field(default_factory=asyncio.Event)
    heard: list[Pcm] = field(default_factory=list)
    hung_up_s: float | None = None

    @property
    def failure(self) -> Exception | None:
        return AgentError("the agent broke") if when(self.fails_s) else None

    @property
    def turns(self) -> int:
        return int(current_loop().time() / self.turn_s + 1e-9)

    async def start(self) -> None:
        """Nothing to connect to."""

    def hear(self, frame: Pcm) -> None:
        self.heard.append(frame)

    def speak(self) -> Pcm:
        if when(self.finishes_s):
            self.finished.set()
        return TONE if within(self.speaks) else QUIET

    async def hang_up(self) -> None:
        self.hung_up_s = current_loop().time()
        await sleep(0.5)


@dataclass
class FakeCaller:
    """Says something in some stretches of the call, by a rule; hangs up, or fails, at a time."""

    speaks: Stretches = field(default_factory=lambda: [(2.0, 3.0)])
    rule: str = "opening"
    hangs_up_s: float | None = None
    fails_s: float | None = None
    hang_up_reason: Literal["closing", "give_up"] | None = None
    works: Stretches = field(default_factory=list)
    slow_s: float | None = None
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    heard: list[Pcm] = field(default_factory=list)
    done: list[str] = field(default_factory=list)

    @property
    def saying(self) -> str | None:
        return self.rule if within(self.speaks) else None

    @property
    def is_working(self) -> bool:
        return within(self.works)

    @property
    def slow_job(self) -> str | None:
        return "timing: the caller's recognition took long" if when(self.slow_s) else None

    async def start(self) -> None:
        """Nothing to begin."""

    def hear(self, frame: Pcm) -> None:
        self.heard.append(frame)
        if when(self.fails_s):
            raise CallerInvalid("the caller broke its script")

    def speak(self) -> Pcm:
        if when(self.hangs_up_s):
            self.hung_up.set()
        return TONE if within(self.speaks) else QUIET

    def agent_hung_up(self) -> None:
        self.done.append("agent_hung_up")

    async def finish(self) -> None:
        self.done.append("finish")


@dataclass
class Held:
    session: CallSession
    agent: FakeAgent
    caller: FakeCaller
    reason: EndReason | None = None
    error: Exception | None = None
    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def length_s(self) -> float:
        return self.session.slots / 50


def hold(
    agent: Callable[[], FakeAgent] = FakeAgent,
    caller: Callable[[], FakeCaller] = FakeCaller,
    *,
    line: str = "clean",
    real_time: bool = False,
    **limits: Any,
) -> Held:
    """Hold a call between parties that are made on its loop."""
    kept: list[Held] = []  # not returned: asyncio's runner would print all of a result

    async def main() -> None:
        def now_ns() -> int:
            return current_loop().now_ns

        context = CallContext("call-7", 7, Tracer(7, now_ns), now_ns)
        settings = preset(line)
        lines = Lines(
            Line(settings.caller_to_agent, leg="caller_to_agent", seed=7),
            Line(settings.agent_to_caller, leg="agent_to_caller", seed=7),
        )
        held = Held(CallSession(caller(), agent(), lines, context, Limits(**limits), real_time), None, None)  # type: ignore[arg-type]
        held.agent, held.caller = held.session.agent, held.session.caller  # type: ignore[assignment]
        try:
            held.reason = await held.session.run()
        except CallerInvalid as error:
            held.error = error
        held.events = [line for line in lines_of(context.tracer) if line["type"] == "event"]
        kept.append(held)

    run_call(main())
    return kept[0]


@pytest.mark.parametrize(
    ("why", "reason"), [("closing", "caller_hung_up"), ("give_up", "caller_gave_up"), (None, "caller_hung_up")]
)
def test_the_caller_hangs_up(why: Literal["closing", "give_up"] | None, reason: str) -> None:
    held = hold(caller=lambda: FakeCaller(hangs_up_s=3.0, hang_up_reason=why))
    assert held.reason == reason
    assert held.length_s == 3.02
    assert held.agent.hung_up_s == 3.02
    assert held.caller.done == ["agent_hung_up", "finish"]
    [event] = held.events
    assert (event["name"], event["time_ns"], event["attributes"]) == ("hangup", 3_020_000_000, {"reason": reason})


def test_an_agent_that_never_answers_is_silent_after_twenty_seconds() -> None:
    held = hold()
    assert held.reason == "agent_silent"
    assert held.length_s == 23.0


def test_a_hello_of_the_caller_gives_a_silent_agent_no_more_time() -> None:
    held = hold(caller=lambda: FakeCaller([(13.0, 13.5)], rule="hello"))
    assert held.reason == "agent_silent"
    assert held.length_s == 21.0


def test_words_of_the_caller_and_of_the_agent_give_more_time() -> None:
    held = hold(lambda: FakeAgent([(0.0, 1.0), (30.0, 31.0)]), lambda: FakeCaller([(2.0, 3.0), (15.0, 16.0)]))
    assert held.reason == "agent_silent"
    assert held.length_s == 51.0


def test_the_silence_does_not_grow_while_the_caller_is_at_work() -> None:
    held = hold(caller=lambda: FakeCaller(works=[(5.0, 9.0), (20.0, 21.0)]))
    assert (held.reason, held.length_s) == ("agent_silent", 28.0)


@pytest.mark.parametrize(("real_time", "ended"), [(True, ("error", 6.02)), (False, ("agent_silent", 23.0))])
def test_a_job_of_the_caller_that_takes_too_long_ends_a_call_in_real_time(
    real_time: bool, ended: tuple[str, float]
) -> None:
    held = hold(caller=lambda: FakeCaller(slow_s=6.0), real_time=real_time)
    assert (held.reason, held.length_s) == ended


def test_when_both_are_silent_the_agent_is() -> None:
    held = hold(lambda: FakeAgent([]), lambda: FakeCaller([]))
    assert (held.reason, held.length_s) == ("agent_silent", 20.0)


def test_the_silence_that_is_too_long_can_be_set() -> None:
    assert hold(lambda: FakeAgent([]), lambda: FakeCaller([]), agent_silence_s=3).length_s == 3.0


def test_the_length_of_a_call_is_limited() -> None:
    held = hold(lambda: FakeAgent([(0.0, 99.0)]), call_s=8)
    assert (held.reason, held.length_s) == ("limit_call_s", 8.0)


def test_the_turns_of_a_call_are_limited_and_the_last_is_heard() -> None:
    held = hold(lambda: FakeAgent([(0.0, 99.0)], turn_s=2.0), turns=3)
    assert (held.reason, held.length_s) == ("limit_turns", 8.02)


@pytest.mark.parametrize("end_reason", ["agent_ended", "transferred"])
def test_after_the_farewell_the_line_stays_open_for_five_seconds(end_reason: str) -> None:
    held = hold(lambda: FakeAgent(finishes_s=4.0, end_reason=end_reason))
    assert held.reason == end_reason
    assert held.length_s == 9.0


def test_a_caller_who_hangs_up_after_the_farewell_has_hung_up() -> None:
    held = hold(
        lambda: FakeAgent(finishes_s=4.0, end_reason="transferred"),
        lambda: FakeCaller(hangs_up_s=6.0, hang_up_reason="closing"),
    )
    assert (held.reason, held.length_s) == ("caller_hung_up", 6.02)


def test_a_failure_of_the_agent_ends_the_call_at_once() -> None:
    held = hold(lambda: FakeAgent(fails_s=3.0), lambda: FakeCaller(hangs_up_s=3.0))
    assert held.reason == "error"
    assert held.length_s == 3.02
    assert held.agent.hung_up_s is not None


def test_a_failure_of_the_caller_comes_through_and_the_agent_is_hung_up() -> None:
    held = hold(caller=lambda: FakeCaller(fails_s=3.0))
    assert isinstance(held.error, CallerInvalid)
    assert held.agent.hung_up_s == 3.0
    assert held.caller.done == ["agent_hung_up", "finish"]
    assert held.events == []


def test_the_recording_holds_each_slot_of_the_call_as_it_was_heard() -> None:
    held = hold(caller=lambda: FakeCaller(hangs_up_s=4.0))
    samples, rate = soundfile.read(io.BytesIO(held.session.recorder.wav()), dtype="int16")
    assert rate == 16_000
    assert samples.shape == (held.session.slots * FRAME, 2)
    assert held.session.slots == 201
    assert np.array_equal(samples[:, 0], np.concatenate(held.agent.heard))
    assert np.array_equal(samples[:, 1], np.concatenate(held.caller.heard))


def test_each_side_hears_the_other_after_the_delay_of_the_line() -> None:
    held = hold(caller=lambda: FakeCaller(hangs_up_s=4.0), line="pstn")
    samples, _ = soundfile.read(io.BytesIO(held.session.recorder.wav()), dtype="int16")
    starts_s = [np.flatnonzero(np.abs(samples[:, side]) > 1_000)[0] / 16_000 for side in (0, 1)]
    assert starts_s == pytest.approx([2.06, 0.06], abs=0.02)


def test_no_slot_is_late_in_charge_mode() -> None:
    assert set(hold().session.late_ms) == {0.0}
