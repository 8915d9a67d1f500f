"""Callers that break their script on purpose, one rule each, so that every check of fidelity can be seen to work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from voicebench.errors import ConfigError
from voicebench.serve.chat import Action, ChatRequest
from voicebench.serve.reader import HANG_UP, WAIT, Reader, Scene

__all__ = ["CALLER_FAULTS", "FaultyReader"]

_Fault = Callable[[Scene, str], str]
"""From the scene and what the caller should do to what it does."""


def _second(what: Callable[[Scene], str]) -> _Fault:
    """Make it in the caller's second utterance; in all others it does what it should."""
    return lambda scene, right: what(scene) if len(scene.said) == 1 and right != WAIT else right


def _another_first_sentence(scene: Scene, right: str) -> str:
    return right if scene.said else f"Hello there. {right.split(',')[-1].strip().capitalize()}"


def _another_last_sentence(_: Scene, right: str) -> str:
    return f"Bye for now, and until next time. {HANG_UP}" if right.endswith(HANG_UP) else right


def _forbidden(scene: Scene) -> str:
    """Voice something that the part forbids; not a date, since naming one is an invention as well."""
    return next(
        (f"Yes, {what}." for what in scene.part.forbidden if "date" not in what and "day" not in what),
        "Yes, on Monday.",
    )


def _okay(scene: Scene, right: str) -> str:
    return right if not scene.said or right == WAIT or right.endswith(HANG_UP) else "Okay, thanks."


def _stays(_: Scene, right: str) -> str:
    return "And how long does all of that take?" if right.endswith(HANG_UP) else right


CALLER_FAULTS: Mapping[str, _Fault] = {
    "opening": _another_first_sentence,
    "closing": _another_last_sentence,
    "value": _second(lambda _: "It is seven three one, nine nine five, eight eight."),
    "forbidden": _second(_forbidden),
    "role": _second(lambda _: "Thank you for calling. How may I help you today?"),
    "unanswered": _okay,
    "silent": lambda scene, right: WAIT if scene.said else right,
    "hung_up_early": _second(lambda scene: f"{scene.part.closing} {HANG_UP}"),
    "gave_up": _second(lambda scene: f"{scene.part.give_up} {HANG_UP}"),
    "stayed_on": _stays,
}
"""Kind to what it does. Each is named after the rule that it breaks, but for ``silent`` (``unanswered``, wordlessly)
and ``gave_up`` (``hung_up_early``, by giving up)."""


@dataclass(frozen=True)
class FaultyReader:
    """The local caller with a fault.

    Attributes:
        kind: one of ``CALLER_FAULTS``.

    Raises:
        ConfigError: there is no such kind.
    """

    kind: str

    def __post_init__(self) -> None:
        if self.kind not in CALLER_FAULTS:
            raise ConfigError(f"--caller-fault: no kind {self.kind!r}; there are {', '.join(CALLER_FAULTS)}")

    def reply(self, request: ChatRequest) -> Action:
        """Answer one request, wrongly where the fault says so; BadRequest without a part."""
        right = Reader().reply(request)
        if request.messages[0]["role"] != "system":
            return right
        return Action(CALLER_FAULTS[self.kind](Scene.of(request), right.say))
