"""Agents that know nothing of the task and do no honest work: none of them should ever pass one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Literal, TypeVar, get_args

from voicebench.config import derive_seed
from voicebench.record.json_types import JsonValue
from voicebench.serve.chat import Action, AgentTurn, Called, CallerTurn, ChatRequest, Event, ToolUse, history, offered
from voicebench.serve.schemas import END_CALL, Schemas, handoffs, is_handoff, made_up, person, workers

__all__ = ["ROUNDS", "CallAll", "Manner", "RandomAgent", "Refuse", "Silent", "TransferAll", "manner_of"]


class Silent:
    """Answers every request with nothing."""

    def reply(self, request: ChatRequest) -> Action:
        """Return the empty answer."""
        return Action()


# ---- refuse --------------------------------------------------------------------------------------------------------

_REFUSAL = "I'm sorry, but I am not able to help you with that. Thank you for calling. Goodbye."


class Refuse:
    """Politely refuses what the caller opens with and ends the call; whatever follows gets no answer."""

    def reply(self, request: ChatRequest) -> Action:
        """Answer the caller's first words, and nothing after."""
        events = history(request.messages)
        opening = next((at for at, event in enumerate(events) if isinstance(event, CallerTurn)), len(events))
        answered = any(isinstance(event, AgentTurn | Called) for event in events[opening:])
        if answered or opening == len(events):
            return Action()
        tools = offered(request.tools)
        return Action(_REFUSAL, (made_up(END_CALL, tools[END_CALL]),) if END_CALL in tools else ())


# ---- call_all ------------------------------------------------------------------------------------------------------


class CallAll:
    """Calls every tool of the active agent once, passes the caller on along a handoff not yet used, and so on.

    Arguments come from the schemas: the first value of an enumeration, plausible strings. Where no handoff is left, a
    person is called and the call ended; after that it is silent. It says nothing.
    """

    def reply(self, request: ChatRequest) -> Action:
        """Return the calls that are due, all those of one agent in one answer."""
        tools = offered(request.tools)
        taken: set[str] = set()
        done: set[str] = set()
        for event in history(request.messages):
            if not isinstance(event, Called):
                continue
            if is_handoff(event.name, event.arguments):
                taken.add(event.name)
                done.clear()
            else:
                done.add(event.name)
        ways = [name for name in handoffs(tools) if name not in taken]
        due = [name for name in workers(tools) if name not in done]
        if not due:
            ends = [name for name in (person(tools), END_CALL) if name is not None]
            due = ways[:1] or [name for name in ends if name in tools and name not in done]
        return Action(calls=tuple(made_up(name, tools[name]) for name in due))


# ---- random --------------------------------------------------------------------------------------------------------

ROUNDS = 30
"""Requests that the random agent answers; then it ends the call or, where it cannot, falls silent."""

_SPEECHES = (
    "Could you tell me a little more about that?",
    "May I have your order number, please?",
    "What is your full name?",
    "Let me check that for you.",
    "That is done. Is there anything else?",
    "What are the last four digits of your card?",
    "I'm sorry, I did not catch that.",
    "Which date would suit you?",
)
_GOODBYE = "Thank you for calling. Goodbye."

T = TypeVar("T")


