"""Where two recordings of one call first differ: trace, exchanges, state, sound, verdict."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from voicebench.agent import SAMPLE_RATE

__all__ = [
    "Difference",
    "exchange_difference",
    "first_leaf",
    "recording_difference",
    "state_difference",
    "trace_difference",
    "verdict_difference",
]

Line = dict[str, Any]

_ABSENT = "(absent)"
_CHANNELS = ("left (the caller as the agent heard it)", "right (the agent as the caller heard it)")
_JUDGED = ("verdict", "fidelity", "end_reason", "gates", "reward", "tool_calls", "path", "state_diff")
"""What of ``call.json`` follows from the call alone."""
_DERIVED = ("fact",)
"""Events that are computed from the rest of a trace."""


@dataclass(frozen=True)
class Difference:
    """One place at which two recordings of a call differ.

    Attributes:
        file: of the call's folder.
        place: where in it, for people.
        recorded: the value that was stored; None if there is nothing.
        replayed: the value that came of the replay; None if there is nothing.
        at_ns: call time, where the place has one.
        lines: both lines whole, the stored one first, where the file has lines.
    """

    file: str
    place: str
    recorded: Any
    replayed: Any
    at_ns: int | None = None
    lines: tuple[Line | None, Line | None] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return what ``replay --json`` prints."""
        lines = self.lines or (None, None)
        return {
            "file": self.file,
            "place": self.place,
            "at_s": None if self.at_ns is None else self.at_ns / 1e9,
            "recorded": self.recorded,
            "replayed": self.replayed,
            "recorded_line": lines[0],
            "replayed_line": lines[1],
        }


