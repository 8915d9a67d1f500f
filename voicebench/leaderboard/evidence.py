"""Whether the trace of a call is what its exchanges with models, and its tools, bear out.

A trace is a text file, and anybody can write a better one. What stands in it follows from the exchanges: times and
tokens of each request from the chunks and their offsets, the words and the tool calls from their content, each result
from the tools. So a forger has to make up whole answers of a model, which only a replay, or the model itself, can show.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from voicebench.clock.chat import ContentReader
from voicebench.config import Pipeline
from voicebench.llm import answer_ending, counted_tokens
from voicebench.packs import Pack
from voicebench.record.exchanges import AgentAsrExchange, AgentTtsExchange, CallerTtsExchange, Exchange, LlmExchange
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.record.spans import (
    AgentSpeechSpan,
    AsrSpan,
    CallerSpeechSpan,
    HandoffSpan,
    LlmSpan,
    ToolSpan,
    TtsSpan,
)
from voicebench.record.trace import TraceRecord
from voicebench.record.trace_line import TraceSpan
from voicebench.store import StoredCall

__all__ = ["evidence_problems", "tool_problems"]

_AFTER_HANGUP_S = 11.0
"""A tool in flight may end so long after the call."""
_ROUNDING_MS = 0.002
_NOT_RUN = ("ALREADY_HANDED_OFF", "TOOL_NOT_AVAILABLE", "UNKNOWN_TOOL", "MALFORMED_ARGUMENTS")
"""Errors with which calls are answered that never reach a tool."""


class _Made(NamedTuple):
    """A tool call as the model wrote it."""

    name: str
    arguments: str


def evidence_problems(call: StoredCall, pipeline: Pipeline) -> Iterator[str]:
    """Yield what of a call's trace its exchanges do not bear out, in words.

    Args:
        call: the attempt.
        pipeline: of the run, as its ``run.json`` has it.
    """
    exchanges = call.exchanges
    chats = [one for one in exchanges if isinstance(one, LlmExchange)]
    yield from _impossible_times(call.trace, chats, call.call.call_s)
    yield from _parts(call.trace, exchanges, pipeline)
    yield from _requests(call.trace, chats, pipeline)
    if pipeline.agent.harness == "cascade":
        ours = [one for one in chats if one.party == "agent"]
        yield from _words(call.trace, ours)
        yield from _calls(call.trace, ours)


def tool_problems(call: StoredCall, pack: Pack) -> Iterator[str]:
    """Run the tools of a call again, and yield each result, and each table, that is another now.

    Args:
        call: the attempt.
        pack: the one that is installed here; nothing of a stranger's is run.
    """
    spans = [span for span in call.trace if isinstance(span, ToolSpan)]
    context = pack.open_context()
    try:
        for span in sorted(spans, key=lambda span: (span.start_ns, span.end_ns)):
            if span.result.get("error_code") in _NOT_RUN:
                continue
            if span.tool not in pack.tools:
                yield f"the tool {span.tool} is none of the pack's"
                continue
            result = json.loads(json.dumps(pack.tools[span.tool].invoke(context, span.arguments)))
            if result != span.result:
                yield f"the result of {span.tool} is not what the tool returns"
        final = json.loads(json.dumps(context.dump(pack.spec)))
    finally:
        context.close()
    if call.state is not None:
        stored = {table: list(rows) for table, rows in call.state.final.items()}
        tables = [table for table in sorted(final.keys() | stored.keys()) if final.get(table) != stored.get(table)]
        if tables:
            yield f"the final database is not what its tools leave: {', '.join(tables)}"


def _impossible_times(
    trace: Iterable[TraceRecord], chats: Iterable[LlmExchange], call_s: float | None
) -> Iterator[str]:
    last_ns = round(((call_s or 0.0) + _AFTER_HANGUP_S) * 1e9)
    for line in trace:
        if isinstance(line, TraceSpan) and not (0 <= line.start_ns <= line.end_ns <= last_ns):
            yield f"impossible times: {line.name} from {line.start_ns / 1e9:.3f} s to {line.end_ns / 1e9:.3f} s"
    for one in chats:
        offsets = [chunk.offset_ns for chunk in one.chunks]
        if offsets != sorted(offsets) or any(offset < 0 for offset in offsets):
            yield f"impossible times: chunks of the request at {one.start_ns / 1e9:.3f} s come before it, or each other"


def _parts(trace: Iterable[TraceRecord], exchanges: Iterable[Exchange], pipeline: Pipeline) -> Iterator[str]:
    """Look whether recognizers, voices and models took part as the configuration says."""
    kinds = [type(line) for line in trace]
    made = [type(one) for one in exchanges]
    asr = sum(isinstance(line, AsrSpan) and line.party == "agent" for line in trace)
    tts = sum(isinstance(line, TtsSpan) and line.party == "agent" for line in trace)
    is_cascade, is_audio = pipeline.agent.harness == "cascade", pipeline.channel == "audio"
    if is_cascade and (made.count(AgentAsrExchange), made.count(AgentTtsExchange)) != (asr, tts):
        yield (
            f"{asr} recognitions and {tts} syntheses of the agent in the trace, and "
            f"{made.count(AgentAsrExchange)} and {made.count(AgentTtsExchange)} exchanges of them"
        )
    if is_audio and CallerSpeechSpan in kinds and CallerTtsExchange not in made:
        yield "the channel is audio, and the caller's voice has no exchange"
    if is_audio and is_cascade and AgentSpeechSpan in kinds and AgentTtsExchange not in made:
        yield "the channel is audio, and the agent's voice has no exchange"
    if not is_audio and (AgentTtsExchange in made or CallerTtsExchange in made):
        yield "the channel is text, and there are exchanges with voices"
    replies = [line for line in trace if isinstance(line, CallerSpeechSpan) and line.rule != "hello"]
    plays = any(isinstance(one, LlmExchange) and one.party == "caller" for one in exchanges)
    if replies and plays != (pipeline.caller.kind == "llm"):
        told = "are requests" if plays else "is no request"
        yield f"the caller is of kind {pipeline.caller.kind}, and there {told} to a model that plays it"


def _requests(trace: Iterable[TraceRecord], chats: Iterable[LlmExchange], pipeline: Pipeline) -> Iterator[str]:
    """Compare each request in the trace with what came of it: model, times, tokens."""
    spans = {line.span_id: line for line in trace if isinstance(line, LlmSpan) and line.operation == "chat"}
    models = {"agent": pipeline.agent.served.model, "caller": pipeline.caller.llm.model}
    asked_ns: dict[str, int] = {}
    for one in chats:
        span = spans.pop(one.span_id, None)
        at = f"the {one.party}'s request at {one.start_ns / 1e9:.3f} s"
        if span is None:
            yield f"{at}: not in the trace"
            continue
        if one.request.get("model") != models[one.party]:
            yield f"{at}: for the model {one.request.get('model')!r}, and the configuration names {models[one.party]!r}"
        if span.party != one.party or span.start_ns != one.start_ns:
            yield f"{at}: the trace has it of the {span.party} at {span.start_ns / 1e9:.3f} s"
        if not span.retries:
            asked_ns[one.party] = one.start_ns
        waited_ms = (one.start_ns - asked_ns.get(one.party, one.start_ns)) / 1e6
        first, answer = _first_tokens(one)
        # Older versions measured from the last try, and stored no wait
        known_wait = not span.retries or span.waited_ms > 0
        for name, told_ms, offset_ns in (("TTFT", span.ttft_ms, first), ("TTFAT", span.ttfat_ms, answer)):
            true_ms = None if offset_ns is None else waited_ms + offset_ns / 1e6
            if (told_ms is None) != (true_ms is None) or (
                told_ms is not None and true_ms is not None and known_wait and abs(told_ms - true_ms) > _ROUNDING_MS
            ):
                yield f"{at}: {name} is {_ms(told_ms)} in the trace, and {_ms(true_ms)} by its chunks"
        usage, _ = answer_ending(chunk.data for chunk in one.chunks)
        read, written = (counted_tokens(usage.get(f"{name}_tokens"), first) for name in ("prompt", "completion"))
        if (span.input_tokens, span.output_tokens) != (read, written):
            told = f"{span.input_tokens} and {span.output_tokens}"
            yield f"{at}: {told} tokens in the trace, and {read} and {written} in the answer"
    for span in spans.values():
        yield f"the {span.party}'s request at {span.start_ns / 1e9:.3f} s in the trace has no exchange"


def _first_tokens(one: LlmExchange) -> tuple[int | None, int | None]:
    """Return the offsets of the first token of any kind, and of the answer, nanoseconds."""
    reader = ContentReader()
    first = answer = None
    for chunk in one.chunks:
        content = reader.read(chunk.data)
        first = chunk.offset_ns if first is None and content.token else first
        answer = chunk.offset_ns if answer is None and content.answer else answer
    return first, answer


def _words(trace: Iterable[TraceRecord], chats: Iterable[LlmExchange]) -> Iterator[str]:
    """Look whether the agent's words are in the model's answers; the greeting before the first is the pack's."""
    texts = (part.get("content") for one in chats for part in _deltas(one))
    answered = _squashed("".join(text for text in texts if isinstance(text, str)))
    spoken = [line for line in trace if isinstance(line, AgentSpeechSpan)]
    first_turn = min((line.turn for line in spoken), default=0)
    for line in spoken:
        if line.turn != first_turn and _squashed(line.intended) not in answered:
            words = repr(line.intended[:60])
            yield f"the agent's words at {line.start_ns / 1e9:.3f} s are in no answer of the model: {words}"


