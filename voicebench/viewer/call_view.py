"""All that the page of a call shows, read off its files; what is missing or broken is said, and the rest is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self, TypeVar

from pydantic import ValidationError

from voicebench.config.models import stored_setting
from voicebench.errors import StoreError
from voicebench.metrics import transcript, v2v_parts
from voicebench.packs import Case
from voicebench.packs.loader import VARIANT_LINES, base_task
from voicebench.record.call import CallRecord
from voicebench.record.figures import AnsweredTurn
from voicebench.record.json_types import JsonObject
from voicebench.record.state import StateRecord
from voicebench.record.trace import TraceRecord
from voicebench.record.transcript import TranscriptTurn
from voicebench.record.verdict import GateResult
from voicebench.store import StoredCall
from voicebench.store.lines import where_wrong
from voicebench.stored.results import MAX_ATTEMPTS
from voicebench.viewer.graph import Graph, draw
from voicebench.viewer.lanes import Lane, lanes
from voicebench.viewer.marked import MarkedWords, mark
from voicebench.viewer.path import expected_path, taken_path
from voicebench.viewer.render import page_path
from voicebench.viewer.script import script_text
from voicebench.viewer.site import NotFound, Site, SiteRun
from voicebench.viewer.sound import Sound, read_sound
from voicebench.viewer.tool_rows import ToolRowView, tool_rows
from voicebench.viewer.why import why

__all__ = ["CallView", "TurnView", "call_view"]

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
class TurnView:
    """One turn of the transcript.

    Attributes:
        id: for its address; the box of it in the timeline has the same.
        turn: the turn.
        said: what was spoken, with the words marked that were not heard so.
        heard: what the other side's recognizer wrote, likewise; None if it was the same, or if none was run.
    """

    id: str
    turn: TranscriptTurn
    said: list[MarkedWords]
    heard: list[MarkedWords] | None

    @classmethod
    def of(cls, number: int, turn: TranscriptTurn) -> Self:
        """Return the view of the n-th turn, from 0."""
        spoken = turn.spoken or turn.intended
        if turn.heard is None:
            return cls(f"turn-{number}", turn, [MarkedWords(spoken, False)], None)
        said, heard = mark(spoken, turn.heard)
        differs = any(words.differs for words in [*said, *heard])
        return cls(f"turn-{number}", turn, said, heard if differs else None)

    @property
    def unsaid(self) -> str:
        """What was left when the speaker was cut off."""
        cut = self.turn.interrupted and self.turn.intended.startswith(self.turn.spoken)
        return self.turn.intended.removeprefix(self.turn.spoken).strip() if cut else ""

    @property
    def nothing_heard(self) -> bool:
        """Whether a recognizer ran and wrote nothing."""
        return self.turn.heard == "" and bool(self.turn.spoken or self.turn.intended)


@dataclass(frozen=True)
class DatabaseChange:
    """A row that the call ``added``, ``changed`` or ``removed``."""

    kind: str
    table: str
    before: JsonObject | None
    after: JsonObject | None


@dataclass
class CallView:
    """The page of a call.

    Attributes:
        verdict: ``passed``, ``failed``, ``void``, ``error``, ``unfinished`` or ``corrupt``.
        sentence: why.
        record: content of ``call.json``; None if there is none, or it cannot be read.
        problems: what could not be read, one sentence each.
        length_s: of the timeline, seconds.
        sound: the waveforms; None for a call without a recording.
        attempts: numbers of all attempts at this trial.
        trials: numbers of all trials of this task in the run, each with its last attempt.
        changes: rows that the call added, removed and changed; None if they were not stored.
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
    record: CallRecord | None = None
    problems: list[str] = field(default_factory=list)
    lanes: list[Lane] = field(default_factory=list)
    length_s: float = 0.0
    sound: Sound | None = None
    turns: list[TurnView] = field(default_factory=list)
    tools: list[ToolRowView] = field(default_factory=list)
    graphs: list[tuple[str, Graph]] = field(default_factory=list)
    changes: list[DatabaseChange] | None = None
    v2v: list[AnsweredTurn] = field(default_factory=list)
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
        return self.case.title if self.case else (self.record and self.record.title) or self.task

    @property
    def line(self) -> str:
        """The preset of the line that this call had."""
        lines: dict[str, str] = {str(suffix): preset for suffix, preset in VARIANT_LINES.items()}
        return self.run.line if self.run.line == "text" else lines.get(self.task.rpartition("-")[2], self.run.line)

    @property
    def caller(self) -> str:
        """Who calls: kind and voice; what an older version stored had the same voice in all calls."""
        kind = stored_setting(self.run.configuration, "caller.kind")
        stored = self.record is not None and "caller_voice" in self.record.model_fields_set
        voice = stored_setting(self.run.configuration, "caller.voice")
        if self.record is not None and stored:
            voice = self.record.caller_voice
        return f"{kind}, voice {voice}" if voice else str(kind)

    @property
    def gates(self) -> list[tuple[str, str, GateResult]]:
        """Name, rule in a sentence, and outcome of each gate; empty without a score."""
        found = self.record.gates if self.record is not None else None
        return [] if found is None else [(name, rule, getattr(found, name)) for name, rule in _GATES.items()]

    @property
    def longest_v2v_ms(self) -> float:
        """The longest voice-to-voice latency, to which the bars are drawn."""
        return max((turn.v2v_ms for turn in self.v2v), default=0) or 1

    @property
    def timeline(self) -> JsonObject:
        """What the script of the page is given: the length, the waveforms, and what opens when a span is chosen."""
        peaks: JsonObject | None = None
        if self.sound is not None and self.has_audio:
            peaks = {"caller": [*self.sound.caller], "agent": [*self.sound.agent]}
        details: JsonObject = {
            box.id: {"title": box.title, "detail": box.detail} for lane in self.lanes for box in lane.boxes
        }
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
    stored = None
    try:
        stored = site.call(run, pack, task, trial, attempt)
        record = stored.call
        view = CallView(found, pack, task, trial, attempt, record.verdict, why(record), record=record)
    except StoreError as error:
        view = CallView(found, pack, task, trial, attempt, "corrupt", "The files of this call cannot be read.")
        view.problems.append(str(error))
    except NotFound:
        if not is_due(site, run, pack, task, trial, attempt):
            raise
        view = CallView(found, pack, task, trial, attempt, "unfinished", "This call has not ended, or was interrupted.")
    _add_task(view, site)
    rows = site.rows(run, pack, task)
    view.trials = sorted({row.trial: row.attempt for row in rows}.items())
    view.attempts = [row.attempt for row in rows if row.trial == trial]
    view.files = [(n, (folder / n).stat().st_size, words) for n, words in FILES.items() if (folder / n).is_file()]
    if stored is not None:
        _add_call(view, stored)
    view.problems = site.relative(view.problems)
    return view


