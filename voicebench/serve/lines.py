"""What the line reference says of its own accord; everything else comes from the pack and the task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["BEFORE", "DONE", "GOODBYE", "NOT_CAUGHT", "NOT_FOUND", "SORRY", "TO_A_PERSON", "plainest"]

NOT_CAUGHT = "I'm sorry, I did not get all of that."
NOT_FOUND = "I'm sorry, I could not find that."
DONE = "That is done. Is there anything else I can do for you?"
GOODBYE = "You're welcome. Goodbye."
SORRY = "I'm sorry, I cannot help you any further with this. Goodbye."
TO_A_PERSON = "I'm sorry, I cannot get any further with this. I am putting you through to a person now."

BEFORE: Mapping[str, str] = {
    "escalate_to_human": "I am putting you through to a person now.",
    "end_call": "Thank you for calling. Goodbye.",
}
"""Spoken with a session tool when no ``say`` step stands directly before or after it."""

_UNSPECIFIC = ("other", "unable", "unresolved", "general", "caller", "technical")


def plainest(schema: Mapping[str, Any]) -> Any:
    """Return the least specific value that a required argument of a session tool accepts."""
    if choices := schema.get("enum"):
        for word in _UNSPECIFIC:
            for choice in choices:
                if word in str(choice):
                    return choice
        return choices[0]
    kind = schema.get("type")
    if kind == "boolean":
        return False
    if kind in ("integer", "number"):
        return 0
    return "The agent could not complete the request."
