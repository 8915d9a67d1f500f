"""An agent that helps nobody, politely."""

from __future__ import annotations

from voicebench.serve.chat import Action, Called, ChatRequest, Heard, Said, history, offered
from voicebench.serve.schemas import END_CALL, made_up

__all__ = ["Refuse"]

_WORDS = "I'm sorry, but I am not able to help you with that. Thank you for calling. Goodbye."


class Refuse:
    """Refuses what the caller opens with and ends the call; whatever follows gets no answer."""

    def reply(self, request: ChatRequest) -> Action:
        """Answer the caller's first words, and nothing after."""
        events = history(request.messages)
        opening = next((at for at, event in enumerate(events) if isinstance(event, Heard)), len(events))
        answered = any(isinstance(event, Said | Called) for event in events[opening:])
        if answered or opening == len(events):
            return Action()
        tools = offered(request.tools)
        return Action(_WORDS, (made_up(END_CALL, tools[END_CALL]),) if END_CALL in tools else ())
