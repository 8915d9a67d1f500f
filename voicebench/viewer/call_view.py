"""All that the page of a call shows, read off its files; what is missing or broken is said, and the rest is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from voicebench.errors import StoreError
from voicebench.metrics import transcript, v2v_parts
from voicebench.packs import Case
from voicebench.packs.loader import VARIANT_LINES, base_task
from voicebench.record.figures import AnsweredTurn
from voicebench.record.trace import TraceRecord, parse_trace
from voicebench.record.transcript import TranscriptTurn
from voicebench.store import StoredCall
from voicebench.stored.results import MAX_ATTEMPTS
from voicebench.viewer.graph import Graph, draw
from voicebench.viewer.lanes import Lane, lanes
from voicebench.viewer.marked import MarkedWords, mark
from voicebench.viewer.path import expected_path, taken_path
from voicebench.viewer.render import page_path
from voicebench.viewer.script import script_text
from voicebench.viewer.site import NotFound, Site, SiteRun
from voicebench.viewer.sound import Sound, read_sound
from voicebench.viewer.tool_rows import ToolRow, tool_rows
from voicebench.viewer.why import why

__all__ = ["CallView", "GateView", "TurnView", "call_view"]

FILES = {
    "recording.wav": "the recording: left the caller, right the agent",
    "trace.jsonl": "the trace: spans and events",
    "exchanges.jsonl": "what the models were asked and answered",
    "call.json": "verdict and figures",
    "state.json": "the final database and what changed in it",
}

_GATES = {
    "tools": "Required tools must appear; extra ones are allowed.",
    "handoffs": "The expected path must be taken, in order.",
    "database": "The rows that the call leaves must be exactly the expected ones.",
}

T = TypeVar("T")


@dataclass(frozen=True)
class GateView:
    """One gate: its name, whether it passed, its rule in a sentence, and what decided it."""

    name: str
    passed: bool
    reward: float
    rule: str
    reasons: list[str]


@dataclass(frozen=True)
class TurnView:
    """One turn of the transcript.

    Attributes:
        id: for its address; the box of it in the timeline has the same.
        speaker: ``caller`` or ``agent``.
        start_s, end_s: when.
        said: what was spoken, in pieces.
        unsaid: what was left when the speaker was cut off.
        heard: what the other side's recognizer wrote, in pieces; None if it was the same, or if none was run.
        nothing_heard: whether a recognizer ran and wrote nothing.
    """

    id: str
    speaker: str
    start_s: float
    end_s: float
    said: list[MarkedWords]
    unsaid: str
    heard: list[MarkedWords] | None
    nothing_heard: bool


@dataclass
class CallView:
    """The page of a call.

    Attributes:
        address: of the page, from the root.
        verdict: ``passed``, ``failed``, ``void``, ``error``, ``unfinished`` or ``corrupt``.
        sentence: why.
        call: content of ``call.json``; empty if there is none.
        problems: what could not be read, one sentence each.
        length_s: of the timeline, seconds.
        sound: the waveforms; None for a call without a recording.
        attempts: numbers of all attempts at this trial.
        trials: numbers of all trials of this task in the run, each with its last attempt.
        changes: rows that the call added, removed and changed: kind, table, before, after.
    """

    run: SiteRun
    pack: str
    task: str
    trial: int
    attempt: int
    verdict: str
    sentence: str
    case: Case | None = None
    script: str = ""
    call: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    gates: list[GateView] = field(default_factory=list)
    lanes: list[Lane] = field(default_factory=list)
    length_s: float = 0.0
    sound: Sound | None = None
    turns: list[TurnView] = field(default_factory=list)
    tools: list[ToolRow] = field(default_factory=list)
    graphs: list[tuple[str, Graph]] = field(default_factory=list)
    changes: list[dict[str, Any]] | None = None
    v2v: list[dict[str, Any]] = field(default_factory=list)
    files: list[tuple[str, int, str]] = field(default_factory=list)
    attempts: list[int] = field(default_factory=list)
    trials: list[tuple[int, int]] = field(default_factory=list)

    @property
    def address(self) -> str:
        """The page's address from the root."""
        return page_path("call", self.run.run_id, self.pack, self.task, self.trial, self.attempt)

    @property
    def title(self) -> str:
        """The task's title."""
        return self.case.title if self.case else str(self.call.get("title") or self.task)

    @property
    def line(self) -> str:
        """The preset of the line that this call had."""
        lines: dict[str, str] = {str(suffix): preset for suffix, preset in VARIANT_LINES.items()}
        return self.run.line if self.run.line == "text" else lines.get(self.task.rpartition("-")[2], self.run.line)

    @property
    def caller(self) -> str:
        """Who calls: kind and voice; what an older version stored had the same voice in all calls."""
        caller = self.run.configuration["caller"]
        voice = self.call.get("caller_voice", caller.get("voice"))
        return f"{caller['kind']}, voice {voice}" if voice else str(caller["kind"])

    @property
    def longest_v2v_ms(self) -> int:
        """The longest voice-to-voice latency, to which the bars are drawn."""
        return max((turn["v2v_ms"] for turn in self.v2v), default=0) or 1

    @property
    def timeline(self) -> dict[str, Any]:
        """What the script of the page is given: the length, the waveforms, and what opens when a span is chosen."""
        details = {box.id: {"title": box.title, "detail": box.detail} for lane in self.lanes for box in lane.boxes}
        peaks = {"caller": self.sound.caller, "agent": self.sound.agent} if self.sound and self.has_audio else None
        return {"length_s": self.length_s, "peaks": peaks, "details": details}

    @property
    def has_audio(self) -> bool:
        """Whether there is a recording to listen to."""
        return self.sound is not None and self.sound.length_s > 0


