"""All figures of one call."""

from __future__ import annotations

from collections.abc import Sequence

from voicebench.metrics.activity import Segment, recording_activity
from voicebench.metrics.comprehension import caller_comprehension
from voicebench.metrics.latency import answer_gaps, hello_stretches, quantiles, silences_before, v2v_parts
from voicebench.metrics.transcript import transcript, word_errors_by_leg
from voicebench.metrics.turn_taking import first_audio_ms, missed_turns, talk_over_s, yields_ms
from voicebench.record.call import CallMetrics
from voicebench.record.events import BargeInEvent, VadForcedEvent
from voicebench.record.figures import Latencies, TokenSums, TurnCounts
from voicebench.record.spans import LlmSpan
from voicebench.record.trace import TraceRecord

__all__ = ["call_metrics"]


def call_metrics(trace: Sequence[TraceRecord], recording: bytes | None) -> CallMetrics:
    """Measure one call.

    Args:
        trace: its spans and events, by their start.
        recording: content of ``recording.wav``; None (the text channel) leaves what needs audio null.

    Raises:
        ValueError: the recording is no stereo WAV file.
    """
    requests = [span for span in trace if isinstance(span, LlmSpan) and span.party != "caller"]
    turns = transcript(trace)
    speech = recording_activity(recording) if recording is not None else None
    hellos = hello_stretches(trace)
    answered = [] if speech is None else answer_gaps(*speech, hellos)
    ttft_ms = [request.ttft_ms for request in requests if request.ttft_ms is not None]
    v2v_ms = [gap.v2v_ms for gap in answered]
    first_ms, yield_ms = first_audio_ms(answered, trace), [] if speech is None else yields_ms(*speech)
    return CallMetrics(
        ttft_ms=quantiles(ttft_ms),
        ttfat_ms=quantiles([request.ttfat_ms for request in requests if request.ttfat_ms is not None]),
        v2v_ms=quantiles(v2v_ms),
        first_audio_ms=quantiles(first_ms),
        yield_ms=quantiles(yield_ms),
        talk_over_s=None if speech is None else talk_over_s(*speech),
        v2v_parts=tuple(v2v_parts(trace, speech)),
        latencies_ms=Latencies(
            ttft=tuple(ttft_ms),
            v2v=tuple(v2v_ms),
            first_audio=tuple(first_ms),
            yield_=tuple(yield_ms),
            before_hello=() if speech is None else tuple(silences_before(hellos, speech)),
        ),
        turns=TurnCounts(
            agent=sum(turn.speaker == "agent" for turn in turns), caller=sum(turn.speaker == "caller" for turn in turns)
        ),
        missed_turns=missed_turns(trace),
        comprehension=caller_comprehension(trace),
        barge_ins=sum(isinstance(event, BargeInEvent) and event.party == "caller" for event in trace),
        vad_forced=sum(isinstance(event, VadForcedEvent) for event in trace),
        tokens=_tokens(requests),
        agent_speech_s=None if speech is None else _total_s(speech[1]),
        caller_speech_s=None if speech is None else _total_s(speech[0]),
        word_errors=word_errors_by_leg(turns),
        transcript=tuple(turns),
    )


def _tokens(requests: Sequence[LlmSpan]) -> TokenSums:
    """Sum the tokens of the answered requests; a sum that would lack some is null.

    Few endpoints tell cached tokens, and some only when there are any: a request without them had none, unless no
    request has them.
    """
    answered = [request for request in requests if request.ttft_ms is not None or request.input_tokens is not None]
    read = _sum([request.input_tokens for request in answered])
    cached = [request.cached_tokens for request in answered if request.cached_tokens is not None]
    return TokenSums(
        input=read,
        output=_sum([request.output_tokens for request in answered]),
        cached=sum(cached) if cached and read is not None else None,
    )


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def _total_s(segments: Sequence[Segment]) -> float:
    return round(sum(end - start for start, end in segments), 3)
