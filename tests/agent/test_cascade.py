"""The cascade on a call's clock: real voices, a real recognizer, and a language model that plays a script."""

from __future__ import annotations

import numpy as np
import pytest

from tests.agent.fakes import use
from tests.agent.phone import GREETING, FakeRecognizer, Phoned, loud, phone, say, speak
from tests.jsons import lines_of
from voicebench.agent import FRAME, SAMPLE_RATE, Pcm
from voicebench.config.seeds import derive_seed
from voicebench.errors import AgentError, ProviderError

pytestmark = pytest.mark.audio

RETURN = "I want to return a camera."
LONG = (
    "Our shops are open every day of the week. The one in Cedar Hills has the largest service desk. "
    "You can bring your camera there, and somebody will look at it."
)
PERSON = use("escalate_to_human", reason_code="caller_request")


def begins(samples: Pcm) -> float:
    return loud(samples)[0]


def ends(samples: Pcm) -> float:
    return loud(samples)[-1] + 0.02


def clauses(*texts: str) -> Pcm:
    """What the agent says when these are its first clauses, each filled to whole frames."""
    sounds = [speak("joe", text, derive_seed(7, "agent.tts", n)) for n, text in enumerate(texts)]
    return np.concatenate([np.pad(sound, (0, -len(sound) % FRAME)) for sound in sounds])


def test_the_greeting_comes_first_and_costs_no_request() -> None:
    call = phone(say(), 3.0)
    expected = clauses(GREETING)
    assert np.array_equal(call.said[8 * FRAME :][: len(expected)], expected)
    assert not call.said[: 8 * FRAME].any()
    assert not call.said[8 * FRAME + len(expected) :].any()
    assert call.requests == []
    [span] = call.lines("agent.speech")
    assert (span["start_ns"], span["end_ns"]) == (160_000_000, 160_000_000 + len(expected) * 62_500)
    assert span["attributes"] == {
        "turn": 0,
        "agent": "reception",
        "intended": GREETING,
        "spoken": GREETING,
        "interrupted": False,
    }
    assert call.agent.failure is None


def test_a_turn_is_heard_once_answered_and_spoken_without_a_gap() -> None:
    call = phone(
        say((2.4, RETURN)), 9.0, ["I can help ", 0.3, "you with that camera. ", "Which order was it in, please?"]
    )
    assert call.recognizer.asked == 1
    assert call.attributes("asr")[0]["text"] == RETURN
    assert call.requests[0].messages[-1] == {"role": "user", "content": RETURN}
    expected = clauses(GREETING, "I can help you with that camera.", "Which order was it in, please?")[
        len(clauses(GREETING)) :
    ]
    start = call.lines("agent.speech")[1]["start_ns"] // 62_500
    assert np.array_equal(call.said[start:][: len(expected)], expected)
    assert call.history[-1]["content"] == "I can help you with that camera. Which order was it in, please?"


def test_equal_calls_are_equal_to_the_byte() -> None:
    def call() -> Phoned:
        return phone(say((2.4, RETURN)), 7.0, ["One moment, please. ", PERSON], ["A person takes over."])

    first, second = call(), call()
    assert np.array_equal(first.said, second.said)
    assert lines_of(first.context.tracer) == lines_of(second.context.tracer)
    assert lines_of(first.context.exchanges) == lines_of(second.context.exchanges)
    assert first.requests == second.requests


@pytest.mark.parametrize(("charge_ms", "waited_ms"), [(0, 400), (250, 400), (900, 900)])
def test_the_recognition_comes_at_the_later_of_the_turn_s_end_and_its_charge(charge_ms: int, waited_ms: int) -> None:
    caller = say((2.4, RETURN))
    call = phone(caller, 6.0, [], asr=f"fixed:{charge_ms}")
    [turn_end] = call.lines("turn.end")
    vad_stop_ns = turn_end["attributes"]["vad_stop_ns"]
    assert vad_stop_ns / 1e9 == pytest.approx(ends(caller) + 0.2, abs=0.12)
    assert turn_end["end_ns"] == vad_stop_ns + 400_000_000
    assert call.requests[0].at_s * 1e9 == pytest.approx(vad_stop_ns + waited_ms * 1e6)
    [asr] = call.lines("asr")
    assert (asr["start_ns"], asr["end_ns"]) == (vad_stop_ns, vad_stop_ns + waited_ms * 1_000_000)


def pause(seconds: float) -> Pcm:
    """Two halves of a sentence with a pause of some seconds between them."""
    first, second = speak("heart", "I want to return"), speak("heart", "a camera.")
    first, second = first[: round(ends(first) * SAMPLE_RATE)], second[round(begins(second) * SAMPLE_RATE) :]
    return np.concatenate([first, np.zeros(round(seconds * SAMPLE_RATE), np.int16), second])


