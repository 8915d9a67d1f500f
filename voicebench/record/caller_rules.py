"""The rules behind what a caller says that answer nothing: it did not understand, had no answer, or only said okay."""

from __future__ import annotations

__all__ = ["NOT_UNDERSTOOD_RULES", "UNANSWERING_RULES", "is_answer"]

UNANSWERING_RULES = frozenset({"sorry", "have_not", "wish", "acknowledge", "still_waiting", "give_up"})
"""``sorry``: it asks to hear that again. ``have_not``: it was asked for something that it does not have. ``wish``: it
says again what it wants. ``acknowledge``: "Okay." to a statement. ``still_waiting``: it was asked to hold too often.
``give_up``: it hangs up."""

NOT_UNDERSTOOD_RULES = frozenset({"sorry", "give_up"})
"""Those of a caller that says that it did not understand."""


def is_answer(rule: str) -> bool:
    """Whether a rule, as the span ``caller.speech`` names it, answers what was said; "" is a caller that waits."""
    return bool(rule) and rule not in UNANSWERING_RULES
