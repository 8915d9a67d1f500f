"""Calls in which callers and agents talk, work and interrupt at any moment: what must hold in all of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.agent.fakes import Step, use
from tests.agent.phone import Phoned, loud, phone, say, speak
from voicebench.agent import SAMPLE_RATE

pytestmark = pytest.mark.audio

CALLER = ["Where are you?", "I want to return a camera.", "And a lamp.", "Stop, please.", "Hello, are you there?"]
AGENT = [
    "Yes? ",
    "One moment, please. ",
    "Let me see what I can do about it, this may take a little while, so please hold on. ",
]


def mixture(seed: int) -> Phoned:
    """A call of four utterances with pauses of 0.3 to 3 s, and answers that stream in steps of a line tick."""
    generator = np.random.default_rng(seed)
    at_s, parts = float(generator.uniform(0.3, 2.0)), []
    for _ in range(4):
        text = str(generator.choice(CALLER))
        parts.append((at_s, text))
        at_s += len(speak("heart", text)) / SAMPLE_RATE + float(generator.choice([0.3, 0.8, 1.5, 3.0]))
    answers: list[list[Step]] = []
    for n in range(20):
        answer: list[Step] = [float(generator.choice([0.02, 0.3]))]
        for word in str(generator.choice(AGENT)).split():
            answer += [f"{word} ", float(generator.choice([0.0, 0.02]))]
        calls = generator.random() < 0.3
        answers.append([*answer, use("open_the_safe", f"call{n:05d}")] if calls else answer)
    return phone(
        say(*parts),
        at_s + 8.0,
        *answers,
        asr=f"fixed:{generator.choice([0, 400, 2500])}",
        tts=f"fixed:{generator.choice([0, 150, 900])}",
        latency_ms=float(generator.choice([50, 2_000])),
    )


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_lost_said_twice_or_said_too_late(seed: int) -> None:
    call = mixture(seed)
    assert call.agent.failure is None
    assert_whole_history(call)
    assert_all_sound_is_accounted_for(call)
    recognised = [span["text"] for span in call.attributes("asr")]
    given = [message["content"] for message in call.history if message["role"] == "user"]
    assert " ".join(filter(None, recognised)) == " ".join(given)
    assert given[-1] in [message.get("content") for message in call.requests[-1].messages]


def assert_whole_history(call: Phoned) -> None:
    """Each call of a tool is followed by its result, and there is no other result."""
    due: list[str] = []
    for message in call.history:
        if message["role"] == "tool":
            due.remove(message["tool_call_id"])
        else:
            assert due == []
            due = [called["id"] for called in message.get("tool_calls", [])]
    assert due == []


def assert_all_sound_is_accounted_for(call: Phoned) -> None:
    """The agent is heard in its traced speeches alone, which follow each other."""
    spans = call.lines("agent.speech")
    times = [(span["start_ns"] / 1e9, span["end_ns"] / 1e9) for span in spans]
    assert all(end <= start for (_, end), (start, _) in pairwise(times))
    assert [t for t in loud(call.said) if not any(start - 1e-6 < t < end - 1e-6 for start, end in times)] == []
    for said in (span["attributes"] for span in spans):
        intended, spoken = " ".join(said["intended"].split()), " ".join(said["spoken"].split())
        assert intended.startswith(spoken)
        assert said["interrupted"] or intended == spoken