def is_due(site: Site, run: str, pack: str, task: str, trial: int, attempt: int) -> bool:
    """Return whether a missing call is still to be made: the run asked for its trial, and it is the next attempt."""
    made = [row for row in site.rows(run, pack, task) if row.trial == trial]
    next_attempt = made[-1].attempt + 1 if made else 1
    settled = bool(made) and (made[-1].decided or next_attempt > MAX_ATTEMPTS)
    return not settled and attempt == next_attempt and 1 <= trial <= site.planned(run).get((pack, task), 0)


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
    expected = expected_path(snapshot.spec, view.case)
    drawn = draw(snapshot.spec, expected, key="expected", title="The expected path", expected=True)
    view.graphs.append(("Expected", drawn))
    if view.record is not None and view.record.tool_calls is not None:
        taken = taken_path(snapshot.spec, view.case, view.record.tool_calls)
        view.graphs.append(("Actual", draw(snapshot.spec, taken, key="actual", title="The path taken")))


def _add_call(view: CallView, stored: StoredCall) -> None:
    record = stored.call
    view.tools = tool_rows(record.tool_calls) if record.tool_calls is not None else []
    trace: list[TraceRecord] = _tried(view, lambda: stored.trace, []) if stored.has_trace else []
    if stored.recording.exists():
        view.sound = sound = _tried(view, lambda: read_sound(stored.recording), None)
        # read_sound keeps who spoke when, so the parts cost no second reading of the recording.
        speech = sound.speech if sound else None
        view.v2v = _tried(view, lambda: v2v_parts(trace, speech), [])
    # Computed from the trace, since the call.json of an older version has no transcript.
    turns: list[TranscriptTurn] = _tried(view, lambda: transcript(trace), [])
    view.turns = [TurnView.of(number, turn) for number, turn in enumerate(turns)]
    drawn = lanes(trace, turns)
    view.lanes = drawn if view.has_audio or any(lane.boxes for lane in drawn) else []
    ends = [box.end_s for lane in view.lanes for box in lane.boxes]
    view.length_s = view.sound.length_s if view.sound else max([*ends, record.call_s or 0.0], default=0.0)
    state = _tried(view, lambda: stored.state, None)
    view.changes = None if state is None else row_changes(state)


def _tried(view: CallView, read: Callable[[], T], otherwise: T) -> T:
    """Read a part of a call; if it cannot be read, note the problem for the page and return a default."""
    try:
        return read()
    except ValidationError as error:
        problem = f"A file of this call holds something else than expected: {where_wrong(error)}"
    except (StoreError, ValueError) as error:
        problem = str(error)
    if problem not in view.problems:
        view.problems.append(problem)
    return otherwise


def row_changes(state: StateRecord) -> list[DatabaseChange]:
    """Return the rows that a call changed, table by table."""
    changes: list[DatabaseChange] = []
    for table, found in state.difference.tables.items():
        changes += [DatabaseChange("added", table, None, row) for row in found.added]
        changes += [DatabaseChange("changed", table, row.before, row.after) for row in found.changed]
        changes += [DatabaseChange("removed", table, row, None) for row in found.removed]
    return changes
