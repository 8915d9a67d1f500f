"""Where two recordings of one call first differ: trace, exchanges, state, sound, verdict."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from voicebench.agent import SAMPLE_RATE
from voicebench.record.base import Record
from voicebench.record.exchanges import Exchange
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.record.state import StateRecord
from voicebench.record.trace import TraceRecord
from voicebench.record.trace_line import TraceEvent, TraceSpan
from voicebench.record.verdict import Verdict
from voicebench.store import StoredCall

__all__ = [
    "Difference",
    "Replayed",
    "as_stored",
    "exchange_difference",
    "first_difference",
    "first_leaf",
    "recording_difference",
    "state_difference",
    "trace_difference",
    "verdict_difference",
]

Leaf = tuple[str, JsonValue, JsonValue]
"""A path in a JSON value, and what two such values have there."""

_ABSENT = "(absent)"
_CHANNELS = ("left (the caller as the agent heard it)", "right (the agent as the caller heard it)")
_COMPARED = ("verdict", "fidelity", "end_reason", "gates", "reward", "tool_calls", "path", "state_diff")
"""What of ``call.json`` follows from the call alone; wall time and cost do not."""
_DERIVED = ("fact",)
"""Events that are computed from the rest of a trace; older traces have none."""


@dataclass(frozen=True)
class Difference:
    """One place at which two recordings of a call differ.

    Attributes:
        file: of the call's folder.
        place: where in it, for people.
        recorded: the value that was stored; None if there is nothing.
        replayed: the value that the replay has there; None if there is nothing.
        at_ns: call time, where the place has one.
        lines: both lines whole, the stored one first, where the file has lines.
    """

    file: str
    place: str
    recorded: JsonValue
    replayed: JsonValue
    at_ns: int | None = None
    lines: tuple[JsonObject | None, JsonObject | None] | None = None

    def to_json(self) -> JsonObject:
        """Return what ``replay --json`` prints."""
        recorded_line, replayed_line = self.lines or (None, None)
        return {
            "file": self.file,
            "place": self.place,
            "at_s": None if self.at_ns is None else self.at_ns / 1e9,
            "recorded": self.recorded,
            "replayed": self.replayed,
            "recorded_line": recorded_line,
            "replayed_line": replayed_line,
        }


@dataclass(frozen=True)
class Replayed:
    """A stored call and its replay, compared.

    Attributes:
        call: the stored call.
        files: file name to ``equal``, ``different``, or ``equal so far`` and ``not compared`` if it had to stop.
        difference: the first one in call time; None if there is none.
        verdict: of the replay; None if it could not go on to its end.
        reason: why the replay itself ended as void or error, which the stored call may have done as well.
    """

    call: StoredCall
    files: dict[str, str]
    difference: Difference | None
    verdict: str | None
    reason: str | None

    @classmethod
    def of(
        cls, call: StoredCall, found: Mapping[str, Difference | None], verdict: Verdict, reason: str | None
    ) -> Replayed:
        """Return the comparison of a call with a replay that ran to its end.

        Args:
            call: the stored call.
            found: file name to the first difference in it.
            verdict: the replay's verdict.
            reason: why the replay has that verdict.
        """
        files = {name: "different" if difference else "equal" for name, difference in found.items()}
        shown = None if verdict in ("passed", "failed") else str(reason)
        return cls(call, files, first_difference(found), verdict, shown)

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return self.difference is None

    def to_json(self) -> JsonObject:
        """Return what ``replay --json`` prints."""
        return {
            "dir": str(self.call.dir.resolve()),
            "equal": self.equal,
            "difference": None if self.difference is None else self.difference.to_json(),
            "files": dict(self.files),
            "verdict": {"recorded": self.call.call.verdict, "replayed": self.verdict},
            "reason": self.reason,
        }


def first_difference(found: Mapping[str, Difference | None]) -> Difference | None:
    """Return the earliest difference in call time; differences without a time come last."""
    differences = [difference for difference in found.values() if difference is not None]
    return min(differences, key=lambda one: (one.at_ns is None, one.at_ns or 0), default=None)


def as_stored(record: Record) -> JsonObject:
    """Return a record as its file has it, in which 1, 1.0 and true are different values."""
    stored: JsonObject = json.loads(json.dumps(record.to_json()))
    return stored


def first_leaf(recorded: JsonValue, replayed: JsonValue, path: str = "") -> Leaf | None:
    """Return where two JSON values first differ, and both values there; None if they are the same.

    ``1``, ``1.0`` and ``true`` are different values; the order of keys does not matter.
    """
    steps: Iterator[Leaf]
    if isinstance(recorded, dict) and isinstance(replayed, dict):
        keys = dict.fromkeys([*recorded, *replayed])
        steps = (
            (f"{path}.{key}" if path else key, recorded.get(key, _ABSENT), replayed.get(key, _ABSENT)) for key in keys
        )
    elif isinstance(recorded, list) and isinstance(replayed, list):
        pairs = zip_longest(recorded, replayed, fillvalue=_ABSENT)
        steps = ((f"{path}[{n}]", *pair) for n, pair in enumerate(pairs))
    else:
        same = type(recorded) is type(replayed) and recorded == replayed
        return None if same else (path, recorded, replayed)
    return next((found for step in steps if (found := first_leaf(step[1], step[2], step[0])) is not None), None)


# ---- lines ------------------------------------------------------------------------------------------------------


def trace_difference(
    recorded: Sequence[TraceRecord], replayed: Sequence[TraceRecord], *, whole: bool
) -> Difference | None:
    """Compare traces; of all lines that differ the one that ended first counts.

    Spans are matched by their ids, which count them, and events by their name and number. The events ``fact`` are left
    out: they follow from the other lines, and older traces have none.

    Args:
        recorded: the stored trace.
        replayed: that of the replay, in the order in which it was recorded.
        whole: whether the replay went to its end, so that it must have all the lines.
    """
    before = {key: (number, line) for number, (key, line) in enumerate(_keyed(recorded), start=1)}
    # A file has the lines by their start, by which events are numbered; of the differences the first recorded counts.
    by_start = sorted(replayed, key=lambda line: line.start_ns if isinstance(line, TraceSpan) else line.time_ns)
    after = {id(line): key for key, line in _keyed(by_start)}
    pairs = [(*before.pop(after[id(line)], (None, None)), line) for line in replayed]
    found = [_line_difference("trace.jsonl", *pair) for pair in pairs if pair[2].name not in _DERIVED]
    if whole:
        missing = [pair for pair in before.values() if pair[1].name not in _DERIVED]
        found += [_line_difference("trace.jsonl", number, line, None) for number, line in missing]
    return min((one for one in found if one is not None), key=lambda one: one.at_ns or 0, default=None)


def exchange_difference(
    recorded: Sequence[Exchange], replayed: Sequence[Exchange], *, whole: bool
) -> Difference | None:
    """Compare exchanges, which are written in the order in which they ended; see :func:`trace_difference`."""
    for number, (left, right) in enumerate(zip_longest(recorded, replayed), start=1):
        if right is None and not whole:
            return None
        found = _line_difference("exchanges.jsonl", number, left, right)
        if found is not None:
            return found
    return None


def _keyed(trace: Iterable[TraceRecord]) -> Iterator[tuple[Hashable, TraceRecord]]:
    events: Counter[str] = Counter()
    for line in trace:
        if isinstance(line, TraceSpan):
            yield line.span_id, line
        else:
            events[line.name] += 1
            yield (line.name, events[line.name]), line


def _line_difference(
    file: str, number: int | None, recorded: TraceRecord | Exchange | None, replayed: TraceRecord | Exchange | None
) -> Difference | None:
    """Return where two lines differ, one of which may be missing; None if they are the same."""
    left, right = (None if line is None else as_stored(line) for line in (recorded, replayed))
    found = first_leaf(left, right)
    if found is None:
        return None
    lines = [line for line in (recorded, replayed) if line is not None]
    place = f"line {number}, {_name_of(lines[0])}" if number is not None else _name_of(lines[0])
    # When the content of a line was known: a span at its end, a recognition when its audio was there
    keys = ("time_ns", "audio_end_ns", "end_ns", "start_ns")
    at_ns = min(next((int(getattr(line, key)) for key in keys if hasattr(line, key)), 0) for line in lines)
    return Difference(file, f"{place}: {found[0]}" if found[0] else place, found[1], found[2], at_ns, (left, right))


def _name_of(line: TraceRecord | Exchange) -> str:
    """Return a line's name for people, as ``span asr 0f3a…`` or ``tts of the agent``."""
    if isinstance(line, TraceSpan):
        return f"span {line.name} {line.span_id}"
    if isinstance(line, TraceEvent):
        return f"event {line.name}"
    party = getattr(line, "party", None)
    return line.kind if party is None else f"{line.kind} of the {party}"


