"""A language model that plays a script, a conversation with the shipped pack, and a sink that keeps what is said."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tests.jsons import lines_of
from voicebench.agent import CallContext
from voicebench.agent.conversation import Conversation
from voicebench.agent.router import AgentRouter
from voicebench.clock import current_loop, run_call, sleep
from voicebench.llm import Delta, ToolCall
from voicebench.packs import Pack, dump_state, load_pack
from voicebench.store import Tracer

GREETING = "Thank you for calling Kestrel Electronics."

Step = str | float | ToolCall | Exception
"""Text, a pause in seconds, a tool call, or a failure."""


@lru_cache
def shop() -> Pack:
    return load_pack("customer_support")


def use(name: str, call_id: str = "call00001", **arguments: Any) -> ToolCall:
    return ToolCall(call_id, name, json.dumps(arguments))


def new_context(seed: int = 7) -> CallContext:
    def now_ns() -> int:
        return current_loop().now_ns

    return CallContext("call-7", seed, Tracer(seed, now_ns), now_ns)


@dataclass(frozen=True)
class Request:
    """What the model was asked: when, with which prompt, history and tools."""

    at_s: float
    system: str
    messages: list[dict[str, Any]]
    tools: list[str]
    agent: str


@dataclass
class ScriptedModel:
    """Answers the n-th request with the n-th answer of its script, the last one again and again if ``endless``."""

    answers: list[list[Step]]
    endless: bool = False
    requests: list[Request] = field(default_factory=list)
    abandoned: int = 0

    async def stream(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], agent: str
    ) -> AsyncGenerator[Delta, None]:
        system, *history = copy.deepcopy(messages)
        names = [tool["function"]["name"] for tool in tools]
        self.requests.append(Request(current_loop().time(), system["content"], history, names, agent))
        number = len(self.requests)
        assert self.endless or number <= len(self.answers), f"request {number} was not expected"
        finished = False
        try:
            for step in self.answers[min(number, len(self.answers)) - 1]:
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, float):
                    await sleep(step)
                else:
                    yield Delta(text=step) if isinstance(step, str) else Delta(call=step)
            finished = True
        finally:
            self.abandoned += not finished

    async def close(self) -> None:
        """Nothing is open."""


@dataclass
class Notes:
    """A sink that notes what it is given, and when."""

    said: list[tuple[float, str]] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)

    async def say(self, text: str) -> None:
        self.said.append((current_loop().time(), text))

    async def end(self) -> None:
        self.ends.append(current_loop().time())

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.said)


@dataclass
class Talk:
    """A conversation at the tools of the shipped shop, and all that it writes to."""

    model: ScriptedModel
    latency_ms: float = 50.0
    sink: Notes = field(default_factory=Notes)
    context: CallContext = field(default_factory=new_context)

    def __post_init__(self) -> None:
        self.router = AgentRouter(shop(), self.context, latency_ms=self.latency_ms)
        self.conversation = Conversation(self.router, self.model, self.sink, greeting=GREETING)

    def at(self, agent: str, *, verified: str | None = None) -> None:
        """Begin at another agent, with a caller who has been verified."""
        self.router.active = next(spec for spec in shop().spec.agents if spec.name == agent)
        self.router.tool_context.set_state("verified", verified)

    def rows(self, table: str) -> list[dict[str, Any]]:
        return dump_state(self.router.tool_context.db, shop().spec)[table]

    def spans(self, name: str) -> list[dict[str, Any]]:
        return [line for line in lines_of(self.context.tracer) if line["type"] == "span" and line["name"] == name]

    def events(self, name: str) -> list[dict[str, Any]]:
        return [line for line in lines_of(self.context.tracer) if line["type"] == "event" and line["name"] == name]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The history, as it goes to the model."""
        return [*self.conversation.messages]

    def results(self) -> list[dict[str, Any]]:
        """What the tools answered, as the history holds it."""
        return [json.loads(m["content"]) for m in self.messages if m["role"] == "tool"]

    def history(self) -> list[tuple[str, Any]]:
        """Role and content of each message; of a message that calls, the names of what it calls."""
        held = []
        for message in self.messages:
            called = [call["function"]["name"] for call in message.get("tool_calls", [])]
            held.append((message["role"], called or message["content"]))
        return held


def hold(
    talk: Callable[[Talk], Awaitable[Any]], *answers: list[Step], endless: bool = False, latency_ms: float = 50.0
) -> Talk:
    """Let a test talk with a scripted model on a call loop, and return what came of it."""
    kept: list[Talk] = []

    async def main() -> None:
        kept.append(Talk(ScriptedModel(list(answers), endless), latency_ms))
        await talk(kept[0])

    run_call(main())
    return kept[0]
