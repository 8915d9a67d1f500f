"""The exchanges of a stored call, handed out again in their order in the place of its models."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar

import httpx2
import numpy as np
import numpy.typing as npt

from voicebench.clock.fetch import Arrival, Fetch
from voicebench.errors import VoicebenchError
from voicebench.llm import Party
from voicebench.record.exchanges import AgentAsrExchange, AgentTtsExchange, CallerAsrExchange, Exchange, LlmExchange
from voicebench.record.json_types import JsonObject
from voicebench.record.trace import TraceRecord
from voicebench.speech.asr import Transcript
from voicebench.store import Exchanges
from voicebench.stored.replay.compare import Difference, as_stored, first_leaf

__all__ = ["Diverged", "RecordedFetcher", "RecordedRecognizer", "Replay"]

_LANGUAGE = "en"
_ANSWERING = (LlmExchange, AgentAsrExchange, CallerAsrExchange, AgentTtsExchange)
"""What a replay reads. The caller's voice is no part of it: it speaks again, and is charged nothing."""

Answering = TypeVar("Answering", LlmExchange, AgentAsrExchange, CallerAsrExchange, AgentTtsExchange)


class Diverged(VoicebenchError):
    """The replay asks for something else than the call did, so that nothing recorded answers it."""


class Replay:
    """Answers out of the exchanges of one call, party by party and kind by kind in their order.

    The first question that differs from the recorded one, or that finds no record left, is kept as ``divergence``; from
    then on nothing is answered, and nothing more is kept.

    Args:
        exchanges: of the call.

    Attributes:
        divergence: where the replay left the record; None as long as it has not.
        trace: the replay's trace in the order in which it was recorded, up to there.
        exchanges: those of the replay.
    """

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self.divergence: Difference | None = None
        self.trace: list[TraceRecord] = []
        self.exchanges = Exchanges()
        self._left: defaultdict[tuple[type, Party], deque[tuple[int, Any]]] = defaultdict(deque)
        self._asr_ms = 0.0
        self._exchanges_before = 0
        for number, exchange in enumerate(exchanges, start=1):
            if isinstance(exchange, _ANSWERING):
                self._left[type(exchange), exchange.party].append((number, exchange))

    def was_own(self, party: Party) -> bool:
        """Return whether a party's endpoint was one that the harness had started, which alone gets metadata."""
        return any("metadata" in exchange.request for _, exchange in self._left[LlmExchange, party])

    def keep(self, record: TraceRecord) -> None:
        """Take a record of the replay's trace."""
        if self.divergence is None:
            self.trace.append(record)

    def exchanged(self) -> list[Exchange]:
        """Return the replay's exchanges up to where it left the record."""
        exchanges = self.exchanges.records()
        return exchanges if self.divergence is None else exchanges[: self._exchanges_before]

    # ---- in the place of the models ------------------------------------------------------------------------------

    def fetcher(self, party: Party) -> RecordedFetcher:
        """Return what answers the requests of a party's language model."""

        def answer(request: JsonObject) -> LlmExchange:
            return self._take(LlmExchange, f"llm of the {party}", party, {"request": request})

        return RecordedFetcher(answer)

    def recognizer(self, party: Party) -> RecordedRecognizer:
        """Return what stands for a party's speech recognition."""
        return RecordedRecognizer(partial(self._transcribe, party))

    def asr_ms(self) -> float:
        """Return what the agent's last recognition cost, milliseconds."""
        return self._asr_ms

    def tts_ms(self, text: str) -> float:
        """Return what the agent's next clause cost, milliseconds; another text than then is a divergence."""
        try:
            return self._take(AgentTtsExchange, "tts of the agent", "agent", {"text": text}).charge_ms
        except Diverged:
            return 0.0  # the call goes on until its next request or recognition, which raises

    def _transcribe(self, party: Party, samples: npt.NDArray[np.int16]) -> Transcript:
        asked: JsonObject = {"samples": len(samples), "sha256": sha256(samples.tobytes()).hexdigest()}
        heard: AgentAsrExchange | CallerAsrExchange
        if party == "agent":
            heard = self._take(AgentAsrExchange, "asr of the agent", party, asked)
            self._asr_ms = heard.charge_ms
        else:
            heard = self._take(CallerAsrExchange, "asr of the caller", party, asked)
        figures = heard.no_speech_prob, heard.avg_logprob, heard.compression_ratio
        return Transcript(heard.text, *figures, _LANGUAGE, heard.filtered)

    def _take(self, kind: type[Answering], name: str, party: Party, asked: JsonObject) -> Answering:
        """Return the next exchange of a party and kind, if it was asked the same."""
        if self.divergence is not None:
            raise Diverged(f"the replay has left the record before the next {name}")
        left = self._left[kind, party]
        if not left:
            raise self._leave(Difference("exchanges.jsonl", f"{name}: the record holds no more of them", None, asked))
        number, exchange = left.popleft()
        found = first_leaf({key: getattr(exchange, key) for key in asked}, asked)
        if found is not None:
            line = as_stored(exchange)
            at_ns = exchange.audio_end_ns if isinstance(exchange, AgentAsrExchange) else exchange.start_ns
            place = f"line {number}, {name}: {found[0]}"
            raise self._leave(Difference("exchanges.jsonl", place, found[1], found[2], at_ns, (line, asked)))
        assert isinstance(exchange, kind)
        return exchange

    def _leave(self, divergence: Difference) -> Diverged:
        # The harness may write down further exchanges while the call ends; they have no counterpart in the record.
        self._exchanges_before = len(self.exchanges.records())
        self.divergence = divergence
        return Diverged(f"the replay differs from the record: {divergence.place}")


