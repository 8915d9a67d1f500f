"""All figures of one call, as ``call.json`` holds them."""

from __future__ import annotations

from typing import Any

from voicebench.metrics.activity import Segment, recording_activity
from voicebench.metrics.latency import quantiles, responses, v2v_parts
from voicebench.metrics.transcript import transcript, word_errors_by_leg
from voicebench.metrics.turn_taking import first_audio_ms, missed_turns, talk_over_s, yields_ms

__all__ = ["call_metrics"]


def call_metrics(trace: list[dict[str, Any]], recording: bytes | None) -> dict[str, Any]:
    """Measure one call.

    Args:
        trace: lines of ``trace.jsonl``.
        recording: content of ``recording.wav``; None (the text channel) leaves what needs audio null.

    Returns:
        ``ttft_ms``, ``ttfat_ms`` and ``v2v_ms``, each ``{p50, p95, n}``: over requests that got a first token, and over
        turns of the caller that were answered; of the same turns ``first_audio_ms`` (V2V without the way back);
        ``yield_ms``, how long the agent went on when the caller began over it, and ``talk_over_s``, seconds in which
        both spoke; ``v2v_parts``, what V2V was made of, turn by turn; ``turns`` of both sides; ``missed_turns`` and
        ``barge_ins`` of the caller; ``vad_forced``, turns cut for their length; ``latencies_ms``, all values of
        ``ttft``, ``v2v``, ``first_audio`` and ``yield``;
        ``tokens``, null where an answered request told none; seconds of speech; the ``transcript``, and the
        ``word_errors`` of each leg.

    Raises:
        ValueError: the recording is no stereo WAV file.
    """
    requests = [
        line["attributes"] for line in trace if line["name"] == "llm" and line["attributes"].get("party") != "caller"
    ]
    turns = transcript(trace)
    speech = recording_activity(recording) if recording is not None else None
    answered = [] if speech is None else responses(*speech)
    v2v_ms = [response.v2v_ms for response in answered]
    first_ms, yield_ms = first_audio_ms(answered, trace), [] if speech is None else yields_ms(*speech)
    return {
        "ttft_ms": _quantiles_of(requests, "ttft_ms"),
        "ttfat_ms": _quantiles_of(requests, "ttfat_ms"),
        "v2v_ms": quantiles(v2v_ms),
        "first_audio_ms": quantiles(first_ms),
        "yield_ms": quantiles(yield_ms),
        "talk_over_s": None if speech is None else talk_over_s(*speech),
        "v2v_parts": v2v_parts(trace, speech),
        "latencies_ms": {
            "ttft": _known(requests, "ttft_ms"),
            "v2v": v2v_ms,
            "first_audio": first_ms,
            "yield": yield_ms,
        },
        "turns": {side: sum(turn["speaker"] == side for turn in turns) for side in ("agent", "caller")},
        "missed_turns": missed_turns(trace),
        "barge_ins": sum(line["name"] == "barge_in" and line["attributes"].get("party") == "caller" for line in trace),
        "vad_forced": sum(line["name"] == "vad.forced" for line in trace),
        "tokens": _tokens(requests),
        "agent_speech_s": None if speech is None else _total_s(speech[1]),
        "caller_speech_s": None if speech is None else _total_s(speech[0]),
        "word_errors": word_errors_by_leg(turns),
        "transcript": turns,
    }


def _quantiles_of(requests: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return quantiles(_known(requests, name))


def _known(requests: list[dict[str, Any]], name: str) -> list[float]:
    return [request[name] for request in requests if request.get(name) is not None]


def _tokens(requests: list[dict[str, Any]]) -> dict[str, int | None]:
    """Sum the tokens of the answered requests; a sum that would lack some is null.

    Few endpoints tell cached tokens, and some only when there are any: a request without them had none, unless no
    request has them.
    """
    answered = [
        request for request in requests if request.get("ttft_ms") is not None or _used(request, "input") is not None
    ]
    sums = {kind: _sum([_used(request, kind) for request in answered]) for kind in ("input", "output")}
    cached = [used for request in answered if (used := _used(request, "cached")) is not None]
    return {**sums, "cached": sum(cached) if cached and sums["input"] is not None else None}


def _used(request: dict[str, Any], kind: str) -> int | None:
    value = request.get(f"gen_ai.usage.{kind}_tokens")
    return None if value is None else int(value)


def _sum(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def _total_s(segments: list[Segment]) -> float:
    return round(sum(end - start for start, end in segments), 3)
