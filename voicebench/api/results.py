"""What comes of calls and runs, as objects that read their folders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, overload

import numpy as np
import soundfile
from numpy.typing import NDArray

from voicebench.errors import ConfigError, CorruptFile, StoreError
from voicebench.packs.strict_yaml import nearest
from voicebench.record.exchanges import Exchange
from voicebench.record.results import RunSummary
from voicebench.record.run import RunRecord
from voicebench.record.state import StateRecord
from voicebench.record.trace import TRACE_NAMES, TraceRecord
from voicebench.record.trace_line import TraceEvent, TraceSpan
from voicebench.record.transcript import TranscriptTurn
from voicebench.record.verdict import Gates, Said, Verdict, VoidKind
from voicebench.store import RunFolder, StoredCall, read_call
from voicebench.stored import RunResult, read_result

if TYPE_CHECKING:
    import pandas

__all__ = ["Call", "Run", "RunSummary", "ScoredCall", "load_call", "load_run"]

Line = TypeVar("Line", bound=TraceSpan | TraceEvent)


class Call:
    """One attempt at a call, as its folder has it. Files beside ``call.json`` are read when they are asked for.

    Attributes:
        dir: the folder of the attempt.
        record: everything that ``call.json`` holds: verdict, gates, metrics, cost.
        stored: the call as the store has it.
    """

    def __init__(self, stored: StoredCall) -> None:
        self.stored = stored
        self.dir = stored.dir
        self.record = stored.call

    def __repr__(self) -> str:
        """Name the call and its verdict."""
        return f"<Call {self.record.pack}/{self.record.task} trial {self.record.trial}: {self.record.verdict}>"

    @property
    def verdict(self) -> Verdict:
        """``passed``, ``failed``, ``void`` (by what the simulated caller did) or ``error`` (infrastructure)."""
        return self.record.verdict

    @property
    def void_kind(self) -> VoidKind | None:
        """Of a void call: ``script`` (the caller broke it) or ``comprehension`` (it did not understand)."""
        return self.record.voided_by

    @property
    def reason(self) -> str | None:
        """Why it did not pass."""
        return self.record.reason

    @property
    def gates(self) -> Gates:
        """The three checks: ``tools``, ``handoffs`` and ``database``, each with ``passed``, ``reward`` and ``reasons``.

        Raises:
            StoreError: the call was void or broke off before it was scored.

        Example:
            print(call.gates.tools.passed, call.gates.tools.reasons)
        """
        if self.record.gates is None:
            raise StoreError(f"{self.dir}: has no gates: its verdict is {self.verdict} ({self.reason})")
        return self.record.gates

    @property
    def said(self) -> Said | None:
        """The agent's words against the task's duties: ``kept``, ``of``, ``reward`` and each of ``duties``; no gate."""
        return self.record.said

    @property
    def transcript(self) -> tuple[TranscriptTurn, ...]:
        """The turns by their start; each has what was meant, said and heard."""
        return self.record.transcript

    @property
    def trace(self) -> list[TraceRecord]:
        """All spans and events, by start."""
        return self.stored.trace

    @overload
    def spans(self, kind: type[Line]) -> list[Line]: ...

    @overload
    def spans(self, kind: str) -> list[TraceRecord]: ...

    def spans(self, kind: type[Line] | str) -> list[Line] | list[TraceRecord]:
        """Return the spans or events of one kind, by start.

        Args:
            kind: the name in the trace, as ``llm``, or its class in :mod:`voicebench.record.spans` or
                :mod:`voicebench.record.events`, which gives the type of what is returned.

        Raises:
            ConfigError: no span or event has that name.

        Example:
            from voicebench.record.spans import LlmSpan

            print([span.ttft_ms for span in call.spans(LlmSpan)], len(call.spans("tool")))
        """
        if isinstance(kind, str):
            if kind not in TRACE_NAMES:
                raise ConfigError(f"spans: no span or event is called {kind!r}; {nearest(kind, TRACE_NAMES)}")
            return [line for line in self.trace if line.name == kind]
        if not isinstance(kind, type):
            raise ConfigError(f"spans: {kind!r} is not possible; give a name or a class of voicebench.record.spans")
        lines: Iterable[object] = self.trace
        return [line for line in lines if isinstance(line, kind)]

    @property
    def exchanges(self) -> list[Exchange]:
        """What the models were asked, and what they answered."""
        return self.stored.exchanges

    @property
    def state(self) -> StateRecord | None:
        """The database when the call ended, and how it differs from the start; None if the call left none."""
        return self.stored.state

    def recording(self) -> tuple[NDArray[np.int16], int]:
        """Return the sound of the call and its rate: int16[n, 2] and 16000.

        Column 0 is the caller as the agent heard it, column 1 the agent as the caller heard it.

        Raises:
            StoreError: the call has no sound, as on the text channel.
            CorruptFile: the file cannot be read.

        Example:
            samples, rate = call.recording()
            print(samples.shape[0] / rate, "seconds")
        """
        path = self.stored.recording
        if not path.is_file():
            raise StoreError(f"{path}: not there; calls on the text channel have no recording")
        try:
            samples, rate = soundfile.read(path, dtype="int16", always_2d=True)
        except soundfile.SoundFileError as error:
            raise CorruptFile(f"{path}: cannot be read ({error}); the file is corrupt") from error
        return samples, rate


class Run:
    """A run and what came of it.

    Attributes:
        dir: its folder.
        run_id: its name.
        status: ``complete``; ``incomplete`` (trials without a verdict, too many void or error); or ``interrupted``.
        problem: why it stopped early, if it did.
        summary: counts of all verdicts, ``pass_rate``, latencies, causes and cost.
        result: what ``voicebench run --json`` prints.
    """

    def __init__(self, result: RunResult) -> None:
        self.result = result
        self.dir = result.run_dir
        self.run_id = result.run_id
        self.status = result.status
        self.problem = result.problem
        self.summary: RunSummary = result.summary

    def __repr__(self) -> str:
        """Name the run and its counts."""
        return f"<Run {self.run_id}: {self.summary.passed} of {self.summary.planned} passed>"

    @cached_property
    def record(self) -> RunRecord:
        """What was run, with what: configuration, seed, versions."""
        return RunFolder(self.dir).record()

    @cached_property
    def calls(self) -> list[Call]:
        """The last attempt of each trial."""
        return [load_call(row.dir) for row in self.result.calls]

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a pandas data frame with one row a call.

        Columns: ``pack``, ``task``, ``trial``, ``attempt``, ``verdict``, ``reason``, ``cause``, ``tools``,
        ``handoffs``, ``database`` (whether the gate let it pass), ``said`` (share of the duties kept), ``call_s``,
        ``wall_s``, ``ttft_ms``, ``v2v_ms`` (medians), ``missed_turns``, ``turns_heard`` and ``turns_not_understood``
        (by the caller), ``usd``, ``dir``.

        Raises:
            ConfigError: pandas is not installed.

        Example:
            print(vb.load_run("runs/a").to_dataframe().groupby("task")["v2v_ms"].median())
        """
        try:
            import pandas
        except ImportError as error:
            raise ConfigError(
                "to_dataframe needs pandas, which is not installed; pip install 'voicebench-sim[pandas]'"
            ) from error
        rows = []
        for one in self.calls:
            record = one.record
            gates = {} if record.gates is None else record.gates.by_name()
            row = {
                "pack": record.pack,
                "task": record.task,
                "trial": record.trial,
                "attempt": record.attempt,
                "verdict": record.verdict,
                "reason": record.reason,
                "cause": None if record.attribution is None else record.attribution.cause,
                **{name: gates[name].passed if name in gates else None for name in ("tools", "handoffs", "database")},
                "said": None if record.said is None else record.said.reward,
                "call_s": record.call_s,
                "wall_s": record.wall_s,
                "ttft_ms": None if record.ttft_ms is None else record.ttft_ms.p50,
                "v2v_ms": None if record.v2v_ms is None else record.v2v_ms.p50,
                "missed_turns": record.missed_turns,
                "turns_heard": None if record.comprehension is None else record.comprehension.heard,
                "turns_not_understood": (None if record.comprehension is None else record.comprehension.not_understood),
                "usd": None if record.cost is None else record.cost.usd,
                "dir": str(one.dir),
            }
            rows.append(row)
        return pandas.DataFrame(rows)


@dataclass(frozen=True)
class ScoredCall:
    """A call that was scored again.

    Attributes:
        call: as it is now.
        before: its verdict before.
        changed: whether anything in ``call.json`` but its versions is new.
    """

    call: Call
    before: str
    changed: bool


def load_run(path: str | Path) -> Run:
    """Return a stored run.

    Raises:
        StoreError: the folder holds no run, or a later version wrote it.
        CorruptFile: ``run.json`` or the copy of a pack is corrupt. A call that cannot be read counts as not made.

    Example:
        stored = vb.load_run("runs/a")
        print(stored.record.seed, stored.status)
    """
    return Run(read_result(Path(path)))


def load_call(path: str | Path) -> Call:
    """Return a stored call from the folder of an attempt.

    Raises:
        StoreError: the folder holds no call, or a later version wrote it.
        CorruptFile: ``call.json`` is corrupt.

    Example:
        print(vb.load_call(run.calls[0].dir).verdict)
    """
    return Call(read_call(Path(path)))
