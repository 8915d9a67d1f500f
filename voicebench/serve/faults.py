"""Faults of a provider, on purpose: ``serve agent --fault KIND[:RATE] --fault-seed S``.

RATE is the share of calls that are hit, 1 if it is not given. Whether a call is hit, and which of its first requests,
is a hash of (fault seed, ``metadata.voicebench_call``): the order in which calls are made changes nothing. A call that
ends before that request is not hit; requests without such metadata count as one call. ``FAULTS`` is the table of kinds.
What concerns a stream leaves answers in one piece as they are.

A repeated request is hit again. With ``--fault-tries N`` only its first N tries are, counted by the header that the
``openai`` client sends with each (``x-stainless-retry-count``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum
from itertools import repeat
from typing import TypeAlias

from voicebench.config import derive_seed
from voicebench.errors import ConfigError
from voicebench.record.json_types import JsonObject
from voicebench.serve.chat import Action, BadRequest, Called, ChatRequest, ToolUse, history, objects_in, offered
from voicebench.serve.schemas import made_up, workers

__all__ = [
    "AMONG",
    "FAULTS",
    "HEALTHY",
    "SESSION_FAULTS",
    "Break",
    "Fault",
    "FaultPlan",
    "SessionFaultPlan",
    "StreamPart",
]

AMONG = 4
"""The request that is hit is one of so many first ones of a call."""

_IN_A_ROW = 200
_DRIP_MS = 5.0
_NO_TOOL = "look_up_the_weather"
_GARBAGE = '{"choices": [{"index": 0, "delta": <html>\x00 502 Bad Gateway'
_THOUGHTS = ("The caller", " wants something.", " Let me", " see what", " I can do.")


class Break(Enum):
    """What happens to the connection in the middle of a stream."""

    HANG = "nothing more comes"
    CUT = "it is closed"


StreamPart: TypeAlias = JsonObject | str | Break
"""One piece of a stream: a delta, the bare data of an event, or what happens to the connection."""

Deltas: TypeAlias = Iterable[JsonObject]


@dataclass(frozen=True)
class Fault:
    """One kind.

    Attributes:
        does: what the endpoint does.
        then: what a call makes of it.
        status: HTTP status of the refusal that is sent instead of an answer, None if there is an answer.
        headers: sent with the refusal.
        hangs: whether not one byte of an answer is sent.
        action: what is answered, from the request and what the model answers.
        pieces: what is streamed, from the deltas of the answer.
        gap_ms: least time between two pieces, milliseconds.
        usage: whether the usage is sent.
        requests: how many requests are hit, from the drawn one on.
    """

    does: str
    then: str
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False
    action: Callable[[ChatRequest, Action], Action] = lambda _, action: action
    pieces: Callable[[Deltas], Iterator[StreamPart]] = iter
    gap_ms: float = 0.0
    usage: bool = True
    requests: int = 1


# ---- what the model answers instead ----------------------------------------------------------------------------


def call_some_tool(request: ChatRequest, _: Action) -> Action:
    """Call the first tool that does any work."""
    tools = offered(request.tools)
    name = next(iter([*workers(tools), *tools]), _NO_TOOL)
    return Action(calls=(made_up(name, tools.get(name, {})),))


def call_other_agents_tool(request: ChatRequest, _: Action) -> Action:
    """Call a tool that the task names or an earlier agent used, but that is not offered now."""
    named = json.loads(request.task)["tools"] if request.task else ()
    known = [*named, *(e.name for e in history(request.messages) if isinstance(e, Called))]
    other = next((name for name in known if name not in offered(request.tools)), None)
    if other is None:
        raise BadRequest("the fault other-agents-tool: neither task nor chat names a tool that is not offered now")
    return Action(calls=(ToolUse(other),))


def call_without_arguments(request: ChatRequest, _: Action) -> Action:
    """Call a tool without the arguments it requires, so that nothing is written."""
    tools = offered(request.tools)
    return Action(calls=(ToolUse(next((name for name, schema in tools.items() if schema.get("required")), _NO_TOOL)),))


# ---- what is streamed instead ----------------------------------------------------------------------------------


def half_the_arguments(deltas: Deltas) -> Iterator[StreamPart]:
    """Cut the arguments of each call in the middle."""
    for delta in deltas:
        arguments = _arguments(delta)
        yield _with_arguments(delta, arguments[: max(1, len(arguments) // 2)]) if arguments else delta


def _broken_by(piece: StreamPart) -> Callable[[Deltas], Iterator[StreamPart]]:
    """Return what puts a piece into the middle of a stream, never before its first token."""

    def pieces(deltas: Deltas) -> Iterator[StreamPart]:
        found = list(deltas)
        # Before the first token it would be another kind of failure, which is tried again.
        middle = max(1, len(found) // 2)
        yield from [*found[:middle], piece, *found[middle:]]

    return pieces


def thoughts_first(deltas: Deltas) -> Iterator[StreamPart]:
    """Stream some reasoning before the answer."""
    for thought in _THOUGHTS:
        yield {"reasoning_content": thought}
    yield from deltas


def by_characters(deltas: Deltas) -> Iterator[StreamPart]:
    """Stream each character by itself."""
    for delta in deltas:
        if arguments := _arguments(delta):
            yield from (_with_arguments(delta, character) for character in arguments)
        elif text := delta.get("content"):
            for character in str(text):
                yield {"content": character}
        else:
            yield delta


def _arguments(delta: JsonObject) -> str:
    functions = [call.get("function") for call in objects_in(delta, "tool_calls")]
    return "".join(str(function["arguments"]) for function in functions if isinstance(function, dict))


def _with_arguments(delta: JsonObject, arguments: str) -> JsonObject:
    [call] = objects_in(delta, "tool_calls")
    function = call["function"]
    assert isinstance(function, dict)
    return {"tool_calls": [{**call, "function": {**function, "arguments": arguments}}]}


# ---- the table -------------------------------------------------------------------------------------------------

_STOPS = "the run stops, exit 2"
_RETRIED = "tried again within 500 ms of call time in all, else the attempt is an error"
_ERROR = "the attempt is an error"
_SCORED = "the tool answers with an error, and the call is scored"

HEALTHY = Fault("nothing", "as usual")

FAULTS: Mapping[str, Fault] = {
    "401": Fault("refuses the key", _STOPS, status=401),
    "404": Fault("does not know the model", _STOPS, status=404),
    "429": Fault("asks to slow down", _RETRIED, status=429),
    "429-retry-after": Fault(
        "asks for a second of rest", "not tried again: a second is too long", status=429, headers={"retry-after": "1"}
    ),
    "500": Fault("fails inside", _RETRIED, status=500),
    "503": Fault("is overloaded", _RETRIED, status=503),
    "hang-first-byte": Fault("sends nothing", f"after llm.timeout_s {_RETRIED}", hangs=True),
    "hang-mid-stream": Fault("goes silent after some tokens", _ERROR, pieces=_broken_by(Break.HANG)),
    "stream-cut": Fault("closes the connection after some tokens", _ERROR, pieces=_broken_by(Break.CUT)),
    "garbage": Fault("sends an event that is no JSON", _ERROR, pieces=_broken_by(_GARBAGE)),
    "malformed-tool-json": Fault(
        "calls a tool with half a JSON object", _SCORED, action=call_some_tool, pieces=half_the_arguments
    ),
    "unknown-tool": Fault(
        "calls a tool that does not exist",
        _SCORED,
        action=lambda *_: Action(calls=(ToolUse(_NO_TOOL, {"place": "here"}),)),
    ),
    "other-agents-tool": Fault("calls a tool that is not the active agent's", _SCORED, action=call_other_agents_tool),
    "empty-answer": Fault("answers nothing", "a silent turn", action=lambda *_: Action()),
    "200-tool-calls": Fault(
        "calls a tool in each of two hundred requests",
        "turns are cut after 20 rounds, and the call is scored",
        action=call_without_arguments,
        requests=_IN_A_ROW,
    ),
    "endless-text": Fault(
        "never stops talking",
        "the turn is cut after 2,000 characters, and the call is scored",
        pieces=lambda _: repeat({"content": "and so on "}),
    ),
    "reasoning": Fault("thinks aloud before it answers", "TTFAT is later than TTFT", pieces=thoughts_first),
    "dripping": Fault("streams character by character", "as usual", pieces=by_characters, gap_ms=_DRIP_MS),
    "no-usage": Fault("does not tell the usage", "tokens are null, cost is unknown", usage=False),
}
"""The kinds of fault."""


def _read_fault(text: str, kinds: Collection[str], verb: str) -> tuple[str, float]:
    """Read ``KIND`` or ``KIND:RATE``; return the kind and the share of calls.

    Raises:
        ConfigError: no such kind, or a rate that is no share.
    """
    kind, colon, rate = text.partition(":")
    if kind not in kinds:
        near = get_close_matches(kind, kinds, n=1, cutoff=0.3)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ConfigError(f"{verb}: no fault {kind!r}; {hint}There are {', '.join(kinds)}")
    try:
        share = float(rate) if colon else 1.0
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ConfigError(f"{verb}: {rate!r} is no share of calls; write --fault {kind}:RATE, RATE from 0 to 1")
    return kind, share


@dataclass(frozen=True)
class FaultPlan:
    """Which share of the calls has which fault.

    Attributes:
        kind: one of ``FAULTS``.
        rate: share of calls with the fault, 0 to 1.
        seed: seed of the hash that chooses the calls.
        tries: how many tries of a request fail; None for all.
    """

    kind: str
    rate: float = 1.0
    seed: int = 0
    tries: int | None = None

    @classmethod
    def read(cls, text: str, seed: int = 0, tries: int | None = None) -> FaultPlan:
        """Read ``KIND`` or ``KIND:RATE``.

        Raises:
            ConfigError: no such kind, or a rate that is no share.
        """
        kind, share = _read_fault(text, FAULTS, "serve agent")
        if tries is not None and tries < 1:
            raise ConfigError(f"serve agent: --fault-tries is {tries}; give 1 or more, or leave it out for every try")
        return cls(kind, share, seed, tries)

    def hits(self, call_id: str) -> int | None:
        """Return the number, from 1, of the request of a call that is hit; None if the call is spared."""
        # Seeds have 63 bits, so that this share of them lies below the bound.
        if derive_seed("fault", self.seed, call_id) >= self.rate * 2**63:
            return None
        return 1 + derive_seed("fault at", self.seed, call_id) % AMONG

    def fault(self, request: ChatRequest, earlier_tries: int) -> Fault:
        """Return what happens to one try of a request."""
        at, fault = self.hits(request.call_id), FAULTS[self.kind]
        spared = at is None or not at <= request.number < at + fault.requests
        return HEALTHY if spared or (self.tries is not None and earlier_tries >= self.tries) else fault


# ---- of realtime sessions --------------------------------------------------------------------------------------

SESSION_FAULTS: Mapping[str, str] = {
    "slow-audio": "waits two seconds before the first audio of each answer",
    "drop-socket": "closes the socket in the middle of the second answer",
    "stall": "sends nothing more once it has taken the caller's first turn, and keeps the socket open",
    "burst": "holds an answer's audio back for a second and a half, then sends all of it at once",
    "reorder": "changes the places of events that follow each other, sound excepted",
    "duplicate": "sends each event of an answer twice",
    "cancel-tool": "cancels the first answer that calls a tool, while the tool runs",
}
"""The kinds of fault, and what each does."""


@dataclass(frozen=True)
class SessionFaultPlan:
    """Which sessions are hit by what: ``rate`` is their share, 0 to 1, drawn by a hash of the seed and their id."""

    kind: str
    rate: float = 1.0
    seed: int = 0

    @classmethod
    def read(cls, text: str, seed: int = 0) -> SessionFaultPlan:
        """Read ``KIND`` or ``KIND:RATE``.

        Raises:
            ConfigError: no such kind, or a rate that is no share.
        """
        return cls(*_read_fault(text, SESSION_FAULTS, "serve realtime"), seed)

    def hits(self, session_id: str) -> bool:
        """Return whether a session is hit."""
        return derive_seed("realtime fault", self.seed, session_id) < self.rate * 2**63