# ---- the other files --------------------------------------------------------------------------------------------


def state_difference(recorded: StateRecord | None, replayed: StateRecord | None) -> Difference | None:
    """Compare the contents of ``state.json``: names side, table, row (from 1) and column."""
    if recorded is None or replayed is None:
        left, right = (None if one is None else as_stored(one) for one in (recorded, replayed))
        return None if left == right else Difference("state.json", "all of it", left, right)
    for side, before, after in (("seed", recorded.seed, replayed.seed), ("final", recorded.final, replayed.final)):
        for table in dict.fromkeys([*before, *after]):
            for number, rows in enumerate(zip_longest(before.get(table, ()), after.get(table, ())), start=1):
                found = first_leaf(*rows)
                if found is not None:
                    column = f", column {found[0]}" if found[0] else ""
                    place = f"{side} database, table {table}, row {number}{column}"
                    return Difference("state.json", place, found[1], found[2], lines=rows)
    found = first_leaf(as_stored(recorded), as_stored(replayed))
    return None if found is None else Difference("state.json", *found)


def recording_difference(recorded: bytes | None, replayed: bytes | None, start_ns: int) -> Difference | None:
    """Compare two stereo WAV files: names channel, sample (from 0) and second.

    Args:
        recorded: the stored file; None if there is none.
        replayed: the replay's.
        start_ns: call time of the first sample.
    """
    if recorded == replayed:
        return None
    if recorded is None or replayed is None:
        there, now = ("there is none" if wav is None else "there is one" for wav in (recorded, replayed))
        return Difference("recording.wav", "the file", there, now)
    left, right = _samples(recorded), _samples(replayed)
    there, now = ("no stereo WAV file" if side is None else f"{len(side)} samples" for side in (left, right))
    if left is None or right is None:
        return Difference("recording.wav", "the file", there, now)
    shared = min(len(left), len(right))
    found = np.argwhere(left[:shared] != right[:shared])
    if len(found):
        index, channel = (int(value) for value in found[0])
        place = f"{_CHANNELS[channel]}, sample {index}, {index / SAMPLE_RATE:.4f} s into the recording"
        at_ns = start_ns + round(index / SAMPLE_RATE * 1e9)
        return Difference("recording.wav", place, int(left[index, channel]), int(right[index, channel]), at_ns)
    if len(left) != len(right):
        at_ns = start_ns + round(shared / SAMPLE_RATE * 1e9)
        return Difference("recording.wav", f"the length, equal up to sample {shared}", there, now, at_ns)
    place = "the header, or what follows the samples, which are equal"
    return Difference("recording.wav", place, recorded[:64].hex(), replayed[:64].hex())


def _samples(wav: bytes) -> npt.NDArray[np.int16] | None:
    """Return int16[n, 2], or None if the bytes are no stereo WAV file."""
    import soundfile

    try:
        samples: npt.NDArray[np.int16] = soundfile.read(io.BytesIO(wav), dtype="int16", always_2d=True)[0]
    except soundfile.LibsndfileError:
        return None
    return samples if samples.shape[1] == len(_CHANNELS) else None


def verdict_difference(recorded: JsonObject, replayed: JsonObject) -> Difference | None:
    """Compare what of two ``call.json`` follows from the call alone: the verdict and its reasons."""
    before, after = ({key: side[key] for key in _COMPARED if key in side} for side in (recorded, replayed))
    found = first_leaf(before, after)
    return None if found is None else Difference("call.json", *found)
