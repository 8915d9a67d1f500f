"""The text channel: the same conversation, caller and rules without voices, line or recognizers."""

from __future__ import annotations

from dataclasses import dataclass, field

from voicebench.agent import CallContext
from voicebench.agent.conversation import Conversation, LanguageModel
from voicebench.agent.router import AgentRouter
from voicebench.call.session import GRACE_S
from voicebench.caller import CallerDecision, CallerPolicy, Utterance
from voicebench.clock import sleep
from voicebench.config import Limits
from voicebench.record.events import BargeInEvent, CallerWaitsEvent, HangupEvent
from voicebench.record.spans import AgentSpeechSpan, EndReason

__all__ = ["TextSession"]

_HELLO_S = 10.0
"""Seconds of silence before the caller asks "hello?"; on the telephone it waits as long."""


@dataclass
class _Page:
    """Keeps all that the agent says until nothing more is due."""

    parts: list[str] = field(default_factory=list)

    async def say(self, text: str) -> None:
        self.parts.append(text)

    async def end(self) -> None:
        self.parts.append(" ")

    def take(self) -> str:
        text = " ".join("".join(self.parts).split())
        self.parts.clear()
        return text


class TextSession:
    """One call over text.

    An agent's turn is all it says until nothing more is due; it is handed over whole at that instant, and the caller's
    answer comes back at the same instant. Only the language model and the tools take call time.

    Attributes:
        late_ms, reactions_ms: empty; there are no ticks.
        start_ns: 0.
        length_ns: call time from the greeting to the end.
    """

    def __init__(
        self, policy: CallerPolicy, router: AgentRouter, model: LanguageModel, context: CallContext, limits: Limits
    ) -> None:
        self.late_ms: list[float] = []
        self.reactions_ms: list[float] = []
        self.start_ns = 0
        self.length_ns = 0
        self._policy = policy
        self._router = router
        self._context = context
        self._limits = limits
        self._page = _Page()
        self._greeting = router.pack.spec.greeting
        self._conversation = Conversation(router, model, self._page, greeting=self._greeting)
        self._caller_turns = 0
        self._heard_last_ns = 0  # when either side last spoke; "hello?" does not count
        self._hello_said = False

    def recording(self) -> None:
        """There is none."""

    def line_report(self) -> None:
        """There is no line."""

    async def run(self) -> EndReason:
        """Hold the call; return why it ended."""
        try:
            reason = await self._talk()
            self._context.tracer.add(HangupEvent(time_ns=self._context.now_ns(), reason=reason))
        finally:
            self.length_ns = self._context.now_ns()
            await self._conversation.close()
        return reason

    async def _talk(self) -> EndReason:
        self._trace_agent(self._greeting, self._greeting, interrupted=False)
        decision = await self._policy.begin(self._greeting)
        while True:
            if decision.action == "hang_up":
                self._trace_caller(decision.utterance)
                return "caller_gave_up" if decision.reason == "give_up" else "caller_hung_up"
            if self._conversation.ended:
                if decision.utterance is not None:
                    self._trace_caller(decision.utterance)  # said into a line that is closed at the other end
                await sleep(GRACE_S)
                return "transferred" if self._conversation.ended == "transferred" else "agent_ended"
            if decision.utterance is None and not await self._wait():
                return "agent_silent"
            if (reason := self._limit()) is not None:
                return reason
            utterance = decision.utterance or await self._break_silence()
            self._trace_caller(utterance)
            await self._conversation.take_turn(utterance.spoken)
            decision = await self._listen(self._page.take())

    async def _break_silence(self) -> Utterance:
        """Return what the caller says after a silence: its opening if it has not spoken yet, or else "hello?"."""
        first = await self._policy.begin("") if self._caller_turns == 0 else CallerDecision("wait")
        return first.utterance or self._policy.still_there()

    def _limit(self) -> EndReason | None:
        if self._context.now_ns() >= self._limits.call_s * 1e9:
            return "limit_call_s"
        return "limit_turns" if self._conversation.turns >= self._limits.turns else None

    async def _listen(self, said: str) -> CallerDecision:
        """Let the caller interrupt the agent's turn, or answer it whole; an empty turn is waited out."""
        if not said:
            return CallerDecision("wait")
        self._hello_said = False
        words = said.split()
        for point in self._policy.interrupt_points():
            if point < len(words):
                decision = await self._policy.answer(" ".join(words[:point]), after_words=point)
                if decision.action == "speak":
                    self._conversation.interrupt(point)
                    self._trace_agent(said, " ".join(words[:point]), interrupted=True)
                    now_ns, turn = self._context.now_ns(), self._caller_turns + 1
                    self._context.tracer.add(BargeInEvent(time_ns=now_ns, party="caller", turn=turn))
                    return decision
        self._trace_agent(said, said, interrupted=False)
        decision = await self._policy.answer(said)
        if decision.action == "wait":
            self._context.tracer.add(CallerWaitsEvent(time_ns=self._context.now_ns(), heard=said))
        return decision

    async def _wait(self) -> bool:
        """Wait in silence until the caller says "hello?"; return False if it has waited too long."""
        silent_ns = self._context.now_ns() - self._heard_last_ns
        left_s = self._limits.agent_silence_s - silent_ns / 1e9
        if self._hello_said or left_s <= _HELLO_S:
            await sleep(max(0.0, left_s))
            return False
        self._hello_said = True
        await sleep(_HELLO_S)
        return True

    def _trace_agent(self, intended: str, spoken: str, *, interrupted: bool) -> None:
        now_ns = self._heard_last_ns = self._context.now_ns()
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
            self._heard_last_ns = now_ns
        self._context.tracer.add(utterance.span(now_ns, now_ns, turn=self._caller_turns, interrupted=False))
