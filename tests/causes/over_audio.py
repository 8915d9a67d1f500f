"""What is put into calls over the telephone: words that are lost, words that are heard as others, and all the rest."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from tests.causes.calls import Change, Injection, Swap, instead_of, with_argument
from tests.causes.injections import MOVED, Expected, Misspeaks, called, expecting_another_day
from tests.hard.calls import Held
from voicebench.serve.chat import Action, ChatRequest, ToolUse
from voicebench.serve.reference import NOT_CAUGHT

__all__ = ["CHEAP", "IN_CI", "OVER_AUDIO", "RARER_AUDIO"]

_CALLER, _AGENT = "caller_to_agent", "agent_to_caller"
_FOR_GOOD_S = 300.0

Lost = Callable[[Held], list[tuple[str, float, float]]]


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _heard(digits: str, instead: str, *, only: int | None = None) -> Swap:
    """An ear that hears something else where it should hear some digits, or only in one recognition."""
    return lambda text, number: instead if digits in _digits(text) and only in (None, number) else text


def _hears_a_friday(text: str, _: int) -> str:
    return "Friday, August 7th." if "August" in text else text


def _hears_another_wish(text: str, number: int) -> str:
    return "When are you open on Sunday?" if number == 0 else text


def _tells_the_hours(request: ChatRequest, action: Action) -> Action:
    """An agent that does what it hears: asked for the hours, it tells them."""
    asked = any("open on Sunday" in str(message.get("content")) for message in request.messages)
    return (
        Action("We are open from ten to six. Goodbye.", (ToolUse("end_call", {"reason": "done"}),)) if asked else action
    )


def _guesses(_: ChatRequest, action: Action) -> Action:
    """An agent that does not ask for the day again when it has not caught it."""
    day = {"order_number": "KE-4502316", "date": "2026-08-07"}
    unheard = NOT_CAUGHT in action.say and "Which day" in action.say
    return Action(calls=(ToolUse("change_delivery_date", day),)) if unheard else action


def _stops_the_recording(*, after: str) -> Change:
    """An agent that does something of its own accord once it has called a tool."""

    def change(request: ChatRequest, action: Action) -> Action:
        done = called(request)
        due = after in done and "stop_recording" not in done
        return Action(calls=(ToolUse("stop_recording"),)) if due else action

    return change


def _hears_nothing_of_the_day(text: str, _: int) -> str:
    return "" if "August" in text else text


def _hears_the_end(text: str, _: int) -> str:
    return MOVED if "postal code" in text else text


def _saying(held: Held, fact: str) -> tuple[float, float]:
    [first, *_] = [one for one in held.call["fact_mentions"] if one["fact"] == fact and one["speaker"] == "caller"]
    return first["start_s"], first["end_s"]


def _from_the(fact: str, *, part: float = 0.0) -> Lost:
    """Nothing of the caller arrives any more, from a part of the turn in which it says a fact."""

    def lost(held: Held) -> list[tuple[str, float, float]]:
        begin, end = _saying(held, fact)
        return [(_CALLER, begin + part * (end - begin), _FOR_GOOD_S)]

    return lost


def _half_of_the_day(held: Held) -> list[tuple[str, float, float]]:
    begin, end = _saying(held, "delivery_date")
    return [(_CALLER, begin + 0.4 * (end - begin), end)]


def _opening(held: Held) -> list[tuple[str, float, float]]:
    first = next(turn for turn in held.call["transcript"] if turn["speaker"] == "caller")
    return [(_CALLER, first["start_s"] + 1.0, first["start_s"] + 1.4)]


def _last_words_of_the_agent(held: Held) -> list[tuple[str, float, float]]:
    last = [turn for turn in held.call["transcript"] if turn["speaker"] == "agent"][-1]
    return [(_AGENT, last["start_s"] - 0.1, _FOR_GOOD_S)]


def _two_of_three(held: Held) -> list[tuple[str, float, float]]:
    """Never three packets in a row, which would be a burst."""
    return [(_CALLER, 0.06 * number + 0.001, 0.06 * number + 0.041) for number in range(2_000)]


def _audio(**what: object) -> Injection:
    return Injection(text=False, **what)  # type: ignore[arg-type]


IN_CI = {
    "the day is heard as another": Expected(
        _audio(agent_ear=_hears_a_friday), "asr", "the line was intact, and 2026-08-07 was heard"
    ),
    "the card is heard as another, each time": Expected(
        _audio(agent_ear=_heard("7351", "60614 7350")), "asr", "the line was intact, and 7350 was heard"
    ),
    "the day is heard as another, and a burst falls on other words": Expected(
        _audio(agent_ear=_hears_a_friday, lost=_opening),
        "asr",
        "the line was intact, and 2026-08-07 was heard",
    ),
    "a burst falls on the day, and the agent guesses": Expected(
        _audio(lost=_half_of_the_day, habit=_guesses), "line", "fell on these words"
    ),
    "the line dies on the order number": Expected(
        _audio(lost=_from_the("order_number", part=0.3)), "line", "lost packets"
    ),
    "the line dies on the day": Expected(_audio(lost=_from_the("delivery_date")), "line", "lost packets"),
    "the line dies on the agent's last words": Expected(
        _audio(told=False, lost=_last_words_of_the_agent), "line", "The agent said"
    ),
    "the order is misheard once and then right, and the agent says what is not true": Expected(
        _audio(
            agent_ear=_heard("4502316", "Dana Whitfield, KE-4502317.", only=1),
            model=instead_of("change_delivery_date", Action(MOVED)),
        ),
        "model",
        "before it was true",
    ),
    "another day than the one it heard": Expected(
        _audio(model=with_argument("change_delivery_date", "date", "2026-08-07")),
        "model",
        "heard delivery_date 2026-08-06 right",
    ),
    "a server that is down": Expected(_audio(fault=("503", 3)), "harness", "answered 503"),
}
"""Ten calls that are made in CI."""

OVER_AUDIO = {
    **IN_CI,
    "the order is heard as another, each time": Expected(
        _audio(agent_ear=_heard("4502316", "Dana Whitfield, KE-4502317.")),
        "asr",
        "the line was intact, and KE4502317 was heard",
    ),
    "the caller hears the end of the call in a question": Expected(
        _audio(told=False, caller_ear=_hears_the_end), "caller", "the simulated caller heard"
    ),
    "the day is not heard at all": Expected(
        _audio(agent_ear=_hears_nothing_of_the_day), "asr", "and nothing was heard"
    ),
    "the wish is heard as another": Expected(
        _audio(agent_ear=_hears_another_wish, habit=_tells_the_hours), "asr", "“When are you open on Sunday?” was heard"
    ),
    "the caller gives another day": Expected(_audio(caller=Misspeaks), "caller", "broke its script: "),
    "rows that expect another day": Expected(_audio(case=expecting_another_day), "task", "the rows left are not"),
    "the day is heard as another, and then the agent does too much": Expected(
        _audio(agent_ear=_hears_a_friday, model=_stops_the_recording(after="change_delivery_date")),
        "asr",
        "2026-08-07 was heard",
    ),
    "the agent does too much, and then the day is heard as another": Expected(
        _audio(agent_ear=_hears_a_friday, model=_stops_the_recording(after="identify_customer")),
        "model",
        "called stop_recording",
    ),
}
"""All calls over the telephone."""


def _line(leg: str, what: str) -> Injection:
    """A call over a bad line, whose caller listens as well."""
    return _audio(told=False, overrides=(f"line.{leg}.{what}",))


CHEAP = {
    "a voice activity detector that is deaf": Expected(_audio(deaf=True), "harness", "never took it for speech"),
    "a model whose first token comes after 25 seconds": Expected(
        _audio(overrides=("clock.charges.llm=fixed:25000/20",)), "model", "25 s later"
    ),
}
"""Two more that end soon."""

RARER_AUDIO = {
    **CHEAP,
    "babble at 6 dB lies on the caller": Expected(
        _line(_CALLER, "noise={kind: babble, snr_db: 6}"), "line", "noise at a signal-to-noise ratio of 6 dB"
    ),
    "babble as loud as the caller": Expected(
        _line(_CALLER, "noise={kind: babble, snr_db: 0}"), "line", "noise at a signal-to-noise ratio of 0 dB"
    ),
    "babble as loud as the agent": Expected(
        _line(_AGENT, "noise={kind: babble, snr_db: 0}"), "line", "noise at a signal-to-noise ratio of 0 dB"
    ),
    "babble as loud as the agent, in which the caller never finds a pause": Expected(
        replace(_line(_AGENT, "noise={kind: babble, snr_db: 0}"), task="T2-H3"),
        "line",
        "noise at a signal-to-noise ratio of 0 dB lay on it",
    ),
    "two packets of three are lost": Expected(_audio(told=False, lost=_two_of_three), "line", "% of the packets of"),
    "the caller is overdriven": Expected(_line(_CALLER, "clip_dbov=-50"), "line", "overdriven"),
}
"""Calls over lines and with ears that are bad all the time."""
