"""A whole call in text: the real tools, conversation, caller and verification, and nothing between them."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any

from tests.jsons import lines_of
from voicebench.agent.base import CallContext
from voicebench.agent.conversation import Conversation, LanguageModel
from voicebench.agent.router import AgentRouter
from voicebench.caller import ScriptedCaller
from voicebench.clock import current_loop, run_call
from voicebench.errors import ProviderError
from voicebench.llm import Delta, ToolCall
from voicebench.packs import Pack, diff_state, dump_state
from voicebench.packs.reference_task import reference_task
from voicebench.serve.chat import ChatRequest
from voicebench.serve.models import LocalModel
from voicebench.store import Tracer
from voicebench.verify import Verification, evidence_from, verify_call

TURNS = 40


@dataclass
class Said:
    """A sink that keeps the words of one turn, and all turns."""

    words: str = ""
    turns: list[str] = field(default_factory=list)

    async def say(self, text: str) -> None:
        self.words += text

    async def end(self) -> None:
        self.words += " "

    def take(self) -> str:
        self.turns.append(" ".join(self.words.split()))
        self.words = ""
        return self.turns[-1]


@dataclass
class TextCall:
    """What came of a call."""

    verdict: Verification
    trace: list[dict[str, Any]]
    exchanges: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    agent_turns: list[str]
    end_reason: str
    failure: ProviderError | None

    @property
    def passed(self) -> bool:
        """Whether all three gates do and the agent did not fall silent."""
        return self.verdict.passed and self.failure is None and self.end_reason != "agent_silent"

    def spans(self, name: str) -> list[dict[str, Any]]:
        return [line["attributes"] for line in self.trace if line["name"] == name]

    @property
    def errors(self) -> list[str]:
        """Error codes of the tools, in order."""
        return [code for span in self.spans("tool") if (code := span["gen_ai.tool.call.result"]["error_code"])]


@dataclass
class Direct:
    """A local agent asked in this process, by the history alone, as the endpoint would ask it."""

    model: LocalModel
    call_id: str
    task: str | None
    requests: int = 0

    async def stream(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], agent: str
    ) -> AsyncGenerator[Delta, None]:
        self.requests += 1
        request = ChatRequest("m", tuple(messages), tuple(tools), call_id=self.call_id, task=self.task)
        action = self.model.reply(request)
        if action.say:
            yield Delta(text=action.say)
        for number, use in enumerate(action.calls):
            yield Delta(call=ToolCall(f"c{self.requests}_{number}", use.name, json.dumps(use.arguments)))

    async def close(self) -> None:
        """There is nothing to close."""


def metadata(pack: Pack, task: str, call_id: str) -> dict[str, str]:
    told = reference_task(pack.cases[task], pack.snapshot(), 1)
    return {"voicebench_call": call_id, "voicebench_task": told}


def hold(pack: Pack, task: str, make_model: Callable[[CallContext], LanguageModel]) -> TextCall:
    """Hold one call; the model is made on the call's loop."""
    return run_call(_hold(pack, task, make_model))


async def _hold(pack: Pack, task: str, make_model: Callable[[CallContext], LanguageModel]) -> TextCall:
    def now_ns() -> int:
        return current_loop().now_ns

    context = CallContext("call", 1, Tracer(1, now_ns), now_ns)
    router = AgentRouter(pack, context, latency_ms=50)
    seed = dump_state(router.tool_context.db, pack.spec)
    sink = Said()
    conversation = Conversation(router, make_model(context), sink, greeting=pack.spec.greeting)
    caller = ScriptedCaller(pack.cases[task].caller, pack.spec)
    failure: ProviderError | None = None
    try:
        end_reason = await _talk(conversation, sink, caller)
    except ProviderError as error:
        failure, end_reason = error, "error"
    trace = lines_of(context.tracer)
    difference = diff_state(seed, dump_state(router.tool_context.db, pack.spec), pack.spec)
    evidence = evidence_from(context.tracer.records(), difference)
    verdict = verify_call(pack.snapshot(), pack.cases[task], evidence)
    return TextCall(verdict, trace, lines_of(context.exchanges), conversation.messages, sink.turns, end_reason, failure)


async def _talk(conversation: Conversation, sink: Said, caller: ScriptedCaller) -> str:
    words, silent = caller.opening().intended, 0
    for _ in range(TURNS):
        await conversation.take_turn(words)
        heard = sink.take()
        if conversation.ended:
            return conversation.ended
        silent = 0 if heard else silent + 1
        if silent == 2:
            return "agent_silent"
        decision = caller.hear(heard) if heard else None
        if decision is not None and decision.action == "hang_up":
            return "caller_gave_up" if decision.reason == "give_up" else "caller_hung_up"
        utterance = decision.utterance if decision is not None else None
        words = (utterance or caller.still_there()).intended
    return "limit_turns"
