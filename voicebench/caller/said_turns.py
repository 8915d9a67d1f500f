"""What a caller said in a call and where it said nothing, as the fidelity checks them: read from the trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from voicebench.record.events import CallerWaitsEvent
from voicebench.record.spans import AgentSpeechSpan, CallerSpeechSpan, ToolSpan, is_answer
from voicebench.record.trace import TraceRecord

__all__ = ["SaidTurn", "WaitedTurn", "said_turns", "waited_turns"]


@dataclass(frozen=True)
class SaidTurn:
    """An utterance of the caller, all that the agent had said until then, and whether it had ended the call."""

    span: CallerSpeechSpan
    by_agent: tuple[str, ...]
    agent_ended: bool

    @property
    def span_id(self) -> str:
        """The id of its span."""
        return self.span.span_id

    @property
    def spoken(self) -> str:
        """What was said."""
        return self.span.spoken

    @property
    def answers(self) -> str:
        """What it answers; empty if nothing was heard."""
        return self.span.answers or ""

    @property
    def hangs_up(self) -> bool:
        """Whether the caller hung up with it."""
        return self.span.rule in ("closing", "give_up")


def said_turns(trace: Sequence[TraceRecord], end_tools: frozenset[str]) -> Iterator[SaidTurn]:
    """Yield what the caller said, but for "hello?"."""
    by_agent: list[str] = []
    turn: int | None = None
    agent_ended = False
    for line in trace:
        if isinstance(line, AgentSpeechSpan):
            texts = [line.intended]
            if line.turn == turn and by_agent:
                # One turn may come in several pieces, and an intent may need the words of two of them.
                texts.append(f"{by_agent[-1]} {line.intended}")
            by_agent += texts
            turn = line.turn
        elif isinstance(line, ToolSpan) and line.tool in end_tools:
            agent_ended = agent_ended or line.result.get("ok") is True
        elif isinstance(line, CallerSpeechSpan) and line.rule != "hello":
            yield SaidTurn(line, tuple(by_agent), agent_ended)


@dataclass(frozen=True)
class WaitedTurn:
    """A turn that the caller let pass.

    Attributes:
        heard: what it had heard.
        span_id: of the agent's last words.
        followed_by: what came next: ``hello``, ``agent`` or ``end``.
    """

    heard: str
    span_id: str
    followed_by: Literal["hello", "agent", "end"]

    def is_silence(self, would_be: str, end_reason: str) -> bool:
        """Whether a fair caller would have spoken, by the rule that the scripted one would have followed."""
        if self.followed_by == "end":
            return end_reason == "agent_silent"
        return self.followed_by == "hello" and is_answer(would_be)


def waited_turns(trace: Sequence[TraceRecord], span_id: str) -> Iterator[WaitedTurn]:
    """Yield the turns that the caller let pass between some words and its next, but for "hello?"."""
    begin = next(index for index, line in enumerate(trace) if line.span_id == span_id)
    agent_span, waiting = "", ""
    for line in trace[begin + 1 :]:
        if waiting and isinstance(line, AgentSpeechSpan | CallerWaitsEvent | CallerSpeechSpan):
            said_hello = isinstance(line, CallerSpeechSpan) and line.rule == "hello"
            yield WaitedTurn(waiting, agent_span, "hello" if said_hello else "agent")
            waiting = ""
        if isinstance(line, CallerSpeechSpan) and line.rule != "hello":
            return
        if isinstance(line, AgentSpeechSpan):
            agent_span = line.span_id
        elif isinstance(line, CallerWaitsEvent):
            waiting = line.heard
    if waiting:
        yield WaitedTurn(waiting, agent_span, "end")