def first_leaf(recorded: Any, replayed: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """Return where two JSON values first differ and what stands there; None if they are the same.

    ``1``, ``1.0`` and ``true`` are different values; the order of keys does not matter.
    """
    if isinstance(recorded, dict) and isinstance(replayed, dict):
        keys: Iterable[str] = [*recorded, *(key for key in replayed if key not in recorded)]
        steps = ((f"{path}.{key}" if path else key, _get(recorded, key), _get(replayed, key)) for key in keys)
    elif isinstance(recorded, list) and isinstance(replayed, list):
        longest = max(len(recorded), len(replayed))
        steps = ((f"{path}[{n}]", _at(recorded, n), _at(replayed, n)) for n in range(longest))
    else:
        same = type(recorded) is type(replayed) and recorded == replayed
        return None if same else (path, recorded, replayed)
    return next((found for step in steps if (found := first_leaf(step[1], step[2], step[0])) is not None), None)


def _get(values: Mapping[str, Any], key: str) -> Any:
    return values.get(key, _ABSENT)


def _at(values: Sequence[Any], index: int) -> Any:
    return values[index] if index < len(values) else _ABSENT


# ---- lines ------------------------------------------------------------------------------------------------------


def _name_of(line: Line) -> str:
    """Say which line this is, as ``span asr 0f3a…`` or ``tts of the agent``."""
    if "kind" in line:
        party = f" of the {line['party']}" if "party" in line else ""
        return f"{line['kind']}{party}"
    return f"{line['type']} {line['name']}" + (f" {line['span_id']}" if line["type"] == "span" else "")


def trace_difference(recorded: Sequence[Line], replayed: Sequence[Line], *, whole: bool) -> Difference | None:
    """Compare traces; of all lines that differ the one that ended first counts.

    Spans are told by their ids, which count them, and events by their name and number. What was judged of the facts at
    the end is left out: it follows from the other lines, and older traces have none of it.

    Args:
        recorded: lines of the stored trace.
        replayed: lines of the replay, in the order in which they were recorded.
        whole: whether the replay went to its end, so that it must have all the lines.
    """
    numbers = {key: number for number, (key, _) in enumerate(_keyed(recorded), start=1)}
    before, after = _recorded(recorded), _recorded(sorted(replayed, key=_start_ns))
    order = {id(line): position for position, line in enumerate(replayed)}
    differences = [
        _line_difference("trace.jsonl", numbers.get(key), before.get(key), after.get(key))
        for key in sorted(after, key=lambda key: order[id(after[key])])
        if before.get(key) is None or first_leaf(before[key], after[key]) is not None
    ]
    if whole:
        missing = [key for key in before if key not in after]
        differences += [_line_difference("trace.jsonl", numbers[key], before[key], None) for key in missing]
    return min(differences, key=lambda one: one.at_ns or 0, default=None)


def exchange_difference(recorded: Sequence[Line], replayed: Sequence[Line], *, whole: bool) -> Difference | None:
    """Compare exchanges, which are written in the order in which they ended; see :func:`trace_difference`."""
    for index in range(max(len(recorded), len(replayed)) if whole else len(replayed)):
        left = recorded[index] if index < len(recorded) else None
        right = replayed[index] if index < len(replayed) else None
        if left is None or first_leaf(left, right) is not None:
            return _line_difference("exchanges.jsonl", index + 1, left, right)
    return None


def _keyed(lines: Iterable[Line]) -> Iterator[tuple[Hashable, Line]]:
    events: Counter[str] = Counter()
    for line in lines:
        if line["type"] == "span":
            yield line["span_id"], line
        else:
            events[line["name"]] += 1
            yield (line["name"], events[line["name"]]), line


def _recorded(lines: Iterable[Line]) -> dict[Hashable, Line]:
    return {key: line for key, line in _keyed(lines) if line["name"] not in _DERIVED}


def _line_difference(file: str, number: int | None, recorded: Line | None, replayed: Line | None) -> Difference:
    shown = recorded if recorded is not None else replayed
    assert shown is not None
    place = f"line {number}, {_name_of(shown)}" if number is not None else _name_of(shown)
    found: tuple[str, Any, Any] = ("", recorded, replayed)
    if recorded is not None and replayed is not None:
        found = first_leaf(recorded, replayed) or found
    where = f"{place}: {found[0]}" if found[0] else place
    at_ns = min(_end_ns(line) for line in (recorded, replayed) if line is not None)
    return Difference(file, where, found[1], found[2], at_ns, (recorded, replayed))


def _start_ns(line: Line) -> int:
    return int(line["start_ns"] if line["type"] == "span" else line["time_ns"])


def _end_ns(line: Line) -> int:
    """When a line of either file was due: a span at its end, a recognition when its audio was there."""
    keys = ("time_ns", "audio_end_ns", "end_ns", "start_ns")
    return int(next((line[key] for key in keys if key in line), 0))


# ---- the other files --------------------------------------------------------------------------------------------


def state_difference(recorded: Any, replayed: Any) -> Difference | None:
    """Compare the contents of ``state.json``: names side, table, row (from 1) and column."""
    if not isinstance(recorded, dict) or not isinstance(replayed, dict):
        return None if recorded == replayed else Difference("state.json", "all of it", recorded, replayed)
    for side in ("seed", "final"):
        tables = recorded.get(side) or {}, replayed.get(side) or {}
        for table in dict.fromkeys([*tables[0], *tables[1]]):
            rows = tables[0].get(table, []), tables[1].get(table, [])
            for index in range(max(len(rows[0]), len(rows[1]))):
                left, right = (side_rows[index] if index < len(side_rows) else None for side_rows in rows)
                found = first_leaf(left, right)
                if found is not None:
                    column = f", column {found[0]}" if found[0] else ""
                    place = f"{side} database, table {table}, row {index + 1}{column}"
                    return Difference("state.json", place, found[1], found[2], lines=(left, right))
    found = first_leaf(recorded, replayed)
    return None if found is None else Difference("state.json", found[0], found[1], found[2])


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
        return _recording("the file", _exists(recorded), _exists(replayed))
    left, right = _samples(recorded), _samples(replayed)
    if left is None or right is None:
        return _recording("the file", _described(left), _described(right))
    shared = min(len(left), len(right))
    found = np.argwhere(left[:shared] != right[:shared])
    if len(found):
        index, channel = (int(value) for value in found[0])
        place = f"{_CHANNELS[channel]}, sample {index}, {index / SAMPLE_RATE:.4f} s into the recording"
        at_ns = start_ns + round(index / SAMPLE_RATE * 1e9)
        return _recording(place, int(left[index, channel]), int(right[index, channel]), at_ns)
    if len(left) != len(right):
        at_ns = start_ns + round(shared / SAMPLE_RATE * 1e9)
        return _recording(f"the length, equal up to sample {shared}", _described(left), _described(right), at_ns)
    return _recording("what stands around the samples, which are equal", recorded[:64].hex(), replayed[:64].hex())


def _recording(place: str, recorded: Any, replayed: Any, at_ns: int | None = None) -> Difference:
    return Difference("recording.wav", place, recorded, replayed, at_ns)


def _exists(wav: bytes | None) -> str:
    return "there is none" if wav is None else "there is one"


def _samples(wav: bytes) -> npt.NDArray[np.int16] | None:
    """Return int16[n, 2], or None if the bytes are no stereo WAV file."""
    import soundfile

    try:
        samples: npt.NDArray[np.int16] = soundfile.read(io.BytesIO(wav), dtype="int16", always_2d=True)[0]
    except soundfile.LibsndfileError:
        return None
    return samples if samples.shape[1] == len(_CHANNELS) else None


def _described(samples: npt.NDArray[np.int16] | None) -> str:
    return "no stereo WAV file" if samples is None else f"{len(samples)} samples"


def verdict_difference(recorded: Mapping[str, Any], replayed: Mapping[str, Any]) -> Difference | None:
    """Compare what of two ``call.json`` follows from the call alone: the verdict and its reasons."""
    before, after = ({key: side[key] for key in _JUDGED if key in side} for side in (recorded, replayed))
    found = first_leaf(before, after)
    return None if found is None else Difference("call.json", found[0], found[1], found[2])
