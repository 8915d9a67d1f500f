"""One conversation of the agent under test: history, requests, tool rounds, handoffs, interruptions.

It knows nothing of audio: text comes in, text goes to a :class:`SpeechSink`. The cascade puts a voice behind it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator
from typing import Protocol

from voicebench.agent.router import AgentRouter
from voicebench.llm import Delta, ToolCall
from voicebench.record.json_types import JsonObject

__all__ = [
    "AFTER_HANGUP_S",
    "MAX_ROUNDS",
    "MAX_TURN_CHARACTERS",
    "Conversation",
    "LanguageModel",
    "SpeechSink",
]

MAX_ROUNDS = 20
"""Tool rounds of one turn, several times what any task needs; what the model calls after them is not executed."""
MAX_TURN_CHARACTERS = 2_000
"""Characters that are said in one turn, about two minutes of speech; what goes beyond is cut, and the turn with it."""
AFTER_HANGUP_S = 10.0
"""Seconds of call time that tools in flight have after a hang-up: a write that has begun counts in the final state."""


class LanguageModel(Protocol):
    """A language model that streams."""

    def stream(self, messages: list[JsonObject], tools: list[JsonObject], agent: str) -> AsyncGenerator[Delta, None]:
        """Stream the answer to ``messages``; closing the generator early abandons the rest."""

    async def close(self) -> None:
        """Close the connection."""


class SpeechSink(Protocol):
    """Where the words of the agent go."""

    async def say(self, text: str) -> None:
        """Add text to the answer."""

    async def end(self) -> None:
        """The answer to one request is complete; nothing may have been said."""


class Conversation:
    """Answers one caller turn after another.

    A turn is a loop of requests: what the model says goes to the sink, what it calls is run by the router, and results
    go back until nothing is called. An interruption abandons the request in flight and cuts the history to what was
    heard; calls of an answer that was complete run to their end and their results stay, so that nothing is written
    twice. After a transfer to a person the model is asked once more, so that it can say so; after ``end_call`` it is
    not.

    Attributes:
        messages: the history without the system message.
        turns: caller turns that were taken.
        interruptions: so far.
        ended: ``agent_ended`` or ``transferred`` once a session tool has ended the call.
    """

    def __init__(self, router: AgentRouter, model: LanguageModel, sink: SpeechSink, *, greeting: str) -> None:
        self.messages: list[JsonObject] = [{"role": "assistant", "content": greeting}]
        self.turns = 0
        self.interruptions = 0
        self.ended: str | None = None
        self._router = router
        self._model = model
        self._sink = sink
        self._turn_lock = asyncio.Lock()
        self._stream: asyncio.Task[list[ToolCall]] | None = None
        self._words_heard = 0
        self._closed = False
        self._farewell_due = False
        self._turn_start = 0
        self._characters = 0

    async def take_turn(self, text: str, *, interruptions: int | None = None) -> None:
        """Answer what the caller said, after the turns that were taken before.

        A caller who has interrupted since the turn ended gets no answer to it, but the history holds it.

        Args:
            text: the caller's words.
            interruptions: how many there had been when the turn ended; as many as now if None.

        Raises:
            ProviderError: the model could not be reached, or broke off.
            AgentError: a tool failed.
        """
        interruptions_before = self.interruptions if interruptions is None else interruptions
        async with self._turn_lock:
            if self._closed or self.ended:
                return
            self._turn_start = len(self.messages)
            self._characters = 0
            self.turns += 1
            self.messages.append({"role": "user", "content": text})
            rounds = 0
            wants_more = True
            while wants_more and self.interruptions <= interruptions_before and not self._closed and not self.ended:
                wants_more = await self._round(may_call=rounds < MAX_ROUNDS)
                rounds += 1

    async def _round(self, *, may_call: bool) -> bool:
        """One request and the calls it makes; returns whether there were any, so that the model wants the results."""
        agent = self._router.active
        farewell_was_due = self._farewell_due
        self._stream = asyncio.ensure_future(self._request(may_call=may_call))
        try:
            # wait, and not await: an interruption cancels the stream alone, and this turn goes on to cut its history
            await asyncio.wait({self._stream})
        finally:
            stream, self._stream = self._stream, None
            stream.cancel()
        if stream.cancelled():
            self._cut()
            return False
        calls = stream.result()
        effects = set()
        for call in calls:
            outcome = await self._router.execute(call, agent)
            effects.add(outcome.effect)
            content = json.dumps(outcome.result, ensure_ascii=False)
            self.messages.append({"role": "tool", "tool_call_id": call.call_id, "content": content})
        if farewell_was_due:
            self.ended = "transferred"
        elif "end_call" in effects:
            self.ended = "agent_ended"
        self._farewell_due = "transfer" in effects
        return bool(calls)

    async def _request(self, *, may_call: bool) -> list[ToolCall]:
        calls: list[ToolCall] = []
        said = ""
        system: JsonObject = {"role": "system", "content": self._router.prompt}
        stream = self._model.stream([system, *self.messages], self._router.tools(), self._router.active.name)
        try:
            async with contextlib.aclosing(stream):
                async for delta in stream:
                    if delta.call is not None:
                        calls.append(delta.call)
                        continue
                    text = delta.text[: MAX_TURN_CHARACTERS - self._characters]
                    said += text
                    self._characters += len(text)
                    if text:
                        await self._sink.say(text)
                    if len(text) < len(delta.text):
                        calls.clear()  # they follow from words that were not said
                        break
            await self._sink.end()
        except asyncio.CancelledError:
            self._remember(said, [])
            raise
        calls = calls if may_call else []
        self._remember(said, calls)
        return calls

    def _remember(self, said: str, calls: list[ToolCall]) -> None:
        if not said and not calls:
            return
        message: JsonObject = {"role": "assistant", "content": said or None}
        if calls:
            message["tool_calls"] = [
                {"id": c.call_id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                for c in calls
            ]
        self.messages.append(message)

    def interrupt(self, words_heard: int) -> None:
        """Stop answering, and cut the answer in the history to the words that were heard.

        Args:
            words_heard: words of the present turn's answer that had been played when the caller began to speak.
        """
        self.interruptions += 1
        self._words_heard = words_heard
        # While a stream runs, the turn itself cuts, once the stream has put what it had said into the history
        if self._stream is None or not self._stream.cancel():
            self._cut()

    def _cut(self) -> None:
        """Leave of the turn's answers the words that were heard; one that was not heard at all goes."""
        left, kept = self._words_heard, []
        for message in self.messages[self._turn_start :]:
            content = message.get("content")
            if message["role"] == "assistant" and isinstance(content, str):
                words = content.split()
                if left < len(words):
                    message["content"] = " ".join(words[:left]) or None
                left = max(0, left - len(words))
            if message["role"] != "assistant" or message.get("content") or message.get("tool_calls"):
                kept.append(message)
        self.messages[self._turn_start :] = kept

    async def close(self) -> None:
        """Start nothing new, abandon the request in flight, and let tools in flight finish (10 s at most)."""
        self._closed = True
        self._router.closed = True
        if self._stream is not None:
            self._stream.cancel()
        try:
            await asyncio.wait_for(self._turn_lock.acquire(), AFTER_HANGUP_S)
        except TimeoutError:
            return
        self._turn_lock.release()
