"""What a service says that it heard, and when, on the trace of the call."""

from __future__ import annotations

from voicebench.agent.base import CallContext
from voicebench.agent.realtime.session import ServiceEvent, SessionSettings
from voicebench.record.exchanges import TranscriptionExchange
from voicebench.record.spans import AsrSpan, TurnEndSpan

__all__ = ["Hearing"]

_LAST = ""
"""Stands for the turn that a hang-up has cut, until the service names it."""


class Hearing:
    """Follows the caller's turns as the service finds them, and writes ``turn.end`` and ``asr``.

    Attributes:
        unanswered_ns: since when the service owes an answer to a turn, call time; None while it owes none. Whoever sees
            a response begin clears it.
    """

    def __init__(self, settings: SessionSettings, context: CallContext) -> None:
        silence_ms = settings.turn_detection.get("silence_duration_ms")
        self._model = settings.transcription
        self._silence_ms = silence_ms if isinstance(silence_ms, int) else 0
        self._context = context
        self._start_ns = 0
        self.unanswered_ns: int | None = None
        self._unheard: dict[str, int] = {}  # turns whose words are still to come: item to end of speech

    @property
    def is_waiting(self) -> bool:
        """Whether the words of a turn are still to come."""
        return bool(self._unheard)

    def begin(self) -> None:
        """Note the call time at which the caller's audio starts, from which the service's times count."""
        self._start_ns = self._context.now_ns()

    def stopped(self, event: ServiceEvent) -> None:
        """Note the end of a turn; the service's time includes the silence that it waited for."""
        now_ns = self._context.now_ns()
        heard_ms = max(0, int(event["audio_end_ms"]) - self._silence_ms)
        vad_stop_ns = min(now_ns, self._start_ns + heard_ms * 1_000_000)
        self._unheard[str(event.get("item_id"))] = vad_stop_ns
        self._context.tracer.add(
            TurnEndSpan(start_ns=vad_stop_ns, end_ns=now_ns, party="agent", vad_stop_ns=vad_stop_ns)
        )

    def cut(self) -> None:
        """Note that the line was closed in the middle of a turn."""
        self._unheard.setdefault(_LAST, self._context.now_ns())

    def committed(self, event: ServiceEvent) -> None:
        """Take the name of a turn; a session without a transcription model has no words to wait for."""
        # A later turn changes nothing: "Hello?" is heard by a service that has stalled, too
        if self.unanswered_ns is None:
            self.unanswered_ns = self._context.now_ns()
        end_ns = self._unheard.pop(_LAST, self._context.now_ns())
        self._unheard.setdefault(str(event.get("item_id")), end_ns)
        if self._model is None:
            self._unheard.clear()

    def heard(self, event: ServiceEvent) -> None:
        """Write down the words of a turn, and what writing them down used."""
        if event.get("transcript") == "":
            self.unanswered_ns = None  # a breath or a cough, which needs no answer
        now_ns = self._context.now_ns()
        start_ns = self._unheard.pop(str(event.get("item_id")), now_ns)
        text = str(event.get("transcript") or "").strip()
        self._context.tracer.add(AsrSpan(start_ns=start_ns, end_ns=max(start_ns, now_ns), party="agent", text=text))
        usage = event.get("usage")
        if isinstance(usage, dict):
            self._context.exchanges.add(TranscriptionExchange(party="agent", model=self._model, usage=usage))
