"""What an interruption or a hang-up leaves of a conversation: nothing unheard, nothing written twice."""

from __future__ import annotations

import asyncio

import pytest

from tests.agent.fakes import GREETING, Talk, hold, use
from voicebench.agent.conversation import AFTER_HANGUP_S
from voicebench.clock import current_loop, sleep

pytestmark = pytest.mark.unit

PERSON = use("escalate_to_human", reason_code="caller_request")


def begin(talk: Talk, text: str) -> asyncio.Task[None]:
    """Take a turn in the background, as the cascade does."""
    interruptions = talk.conversation.interruptions
    return asyncio.ensure_future(talk.conversation.take_turn(text, interruptions=interruptions))


def test_an_interruption_in_mid_stream_cuts_the_history_to_the_words_heard() -> None:
    async def talk(talk: Talk) -> None:
        turn = begin(talk, "Tell me all.")
        await sleep(0.5)
        talk.conversation.interrupt(3)
        await turn
        await talk.conversation.take_turn("Stop.")

    done = hold(talk, ["One two three four ", 0.4, "five ", 0.4, "six.", PERSON], ["Yes."])
    assert done.sink.text == "One two three four five Yes."
    assert done.model.abandoned == 1
    assert done.history()[2:] == [("assistant", "One two three"), ("user", "Stop."), ("assistant", "Yes.")]
    assert done.model.requests[1].messages[2] == {"role": "assistant", "content": "One two three"}


def test_an_interruption_drops_calls_that_were_half_made() -> None:
    async def talk(talk: Talk) -> None:
        turn = begin(talk, "A person.")
        await sleep(0.5)
        talk.conversation.interrupt(1)
        await turn

    done = hold(talk, ["One moment. ", PERSON, 1.0, "Yes."])
    assert done.history()[2:] == [("assistant", "One")]
    assert done.spans("tool") == []
    assert len(done.rows("escalations")) == 1


def test_an_answer_of_which_nothing_was_heard_leaves_no_message() -> None:
    async def talk(talk: Talk) -> None:
        turn = begin(talk, "Hello.")
        await sleep(0.5)
        talk.conversation.interrupt(0)
        await turn

    assert hold(talk, ["Good day", 1.0]).history() == [("assistant", GREETING), ("user", "Hello.")]


def test_an_interruption_before_the_first_token_abandons_the_request() -> None:
    async def talk(talk: Talk) -> None:
        turn = begin(talk, "Hello.")
        await sleep(0.1)
        talk.conversation.interrupt(0)
        await turn
        assert current_loop().time() == 0.1
        await talk.conversation.take_turn("I mean, good day.")

    done = hold(talk, [0.3, "Hello."], ["Good day."])
    assert done.history()[1:] == [("user", "Hello."), ("user", "I mean, good day."), ("assistant", "Good day.")]


def test_an_interruption_at_the_end_of_the_stream_cuts_what_is_not_heard_yet() -> None:
    async def talk(talk: Talk) -> None:
        talk.sink.end = interrupted_end  # type: ignore[method-assign]
        kept.append(talk)
        await talk.conversation.take_turn("Hello.")

    async def interrupted_end() -> None:
        current_loop().call_soon(kept[0].conversation.interrupt, 1)

    kept: list[Talk] = []
    done = hold(talk, ["Good day to you."])
    assert done.history()[1:] == [("user", "Hello."), ("assistant", "Good")]


def test_an_interruption_after_the_answer_cuts_what_was_said_but_not_heard() -> None:
    async def talk(talk: Talk) -> None:
        await talk.conversation.take_turn("Hello.")
        talk.conversation.interrupt(2)

    assert hold(talk, ["Good day to you."]).history()[-1] == ("assistant", "Good day")


def test_an_answer_heard_to_its_end_stays_as_it_was_written() -> None:
    async def talk(talk: Talk) -> None:
        await talk.conversation.take_turn("Hello.")
        talk.conversation.interrupt(4)

    assert hold(talk, ["Good  day \n to you."]).history()[-1] == ("assistant", "Good  day \n to you.")


def test_the_words_heard_are_counted_over_all_answers_of_the_turn() -> None:
    async def talk(talk: Talk) -> None:
        await talk.conversation.take_turn("Hello.")
        talk.conversation.interrupt(5)

    done = hold(talk, ["One two three. ", use("open_the_safe")], ["Four five six seven."])
    assert [m["content"] for m in done.conversation.messages if m["role"] == "assistant"] == [
        GREETING,
        "One two three. ",
        "Four five",
    ]


def test_an_interrupted_greeting_is_cut_too() -> None:
    async def talk(talk: Talk) -> None:
        talk.conversation.interrupt(2)
        await talk.conversation.take_turn("Hello.")

    assert hold(talk, ["Yes?"]).model.requests[0].messages[0] == {"role": "assistant", "content": "Thank you"}


def test_a_writing_tool_that_is_interrupted_writes_once_and_the_next_turn_sees_it() -> None:
    async def talk(talk: Talk) -> None:
        turn = begin(talk, "A person.")
        await sleep(0.2)
        talk.conversation.interrupt(2)
        await turn
        assert current_loop().time() == 1.0
        assert len(talk.model.requests) == 1
        await sleep(2.0)
        assert len(talk.model.requests) == 1
        await talk.conversation.take_turn("Did you do it?")

    done = hold(talk, ["One moment, please.", PERSON], ["Yes."], latency_ms=1_000)
    assert len(done.rows("escalations")) == 2
    assert len(done.spans("tool")) == 1
    _, _, cut, result, asked = done.model.requests[1].messages
    assert cut["content"] == "One moment,"
    assert [call["id"] for call in cut["tool_calls"]] == [result["tool_call_id"]] == ["call00001"]
    assert '"ok": true' in result["content"]
    assert asked == {"role": "user", "content": "Did you do it?"}
    assert done.conversation.ended == "transferred"