def call_view(site: Site, run: str, pack: str, task: str, trial: int, attempt: int) -> CallView:
    """Return what the page of a call shows.

    Raises:
        NotFound: there is no such call, and none to come.
    """
    found = site.run(run)
    folder = site.call_dir(run, pack, task, trial, attempt)
    try:
        stored = site.call(run, pack, task, trial, attempt)
        view = CallView(found, pack, task, trial, attempt, str(stored.call["verdict"]), "", call=stored.call)
    except StoreError as error:
        view = CallView(found, pack, task, trial, attempt, "corrupt", "The files of this call cannot be read.")
        view.problems.append(str(error))
        stored = None
    except NotFound:
        _look_for_plan(site, run, pack, task, trial, attempt)
        view = CallView(found, pack, task, trial, attempt, "unfinished", "This call has not ended, or was interrupted.")
        stored = None
    _add_task(view, site)
    _add_neighbours(view, site)
    view.files = [(n, (folder / n).stat().st_size, words) for n, words in FILES.items() if (folder / n).is_file()]
    if stored is not None:
        _add_call(view, stored)
    view.problems = site.relative(view.problems)
    return view


def _look_for_plan(site: Site, run: str, pack: str, task: str, trial: int, attempt: int) -> None:
    """Make sure that a call which is not there is one that the run was asked for, and the next of its trial."""
    made = [row for row in site.rows(run, pack, task) if row.trial == trial]
    next_attempt = made[-1].attempt + 1 if made else 1
    settled = bool(made) and (made[-1].decided or next_attempt > MAX_ATTEMPTS)
    if settled or attempt != next_attempt or not 1 <= trial <= site.planned(run).get((pack, task), 0):
        raise NotFound(f"no call {run}/{pack}/{task}/{trial}/attempt-{attempt}")


def _add_task(view: CallView, site: Site) -> None:
    try:
        snapshot = site.snapshot(view.run.run_id, view.pack)
    except (StoreError, NotFound) as error:
        view.problems.append(f"The run's copy of the pack cannot be read: {error}")
        return
    view.case = snapshot.cases.get(base_task(view.task))
    if view.case is None:
        return
    view.script = script_text(view.case.caller, snapshot.spec)
    path = expected_path(snapshot.spec, view.case)
    view.graphs.append(
        ("Expected", draw(snapshot.spec, path, key="expected", title="The expected path", expected=True))
    )
    if (view.call.get("tool_calls") or {}).get("rows") is not None:
        taken = taken_path(snapshot.spec, view.case, view.call)
        view.graphs.append(("Actual", draw(snapshot.spec, taken, key="actual", title="The path taken")))


