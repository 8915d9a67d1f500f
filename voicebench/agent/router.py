"""Which agent of a pack is active in a call, what it may call, and what its calls do."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Literal

from voicebench.agent.base import CallContext
from voicebench.clock import sleep
from voicebench.llm import ToolCall
from voicebench.packs import SESSION_TOOLS, Pack, ToolContext, ok, refuse
from voicebench.packs.models import AgentSpec
from voicebench.record.events import ToolCancelledEvent
from voicebench.record.json_types import JsonObject
from voicebench.record.spans import HandoffSpan, ToolSpan

__all__ = ["AgentRouter", "ToolOutcome"]

_HANDOFF_PARAMETERS: JsonObject = {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True)
class ToolOutcome:
    """What a tool call did: its envelope, and whether it moved or ended the call."""

    result: JsonObject
    effect: Literal["none", "handoff", "end_call", "transfer"] = "none"


class AgentRouter:
    """Executes the calls of a pack's agents on the database of one call.

    A tool takes ``latency_ms`` of call time. A call that the active agent does not offer, or whose arguments are not
    a JSON object, is answered with an error result: that mistake is the model's, and it is scored.
    """

    def __init__(self, pack: Pack, context: CallContext, *, latency_ms: float) -> None:
        self.pack = pack
        self.tool_context: ToolContext = pack.open_context()
        self.active: AgentSpec = pack.spec.agents[0]
        self.closed = False
        self._tools = dict(pack.tools)
        self._agents = {agent.name: agent for agent in pack.spec.agents}
        self._context = context
        self._latency_s = latency_ms / 1000.0

    @property
    def prompt(self) -> str:
        """The system prompt of the active agent."""
        return self.pack.prompts[self.active.name]

    def tools(self) -> list[JsonObject]:
        """Tools of the active agent in the form of the chat completions protocol."""
        specs = [self._tools[name].spec for name in self.active.tools]
        offered = [_function(spec.name, spec.description, spec.parameters) for spec in specs]
        for name, handoff in self.active.handoffs.items():
            offered.append(_function(name, handoff.description, _HANDOFF_PARAMETERS))
        return offered

    async def execute(self, call: ToolCall, agent: AgentSpec) -> ToolOutcome:
        """Run one call that ``agent`` made, and trace it.

        Args:
            call: the call as the model wrote it.
            agent: the agent that was active when the model was asked.
        """
        start_ns = self._context.now_ns()
        arguments, malformed = _parse(call.arguments)
        # An agent that calls two handoffs in one answer makes the first: after it, it is no longer the active one
        if call.name in agent.handoffs and agent is self.active and malformed is None:
            self.active = self._agents[agent.handoffs[call.name].to]
            result = ok({"agent": self.active.name}).envelope()
            self._context.tracer.add(
                HandoffSpan(
                    start_ns=start_ns,
                    end_ns=self._context.now_ns(),
                    tool=call.name,
                    from_agent=agent.name,
                    to_agent=self.active.name,
                    call_id=call.call_id,
                    arguments=arguments,
                    result=result,
                )
            )
            return ToolOutcome(result, "handoff")
        try:
            await sleep(self._latency_s)
        except asyncio.CancelledError:
            now_ns = self._context.now_ns()
            self._context.tracer.add(
                ToolCancelledEvent(time_ns=now_ns, tool=call.name, call_id=call.call_id, agent=agent.name)
            )
            raise
        outcome = malformed or self._run(call.name, arguments, agent)
        self._context.tracer.add(
            ToolSpan(
                start_ns=start_ns,
                end_ns=self._context.now_ns(),
                tool=call.name,
                call_id=call.call_id,
                arguments={"malformed": call.arguments} if malformed else arguments,
                result=outcome.result,
                agent=agent.name,
                after_hangup=self.closed,
            )
        )
        return outcome

    def _run(self, name: str, arguments: JsonObject, agent: AgentSpec) -> ToolOutcome:
        if name in agent.handoffs:
            return _refused("ALREADY_HANDED_OFF", f"The conversation is already with {self.active.name}.")
        if name not in agent.tools:
            code = "TOOL_NOT_AVAILABLE" if name in self._tools else "UNKNOWN_TOOL"
            return _refused(code, f"The {agent.name} agent has no tool named {name}.")
        tool = self._tools[name]
        result = tool.invoke(self.tool_context, arguments)
        if not (tool.ends_call and result["ok"]):
            return ToolOutcome(result)
        return ToolOutcome(result, "end_call" if name in SESSION_TOOLS else "transfer")


def _refused(code: str, message: str) -> ToolOutcome:
    return ToolOutcome(refuse(code, message).envelope())


def _function(name: str, description: str, parameters: JsonObject) -> JsonObject:
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _parse(text: str) -> tuple[JsonObject, ToolOutcome | None]:
    try:
        arguments = json.loads(text or "{}")
        json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()  # what cannot be written was no JSON
    except (ValueError, RecursionError) as error:
        return {}, _refused("MALFORMED_ARGUMENTS", f"The arguments are not JSON: {error}.")
    if not isinstance(arguments, dict):
        return {}, _refused("MALFORMED_ARGUMENTS", "The arguments are not a JSON object.")
    return arguments, None