def test_a_turn_that_comes_while_a_tool_runs_waits_for_its_result() -> None:
    async def talk(talk: Talk) -> None:
        first = begin(talk, "A person.")
        await sleep(0.2)
        talk.conversation.interrupt(0)
        second = begin(talk, "Hello?")
        await asyncio.gather(first, second)

    done = hold(talk, [PERSON], ["Yes."], latency_ms=1_000)
    assert [request.at_s for request in done.model.requests] == [0.0, 1.0]
    assert [role for role, _ in done.history()] == ["assistant", "user", "assistant", "tool", "user", "assistant"]


def test_the_other_calls_of_an_interrupted_message_run_too() -> None:
    async def talk(talk: Talk) -> None:
        turn = begin(talk, "Both.")
        await sleep(0.2)
        talk.conversation.interrupt(0)
        await turn

    done = hold(talk, [PERSON, use("open_the_safe", "call00002")], latency_ms=1_000)
    assert [result["ok"] for result in done.results()] == [True, False]


def test_a_caller_who_goes_on_before_the_answer_begins_gets_one_answer_to_both_halves() -> None:
    async def talk(talk: Talk) -> None:
        first = begin(talk, "I want to")
        talk.conversation.interrupt(len(GREETING.split()))
        await first
        await talk.conversation.take_turn("return a camera.")

    done = hold(talk, ["Which one?"])
    assert [m["content"] for m in done.model.requests[0].messages] == [GREETING, "I want to", "return a camera."]
    assert done.conversation.turns == 2


def test_a_turn_that_was_interrupted_while_it_waited_is_not_answered() -> None:
    async def talk(talk: Talk) -> None:
        first = begin(talk, "A person.")
        await sleep(0.2)
        talk.conversation.interrupt(0)
        second = begin(talk, "Hello?")
        await sleep(0.2)
        talk.conversation.interrupt(0)
        await asyncio.gather(first, second)
        await talk.conversation.take_turn("Are you there?")

    done = hold(talk, [use("open_the_safe")], ["Yes."], latency_ms=1_000)
    assert len(done.model.requests) == 2
    assert [m["content"] for m in done.model.requests[1].messages[-2:]] == ["Hello?", "Are you there?"]


def test_an_interrupted_farewell_is_asked_for_again() -> None:
    async def talk(talk: Talk) -> None:
        turn = begin(talk, "A person.")
        await sleep(0.2)
        talk.conversation.interrupt(0)
        await turn
        assert talk.conversation.ended is None
        await talk.conversation.take_turn("Hello?")

    done = hold(talk, [PERSON], ["A person ", 1.0, "comes."], ["A person comes."])
    assert done.conversation.ended == "transferred"
    assert len(done.rows("escalations")) == 2


def test_a_hang_up_while_a_tool_runs_lets_it_write_and_asks_no_more() -> None:
    async def talk(talk: Talk) -> None:
        turn = begin(talk, "A person.")
        await sleep(0.02)
        await talk.conversation.close()
        assert current_loop().time() == 0.05
        assert turn.done()

    done = hold(talk, [PERSON], ["A person comes."])
    assert len(done.rows("escalations")) == 2
    [span] = done.spans("tool")
    assert span["attributes"]["after_hangup"] is True
    assert span["attributes"]["gen_ai.tool.call.result"]["ok"] is True
    assert len(done.model.requests) == 1


def test_a_tool_before_the_hang_up_is_not_marked() -> None:
    async def talk(talk: Talk) -> None:
        await talk.conversation.take_turn("A person.")
        await talk.conversation.close()

    [span] = hold(talk, [PERSON], ["Yes."]).spans("tool")
    assert span["attributes"]["after_hangup"] is False


def test_a_hang_up_while_the_model_streams_abandons_the_request_at_once() -> None:
    async def talk(talk: Talk) -> None:
        turn = begin(talk, "Hello.")
        await sleep(0.2)
        await talk.conversation.close()
        assert current_loop().time() == 0.2
        assert turn.done()

    done = hold(talk, ["Good ", 0.5, "day.", PERSON])
    assert (done.sink.text, done.model.abandoned, done.spans("tool")) == ("Good ", 1, [])


def test_a_turn_after_the_hang_up_does_nothing() -> None:
    async def talk(talk: Talk) -> None:
        await talk.conversation.close()
        await talk.conversation.take_turn("Hello?")

    done = hold(talk)
    assert (done.conversation.turns, done.history()) == (0, [("assistant", GREETING)])


def test_a_turn_that_waits_at_the_hang_up_does_nothing() -> None:
    async def talk(talk: Talk) -> None:
        first, second = begin(talk, "A person."), begin(talk, "Hello?")
        await sleep(0.02)
        await talk.conversation.close()
        await asyncio.gather(first, second)

    done = hold(talk, [PERSON])
    assert (done.conversation.turns, len(done.results())) == (1, 1)


def test_a_tool_that_lasts_too_long_after_the_hang_up_is_cancelled() -> None:
    async def talk(talk: Talk) -> None:
        turn = begin(talk, "A person.")
        await sleep(1.0)
        await talk.conversation.close()
        assert current_loop().time() == 1.0 + AFTER_HANGUP_S
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn

    done = hold(talk, [PERSON], latency_ms=60_000)
    assert len(done.rows("escalations")) == 1
    [event] = done.events("tool.cancelled")
    assert event["attributes"] == {"tool": "escalate_to_human", "call_id": "call00001", "agent": "reception"}
    assert done.spans("tool") == []