def _add_neighbours(view: CallView, site: Site) -> None:
    rows = site.rows(view.run.run_id, view.pack, view.task)
    view.trials = sorted({row.trial: row.attempt for row in rows}.items())
    view.attempts = [row.attempt for row in rows if row.trial == view.trial]


def _add_call(view: CallView, stored: StoredCall) -> None:
    view.sentence = why(stored.call)
    view.gates = [
        GateView(name, gate["passed"], gate["reward"], _GATES.get(name, ""), gate["reasons"])
        for name, gate in (stored.call.get("gates") or {}).items()
    ]
    view.tools = tool_rows(stored.call.get("tool_calls") or {})
    trace: list[dict[str, Any]] = _tried(view, lambda: stored.trace, []) if stored.has_trace else []
    records: list[TraceRecord] = _tried(view, lambda: parse_trace(trace), [])
    if stored.recording.exists():
        view.sound = sound = _tried(view, lambda: read_sound(stored.recording), None)
        parts: list[AnsweredTurn] = _tried(view, lambda: v2v_parts(records, sound.speech if sound else None), [])
        view.v2v = [part.to_json() for part in parts]
    spoken: list[TranscriptTurn] = _tried(view, lambda: transcript(records), [])
    turns = [turn.to_json() for turn in spoken]
    view.turns = [_turn(number, turn) for number, turn in enumerate(turns)]
    drawn: list[Lane] = _tried(view, lambda: lanes(trace, turns), [])
    view.lanes = drawn if view.has_audio or any(lane.boxes for lane in drawn) else []
    ends = [box.end_s for lane in view.lanes for box in lane.boxes]
    view.length_s = (
        view.sound.length_s if view.sound else max([*ends, float(stored.call.get("call_s") or 0)], default=0)
    )
    view.changes = _changes(_tried(view, lambda: stored.state, None))


def _tried(view: CallView, read: Callable[[], T], otherwise: T) -> T:
    try:
        return read()
    except (StoreError, ValueError) as error:
        problem = str(error)
    except (LookupError, TypeError, AttributeError) as error:
        problem = f"A file of this call holds something else than expected: {error!r}"
    if problem not in view.problems:
        view.problems.append(problem)
    return otherwise


def _turn(number: int, turn: dict[str, Any]) -> TurnView:
    spoken = turn["spoken"] or turn["intended"]
    heard = turn["heard"]
    said, understood = mark(spoken, heard) if heard is not None else ([MarkedWords(spoken, False)], [])
    differs = any(piece.differs for piece in [*said, *understood])
    cut = turn["interrupted"] and turn["intended"].startswith(turn["spoken"])
    return TurnView(
        id=f"turn-{number}",
        speaker=turn["speaker"],
        start_s=turn["start_s"],
        end_s=turn["end_s"],
        said=said,
        unsaid=turn["intended"].removeprefix(turn["spoken"]).strip() if cut else "",
        heard=understood if differs else None,
        nothing_heard=heard == "" and bool(spoken),
    )


def _changes(state: dict[str, Any] | None) -> list[dict[str, Any]] | None:
    if state is None:
        return None
    changes: list[dict[str, Any]] = []
    for table, found in ((state.get("difference") or {}).get("tables") or {}).items():
        changes += [{"kind": "added", "table": table, "before": None, "after": row} for row in found.get("added", [])]
        changes += [
            {"kind": "changed", "table": table, "before": row["before"], "after": row["after"]}
            for row in found.get("changed", [])
        ]
        changes += [
            {"kind": "removed", "table": table, "before": row, "after": None} for row in found.get("removed", [])
        ]
    return changes
