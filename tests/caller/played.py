"""Text calls between a caller that a model plays and the line reference, in one process and without a server."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

from voicebench.agent import CallContext
from voicebench.agent.router import AgentRouter
from voicebench.call.text import TextSession
from voicebench.caller import LlmCaller, breaches
from voicebench.caller.caller_task import caller_task
from voicebench.clock import current_loop, run_call
from voicebench.config import Limits
from voicebench.llm import Delta, ToolCall
from voicebench.packs import Pack
from voicebench.packs.reference_task import reference_task
from voicebench.record.spans import CallerSpeechSpan
from voicebench.record.trace import TraceRecord
from voicebench.record.verdict import FidelityBreach
from voicebench.serve.chat import Action, ChatRequest
from voicebench.serve.models import MODELS, LocalModel
from voicebench.store import Tracer

Chat = list[dict[str, Any]]


@dataclass
class Direct:
    """A local model, asked without a server; notes the chats that it was sent."""

    model: LocalModel
    task: str | None = None
    caller: str | None = None
    chats: list[Chat] = field(default_factory=list)

    async def stream(self, messages: Chat, tools: Chat, agent: str) -> AsyncGenerator[Delta, None]:
        self.chats.append(messages)
        action = self.model.reply(ChatRequest("", tuple(messages), tuple(tools), task=self.task, caller=self.caller))
        if action.say:
            yield Delta(text=action.say)
        for number, use in enumerate(action.calls):
            yield Delta(call=ToolCall(f"call{len(self.chats)}_{number}", use.name, json.dumps(use.arguments)))

    async def close(self) -> None:
        pass


@dataclass
class Lines:
    """A model that writes these replies, one after the other, and then waits."""

    replies: Sequence[str]
    asked: int = 0

    def reply(self, request: ChatRequest) -> Action:
        self.asked += 1
        return Action(self.replies[self.asked - 1] if self.asked <= len(self.replies) else "[WAIT]")


@dataclass
class Played:
    """What came of a call."""

    end_reason: str
    trace: list[TraceRecord]
    breaches: list[FidelityBreach]
    chats: list[Chat]

    @property
    def said(self) -> list[str]:
        return [span.spoken for span in self.trace if isinstance(span, CallerSpeechSpan)]

    @property
    def rules(self) -> list[str]:
        return [breach.rule for breach in self.breaches]


def play(pack: Pack, task: str, player: LocalModel, agent: str | LocalModel = "reference") -> Played:
    """Hold one call."""
    return run_call(_hold(pack, task, player, MODELS[agent](0) if isinstance(agent, str) else agent))


async def _hold(pack: Pack, task: str, player: LocalModel, agent: LocalModel) -> Played:
    def now_ns() -> int:
        return current_loop().now_ns

    context = CallContext("call", 1, Tracer(1, now_ns), now_ns)
    case, snapshot = pack.cases[task], pack.snapshot()
    model = Direct(player, caller=caller_task(case.caller, pack.spec).model_dump_json())
    reference = reference_task(case, snapshot, 1)
    session = TextSession(
        LlmCaller(case.caller, pack.spec, model),
        AgentRouter(pack, context, latency_ms=50),
        Direct(agent, reference),
        context,
        Limits(),
    )
    end_reason = await session.run()
    trace = context.tracer.records()
    end_tools = [tool.name for tool in snapshot.tools.values() if tool.ends_call]
    found = breaches(case.caller, pack.spec, trace, end_reason=end_reason, end_tools=end_tools)
    return Played(end_reason, trace, found, model.chats)
