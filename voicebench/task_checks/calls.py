"""Calls of the local agents over the text channel, in this process and without an endpoint."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import get_args

from voicebench.agent import CallContext
from voicebench.agent.router import AgentRouter
from voicebench.call.text import TextSession
from voicebench.caller import ScriptedCaller, breaches
from voicebench.clock import current_loop, run_call, sleep
from voicebench.config import Limits
from voicebench.config.profiles import BASELINES
from voicebench.errors import ConfigError
from voicebench.llm import Delta, ToolCall
from voicebench.metrics import check_duties, transcript
from voicebench.packs import diff_state
from voicebench.packs.reference_task import reference_task
from voicebench.record.json_types import JsonObject
from voicebench.record.spans import AgentSpeechSpan, CallerSpeechSpan, EndReason
from voicebench.record.verdict import FidelityBreach, Said
from voicebench.serve.baselines import Manner, manner_of
from voicebench.serve.chat import ChatRequest
from voicebench.serve.models import MODELS, LocalModel
from voicebench.speech.sentence_encoder import load_sentence_encoder
from voicebench.store import Tracer
from voicebench.task_checks.sandbox import TaskFinding, TaskSandbox
from voicebench.task_checks.solution import failed_gates
from voicebench.verify import Verification, evidence_from

__all__ = ["BASELINES", "TextCall", "check_baseline", "check_reference", "hold"]

SEED = 0
"""Of the endpoint; what differs between calls is the call's name."""

RANDOM_CALLS = 8
"""Calls in which the random agent is tried."""

ENDS = ("caller_hung_up", "transferred")
"""How a call may end that was finished: over text, an agent hangs up first only on a caller that waits for more."""

LATENCY_MS = 50.0
TTFT_S = 0.3

MANNERS = {
    manner: next(name for name in map(str, range(1_000)) if manner_of(SEED, name) == manner)
    for manner in get_args(Manner)
}
"""A call's name for each way in which ``transfer_all`` is lazy."""


@dataclass(frozen=True)
class TextCall:
    """The result of one call over text.

    Attributes:
        verdict: the outcome of the gates.
        end_reason: why the call ended.
        turns: number of the agent's turns.
        words: number of words that both sides said.
        last_words: the agent's last turn.
        breaches: what the caller did against its script.
        said: the agent's words against its duties.
    """

    verdict: Verification
    end_reason: EndReason
    turns: int
    words: int
    last_words: str
    breaches: tuple[FidelityBreach, ...] = ()
    said: Said | None = None

    def findings(self, how: str) -> list[TaskFinding]:
        """Return what the scripted caller did against its own script: it never may, whatever the agent does."""
        return [TaskFinding("caller", f"{how}: {breach.rule}: the caller {breach.what}") for breach in self.breaches]


@dataclass
class _Direct:
    """A local agent, asked by the history alone, as its endpoint would ask it; it takes as long as that by default."""

    model: LocalModel
    call_id: str
    task: str | None
    requests: int = field(default=0)

    async def stream(
        self, messages: list[JsonObject], tools: list[JsonObject], agent: str
    ) -> AsyncGenerator[Delta, None]:
        self.requests += 1
        await sleep(TTFT_S)
        action = self.model.reply(ChatRequest("", tuple(messages), tuple(tools), call_id=self.call_id, task=self.task))
        if action.say:
            yield Delta(text=action.say)
        for number, use in enumerate(action.calls):
            yield Delta(call=ToolCall(f"call{self.requests}_{number}", use.name, json.dumps(use.arguments)))

    async def close(self) -> None:
        """There is nothing to close."""


def hold(sandbox: TaskSandbox, model: str | LocalModel, call_id: str = "0") -> TextCall:
    """Hold one call between the scripted caller and a local agent.

    Args:
        sandbox: the task.
        model: one of ``voicebench.serve.models.MODELS``, or another that answers as these do; only ``reference`` gets
            the task.
        call_id: from which ``random`` and ``transfer_all`` draw.

    Raises:
        ConfigError: the task cannot be given to the reference.
        PackError: a tool's own code failed.
    """
    task = reference_task(sandbox.case, sandbox.snapshot, SEED) if model == "reference" else None
    made = MODELS[model](SEED) if isinstance(model, str) else model
    return run_call(_hold(sandbox, _Direct(made, call_id, task)))


