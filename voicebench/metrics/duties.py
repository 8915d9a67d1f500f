"""Holds the agent's words against its duties: what it must say by when, and what it may not; shown, and gating nothing.

The words that count are those that the agent meant and that were played. What the line or the caller's ear lost of them
was said all the same; where the agent's own words are unknown, those that the caller heard stand for them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from voicebench.language.compare import compare_values
from voicebench.language.extract import extract
from voicebench.language.intents import Intents
from voicebench.language.readback import facts_in
from voicebench.language.sentences import split_sentences
from voicebench.language.slots import FactSpec
from voicebench.packs import PackSnapshot
from voicebench.packs.models import Case, Duty
from voicebench.record.spans import ToolSpan
from voicebench.record.trace import TraceRecord
from voicebench.record.transcript import TranscriptTurn
from voicebench.record.verdict import DutyCheck, Said

__all__ = ["check_duties"]


def check_duties(
    snapshot: PackSnapshot, case: Case, trace: Sequence[TraceRecord], turns: Sequence[TranscriptTurn]
) -> Said:
    """Return which of the task's duties the agent kept.

    Args:
        snapshot: the run's copy of the pack.
        case: the task.
        trace: spans and events.
        turns: of the transcript.
    """
    words = _AgentWords(snapshot, case, trace, turns)
    checks = tuple(words.check(duty) for duty in case.duties)
    kept = sum(check.kept for check in checks)
    return Said(kept=kept, of=len(checks), reward=kept / len(checks) if checks else None, duties=checks)


@dataclass(frozen=True)
class _AgentWords:
    """What the agent said and did in one call."""

    snapshot: PackSnapshot
    case: Case
    trace: Sequence[TraceRecord]
    turns: Sequence[TranscriptTurn]

    def check(self, duty: Duty) -> DutyCheck:
        """Decide one duty."""
        calls = [span for span in self.trace if isinstance(span, ToolSpan) and span.tool == duty.before]
        call = next((span for span in calls if span.result.get("ok") is True), None)
        said = [turn for turn in self.turns if turn.speaker == "agent" and self._says(duty, _words(turn))]
        by_s = float("inf") if call is None else call.start_ns / 1e9
        in_time = [turn for turn in said if turn.start_s < by_s]
        if duty.never_tell is not None:
            return self._forbidden(duty, in_time)
        what = "read back" if duty.read_back else "told"
        if not said:
            return DutyCheck(duty=str(duty), kept=False, at_s=None, why=f"never {what}")
        if not in_time:
            why = f"{what} only after {duty.before}"
            return DutyCheck(duty=str(duty), kept=False, at_s=said[0].start_s, why=why)
        right = in_time if call is None or duty.holds is None else self._holding(duty, call, in_time)
        if not right:
            value = None if call is None else call.arguments.get(duty.holds or "")
            why = f"{what} with another value than {duty.holds} {value!r} of {duty.before}"
            return DutyCheck(duty=str(duty), kept=False, at_s=in_time[-1].start_s, why=why)
        heard = [turn for turn in right if turn.heard is None or self._says(duty, turn.heard)]
        turn = (heard or right)[0]
        return DutyCheck(
            duty=str(duty), kept=True, at_s=turn.start_s, why=what if heard else f"{what}; the caller did not hear it"
        )

    def _forbidden(self, duty: Duty, said: Sequence[TranscriptTurn]) -> DutyCheck:
        if said:
            why = f"the agent said “{_words(said[0])}”"
            return DutyCheck(duty=str(duty), kept=False, at_s=said[0].start_s, why=why)
        return DutyCheck(duty=str(duty), kept=True, at_s=None, why="not told")

    def _says(self, duty: Duty, words: str) -> bool:
        spec = self.snapshot.spec
        if duty.read_back is not None:
            return duty.read_back in facts_in(words, self.case.caller.facts, spec.facts)
        # As a whole and by sentences: "I can't advise you. I would stop it" denies in one what it does in the other.
        parts = [words, *(sentence.text for sentence in split_sentences(words))]
        return any(self._intents.match("heard", duty.tell or duty.never_tell or "", part) for part in parts)

    @cached_property
    def _intents(self) -> Intents:
        # By expressions alone: what a duty is decided on must not hang on how near a sentence is to another.
        return Intents(self.snapshot.spec.intents)

    def _holding(self, duty: Duty, call: ToolSpan, turns: Sequence[TranscriptTurn]) -> list[TranscriptTurn]:
        """Return the turns that hold the value of the tool's argument, by its type; all of them for free words."""
        name = duty.holds or ""
        kind = self.snapshot.tools[call.tool].arg_types.get(name)
        given = call.arguments.get(name)
        if kind is None or kind == "prose" or given is None:
            return list(turns)
        slot = FactSpec(type=kind, question="")
        today = dt.date.fromisoformat(self.snapshot.spec.today)
        return [
            turn
            for turn in turns
            if any(compare_values(kind, given, value).equal for value in extract(slot, _words(turn), today=today))
        ]


def _words(turn: TranscriptTurn) -> str:
    return turn.spoken or (turn.heard or "")
