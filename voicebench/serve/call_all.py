"""An agent that calls whatever it can."""

from __future__ import annotations

from voicebench.serve.chat import Action, Called, ChatRequest, history, offered
from voicebench.serve.schemas import END_CALL, handoffs, is_handoff, made_up, person, workers

__all__ = ["CallAll"]


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
            due = ways[:1] or [name for name in (person(tools), END_CALL) if name in tools and name not in done]
        return Action(calls=tuple(made_up(name, tools[name]) for name in due if name is not None))
