"""How an engine gets on with its workers, told by a pool that follows a script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from tests.engines.suite import job
from voicebench.call import CallArtifacts
from voicebench.config import load_pipeline
from voicebench.engines import Job, Outcome
from voicebench.engines.messages import Failed, FromWorker, Made, Ready
from voicebench.engines.staffed import Lost, NoRoom, StaffedEngine
from voicebench.errors import AgentError

pytestmark = pytest.mark.unit

MADE = CallArtifacts({"call.json": b"{}"})


@dataclass(eq=False)
class Scripted:
    """A worker that says this when it starts, and makes a call at once if it is ready."""

    number: int
    first: FromWorker | Lost
    since: float = 0.0
    ready: bool = False
    job: Job | None = None
    heard: bool = False

    @property
    def free(self) -> bool:
        return self.ready and self.job is None

    def take(self, job: Job) -> None:
        self.job = job


@dataclass
class ScriptedPool:
    workers: list[Scripted] = field(default_factory=list)

    def hear(self, timeout_s: float) -> Iterator[tuple[Scripted, FromWorker | Lost]]:
        for worker in list(self.workers):
            if worker.job is not None:
                yield worker, Made(MADE)
            elif not worker.heard:
                worker.heard, worker.ready = True, isinstance(worker.first, Ready)
                if not worker.ready:
                    self.workers.remove(worker)
                yield worker, worker.first

    def close(self) -> None:
        self.workers.clear()


class ScriptedStaff(StaffedEngine):
    """An engine whose workers start as told, one after another."""

    def __init__(self, starts: Sequence[FromWorker | Lost], workers: int) -> None:
        self.pool = ScriptedPool()
        self.starts = list(starts)
        self.started = 0
        super().__init__(load_pipeline("fast", ["channel=text"]), workers, self.pool)

    def _start(self) -> None:
        self.started += 1
        self.pool.workers.append(Scripted(self.started, self.starts.pop(0)))


def made(engine: StaffedEngine, calls: int) -> list[Outcome]:
    jobs = [job("T1-E1", trial) for trial in range(1, calls + 1)]
    return [told for told in engine.outcomes([*[None] * 5, *jobs]) if isinstance(told, Outcome)]


def test_a_worker_that_finds_no_room_leaves_the_calls_to_the_others() -> None:
    engine = ScriptedStaff([Ready(), Failed(NoRoom("busy"))], workers=2)
    assert [one.result for one in made(engine, 3)] == [MADE] * 3
    assert (engine.started, len(engine.pool.workers)) == (2, 1)


def test_where_nobody_finds_room_the_run_ends() -> None:
    with pytest.raises(NoRoom, match="busy"):
        ScriptedStaff([Failed(NoRoom("busy"))], workers=2).prepare(["heart"])


def test_the_third_worker_that_is_lost_while_it_loads_ends_the_run() -> None:
    lost = [Lost(f"killed by signal {number}") for number in (9, 9, 11)]
    engine = ScriptedStaff([*lost, Ready()], workers=1)
    with pytest.raises(AgentError, match=r"3 workers were lost .* the last one was killed by signal 11"):
        engine.prepare(["heart"])
    assert engine.started == 3


def test_a_worker_that_gets_ready_starts_the_count_again() -> None:
    lost = Lost("killed by signal 9")
    engine = ScriptedStaff([lost, lost, Ready(), lost, lost, Ready()], workers=2)
    assert [one.result for one in made(engine, 2)] == [MADE] * 2
    assert (engine.started, len(engine.pool.workers)) == (6, 2)
