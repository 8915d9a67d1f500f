from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.jsons import lines_of
from voicebench.caller.phone import PhoneCaller
from voicebench.caller.policy import CallerDecision, Utterance
from voicebench.clock import Mode, run_call, sleep
from voicebench.errors import ConfigError
from voicebench.speech.asr import load_recognizer
from voicebench.speech.tts import load_voice
from voicebench.speech.vad import FRAME
from voicebench.store.trace import Exchanges, Tracer

pytestmark = pytest.mark.audio

Samples = npt.NDArray[np.int16]
GREETING = "Thank you for calling. How can I help you today?"
ASK = "What is your order number, please?"
OPENING = "I want to return my headphones."


@dataclass
class Notes:
    """A caller's policy that notes what it hears and answers by keyword."""

    points: tuple[int, ...] = ()
    heard: list[str] = field(default_factory=list)
    retracted: int = 0

    async def begin(self, greeting: str) -> CallerDecision:
        return CallerDecision("speak", Utterance(OPENING, OPENING, "opening"))

    async def answer(self, text: str, *, after_words: int | None = None) -> CallerDecision:
        self.heard.append(text)
        if "goodbye" in text.lower():
            return CallerDecision("hang_up", Utterance("Okay, thank you.", "Okay, thank you.", "closing"), "closing")
        if "moment" in text.lower() or (after_words is not None and "list" not in text.lower()):
            return CallerDecision("wait")
        return CallerDecision("speak", Utterance("KE-4471", "K E, four four seven one.", "asked:order_number"))

    def retract(self) -> None:
        self.retracted += 1

    def interrupt_points(self) -> tuple[int, ...]:
        return self.points

    def still_there(self) -> Utterance:
        return Utterance("Hello?", "Hello?", "hello")


@dataclass
class Call:
    """What one call left behind: what the caller said as int16[n], and its records."""

    said: Samples
    policy: Notes
    hung_up: bool
    trace: list[dict[str, Any]]
    exchanges: list[dict[str, Any]]

    def spans(self, name: str) -> list[dict[str, Any]]:
        return [line for line in self.trace if line["type"] == "span" and line["name"] == name]

    def events(self, name: str) -> list[float]:
        return [line["time_ns"] / 1e9 for line in self.trace if line["type"] == "event" and line["name"] == name]

    def rules(self) -> list[str]:
        return [span["attributes"]["rule"] for span in self.spans("caller.speech")]

    def starts(self) -> list[float]:
        return [span["start_ns"] / 1e9 for span in self.spans("caller.speech")]


@lru_cache
def agent(*turns: tuple[float, str]) -> Samples:
    """The agent's side of a call: sentences, each at a time in seconds."""
    spoken = [(round(at * 16_000), load_voice("joe").synthesize(text)) for at, text in turns]
    samples = np.zeros(max(at + len(speech) for at, speech in spoken), np.int16)
    for at, speech in spoken:
        samples[at : at + len(speech)] = speech
    return samples


