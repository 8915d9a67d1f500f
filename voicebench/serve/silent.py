"""An agent that never says or does anything."""

from __future__ import annotations

from voicebench.serve.chat import Action, ChatRequest

__all__ = ["Silent"]


class Silent:
    """Answers every request with nothing."""

    def reply(self, request: ChatRequest) -> Action:
        """Return the empty answer."""
        return Action()