def _calls(trace: Iterable[TraceRecord], chats: Iterable[LlmExchange]) -> Iterator[str]:
    """Compare calls of tools and handoffs with those in the answers, and their results with what the model was told."""
    chats = [*chats]
    made = {call_id: call for one in chats for call_id, call in _made_calls(one).items()}
    told: dict[str, str] = {}
    for one in chats:
        messages = one.request.get("messages")
        for message in messages if isinstance(messages, list) else []:
            if isinstance(message, dict) and message.get("role") == "tool":
                told[str(message.get("tool_call_id"))] = str(message.get("content"))
    for line in trace:
        if not isinstance(line, ToolSpan | HandoffSpan):
            continue
        call = made.get(line.call_id)
        if call is None or call.name != line.tool:
            yield f"{line.tool} ({line.call_id}) was called in no answer of the model"
        elif not _same_arguments(call.arguments, line.arguments):
            yield f"{line.tool} ({line.call_id}): its arguments are not those of the model's answer"
        if line.call_id in told and _loaded(told[line.call_id]) != line.result:
            yield f"{line.tool} ({line.call_id}): the model was told another result"


def _made_calls(one: LlmExchange) -> Mapping[str, _Made]:
    """Return the tool calls of an answer by their id, put together from the pieces in which they came."""
    found: dict[str, _Made] = {}
    names: dict[int, str] = {}
    for part in _deltas(one):
        pieces = part.get("tool_calls")
        for position, piece in enumerate(pieces if isinstance(pieces, list) else []):
            if not isinstance(piece, dict):
                continue
            given = piece.get("index")
            index = given if isinstance(given, int) else position
            call_id = str(piece.get("id") or names.get(index, ""))
            names[index] = call_id
            function = piece.get("function")
            before = found.get(call_id, _Made("", ""))
            if isinstance(function, dict):
                name, arguments = (str(function.get(key) or "") for key in ("name", "arguments"))
                before = _Made(before.name + name, before.arguments + arguments)
            found[call_id] = before
    return found


def _deltas(one: LlmExchange) -> Iterator[JsonObject]:
    for chunk in one.chunks:
        data = _loaded(chunk.data)
        choices = data.get("choices") if isinstance(data, dict) else None
        for choice in choices if isinstance(choices, list) else []:
            part = (choice.get("delta") or choice.get("message")) if isinstance(choice, dict) else None
            if isinstance(part, dict):
                yield part


def _same_arguments(written: str, stored: JsonObject) -> bool:
    arguments = _loaded(written or "{}")
    return arguments == stored if isinstance(arguments, dict) else stored == {"malformed": written}


def _loaded(text: str) -> JsonValue:
    """Return what a text holds as JSON; None if it is none."""
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def _squashed(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(char for char in text.casefold() if char.isalnum())


def _ms(value: float | None) -> str:
    return "none" if value is None else f"{value:,.3f} ms"
