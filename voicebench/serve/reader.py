"""The local caller: plays the part that its prompt tells, from the messages of the chat alone.

It keeps nothing between requests and is told nothing beside them: which facts it has given how often, what it has said
and what may happen now, all of it is read from the chat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from voicebench.language.dialogue_acts import is_hold
from voicebench.serve.chat import Action, BadRequest, ChatRequest
from voicebench.serve.keyword_match import asks, tells
from voicebench.serve.part import Line, Part, read_part

__all__ = ["Reader", "Scene"]

HANG_UP = "[HANG UP]"
WAIT = "[WAIT]"
_UNCLEAR = "[UNCLEAR]"
_STILL_SPEAKING = "[STILL SPEAKING] "
_SORRY = "Sorry, could you say that again?"
_YES = "Yes, that's right."
_NO_PART = "I have no part to play."
"""What it says to who only tries whether it answers."""
_MISSES = 2


@dataclass(frozen=True)
class Scene:
    """Where the call stands: the part, what the caller has said, and what it hears now."""

    part: Part
    said: Sequence[str]
    heard: str

    @classmethod
    def of(cls, request: ChatRequest) -> Scene:
        """Read the chat.

        Raises:
            BadRequest: it begins with no part, or ends with nothing that was heard.
        """
        messages = [(str(message["role"]), str(message.get("content") or "")) for message in request.messages]
        if not messages or messages[0][0] != "system" or messages[-1][0] != "user":
            raise BadRequest("a caller's chat begins with its part and ends with what it hears", param="messages")
        said = [content for role, content in messages if role == "assistant"]
        return cls(read_part(messages[0][1]), said, messages[-1][1])

    # ---- what follows from the part ------------------------------------------------------------------------

    @property
    def must_hang_up(self) -> bool:
        """Whether what the caller waits for was told now."""
        ending = self.part.hangs_up
        return self._is_due(ending) and tells(self.heard, ending.trigger)

    def told(self) -> Line | None:
        """Return the first line about something told that fits."""
        lines = (line for line in self.part.lines if line.kind == "heard" and self._is_due(line))
        return next((line for line in lines if tells(self.heard, line.trigger)), None)

    def asked(self) -> list[Line]:
        """Return all lines about something asked that fit."""
        lines = [line for line in self.part.lines if line.kind == "asked" and self._is_due(line)]
        return [line for line in lines if asks(self.heard, line.trigger, self._question(line))]

    def speak(self, lines: Sequence[Line]) -> str:
        """Return what some lines make the caller say, in one breath; questions come last."""
        names = list(dict.fromkeys(name for line in lines for name in line.give if name in self.part.facts))
        phrases = [self._form(name) for name in names] + [line.say for line in lines if line.say]
        ordered = sorted(phrases, key=lambda phrase: phrase.endswith("?"))
        text = ", ".join([*(phrase.rstrip(".!?") for phrase in ordered[:-1]), *ordered[-1:]])
        return text if text.endswith((".", "!", "?")) else f"{text}."

    def reads_back(self) -> bool:
        """Whether a fact that was given is said again."""
        heard = _squeezed(self.heard)
        given = [fact for fact in self.part.facts.values() if self._times_given(fact.name)]
        return any(_squeezed(fact.value) in heard for fact in given)

    def _is_due(self, line: Line) -> bool:
        spent = line.times is not None and self._times_said(line.say) >= line.times
        return not spent and all(any(self._times_said(text) for text in texts) for texts in line.after)

    def _question(self, line: Line) -> str:
        fact = self.part.facts.get(line.trigger)
        return fact.question if fact is not None else ""

    def _form(self, name: str) -> str:
        forms = self.part.facts[name].forms
        return forms[self._times_given(name) % len(forms)]

    def _times_given(self, name: str) -> int:
        forms = self.part.facts[name].forms
        return sum(any(_squeezed(form) in _squeezed(text) for form in forms) for text in self.said)

    def _times_said(self, text: str) -> int:
        return sum(_squeezed(text) in _squeezed(said) for said in self.said)


class Reader:
    """The local caller as a model of the endpoint."""

    def reply(self, request: ChatRequest) -> Action:
        """Answer one request; BadRequest if sections of the part are missing."""
        if all(message["role"] != "system" for message in request.messages):
            return Action(_NO_PART)
        return Action(self.play(Scene.of(request)))

    def play(self, scene: Scene) -> str:
        """Return what the caller does now."""
        part = scene.part
        if not scene.said:
            return part.opening
        if scene.heard.startswith(_STILL_SPEAKING):
            line = scene.told()
            return scene.speak([line]) if line is not None and line.break_in is not None else WAIT
        if scene.must_hang_up:
            return f"{part.closing} {HANG_UP}"
        line = scene.told()
        lines = [line] if line is not None else scene.asked()
        if lines:
            return scene.speak(lines)
        if scene.reads_back():
            return _YES
        return WAIT if is_hold(scene.heard) else self._not_understood(scene)

    def _not_understood(self, scene: Scene) -> str:
        if list(scene.said[-_MISSES:]) == [_SORRY] * _MISSES:
            return f"{scene.part.give_up} {HANG_UP}"
        return _SORRY


def _squeezed(text: str) -> str:
    """Return the letters and digits of a text, for finding one text in another."""
    return "".join(character for character in text.casefold() if character.isalnum())