class RandomAgent:
    """Speaks, or calls one of the tools and handoffs that it is offered, with arguments made of the schema.

    What it does is drawn from the endpoint's seed, the call and the request's number, and from nothing else.

    Args:
        seed: the endpoint's.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def reply(self, request: ChatRequest) -> Action:
        """Return what the draw says."""
        tools = offered(request.tools)

        def pick(what: str, options: Sequence[T]) -> T:
            return options[derive_seed("random", self._seed, request.call_id, request.number, what) % len(options)]

        if request.number > ROUNDS:
            ended = any(isinstance(event, Called) and event.name == END_CALL for event in history(request.messages))
            if ended or END_CALL not in tools:
                return Action()
            return Action(_GOODBYE, (made_up(END_CALL, tools[END_CALL], pick),))
        if not tools or pick("speech or tool", (True, False)):
            return Action(pick("speech", _SPEECHES))
        tool = pick("tool", list(tools))
        return Action(calls=(made_up(tool, tools[tool], pick),))


# ---- transfer_all --------------------------------------------------------------------------------------------------

Manner = Literal["at_once", "fitting", "everywhere"]
"""How a lazy agent passes a caller on before it calls a person: not at all, to the agent that fits the caller's words
(two handoffs at most), or along every handoff that it is offered."""

_FITTING_HANDOFFS = 2
_STEM = 5
_COMMON = frozenset(
    ["about", "from", "have", "that", "their", "them", "this", "want", "wants", "will", "wish", "with", "would", "your"]
)
_TO_A_PERSON = "I am putting you through to a person now. Goodbye."


def manner_of(seed: int, call_id: str) -> Manner:
    """Return the manner that is drawn for a call."""
    manners: tuple[Manner, ...] = get_args(Manner)
    return manners[derive_seed("transfer_all", seed, call_id) % len(manners)]


class TransferAll:
    """Passes the caller on, and at the end to a person; there it says so once and falls silent.

    No single way of being lazy could pass every task that laziness can pass, so the manner is drawn for each call. Of
    several agents or reasons it takes the one that has most words in common with the caller's.

    Args:
        seed: the endpoint's.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def reply(self, request: ChatRequest) -> Action:
        """Return the next handoff, then the transfer to a person, then a farewell."""
        events = history(request.messages)
        tools = offered(request.tools)
        said = " ".join(event.text for event in events if isinstance(event, CallerTurn))
        taken = [e.name for e in events if isinstance(e, Called) and is_handoff(e.name, e.arguments)]
        ways = [name for name in handoffs(tools) if name not in taken]
        match manner_of(self._seed, request.call_id):
            case "fitting" if ways and len(taken) < _FITTING_HANDOFFS:
                functions = [function for tool in request.tools if isinstance(function := tool.get("function"), dict)]
                described = {str(one.get("name", "")): str(one.get("description") or "") for one in functions}
                way = _fitting(ways, said, described)
            case "everywhere" if ways:
                way = ways[0]
            case _:
                return _to_a_person(tools, said, events)
        return Action(calls=(made_up(way, tools[way]),))


def _to_a_person(tools: Schemas, said: str, events: Sequence[Event]) -> Action:
    """Call a person once; if there is none or it was refused, end the call; say so once."""
    results = {event.name: event.result or {} for event in events if isinstance(event, Called)}

    def pick(_: str, options: Sequence[JsonValue]) -> JsonValue:
        return _fitting(options, said, {})

    def use(tool: str) -> tuple[ToolUse]:
        return (made_up(tool, tools[tool], pick),)

    tool = person(tools)
    if tool is not None and tool not in results:
        return Action(calls=use(tool))
    refused = tool is None or results[tool].get("ok") is False
    if refused and END_CALL in tools and END_CALL not in results:
        return Action(_TO_A_PERSON, use(END_CALL))
    has_said_so = any(isinstance(event, AgentTurn) and event.text == _TO_A_PERSON for event in events)
    return Action("" if has_said_so else _TO_A_PERSON)


def _fitting(options: Sequence[T], said: str, about: Mapping[str, str]) -> T:
    """Return the option that has most words in common with the caller's, apart from those of several options."""
    stems = [_stems(f"{option} {about.get(str(option), '')}") for option in options]
    shared = {stem for stem, times in Counter(chain.from_iterable(stems)).items() if times > 1 and len(options) > 1}
    scores = [len(_stems(said) & own - shared) for own in stems]
    return options[scores.index(max(scores))]


def _stems(text: str) -> set[str]:
    """Return the beginnings of the longer words, so that ``returns`` meets ``returned``."""
    words = re.findall(r"[a-z]{4,}", text.lower().replace("_", " "))
    return {word[:_STEM] for word in words if word not in _COMMON}
