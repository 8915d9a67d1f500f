"""The caller that a language model plays: it gets its part as a prompt, hears text, and writes what is said."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from voicebench.caller.base import Decision, SpokenFact, Utterance
from voicebench.caller.prompt import caller_prompt
from voicebench.caller.reply import Reply, read_reply
from voicebench.language.itn import normalise
from voicebench.language.readback import facts_in
from voicebench.language.slots import Fact
from voicebench.llm import Delta
from voicebench.packs.models import CallerScript, PackSpec

__all__ = ["ChatModel", "LlmCaller", "words_of"]

_HELLO = "Hello?"
_UNCLEAR = "[UNCLEAR]"
_STILL_SPEAKING = "[STILL SPEAKING]"
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


class ChatModel(Protocol):
    """A language model that streams; see :class:`voicebench.llm.LlmClient`."""

    def stream(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], agent: str
    ) -> AsyncGenerator[Delta, None]:
        """Stream the answer to ``messages``."""


@dataclass(frozen=True)
class _State:
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

    def __init__(self, script: CallerScript, spec: PackSpec, model: ChatModel) -> None:
        self._script = script
        self._spec = spec
        self._model = model
        self._prompt = caller_prompt(script, spec)
        self._state = self._before = _State()

    async def begin(self, greeting: str) -> Decision:
        """Let the model say its first sentence; asked again, with more of the greeting, it begins anew."""
        self._state = self._before = _State()
        return await self._turn(greeting, rule="opening")

    async def answer(self, text: str, *, after_words: int | None = None) -> Decision:
        """Let the model answer a gathered turn, or decide whether to interrupt one (see ``Caller.answer``)."""
        self._before = self._state
        if after_words is None:
            return await self._turn(text, rule="model")
        reply = await self._ask(f"{_STILL_SPEAKING} {text}")
        if reply.act == "wait":
            return Decision("wait")
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

    async def _turn(self, text: str, *, rule: str) -> Decision:
        heard = _gathered(self._state.pending, text)
        message = heard or _UNCLEAR
        reply = await self._ask(message)
        if reply.act == "wait":
            self._state = _State(self._state.chat, heard)
            return Decision("wait")
        return self._said(reply, heard, message, rule=rule)

    async def _ask(self, message: str) -> Reply:
        chat = [{"role": role, "content": content} for role, content in (*self._state.chat, ("user", message))]
        messages: list[dict[str, Any]] = [{"role": "system", "content": self._prompt}, *chat]
        return read_reply("".join([delta.text async for delta in self._model.stream(messages, [], "")]))

    def _said(self, reply: Reply, heard: str, message: str, *, rule: str, after_words: int | None = None) -> Decision:
        marker = " [HANG UP]" if reply.act == "hang_up" else ""
        self._state = _State((*self._state.chat, ("user", message), ("assistant", f"{reply.words}{marker}")))
        reason: Literal["closing", "give_up"] | None = None
        if reply.act == "hang_up":
            given_up = words_of(reply.words)[-len(words_of(self._script.give_up)) :] == words_of(self._script.give_up)
            reason = "give_up" if given_up else "closing"
        utterance = Utterance(
            intended=reply.words,
            spoken=self._spoken(reply.words),
            rule=reason or rule,
            facts=tuple(self._facts(reply.words)),
            interrupt_after_words=after_words,
            answers=heard,
            interrupts=after_words is not None,
        )
        return Decision("hang_up" if reason else "speak", utterance, reason)

    def _spoken(self, words: str) -> str:
        """Return the words for a voice: facts that the model wrote as they are written become their first form."""
        for fact in self._script.facts.values():
            if any(character.isdigit() for character in fact.value):
                words = re.sub(rf"(?<![\w-]){re.escape(fact.value)}(?![\w-])", fact.forms[0], words)
        return words

    def _facts(self, words: str) -> list[SpokenFact]:
        facts = self._script.facts
        found = facts_in(words, facts, self._spec.facts)
        return [SpokenFact(name, _form(fact, words)) for name, fact in facts.items() if name in found]


def words_of(text: str) -> list[str]:
    """Return the bare words of a text, in small letters, without punctuation: what "word for word" compares."""
    return _WORD.findall(text.replace("\u2019", "'").casefold())


def _gathered(pending: str, text: str) -> str:
    """Join what was heard while waiting with what came then; on the telephone the second holds the first."""
    if text.startswith(pending):
        return text
    return f"{pending} {text}".strip()


def _form(fact: Fact, words: str) -> int | None:
    plain = f" {normalise(words)} "
    return next((n for n, form in enumerate(fact.forms) if f" {normalise(form)} " in plain), None)
