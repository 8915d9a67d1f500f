"""An agent that does anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from voicebench.config import derive_seed
from voicebench.serve.chat import Action, Called, ChatRequest, history, offered
from voicebench.serve.schemas import END_CALL, made_up

__all__ = ["ROUNDS", "RandomAgent"]

ROUNDS = 30
"""Requests that it answers; then it ends the call or, where it cannot, falls silent."""

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

        def pick(what: str, options: Sequence[Any]) -> Any:
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
