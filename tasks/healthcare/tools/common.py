"""What several tools need: whose chart is open, for whom, what they may do there, and what was refused."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import wraps
from typing import Any, Literal

from voicebench.packs import Desk, Result, refuse

Area = Literal["overview", "appointments", "billing", "coverage", "clinical", "patient_only"]

SCOPES: dict[str, frozenset[str]] = {
    "self": frozenset({"overview", "appointments", "billing", "coverage", "clinical", "patient_only"}),
    "full": frozenset({"overview", "appointments", "billing", "coverage", "clinical"}),
    "teenager": frozenset({"overview", "appointments", "billing", "coverage"}),
    "billing": frozenset({"overview", "billing", "coverage"}),
    "appointments": frozenset({"overview", "appointments"}),
}
"""What each permission opens; ``teenager`` is what a parent keeps of ``full`` once the child is thirteen."""

OFFICES = {"quarry_street": "Quarry Street", "elm_hollow": "Elm Hollow", "lakeside": "Lakeside"}


def opened(area: Area) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Refuse a tool while no chart is open, or where the caller's permission does not reach; remember refusals."""

    def decorate(function: Callable[..., Result]) -> Callable[..., Result]:
        @wraps(function)
        def guarded(desk: Desk, *args: Any, **kwargs: Any) -> Result:
            if not patient(desk):
                return refuse("CHART_CLOSED", "Before I can talk about anybody's care, I have to know who is calling.")
            result = function(desk, *args, **kwargs) if area in SCOPES[desk.state("scope")] else _outside()
            if result.error_code:
                desk.set_state(f"refused:{result.error_code}", True)
            return result

        return guarded

    return decorate


def _outside() -> Result:
    return refuse("OUTSIDE_PERMISSION", "I can't discuss that with you, what we have on file doesn't cover it.")


def patient(desk: Desk) -> str | None:
    """The patient whose chart is open, or None."""
    found = desk.state("patient")
    return None if found is None else str(found)


def acting(desk: Desk) -> str:
    """For whom the chart is open: ``self``, or a representative's id."""
    return str(desk.state("acting", "self"))


def open_chart(desk: Desk, patient_id: str, *, acting: str, scope: str) -> None:
    """Open a chart for the rest of the call."""
    desk.set_state("patient", patient_id)
    desk.set_state("acting", acting)
    desk.set_state("scope", scope)


def age(desk: Desk, date_of_birth: str) -> int:
    """Whole years on the pack's day."""
    born = dt.date.fromisoformat(date_of_birth)
    return desk.today.year - born.year - ((desk.today.month, desk.today.day) < (born.month, born.day))


def iso_day(text: str) -> dt.date | None:
    """A calendar date from its ISO form, or None."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None


def told_wrongly(amount: float, told: float | None, what: str) -> Result | None:
    """The refusal of an amount that was not said or not right, or None; nothing need not be said."""
    if amount > 0 and told is None:
        return refuse("AMOUNT_NOT_TOLD", f"Before I do that, I have to tell you {what}.")
    if told is not None and abs(told - amount) > 0.004:
        return refuse("AMOUNT_WRONG", f"I gave you a wrong amount. Let me correct {what} first.")
    return None
