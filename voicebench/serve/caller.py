"""The local caller: plays the script that it is handed, from the messages of the chat, and breaks a rule on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from voicebench.caller import CallerDecision, ScriptedCaller
from voicebench.caller.caller_task import CallerTask
from voicebench.errors import ConfigError
from voicebench.serve.chat import Action, BadRequest, ChatRequest
from voicebench.speech.sentence_encoder import load_sentence_encoder

__all__ = ["CALLER_FAULTS", "Reader"]

HANG_UP = "[HANG UP]"
WAIT = "[WAIT]"
_STILL_SPEAKING = "[STILL SPEAKING] "
_UNCLEAR = "[UNCLEAR]"
_NO_PART = "I have no part to play."
"""The answer to a request without a prompt, which only asks whether the model answers."""


@dataclass(frozen=True)
class Scene:
    """Where the call stands.

    Attributes:
        task: what the caller was handed.
        before: what it has heard and answered so far, from the opening on.
        heard: what it hears now.
    """

    task: CallerTask
    before: tuple[str, ...]
    heard: str

    def right_answer(self) -> str:
        """Return what the caller should write: the scripted caller's answer, after all that it has heard before."""
        script = self.task.script
        if not self.before:
            return script.opening
        # A scripted caller keeps a state, and an endpoint none: the chat so far is played to a new one.
        encoder = load_sentence_encoder() if self.task.understanding == "meaning" else None
        caller = ScriptedCaller(script, self.task, encoder)
        for heard in self.before[1:]:  # whatever it heard first, it has answered with the opening
            _decide(caller, heard)
        decision = _decide(caller, self.heard)
        if decision.utterance is None:
            return WAIT
        return f"{decision.utterance.spoken} {HANG_UP}" if decision.reason else decision.utterance.spoken


def _decide(caller: ScriptedCaller, heard: str) -> CallerDecision:
    if not heard.startswith(_STILL_SPEAKING):
        return caller.hear("" if heard == _UNCLEAR else heard)
    # Only the beginning of a turn was heard. After how many words is not said, so that every point is tried.
    beginning = heard.removeprefix(_STILL_SPEAKING)
    decisions = [caller.hear(beginning, after_words=point) for point in caller.interrupt_points()]
    return next((decision for decision in decisions if decision.action == "speak"), CallerDecision("wait"))


# ---- rules broken on purpose, so that every check of fidelity can be seen to work --------------------------------

_Fault = Callable[[Scene, str], str]
"""From the scene and what the caller should write to what it writes."""


def _second(write: Callable[[Scene], str]) -> _Fault:
    """Write it as the caller's second utterance; all others are as they should be."""
    return lambda scene, right: write(scene) if len(scene.before) == 1 and right != WAIT else right


def _forbidden(scene: Scene) -> str:
    """Voice something that the task forbids; not a date, since naming one would break the rule of values as well."""
    names = [name.replace("_", " ") for name in scene.task.forbidden]
    return next((f"Yes, {name}." for name in names if "date" not in name and "day" not in name), "Yes, on Monday.")


def _when_hanging_up(words: str) -> _Fault:
    """Write it in place of the last sentence and the hang-up."""
    return lambda _, right: words if right.endswith(HANG_UP) else right


CALLER_FAULTS: Mapping[str, _Fault] = {
    "opening": lambda scene, right: (
        right if scene.before else f"Hello there. {right.split(',')[-1].strip().capitalize()}"
    ),
    "closing": _when_hanging_up(f"Bye for now, and until next time. {HANG_UP}"),
    "value": _second(lambda _: "It is seven three one, nine nine five, eight eight."),
    "forbidden": _second(_forbidden),
    "role": _second(lambda _: "Thank you for calling. How may I help you today?"),
    "unanswered": lambda scene, right: (
        right if not scene.before or right == WAIT or right.endswith(HANG_UP) else "Okay, thanks."
    ),
    "silent": lambda scene, right: WAIT if scene.before else right,
    "hung_up_early": _second(lambda scene: f"{scene.task.script.closing} {HANG_UP}"),
    "gave_up": _second(lambda scene: f"{scene.task.script.give_up} {HANG_UP}"),
    "stayed_on": _when_hanging_up("And how long does all of that take?"),
}
"""Kind to what it writes. Each is named after the rule that it breaks, but for ``silent`` (``unanswered``, wordlessly)
and ``gave_up`` (``hung_up_early``, by giving up)."""


class Reader:
    """The local caller as a model of the endpoint; it keeps nothing between requests.

    Args:
        task: what it plays where a request hands it nothing.
        fault: one of ``CALLER_FAULTS``; None to break no rule.

    Raises:
        ConfigError: there is no such fault.
    """

    def __init__(self, task: CallerTask | None = None, fault: str | None = None) -> None:
        if fault is not None and fault not in CALLER_FAULTS:
            raise ConfigError(f"--caller-fault: no kind {fault!r}; there are {', '.join(CALLER_FAULTS)}")
        self._task = task
        self._fault = fault

    def reply(self, request: ChatRequest) -> Action:
        """Answer one request; BadRequest without a script, or where the chat is not a caller's."""
        messages = [(str(message["role"]), str(message.get("content") or "")) for message in request.messages]
        if all(role != "system" for role, _ in messages):
            return Action(_NO_PART)
        if messages[0][0] != "system" or messages[-1][0] != "user":
            raise BadRequest("a caller's chat begins with its part and ends with what it hears", param="messages")
        *before, heard = [content for role, content in messages if role == "user"]
        scene = Scene(self._handed(request), tuple(before), heard)
        right = scene.right_answer()
        return Action(right if self._fault is None else CALLER_FAULTS[self._fault](scene, right))

    def _handed(self, request: ChatRequest) -> CallerTask:
        if request.caller is not None:
            try:
                return CallerTask.model_validate_json(request.caller)
            except ValidationError as error:
                raise BadRequest(f"metadata.voicebench_caller cannot be read: {error}", param="metadata") from error
        if self._task is None:
            raise BadRequest(
                "the model 'reader' plays a script that it is handed in metadata.voicebench_caller, and there is none; "
                "let voicebench start this endpoint itself, or name the task with serve agent --as caller --task",
                param="metadata",
            )
        return self._task
