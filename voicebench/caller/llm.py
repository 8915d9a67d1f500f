"""The caller that a language model plays: it gets its part as a prompt, hears text, and writes what is said."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Literal, Protocol

from voicebench.caller.policy import CallerDecision, SpokenFact, Utterance
from voicebench.caller.prompt import caller_prompt
from voicebench.caller.reply import Reply, read_reply
from voicebench.caller.script import words_of
from voicebench.language.itn import normalise
from voicebench.language.readback import facts_in
from voicebench.llm import Delta
from voicebench.packs.models import CallerScript, PackSpec
from voicebench.record.json_types import JsonObject

__all__ = ["LlmCaller", "StreamingModel"]

_HELLO = "Hello?"
_UNCLEAR = "[UNCLEAR]"
_STILL_SPEAKING = "[STILL SPEAKING]"


class StreamingModel(Protocol):
    """A language model that streams; see :class:`voicebench.llm.LlmClient`."""

    def stream(self, messages: list[JsonObject], tools: list[JsonObject], agent: str) -> AsyncGenerator[Delta, None]:
        """Stream the answer to ``messages``."""


@dataclass(frozen=True)
class _ChatState:
    """What one turn can change, so that a turn can be taken back: the chat, and what was heard while waiting."""

    chat: tuple[tuple[Literal["user", "assistant"], str], ...] = ()
    pending: str = ""


class LlmCaller:
    """Plays the part of one task by a language model.

    The model is asked once a turn. It sees the turns of the agent as user messages and its own words as an assistant's;
    a turn for which it waits and the next one are one message. It says the opening and the closing itself: whether they
    are word for word is for :mod:`voicebench.caller.fidelity` to see.

    Args:
        script: the caller's part of the case.
        spec: the pack's.
        model: who plays.
    """

    def __init__(self, script: CallerScript, spec: PackSpec, model: StreamingModel) -> None:
        self._script = script
        self._spec = spec
        self._model = model
        self._prompt = caller_prompt(script, spec)
        self._state = self._before = _ChatState()

    async def begin(self, greeting: str) -> CallerDecision:
        """Let the model say its first sentence; asked again, with more of the greeting, it begins again."""
        self._state = self._before = _ChatState()
        return await self._turn(greeting, rule="opening")

    async def answer(self, text: str, *, after_words: int | None = None) -> CallerDecision:
        """Let the model answer a gathered turn, or decide whether to interrupt one (see ``CallerPolicy.answer``)."""
        self._before = self._state
        if after_words is None:
            return await self._turn(text, rule="model")
        reply = await self._ask(f"{_STILL_SPEAKING} {text}")
        if reply.act == "wait":
            return CallerDecision("wait")
        return self._said(reply, text, f"{_STILL_SPEAKING} {text}", rule="model", after_words=after_words)

    def retract(self) -> None:
        """Undo the last ``answer``."""
        self._state = self._before

    def interrupt_points(self) -> tuple[int, ...]:
        """Return the ``interrupt_after_words`` of all rules, ascending: which of them hold is for the model to say."""
        points = {rule.interrupt_after_words for rule in self._script.answers}
        return tuple(sorted(point for point in points if point is not None))

    def still_there(self) -> Utterance:
        """Return "Hello?"; the model is not asked."""
        return Utterance(_HELLO, _HELLO, "hello")

    # ---- one turn ------------------------------------------------------------------------------------------

    async def _turn(self, text: str, *, rule: str) -> CallerDecision:
        pending = self._state.pending
        # on the telephone the gathered turn holds what was heard while waiting; over text it does not
        heard = text if text.startswith(pending) else f"{pending} {text}".strip()
        message = heard or _UNCLEAR
        reply = await self._ask(message)
        if reply.act == "wait":
            self._state = _ChatState(self._state.chat, heard)
            return CallerDecision("wait")
        return self._said(reply, heard, message, rule=rule)

    async def _ask(self, message: str) -> Reply:
        chat = (("system", self._prompt), *self._state.chat, ("user", message))
        messages: list[JsonObject] = [{"role": role, "content": content} for role, content in chat]
        return read_reply("".join([delta.text async for delta in self._model.stream(messages, [], "")]))

    def _said(
        self, reply: Reply, heard: str, message: str, *, rule: str, after_words: int | None = None
    ) -> CallerDecision:
        marker = " [HANG UP]" if reply.act == "hang_up" else ""
        self._state = _ChatState((*self._state.chat, ("user", message), ("assistant", f"{reply.words}{marker}")))
        reason: Literal["closing", "give_up"] | None = None
        if reply.act == "hang_up":
            given_up = words_of(reply.words)[-len(words_of(self._script.give_up)) :] == words_of(self._script.give_up)
            reason = "give_up" if given_up else "closing"
        spoken = reply.words
        for fact in self._script.facts.values():  # one that the model wrote as it is written becomes its first form
            if any(character.isdigit() for character in fact.value):
                spoken = re.sub(rf"(?<![\w-]){re.escape(fact.value)}(?![\w-])", fact.forms[0], spoken)
        utterance = Utterance(
            intended=reply.words,
            spoken=spoken,
            rule=reason or rule,
            facts=self._facts(reply.words),
            interrupt_after_words=after_words,
            answers=heard,
            interrupts=after_words is not None,
        )
        return CallerDecision("hang_up" if reason else "speak", utterance, reason)

    def _facts(self, words: str) -> tuple[SpokenFact, ...]:
        found = facts_in(words, self._script.facts, self._spec.facts)
        normalised = f" {normalise(words)} "
        given = []
        for name, fact in self._script.facts.items():
            if name in found:
                forms = (n for n, form in enumerate(fact.forms) if f" {normalise(form)} " in normalised)
                given.append(SpokenFact(name, next(forms, None)))
        return tuple(given)