@dataclass(frozen=True)
class RecordedRecognizer:
    """A recognizer whose ``transcribe`` returns what was recognised in the recorded call.

    It takes int16[n] at 16 kHz, and raises :class:`Diverged` if the record has other samples there, or nothing.
    """

    transcribe: Callable[[npt.NDArray[np.int16]], Transcript]


class RecordedFetcher:
    """Answers each request at once with a recorded exchange.

    Args:
        answer: returns the exchange of a request, given its JSON body; what it raises, the client sees as a failure.
    """

    def __init__(self, answer: Callable[[JsonObject], LlmExchange]) -> None:
        self._answer = answer

    def open(self, request: httpx2.Request, body: bytes, notify: Callable[[], object]) -> Fetch:
        """Take the next response of the record."""
        recorded = self._answer(json.loads(body) if body else {})
        # Of the headers the client looks at two alone.
        headers = {"content-type": "text/event-stream" if recorded.streamed else "application/json"}
        if recorded.retry_after_ms:
            headers["retry-after-ms"] = str(recorded.retry_after_ms)
        fetch = Fetch(request, notify, recorded.status or 0, httpx2.Headers(headers))
        fetch.streamed = recorded.streamed
        fetch.truncated = recorded.truncated
        fetch.header_s = None if recorded.head_ns is None else recorded.head_ns / 1e9
        fetch.arrivals = [Arrival(chunk.offset_ns / 1e9, chunk.data) for chunk in recorded.chunks]
        fetch.end_s = fetch.arrivals[-1].offset_s if fetch.arrivals else 0.0
        if recorded.error_ns is not None:
            fetch.error, fetch.end_s = _failure(recorded.error or "", request), recorded.error_ns / 1e9
        return fetch

    def begin(self, fetch: Fetch) -> None:
        """Mark it as complete; fail where the call gave the request up, so that no answer to it was recorded."""
        if fetch.status == 0 and fetch.error is None:
            text = "there is no recorded answer: the request was given up before it was sent"
            fetch.error = httpx2.ReadError(text, request=fetch.request)
        fetch.done = True

    def abort(self, fetch: Fetch) -> None:
        """Do nothing: it was complete at once."""

    def close(self) -> None:
        """Do nothing: there are no connections."""


def _failure(text: str, request: httpx2.Request) -> Exception:
    """Return a failure that is written as ``text``: its class, and its message."""
    name, _, message = text.partition(": ")
    known = getattr(httpx2, name, None)
    if isinstance(known, type) and issubclass(known, httpx2.TransportError):
        return known(message, request=request)
    unknown: type[httpx2.TransportError] = type(name, (httpx2.TransportError,), {})
    return unknown(message, request=request)
