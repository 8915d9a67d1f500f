"""The text channel: the same conversation, caller and rules without voices, line or recognizers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from voicebench.agent import CallContext
from voicebench.agent.conversation import Conversation, LanguageModel
from voicebench.agent.router import AgentRouter
from voicebench.call.session import GRACE_S
from voicebench.caller import CallerDecision, CallerPolicy, Utterance
from voicebench.clock import sleep, sleep_until
from voicebench.config import Limits
from voicebench.errors import VoicebenchError
from voicebench.record.events import BargeInEvent, CallerWaitsEvent, HangupEvent
from voicebench.record.spans import AgentSpeechSpan, EndReason

__all__ = ["TextSession"]

_HELLO_NS = 10_000_000_000
"""Nanoseconds of silence before the caller asks "hello?"; on the telephone it waits as long."""


@dataclass
class _Page:
    """Keeps what the agent says until it is handed over.

    Attributes:
        words: how many the present turn has, those included that were handed over.
        last_ns: when the last of them came.
    """

    now_ns: Callable[[], int]
    words: int = 0
    last_ns: int = 0
    _parts: list[str] = field(default_factory=list)

    async def say(self, text: str) -> None:
        self._parts.append(text)
        if text.strip():
            self.last_ns = self.now_ns()

    async def end(self) -> None:
        self._parts.append(" ")

    def take(self) -> str:
        """Hand over what has come since the last time."""
        text = " ".join("".join(self._parts).split())
        self._parts.clear()
        self.words += len(text.split())
        return text


class TextSession:
    """One call over text.

    An agent's turn is all it says until nothing more is due; it is handed over whole at that instant, and the caller's
    answer comes back at the same instant. Only the language model and the tools take call time. They are held to the
    limits that hold on the telephone, at the same times: after 10 s of silence the caller says "hello?", whatever the
    agent is at, and gets what it has said so far.

    Attributes:
        late_ms, reactions_ms: empty; there are no ticks.
        slow_job: None; a caller that only reads may take its time.
        start_ns: 0.
        length_ns: call time from the greeting to the end.
    """

    def __init__(
        self, policy: CallerPolicy, router: AgentRouter, model: LanguageModel, context: CallContext, limits: Limits
    ) -> None:
        self.late_ms: list[float] = []
        self.reactions_ms: list[float] = []
        self.slow_job: str | None = None
        self.start_ns = 0
        self.length_ns = 0
        self._policy = policy
        self._router = router
        self._context = context
        self._limits = limits
        self._page = _Page(context.now_ns)
        self._greeting = router.pack.spec.greeting
        self._conversation = Conversation(router, model, self._page, greeting=self._greeting)
        self._caller_turns = 0
        self._caller_last_ns = 0  # when it spoke last; "hello?" does not count
        self._resumed_ns = 0  # from when the silence counts after the caller has taken time to decide
        self._decides_since_ns: int | None = None
        self._hello_said = False
        self._turns: list[asyncio.Task[None]] = []

    def recording(self) -> None:
        """There is none."""

    def line_report(self) -> None:
        """There is no line."""

    async def run(self) -> EndReason:
        """Hold the call; return why it ended."""
        talk = asyncio.ensure_future(self._talk())
        try:
            reason = await self._within_limits(talk)
            self._context.tracer.add(HangupEvent(time_ns=self._context.now_ns(), reason=reason))
        finally:
            self.length_ns = self._context.now_ns()
            talk.cancel()
            await self._conversation.close()
            for turn in self._turns:
                turn.cancel()
            ended = await asyncio.gather(talk, *self._turns, return_exceptions=True)
        for error in ended:
            if isinstance(error, VoicebenchError):
                raise error  # a tool that was in flight has failed
        return reason

    async def _within_limits(self, talk: asyncio.Future[EndReason]) -> EndReason:
        """Wait for the end of the talk, or for a limit of the call: it ends there, whatever is going on."""
        while True:
            silent_ns = self._heard_last_ns + round(self._limits.agent_silence_s * 1e9)
            limit_ns = round(self._limits.call_s * 1e9)
            left_s = (min(silent_ns, limit_ns) - self._context.now_ns()) / 1e9
            if talk.done():
                return talk.result()
            if left_s <= 0:
                return "agent_silent" if silent_ns <= limit_ns else "limit_call_s"
            await asyncio.wait({talk}, timeout=left_s)

    @property
    def _heard_last_ns(self) -> int:
        """When either side last spoke; while the caller decides, the silence does not grow."""
        last_ns = max(self._caller_last_ns, self._page.last_ns, self._resumed_ns)
        return last_ns + (0 if self._decides_since_ns is None else self._context.now_ns() - self._decides_since_ns)

    async def _decided(self, decision: Awaitable[CallerDecision]) -> CallerDecision:
        """Wait for the caller, whose model takes time in real time."""
        self._decides_since_ns = self._context.now_ns()
        try:
            return await decision
        finally:
            self._resumed_ns, self._decides_since_ns = self._heard_last_ns, None

    async def _talk(self) -> EndReason:
        self._trace_agent(self._greeting, self._greeting, interrupted=False)
        decision = await self._decided(self._policy.begin(self._greeting))
        while True:
            if decision.action == "hang_up":
                self._trace_caller(decision.utterance)
                return "caller_gave_up" if decision.reason == "give_up" else "caller_hung_up"
            if self._conversation.ended:
                if decision.utterance is not None:
                    self._trace_caller(decision.utterance)  # said into a line that is closed at the other end
                await sleep(GRACE_S)
                return "transferred" if self._conversation.ended == "transferred" else "agent_ended"
            utterance = decision.utterance or await self._break_silence()
            if self._conversation.turns >= self._limits.turns:
                return "limit_turns"
            self._trace_caller(utterance)
            decision = await self._listen(await self._answer_to(utterance.spoken))

    async def _break_silence(self) -> Utterance:
        """Return what the caller says after a silence: its opening if it has not spoken yet, or else "hello?"."""
        if self._hello_said:
            await asyncio.Event().wait()  # it asks once; the silence ends the call
        await sleep_until((self._heard_last_ns + _HELLO_NS) / 1e9)
        self._hello_said = True
        first = await self._decided(self._policy.begin("")) if self._caller_turns == 0 else CallerDecision("wait")
        return first.utterance or self._policy.still_there()

    async def _answer_to(self, spoken: str) -> str:
        """Give the caller's words to the agent; return what it says, or has said when the silence grows too long."""
        if self._turns and not self._turns[-1].done():
            self._conversation.interrupt(self._page.words)
            self._page.take()  # what has come since is not heard
        self._page.words = 0
        turn = asyncio.ensure_future(self._conversation.take_turn(spoken))
        self._turns.append(turn)
        while not turn.done():
            hello_s = (self._heard_last_ns + _HELLO_NS - self._context.now_ns()) / 1e9
            if hello_s <= 0 and not self._hello_said:
                break
            await asyncio.wait(
                {*self._turns}, timeout=None if self._hello_said else hello_s, return_when=asyncio.FIRST_COMPLETED
            )
            for ended in [one for one in self._turns if one.done()]:
                self._turns.remove(ended)
                ended.result()
        return self._page.take()

    async def _listen(self, said: str) -> CallerDecision:
        """Let the caller interrupt the agent's turn, or answer it whole; an empty turn is waited out."""
        if not said:
            return CallerDecision("wait")
        self._hello_said = False
        words = said.split()
        for point in self._policy.interrupt_points():
            if point < len(words):
                decision = await self._decided(self._policy.answer(" ".join(words[:point]), after_words=point))
                if decision.action == "speak":
                    self._page.words += point - len(words)
                    self._conversation.interrupt(self._page.words)
                    self._trace_agent(said, " ".join(words[:point]), interrupted=True)
                    now_ns, turn = self._context.now_ns(), self._caller_turns + 1
                    self._context.tracer.add(BargeInEvent(time_ns=now_ns, party="caller", turn=turn))
                    return decision
        self._trace_agent(said, said, interrupted=False)
        decision = await self._decided(self._policy.answer(said))
        if decision.action == "wait":
            self._context.tracer.add(CallerWaitsEvent(time_ns=self._context.now_ns(), heard=said))
        return decision

    def _trace_agent(self, intended: str, spoken: str, *, interrupted: bool) -> None:
        now_ns = self._context.now_ns()
        self._context.tracer.add(
            AgentSpeechSpan(
                start_ns=now_ns,
                end_ns=now_ns,
                turn=self._conversation.turns,
                agent=self._router.active.name,
                intended=intended,
                spoken=spoken,
                interrupted=interrupted,
            )
        )

    def _trace_caller(self, utterance: Utterance | None) -> None:
        assert utterance is not None
        now_ns = self._context.now_ns()
        self._caller_turns += 1
        if utterance.rule != "hello":
            self._caller_last_ns = now_ns
        self._context.tracer.add(utterance.span(now_ns, now_ns, turn=self._caller_turns, interrupted=False))
