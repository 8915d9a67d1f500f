"""The exchanges of a stored call, handed out again in their order in the place of the models."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from voicebench.call.compare import Difference, first_leaf
from voicebench.clock import RecordedFetcher, RecordedResponse, SseEvent
from voicebench.errors import StoreError, VoicebenchError
from voicebench.llm import Party
from voicebench.speech.asr import Transcript
from voicebench.store import Exchanges

__all__ = ["Diverged", "RecordedRecognizer", "Replay"]

_LANGUAGE = "en"
_HEARD = ("samples", "sha256", "text", "filtered", "no_speech_prob", "avg_logprob", "compression_ratio")
_ANSWERED = ("request", "status", "streamed", "head_ns", "retry_after_ms", "chunks", "truncated", "error", "error_ns")
_NEEDED: dict[tuple[str, str], tuple[str, ...]] = {
    ("llm", "agent"): _ANSWERED,
    ("llm", "caller"): _ANSWERED,
    ("asr", "agent"): (*_HEARD, "charge_ms"),
    ("asr", "caller"): _HEARD,
    ("tts", "agent"): ("text", "charge_ms"),
}
"""What a replay reads of each kind of exchange; the caller's voice speaks again, at no charge."""


class Diverged(VoicebenchError):
    """The replay asks for something else than the call did, so that nothing recorded answers it."""


@dataclass(frozen=True)
class _Entry:
    """One stored exchange and the number of its line."""

    number: int
    line: dict[str, Any]


class Replay:
    """Answers out of the exchanges of one call, party by party and kind by kind in their order.

    The first question that differs from the recorded one, or that finds no record left, is kept as ``divergence``; from
    then on nothing is answered, and nothing more is kept.

    Args:
        lines: of ``exchanges.jsonl``.
        name: of that file, for messages.

    Attributes:
        divergence: where the replay left the record; None as long as it has not.
        trace: lines of the replay's trace as they were recorded, up to there.
        exchanges: those of the replay.

    Raises:
        StoreError: an exchange lacks what a replay needs.
    """

    def __init__(self, lines: Iterable[dict[str, Any]], name: str = "exchanges.jsonl") -> None:
        self.divergence: Difference | None = None
        self.trace: list[dict[str, Any]] = []
        self.exchanges = Exchanges()
        self._left: dict[tuple[str, str], deque[_Entry]] = {key: deque() for key in _NEEDED}
        self._asr_ms = 0.0
        self._exchanges_before = 0
        for number, line in enumerate(lines, start=1):
            key = (str(line.get("kind")), str(line.get("party", "agent")))
            missing = [needed for needed in _NEEDED.get(key, ()) if needed not in line]
            if missing:
                raise StoreError(
                    f"{name}, line {number}: {missing[0]!r} is missing; the call was made by a voicebench that "
                    "recorded less than a replay needs: make it again"
                )
            if key in _NEEDED:
                self._left[key].append(_Entry(number, line))

    def was_own(self, party: Party) -> bool:
        """Return whether a party's endpoint was one that the harness had started, which alone gets metadata."""
        return any("metadata" in entry.line["request"] for entry in self._left["llm", party])

    def keep(self, line: dict[str, Any]) -> None:
        """Take a line of the replay's trace."""
        if self.divergence is None:
            self.trace.append(line)

    def exchanged(self) -> list[dict[str, Any]]:
        """Return the replay's exchanges up to where it left the record."""
        lines = self.exchanges.lines()
        return lines if self.divergence is None else lines[: self._exchanges_before]

    # ---- in the place of the models ------------------------------------------------------------------------------

    def fetcher(self, party: Party) -> RecordedFetcher:
        """Return what answers the requests of a party's language model."""
        return RecordedFetcher(partial(self._respond, party))

    def recognizer(self, party: Party) -> RecordedRecognizer:
        """Return a recognizer that has heard it all before."""
        return RecordedRecognizer(self, party)

    def asr_ms(self) -> float:
        """Return what the agent's last recognition cost, milliseconds."""
        return self._asr_ms

    def tts_ms(self, text: str) -> float:
        """Return what the agent's next clause cost, milliseconds; another text than then is a divergence."""
        try:
            return float(self._take("tts", "agent", {"text": text})["charge_ms"])
        except Diverged:
            return 0.0  # the next question ends the call

    def transcribe(self, party: Party, samples: npt.NDArray[np.int16]) -> Transcript:
        """Return what a party recognised next, which should have been these samples: int16[n] at 16 kHz.

        Raises:
            Diverged: it was other samples, or nothing any more.
        """
        asked = {"samples": len(samples), "sha256": sha256(samples.tobytes()).hexdigest()}
        line = self._take("asr", party, asked)
        self._asr_ms = float(line["charge_ms"]) if party == "agent" else self._asr_ms
        figures = (line["no_speech_prob"], line["avg_logprob"], line["compression_ratio"])
        return Transcript(line["text"], *figures, _LANGUAGE, line["filtered"])

    def _respond(self, party: Party, request: dict[str, Any]) -> RecordedResponse:
        line = self._take("llm", party, {"request": request})
        headers = {"content-type": "text/event-stream" if line["streamed"] else "application/json"}
        if line["retry_after_ms"]:
            headers["retry-after-ms"] = str(line["retry_after_ms"])
        return RecordedResponse(
            status=line["status"],
            headers=headers,
            streamed=line["streamed"],
            head_ns=line["head_ns"],
            events=[SseEvent(chunk["offset_ns"], chunk["data"]) for chunk in line["chunks"]],
            truncated=line["truncated"],
            error=line["error"],
            error_ns=line["error_ns"],
        )

    def _take(self, kind: str, party: Party, asked: dict[str, Any]) -> dict[str, Any]:
        """Return the next exchange of a party and kind, if it was asked the same."""
        if self.divergence is not None:
            raise Diverged(f"the replay has left the record before this {kind}")
        left = self._left[kind, party]
        if not left:
            self._leave(f"{kind} of the {party}: the record holds no more of them", None, asked, asked)
        entry = left.popleft()
        recorded = {key: entry.line[key] for key in asked}
        found = first_leaf(recorded, asked)
        if found is not None:
            place = f"line {entry.number}, {kind} of the {party}: {found[0]}"
            self._leave(place, found[1], found[2], asked, entry.line)
        return entry.line

    def _leave(
        self, place: str, recorded: Any, replayed: Any, asked: dict[str, Any], line: dict[str, Any] | None = None
    ) -> None:
        self._exchanges_before = len(self.exchanges.lines())
        at_ns = None if line is None else line.get("audio_end_ns", line.get("start_ns"))
        self.divergence = Difference("exchanges.jsonl", place, recorded, replayed, at_ns, (line, asked))
        raise Diverged(f"the replay differs from the record: {place}")


@dataclass(frozen=True)
class RecordedRecognizer:
    """A recognizer that says what was recognised then."""

    replay: Replay
    party: Party

    def transcribe(self, samples: npt.NDArray[np.int16]) -> Transcript:
        """Return the recorded transcript of these samples, int16[n] at 16 kHz.

        Raises:
            Diverged: the record has other samples here, or nothing.
        """
        return self.replay.transcribe(self.party, samples)
