"""The trace of a call over text in which a caller says what a test wants, and what is found wrong in it."""

from __future__ import annotations

from voicebench.caller import breaches
from voicebench.language.nearest import SentenceEncoder
from voicebench.packs import Pack
from voicebench.record.events import CallerWaitsEvent
from voicebench.record.spans import AgentSpeechSpan, CallerSpeechSpan, CallSpan
from voicebench.record.trace import TraceRecord
from voicebench.record.verdict import FidelityBreach
from voicebench.store import Tracer


class CallerTrace:
    """The trace of a call over text, turn by turn."""

    def __init__(self, greeting: str, opening: str) -> None:
        self._tracer = Tracer(1, lambda: 0)
        self._at_ns = 0
        self.turn(greeting, opening, "opening")

    def turn(self, heard: str, said: str | None, rule: str = "model") -> None:
        self._at_ns += 1_000_000_000
        at_ns, turn = self._at_ns, self._at_ns // 1_000_000_000
        self._tracer.add(
            AgentSpeechSpan(
                start_ns=at_ns, end_ns=at_ns, turn=turn, agent="a", intended=heard, spoken=heard, interrupted=False
            )
        )
        if said is None:
            self._tracer.add(CallerWaitsEvent(time_ns=at_ns, heard=heard))
        else:
            self._tracer.add(
                CallerSpeechSpan(
                    start_ns=at_ns,
                    end_ns=at_ns,
                    turn=turn,
                    intended=said,
                    spoken=said,
                    rule=rule,
                    answers=heard,
                    interrupts=False,
                    interrupted=False,
                )
            )

    def hello(self) -> None:
        """The caller asks whether anybody is there, after a silence."""
        self._at_ns += 1_000_000_000
        self._tracer.add(
            CallerSpeechSpan(
                start_ns=self._at_ns,
                end_ns=self._at_ns,
                turn=self._at_ns // 1_000_000_000,
                intended="Hello?",
                spoken="Hello?",
                rule="hello",
                interrupted=False,
            )
        )

    def records(self) -> list[TraceRecord]:
        """The trace of the call, which went on for 20 s after the last words."""
        end_ns = self._at_ns + 20_000_000_000
        self._tracer.add(
            CallSpan(start_ns=0, end_ns=end_ns, pack="p", task="t", trial=1, attempt=1, end_reason="agent_silent")
        )
        return self._tracer.records()


def breaches_in_answer(
    pack: Pack, task: str, heard: str, said: str, encoder: SentenceEncoder | None = None
) -> list[FidelityBreach]:
    """Return what is wrong with one answer, right after the opening; by rules alone without an encoder."""
    script = pack.cases[task].caller
    trace = CallerTrace(pack.spec.greeting, script.opening)
    trace.turn(heard, said)
    return breaches(script, pack.spec, trace.records(), end_reason="agent_silent", encoder=encoder)