@pytest.mark.parametrize("seconds", [0.3, 0.45])
def test_a_pause_under_the_turn_end_does_not_split_the_turn(seconds: float) -> None:
    call = phone(say((2.4, pause(seconds))), 7.0, [])
    assert call.recognizer.asked == len(call.requests) == 1
    assert "return" in call.requests[0].messages[-1]["content"]
    assert "camera" in call.requests[0].messages[-1]["content"]


def test_a_longer_pause_splits_the_turn() -> None:
    assert len(phone(say((2.4, pause(1.6))), 8.0, [], []).requests) == 2


def test_a_turn_that_never_ends_is_cut() -> None:
    sentence = speak("heart", "I bought a camera a washing machine a radio and a lamp and none of them arrived")
    sound = sentence[round(begins(sentence) * SAMPLE_RATE) : round(ends(sentence) * SAMPLE_RATE)]
    call = phone(say((1.0, np.tile(sound, 2))), 6.0, ["Pardon?"], [], [], max_turn_s=2.0, asr="fixed:300")
    [event] = call.lines("vad.forced")[:1]
    assert event["time_ns"] / 1e9 == pytest.approx(1.0 + 0.1 + 2.0, abs=0.15)
    assert call.requests[0].at_s < 1.0 + len(sound) / SAMPLE_RATE * 2
    assert call.requests[0].at_s == pytest.approx(event["time_ns"] / 1e9 + 0.48, abs=0.03)


def test_a_barge_in_stops_the_agent_within_300_ms_and_the_history_holds_what_was_heard() -> None:
    caller = say((2.4, "Where are you?"), (8.0, "Stop, please, I have another question."))
    call = phone(caller, 12.5, [LONG], ["Yes?"])
    onset = begins(caller[7 * SAMPLE_RATE :]) + 7
    last = max(t for t in loud(call.said) if t < 10.0) + 0.02
    assert onset < last <= onset + 0.3
    spoken = call.lines("agent.speech")[1]
    assert spoken["attributes"]["interrupted"] is True
    assert spoken["attributes"]["intended"] == LONG
    assert spoken["end_ns"] / 1e9 <= onset + 0.3
    heard = call.requests[1].messages[2]["content"]
    assert LONG.startswith(heard)
    share = (spoken["end_ns"] - spoken["start_ns"]) / 1e9 / (len(clauses(*LONG.split(". "))) / SAMPLE_RATE)
    assert len(heard.split()) == pytest.approx(len(LONG.split()) * share, abs=3)
    assert call.requests[1].messages[-1]["content"].startswith("Stop")
    assert call.lines("agent.speech")[2]["attributes"]["spoken"] == "Yes?"


def test_an_interrupted_greeting_is_cut_in_the_history() -> None:
    call = phone(say((0.8, RETURN)), 5.0, ["Yes?"])
    heard = call.requests[0].messages[0]["content"]
    assert heard != GREETING
    assert GREETING.startswith(heard)
    assert call.attributes("agent.speech")[0]["interrupted"] is True


def test_a_barge_in_while_the_voice_works_leaves_nothing_of_the_answer() -> None:
    caller = say((2.4, RETURN), (5.5, "Hello, are you there?"))
    call = phone(caller, 11.5, ["Let me see what I can do about it."], ["I am here."], tts="fixed:1500")
    assert [span["spoken"] for span in call.attributes("agent.speech")] == [GREETING, "I am here."]
    assert [message["role"] for message in call.requests[1].messages] == ["assistant", "user", "user"]


def test_a_clause_that_was_heard_is_traced_though_the_next_was_never_made() -> None:
    answer = "Let me see what I can do. "
    caller = say((2.4, RETURN), (8.2, "Hello, are you there?"))
    call = phone(caller, 10.0, [answer, "It may well take a little while.", 5.0], tts="fixed:100")
    [_, spoken] = call.attributes("agent.speech")
    assert (spoken["spoken"], spoken["interrupted"]) == (answer.strip(), True)
    assert call.history[2]["content"] == answer.strip()


def test_an_interruption_that_says_nothing_leaves_the_agent_able_to_answer() -> None:
    caller = say((2.4, "Where are you?"), (6.5, "Mhm."), (8.5, RETURN))
    call = phone(caller, 12.5, [LONG], ["Yes?"], recognizer=FakeRecognizer(["Where are you?", ""]))
    assert call.recognizer.asked == 3
    assert len(call.requests) == 2
    assert call.requests[1].messages[-1]["content"] == RETURN
    assert call.attributes("agent.speech")[-1]["spoken"] == "Yes?"