def end_of_speech(samples: Samples) -> float:
    """When the last loud 10 ms of it end, in seconds."""
    blocks = samples[: len(samples) // 160 * 160].reshape(-1, 160).astype(np.float64)
    return float(np.flatnonzero(np.sqrt(np.mean(blocks**2, axis=1)) > 82.0)[-1] + 1) / 100


def call(
    agent_side: Samples,
    seconds: float,
    *,
    policy: Notes | None = None,
    mode: Mode = "charge",
    text: list[str] | None = None,
    agent_words: list[str] | None = None,
    hang_up_after: float | None = None,
) -> Call:
    """Let the caller hear the agent's side, whatever it says itself."""
    played = policy or Notes()
    exchanges = Exchanges()
    words = text if agent_words is None else agent_words

    async def main() -> Call:
        loop = asyncio.get_running_loop()
        tracer = Tracer(7, lambda: round(loop.time() * 1e9))
        caller = PhoneCaller(
            played,
            load_voice("heart"),
            load_recognizer("tiny.en", window="30s") if text is None else None,
            tracer=tracer,
            exchanges=exchanges,
            seed=7,
            agent_text=None if words is None else lambda: words.pop(0) if words else "",
        )
        await caller.start()
        said = []
        ticks = round(seconds * 50)
        heard = np.zeros(ticks * FRAME, np.int16)
        heard[: len(agent_side)] = agent_side[: len(heard)]
        for tick in range(ticks):
            if hang_up_after is not None and tick >= hang_up_after * 50:
                caller.agent_hung_up()
            caller.hear(heard[tick * FRAME : (tick + 1) * FRAME])
            said.append(caller.speak())
            if caller.hung_up.is_set():
                break
            await sleep(0.02)
        await caller.finish()
        return Call(np.concatenate(said), played, caller.hung_up.is_set(), lines_of(tracer), lines_of(exchanges))

    return run_call(main(), mode=mode)


def test_the_caller_begins_one_second_after_the_last_speech_it_heard() -> None:
    side = agent((0.5, GREETING))
    done = call(side, end_of_speech(side) + 4, text=[GREETING])

    begun = float(np.flatnonzero(done.said)[0]) / 16_000
    assert done.rules() == ["opening"]
    assert begun - end_of_speech(side) == pytest.approx(1.0, abs=0.04)
    assert done.starts()[0] == pytest.approx(begun, abs=0.001)
    assert done.policy.heard == []


def test_a_question_is_recognised_once_and_answered() -> None:
    side = agent((0.5, GREETING), (8.0, ASK))
    done = call(side, end_of_speech(side) + 4)

    assert done.rules() == ["opening", "asked:order_number"]
    assert [text.lower().rstrip("?") for text in done.policy.heard] == ["what is your order number, please"]
    assert [span["attributes"]["text"] for span in done.spans("caller.heard")][1:] == done.policy.heard
    assert done.starts()[1] - end_of_speech(side) == pytest.approx(1.0, abs=0.04)
    assert [line["kind"] for line in done.exchanges] == ["asr", "tts", "asr", "tts"]
    assert all(line["party"] == "caller" for line in done.exchanges)
    assert done.exchanges[1]["seed"] != done.exchanges[3]["seed"]


def test_a_reply_is_held_when_the_agent_goes_on() -> None:
    first = agent((0.5, GREETING), (8.0, "I can help you with that."))
    side = agent((0.5, GREETING), (8.0, "I can help you with that."), (end_of_speech(first) + 0.8, ASK))
    done = call(side, end_of_speech(side) + 4)

    assert done.rules() == ["opening", "asked:order_number"]
    assert done.events("caller.held") == [pytest.approx(end_of_speech(first) + 0.9, abs=0.1)]
    assert done.policy.retracted == 1
    assert "help" in done.policy.heard[-1]
    assert "order number" in done.policy.heard[-1]
    assert done.starts()[1] - end_of_speech(side) == pytest.approx(1.0, abs=0.04)


def test_it_waits_while_the_agent_is_at_work_and_gathers_what_follows() -> None:
    turns = [GREETING, "One moment, please.", "Can I have your name? Goodbye."]
    side = agent((0.5, turns[0]), (8.0, turns[1]), (12.0, turns[2]))
    done = call(side, 20, text=turns.copy())

    assert done.rules() == ["opening", "closing"]
    assert done.policy.heard == [turns[1], f"{turns[1]} {turns[2]}"]
    assert done.events("caller.held") == []


def test_after_ten_seconds_of_silence_it_says_hello_once_and_after_four_more_its_opening() -> None:
    done = call(np.zeros(0, np.int16), 60, text=[])

    hello, opening = done.spans("caller.speech")
    assert done.rules() == ["hello", "opening"]
    assert done.starts() == [10.0, pytest.approx(hello["end_ns"] / 1e9 + 4.0, abs=0.021)]
    assert opening["attributes"]["interrupted"] is False


@dataclass
class NeverGreeted(Notes):
    """Does not take what it hears for a greeting, as one who understood nothing of it."""

    urged: list[str] = field(default_factory=list)

    async def begin(self, greeting: str) -> CallerDecision:
        self.urged.append(greeting)
        # Asked after a turn it waits for more; asked again by the silence after it, or the noise, it begins.
        return CallerDecision("wait") if len(self.urged) == 1 else await super().begin(greeting)


def test_who_understood_no_greeting_says_its_opening_four_seconds_after_it() -> None:
    side = agent((0.5, GREETING))
    done = call(side, 20, policy=NeverGreeted(), text=[GREETING])

    assert done.rules()[0] == "opening"
    # The caller's ear holds speech for up to a quarter of a second after its last loud sound.
    assert 4.0 <= done.starts()[0] - end_of_speech(side) <= 4.25


def test_who_has_asked_hello_in_vain_says_its_opening_four_seconds_after_it() -> None:
    done = call(np.zeros(0, np.int16), 25, text=[])

    hello_end = done.spans("caller.speech")[0]["end_ns"] / 1e9
    assert done.rules() == ["hello", "opening"]
    assert done.starts()[1] == pytest.approx(hello_end + 4.0, abs=0.041)


def test_in_unbroken_sound_it_says_its_opening_after_fifteen_seconds() -> None:
    words = " ".join([GREETING] * 12)
    side = agent((0.5, words.replace(".", ",").replace("?", ",")))
    assert len(side) > 25 * 16_000
    done = call(side, 24, text=[""] * 20)

    assert done.rules()[0] == "opening"
    assert 15.0 <= done.starts()[0] < 18.0


def test_hello_is_said_again_only_after_the_agent_has_spoken() -> None:
    side = agent((0.5, GREETING), (18.0, ASK))
    done = call(side, 40, text=[GREETING, ASK])

    opening_end = done.spans("caller.speech")[0]["end_ns"] / 1e9
    assert done.rules() == ["opening", "hello", "asked:order_number", "hello"]
    assert done.starts()[1] == pytest.approx(opening_end + 10.0, abs=0.021)


def test_it_hangs_up_when_the_closing_is_spoken() -> None:
    side = agent((0.5, GREETING), (8.0, "You are all set. Goodbye."))
    done = call(side, 30, text=[GREETING, "You are all set. Goodbye."])

    assert done.hung_up
    assert done.rules() == ["opening", "closing"]
    end = done.spans("caller.speech")[1]["end_ns"] / 1e9
    assert 0 <= len(done.said) / 16_000 - end < 0.02
    assert [span["attributes"]["interrupted"] for span in done.spans("caller.speech")] == [False, False]


def test_it_interrupts_so_many_words_into_the_turn() -> None:
    prices = "Here is the complete list of all our plans, and I will read every single one of them to you now, slowly."
    side = agent((0.5, GREETING), (8.0, prices))
    done = call(side, 20, policy=Notes(points=(6,)))

    assert done.rules()[:2] == ["opening", "asked:order_number"]
    assert done.starts()[1] == pytest.approx(8.0 + 6 / 2.5, abs=0.2)
    assert done.events("barge_in") == [pytest.approx(done.starts()[1])]
    assert done.spans("caller.heard")[1]["attributes"]["after_words"] == 6


def test_in_real_time_it_decides_to_interrupt_on_what_it_is_told_and_hears_the_rest() -> None:
    prices = "Here is the complete list of all our plans, and I will read every single one of them to you now, slowly."
    side = agent((0.5, GREETING), (8.0, prices))
    words = [GREETING, "Here is the complete list of all"]
    done = call(side, 20, policy=Notes(points=(6,)), agent_words=words)

    assert done.starts()[1] == pytest.approx(8.0 + 6 / 2.5, abs=0.1)
    assert done.policy.heard[0] == "Here is the complete list of"
    assert all("after_words" not in span["attributes"] for span in done.spans("caller.heard"))
    assert done.spans("caller.heard")[0]["attributes"]["text"] == GREETING


def test_it_goes_on_when_the_agent_cuts_in_and_forgets_what_was_broken_off() -> None:
    cut_in = agent((0.5, GREETING), (4.0, "Goodbye."))
    side = agent((0.5, GREETING), (4.0, "Goodbye."), (8.0, ASK))
    done = call(side, end_of_speech(side) + 4, text=[GREETING, "Goodbye.", ASK])

    speech = done.spans("caller.speech")[0]
    assert speech["start_ns"] / 1e9 < 4.0 < end_of_speech(cut_in) < speech["end_ns"] / 1e9
    assert speech["attributes"]["interrupted"] is False
    assert done.rules() == ["opening", "asked:order_number"]
    assert done.policy.heard == [ASK]


def test_a_line_that_closes_cuts_the_utterance() -> None:
    side = agent((0.5, GREETING))
    cut = end_of_speech(side) + 1.5
    done = call(side, cut + 1, text=[GREETING], hang_up_after=cut)

    (speech,) = done.spans("caller.speech")
    assert speech["attributes"]["interrupted"] is True
    assert speech["end_ns"] / 1e9 == pytest.approx(cut, abs=0.021)
    assert not done.hung_up
    assert not done.said[round(cut * 16_000) + FRAME :].any()


def test_what_was_heard_last_is_recognised_at_the_end() -> None:
    side = agent((0.5, GREETING))
    done = call(side, end_of_speech(side) + 0.3)

    assert [span["attributes"]["text"] for span in done.spans("caller.heard")] == [GREETING]


def test_by_text_it_is_told_the_words_and_recognises_nothing() -> None:
    side = agent((0.5, GREETING), (8.0, ASK))
    done = call(side, end_of_speech(side) + 3, text=[GREETING, "What is the number KE-4471?"])

    assert done.policy.heard == ["What is the number KE-4471?"]
    assert {line["kind"] for line in done.exchanges} == {"tts"}
    assert done.starts()[1] - end_of_speech(side) == pytest.approx(1.0, abs=0.04)


def test_equal_calls_leave_equal_bytes() -> None:
    side = agent((0.5, GREETING))
    one, two = call(side, 6), call(side, 6)

    assert one.said.tobytes() == two.said.tobytes()
    assert (one.trace, one.exchanges) == (two.trace, two.exchanges)


def test_it_works_on_the_wall_clock() -> None:
    side = agent((0.1, "Hello."))
    done = call(side, 2.5, mode="real", text=["Hello."])

    assert done.rules() == ["opening"]


def test_it_hears_in_exactly_one_way() -> None:
    with pytest.raises(ConfigError, match="give one of them"):
        PhoneCaller(Notes(), load_voice("heart"), None, tracer=Tracer(7, int), exchanges=Exchanges(), seed=7)