async def _hold(sandbox: TaskSandbox, model: _Direct) -> TextCall:
    def now_ns() -> int:
        return current_loop().now_ns

    context = CallContext(model.call_id, SEED, Tracer(SEED, now_ns), now_ns)
    router = AgentRouter(sandbox.pack, context, latency_ms=LATENCY_MS)
    encoder = load_sentence_encoder()
    caller = ScriptedCaller(sandbox.case.caller, sandbox.pack.spec, encoder)
    with contextlib.closing(router.tool_context):
        reason = await TextSession(caller, router, model, context, Limits()).run()
        difference = diff_state(sandbox.seed, router.tool_context.dump(sandbox.pack.spec), sandbox.pack.spec)
    trace = context.tracer.records()
    verdict = sandbox.verify(evidence_from(trace, difference))
    said = [span.spoken for span in trace if isinstance(span, AgentSpeechSpan | CallerSpeechSpan)]
    agent = [span.spoken for span in trace if isinstance(span, AgentSpeechSpan)]
    end_tools = [tool.name for tool in sandbox.snapshot.tools.values() if tool.ends_call]
    broken = breaches(
        sandbox.case.caller, sandbox.pack.spec, trace, end_reason=reason, end_tools=end_tools, encoder=encoder
    )
    return TextCall(
        verdict,
        reason,
        turns=len(agent),
        words=sum(len(text.split()) for text in said),
        last_words=agent[-1],
        breaches=tuple(broken),
        said=check_duties(sandbox.snapshot, sandbox.case, trace, transcript(trace)),
    )


def check_baseline(sandbox: TaskSandbox, agent: str) -> tuple[list[TaskFinding], int]:
    """Return a finding if an agent that does not know the task passes all gates, and in how many of its calls it does.

    Another is a caller that breaks its script there.

    The gates alone count here: that silence fails a call whatever they say must not be what saves a task.
    """
    calls = {"": "0"}
    if agent == "transfer_all":
        calls = {manner.replace("_", " "): name for manner, name in MANNERS.items()}
    elif agent == "random":
        calls = {f"draw {number}": str(number) for number in range(RANDOM_CALLS)}
    held = {how: hold(sandbox, agent, name) for how, name in calls.items()}
    passed = [how for how, call in held.items() if call.verdict.passed]
    findings = [finding for how, call in held.items() for finding in call.findings(f"{agent} {how}".strip())]
    how = f" ({', '.join(passed)})" if len(calls) > 1 else ""
    return [*findings, *[TaskFinding("baseline", f"{agent} passes{how}")] * bool(passed)], len(passed)


def check_reference(sandbox: TaskSandbox) -> tuple[list[TaskFinding], TextCall | None]:
    """Let the line reference hold the call; return what keeps it from passing, and the call.

    It is held once for each form of the facts: one call in which the caller begins with the first forms, one in which
    it begins with the second, and so on, up to one that fails. A solution that says a fact's value instead of its name
    cannot be given to the reference, and is a leak.
    """
    first: TextCall | None = None
    for number in range(max((len(fact.forms) for fact in sandbox.case.caller.facts.values()), default=1)):
        try:
            call = hold(sandbox.beginning_with(number), "reference")
        except ConfigError as error:
            return [TaskFinding("leak", str(error))], None
        first = first or call
        found = call.findings(f"with the reference, form {number + 1} of each fact")
        if not (call.verdict.passed and call.end_reason in ENDS):
            how = f"beginning with form {number + 1} of each fact, " if number else ""
            gates = failed_gates(call.verdict) or "all gates pass"
            end = f"the call ends with {call.end_reason} after {call.turns} turns"
            found.append(TaskFinding("reference", f"{how}{end}; {gates}; it last said: {call.last_words!r}"))
        elif call.said is not None:
            missed = [duty for duty in call.said.duties if not duty.kept]
            found += [TaskFinding("duties", f"the reference does not keep {one.duty!r}: {one.why}") for one in missed]
        if found:
            return found, first
    return [], first