def test_a_caller_who_goes_on_while_a_slow_recognizer_works_gets_one_answer_to_all() -> None:
    caller = say((2.4, RETURN), (5.2, "And a lamp."))
    call = phone(caller, 12.0, ["Yes?"], asr="fixed:2500")
    assert call.recognizer.asked == 2
    [request] = call.requests
    assert request.messages[-1]["content"].lower() == f"{RETURN} And a lamp.".lower()


def test_a_caller_who_goes_on_while_the_model_thinks_interrupts_it() -> None:
    caller = say((2.4, RETURN), (5.3, "And a lamp."))
    call = phone(caller, 9.5, [2.5, "Which one?"], ["Yes?"])
    assert call.model.abandoned == 1
    assert [m["content"].lower() for m in call.requests[1].messages[1:]] == [RETURN.lower(), "and a lamp."]
    assert call.attributes("agent.speech")[-1]["spoken"] == "Yes?"


def test_a_hang_up_while_the_recognizer_works_flushes_the_turn_and_asks_nothing() -> None:
    call = phone(say((2.4, RETURN)), 5.0, asr="fixed:3000")
    assert [span["text"] for span in call.attributes("asr")] == [RETURN]
    assert call.requests == []


def test_a_hang_up_in_the_middle_of_a_turn_flushes_what_was_said() -> None:
    call = phone(say((2.4, RETURN)), 4.2, asr="fixed:3000")
    assert [span["text"] for span in call.attributes("asr")] == [RETURN]
    assert call.requests == []


def test_a_hang_up_in_mid_speech_ends_it_there() -> None:
    call = phone(say((2.4, "Where are you?")), 6.5, [LONG])
    span = call.lines("agent.speech")[-1]
    assert (span["end_ns"], span["attributes"]["interrupted"]) == (6_500_000_000, True)


def test_a_hang_up_while_a_long_tool_runs_waits_for_it_and_is_no_failure() -> None:
    call = phone(say((2.4, "Where are you?")), 6.5, [LONG, PERSON], latency_ms=10_500)
    assert [span["after_hangup"] for span in call.attributes("tool")] == [True]
    assert len(call.rows("escalations")) == 2
    assert call.agent.failure is None


def test_a_farewell_is_heard_to_its_end() -> None:
    call = phone(say((2.4, "That is all.")), 8.0, ["Thank you for calling. Goodbye.", use("end_call", reason="done")])
    assert call.agent.end_reason == "agent_ended"
    span = call.lines("agent.speech")[-1]
    assert (span["attributes"]["spoken"], span["attributes"]["interrupted"]) == (
        "Thank you for calling. Goodbye.",
        False,
    )
    assert call.finished_s is not None
    assert call.finished_s == pytest.approx(span["end_ns"] / 1e9, abs=0.021)
    assert len(call.requests) == 1


def test_an_interruption_cuts_the_farewell_but_the_call_still_ends() -> None:
    caller = say((2.4, "That is all."), (5.6, "Wait, one more thing."))
    call = phone(caller, 9.0, [LONG, use("end_call", reason="done")])
    assert call.attributes("agent.speech")[-1]["interrupted"] is True
    assert call.finished_s is not None
    assert call.finished_s == pytest.approx(call.lines("agent.speech")[-1]["end_ns"] / 1e9, abs=0.041)
    assert len(call.requests) == 1


@pytest.mark.parametrize("failure", [ProviderError("outage", status=503), AgentError("a bug")])
def test_a_failure_of_the_model_or_a_tool_is_kept(failure: Exception) -> None:
    call = phone(say((2.4, RETURN)), 5.5, ["Well", failure])
    assert call.agent.failure is failure
    [event] = call.attributes("error")
    assert event["kind"] == type(failure).__name__
    assert event.get("status") == getattr(failure, "status", None)


def test_a_recognizer_that_fails_is_a_failure_of_the_harness_and_no_silence() -> None:
    call = phone(say((2.4, RETURN)), 5.5, recognizer=FakeRecognizer([RuntimeError("out of memory")]))
    assert isinstance(call.agent.failure, AgentError)
    assert "RuntimeError: out of memory" in str(call.agent.failure)


def test_a_voice_that_fails_is_a_failure_of_the_harness_and_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> Pcm:
        raise RuntimeError("out of memory")

    monkeypatch.setattr("tests.agent.phone.Joe.synthesize", fail)
    assert isinstance(phone(say(), 1.0).agent.failure, AgentError)
