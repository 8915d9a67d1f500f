"""How an engine gets on with its workers, by a pool that follows a script."""

from __future__ import annotations

import gc
import pickle
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.engines.suite import SEED, TEXT, request
from voicebench.call import CallFiles, WorkUnit
from voicebench.engines import CallRequest, CallResult
from voicebench.engines.pool import CallWorker, FromWorker, Lost, NoRoom, PooledEngine, Ready, WorkerConfig
from voicebench.errors import AgentError, ConfigError
from voicebench.llm import LlmTarget
from voicebench.packs import find_tasks, load_pack

pytestmark = pytest.mark.unit

MADE = CallFiles({"call.json": b"{}"})


@dataclass(eq=False)
class Scripted:
    """A worker that says this when it starts, and makes a call at once if it is ready."""

    number: int
    first: FromWorker | Lost
    since: float = 0.0
    ready: bool = False
    request: CallRequest | None = None
    heard: bool = False

    def take(self, request: CallRequest) -> None:
        self.request = request


@dataclass
class ScriptedPool:
    """Workers that start as given, one after another."""

    starts: list[FromWorker | Lost]
    workers: list[Scripted] = field(default_factory=list)
    started: int = 0

    def start(self, config: WorkerConfig) -> None:
        self.started += 1
        self.workers.append(Scripted(self.started, self.starts.pop(0)))

    def receive(self, timeout_s: float) -> Iterator[tuple[Scripted, FromWorker | Lost]]:
        for worker in list(self.workers):
            if worker.request is not None:
                yield worker, MADE
            elif not worker.heard:
                worker.heard, worker.ready = True, isinstance(worker.first, Ready)
                if not worker.ready:
                    self.workers.remove(worker)
                yield worker, worker.first

    def close(self) -> None:
        self.workers.clear()


class ScriptedEngine(PooledEngine):
    def __init__(self, starts: Sequence[FromWorker | Lost], workers: int) -> None:
        self.pool = ScriptedPool(list(starts))
        super().__init__(TEXT, workers, self.pool)

    def worker_config(self) -> WorkerConfig:
        return WorkerConfig(TEXT, SEED, None, None, ["heart"])


def made(engine: PooledEngine, calls: int) -> list[CallResult]:
    requests = [request("T1-E1", trial) for trial in range(1, calls + 1)]
    return [event for event in engine.results([*[None] * 5, *requests]) if isinstance(event, CallResult)]


def test_a_worker_that_finds_no_room_leaves_the_calls_to_the_others() -> None:
    engine = ScriptedEngine([Ready(), NoRoom("busy")], workers=2)
    assert [one.result for one in made(engine, 3)] == [MADE] * 3
    assert (engine.pool.started, len(engine.pool.workers)) == (2, 1)


def test_where_nobody_finds_room_the_run_ends() -> None:
    with pytest.raises(NoRoom, match="busy"):
        ScriptedEngine([NoRoom("busy")], workers=2).prepare(["heart"])


def test_the_third_worker_that_is_lost_while_it_loads_ends_the_run() -> None:
    lost = [Lost(f"killed by signal {number}") for number in (9, 9, 11)]
    engine = ScriptedEngine([*lost, Ready()], workers=1)
    with pytest.raises(AgentError, match=r"3 workers were lost .* the last one was killed by signal 11"):
        engine.prepare(["heart"])
    assert engine.pool.started == 3


def test_a_worker_that_gets_ready_starts_the_count_again() -> None:
    lost = Lost("killed by signal 9")
    engine = ScriptedEngine([lost, lost, Ready(), lost, lost, Ready()], workers=2)
    assert [one.result for one in made(engine, 2)] == [MADE] * 2
    assert (engine.pool.started, len(engine.pool.workers)) == (6, 2)


def test_a_request_is_sent_with_the_folder_of_its_pack_and_read_as_it_was() -> None:
    sent = request("T2-H3", trial=2)
    pickled = pickle.dumps(sent)
    assert b"CREATE TABLE" not in pickled
    read: CallRequest = pickle.loads(pickled)
    assert (read.unit, read.task.id, read.task.pack.hash) == (sent.unit, "T2-H3", sent.task.pack.hash)


def test_a_pack_that_has_changed_meanwhile_is_the_error_of_the_call(tmp_path: Path) -> None:
    shutil.copytree(load_pack("customer_support").root, tmp_path / "pack")
    [ref] = find_tasks(["T2-H3"], [load_pack(tmp_path / "pack")])
    pickled = pickle.dumps(CallRequest(WorkUnit("customer_support", "T2-H3", 1, 1, SEED), ref))
    with (tmp_path / "pack" / "tools.py").open("a") as tools:
        tools.write("# changed\n")
    nowhere = LlmTarget("m", "http://127.0.0.1:9/v1", "none")
    worker = CallWorker(WorkerConfig(TEXT, SEED, nowhere, None, []))
    assert worker.load() == Ready()
    gc.unfreeze()  # what a worker's process keeps to its end is garbage in this one
    made = worker.make(pickled)
    assert isinstance(made, ConfigError)
    assert "it was changed while the run was going on" in str(made)
