"""An agent that does nothing itself: it passes the caller on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Literal, get_args

from voicebench.config import derive_seed
from voicebench.serve.chat import Action, Called, ChatRequest, Event, Heard, Said, ToolUse, history, offered
from voicebench.serve.schemas import END_CALL, Schemas, handoffs, is_handoff, made_up, person

__all__ = ["Manner", "TransferAll", "manner_of"]

Manner = Literal["at_once", "fitting", "everywhere"]
"""How a lazy agent passes a caller on before it calls a person: not at all, to the desk that fits the caller's words
(two hops at most), or along every handoff that it is offered."""

_FITTING_HOPS = 2
_STEM = 5
_COMMON = frozenset(
    ["about", "from", "have", "that", "their", "them", "this", "want", "wants", "will", "wish", "with", "would", "your"]
)
_WORDS = "I am putting you through to a person now. Goodbye."


def manner_of(seed: int, call_id: str) -> Manner:
    """Return the manner that is drawn for a call."""
    manners: tuple[Manner, ...] = get_args(Manner)
    return manners[derive_seed("transfer_all", seed, call_id) % len(manners)]


class TransferAll:
    """Passes the caller on, and at the end to a person; there it says so once and falls silent.

    No single way of being lazy could pass every task that laziness can pass, so the manner is drawn for each call. It
    reads what it is given: of several desks or reasons it takes the one that has most words in common with the caller.

    Args:
        seed: the endpoint's.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def reply(self, request: ChatRequest) -> Action:
        """Return the next handoff, then the transfer to a person, then a farewell."""
        events = history(request.messages)
        tools = offered(request.tools)
        said = " ".join(event.text for event in events if isinstance(event, Heard))
        taken = [e.name for e in events if isinstance(e, Called) and is_handoff(e.name, e.arguments)]
        ways = [name for name in handoffs(tools) if name not in taken]
        match manner_of(self._seed, request.call_id):
            case "fitting" if ways and len(taken) < _FITTING_HOPS:
                way = _fitting(ways, said, _descriptions(request.tools))
            case "everywhere" if ways:
                way = ways[0]
            case _:
                return _to_a_person(tools, said, events)
        return Action(calls=(made_up(way, tools[way]),))


def _to_a_person(tools: Schemas, said: str, events: Sequence[Event]) -> Action:
    """Call a person once; if there is none or it was refused, end the call; say so once."""
    results = {event.name: event.result or {} for event in events if isinstance(event, Called)}

    def use(tool: str) -> tuple[ToolUse]:
        return (made_up(tool, tools[tool], lambda _, options: _fitting(options, said, {})),)

    tool = person(tools)
    if tool is not None and tool not in results:
        return Action(calls=use(tool))
    refused = tool is None or results[tool].get("ok") is False
    if refused and END_CALL in tools and END_CALL not in results:
        return Action(_WORDS, use(END_CALL))
    told = any(isinstance(event, Said) and event.text == _WORDS for event in events)
    return Action("" if told else _WORDS)


def _descriptions(tools: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    functions = [tool.get("function") or {} for tool in tools]
    return {function.get("name", ""): function.get("description") or "" for function in functions}


def _fitting(options: Sequence[Any], said: str, about: Mapping[str, str]) -> Any:
    """Return the option that has most words in common with the caller's, apart from those of several options."""
    stems = [_stems(f"{option} {about.get(str(option), '')}") for option in options]
    shared = {stem for stem, times in Counter(chain.from_iterable(stems)).items() if times > 1 and len(options) > 1}
    scores = [len(_stems(said) & own - shared) for own in stems]
    return options[scores.index(max(scores))]


def _stems(text: str) -> set[str]:
    """Return the beginnings of the longer words, so that ``returns`` meets ``returned``."""
    words = re.findall(r"[a-z]{4,}", text.lower().replace("_", " "))
    return {word[:_STEM] for word in words if word not in _COMMON}
