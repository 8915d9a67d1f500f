"""What the line reference takes from the caller's words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from voicebench.language.extract import extract, extract_all
from voicebench.language.slots import FactSpec
from voicebench.packs.reference_task import ReferenceTask

__all__ = ["FactListener"]

_PHONE = FactSpec(type="phone", question="")


class FactListener:
    """Finds values of a task's facts in the caller's words.

    A fact that its form distinguishes from others (an id with a format, a phone number) is taken whenever it is said,
    every other only in an answer to its question, unless no step asks for it. Nothing is corrected.
    """

    def __init__(self, task: ReferenceTask) -> None:
        self._facts = task.facts
        self._today = task.today
        asked = {name for step in task.steps for name in step.ask}
        kinds = Counter(_kind(spec) for spec in self._facts.values())
        self._volunteered = [
            name
            for name, spec in self._facts.items()
            if name not in asked or (_distinct(spec) and kinds[_kind(spec)] == 1)
        ]

    def distinct(self, name: str) -> bool:
        """Whether the form of this fact alone distinguishes its values from other words."""
        return _distinct(self._facts[name])

    def values(self, text: str, asked: Sequence[str]) -> dict[str, str]:
        """Return the values found in one utterance.

        Args:
            text: what the recognizer wrote.
            asked: the facts that the agent has just asked for; where their formats leave it open, in this order.
        """
        found = extract_all({name: self._facts[name] for name in asked}, text, today=self._today)
        for name in self._volunteered:
            if name not in found:
                found[name] = extract(self._facts[name], text, today=self._today)
        numbers = {_squash(value) for name in found if self.distinct(name) for value in found[name]}
        numbers |= {_squash(value) for value in extract(_PHONE, text)}
        values: dict[str, str] = {}
        taken: set[tuple[str, str | None, str]] = set()
        for name, candidates in found.items():
            kind = _kind(self._facts[name])
            for value in candidates:
                part = self.distinct(name) and any(_squash(value) in other for other in numbers - {_squash(value)})
                if not part and (*kind, value) not in taken:
                    taken.add((*kind, value))
                    values[name] = value
                    break
        return values


def _kind(spec: FactSpec) -> tuple[str, str | None]:
    return (spec.type, spec.format)


def _distinct(spec: FactSpec) -> bool:
    return spec.type == "phone" or (spec.type == "id" and spec.format is not None)


def _squash(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()
