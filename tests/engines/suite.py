"""What every engine has to pass: the same results and files, killed workers, cancellation.

An engine's own test module subclasses :class:`EngineSuite` and says how its engine is made, and how whatever makes
its calls is killed, if that is not this process itself.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import pytest

from tests.processes import descendants
from voicebench.call import CallFiles, WorkUnit
from voicebench.config import load_pipeline
from voicebench.engines import CallRequest, CallResult, Engine, LocalEngine, Waiting, WorkerLost
from voicebench.engines.pool import PooledEngine
from voicebench.errors import ConfigError, ProviderError
from voicebench.packs import find_tasks, load_pack
from voicebench.serve import AgentServerOptions, Endpoint, start_endpoint
from voicebench.serve.faults import FaultPlan

SEED = 7
TEXT = load_pipeline("fast", ["channel=text"])
REPEATABLE = ("trace.jsonl", "exchanges.jsonl", "state.json")


def request(task: str, trial: int = 1, attempt: int = 1) -> CallRequest:
    [ref] = find_tasks([task], [load_pack("customer_support")])
    return CallRequest(WorkUnit("customer_support", task, trial, attempt, SEED), ref)


def refusing(options: AgentServerOptions) -> Endpoint:
    """Start an endpoint that refuses the key at the first request of the call that is made here."""
    call_id = request("T2-H3").unit.call_id
    seed = next(seed for seed in range(100) if FaultPlan("401", seed=seed).hits(call_id) == 1)
    return start_endpoint(replace(options, fault="401", fault_seed=seed))


def files(result: CallResult) -> dict[str, bytes]:
    assert isinstance(result.result, CallFiles), result.result
    return {name: result.result.files[name] for name in REPEATABLE}


def until_staffed(engine: Engine) -> Iterator[None]:
    """Give no request until all workers are ready: then each of them has one, or is given one next."""
    assert isinstance(engine, PooledEngine)
    pool = engine._pool
    while len(pool.workers) < engine.max_workers() or not all(worker.ready for worker in pool.workers):
        yield None


@cache
def reference(task: str, trial: int = 1) -> dict[str, bytes]:
    """The files of a call that this process makes."""
    [result] = LocalEngine(TEXT, SEED).results([request(task, trial)])
    return files(result)


class EngineSuite:
    """The tests; ``engine`` is one engine for most of them."""

    workers = 2

    def make(self, **changes: object) -> Engine:
        """Return an engine for ``TEXT`` with two workers; ``changes`` are those of its arguments."""
        raise NotImplementedError

    def workers_of(self, engine: Engine) -> Sequence[int]:
        """Return the ids of the processes that make calls; none if this process does it itself."""
        return ()

    @pytest.fixture
    def engine(self) -> Iterator[Engine]:
        before = descendants("self")
        engine = self.make()
        yield engine
        engine.close()
        engine.close()
        assert descendants("self") <= before

    def results(self, engine: Engine, requests: Sequence[CallRequest | None]) -> list[CallResult]:
        return [event for event in engine.results(requests) if isinstance(event, CallResult)]

    def test_calls_have_the_files_that_they_have_in_this_process(self, engine: Engine) -> None:
        engine.prepare(["heart"])
        made = self.results(engine, [request("T1-E1"), None, request("T2-H3"), request("T2-H3", trial=2)])
        assert sorted((one.request.unit.task, one.request.unit.trial) for one in made) == [
            ("T1-E1", 1),
            ("T2-H3", 1),
            ("T2-H3", 2),
        ]
        for one in made:
            assert files(one) == reference(one.request.unit.task, one.request.unit.trial)

    def test_a_lost_worker_costs_its_call_only_and_the_unit_can_be_made_again(self, engine: Engine) -> None:
        if not self.workers_of(engine) and type(self).workers_of is EngineSuite.workers_of:
            return  # whoever kills this process ends the test too
        # The one that is killed may have just made its call; then it is given the third one before its end is noticed.
        due: list[CallRequest | None] = [request("T2-H3", trial) for trial in (3, 2, 1)]
        ending = set(self.workers_of(engine))  # of an engine before
        killed: list[int] = []
        made: list[CallResult] = []

        def requests() -> Iterator[CallRequest | None]:
            in_flight = 0
            yield from until_staffed(engine)
            while due or in_flight > len(made):
                if due:
                    in_flight += 1
                    yield due.pop()
                    if not killed:
                        killed.append(next(pid for pid in self.workers_of(engine) if pid not in ending))
                        os.kill(killed[0], signal.SIGKILL)
                else:
                    yield None

        for event in engine.results(requests()):
            if isinstance(event, Waiting):
                continue
            made.append(event)
            if isinstance(event.result, WorkerLost):
                due.append(event.request)
        lost = [one for one in made if isinstance(one.result, WorkerLost)]
        assert len(lost) == 1
        whole = [one for one in made if one not in lost]
        assert sorted(one.request.unit.trial for one in whole) == [1, 2, 3]
        for one in whole:
            assert files(one) == reference("T2-H3", one.request.unit.trial)
        assert killed[0] not in self.workers_of(engine)

    def test_closing_gives_up_the_calls_in_flight(self, engine: Engine) -> None:
        before = descendants("self")
        results = engine.results([request("T1-E1"), request("T2-H3"), request("T2-H3", trial=2)])
        first = next(event for event in results if isinstance(event, CallResult))
        assert files(first) == reference(first.request.unit.task)
        engine.close()
        results.close()  # type: ignore[attr-defined]  # an engine's results come from a generator
        assert descendants("self") <= before

    def test_what_a_server_refuses_is_told_with_its_status(self) -> None:
        engine = self.make(serve=refusing)
        try:
            [result] = self.results(engine, [request("T2-H3")])
        finally:
            engine.close()
        assert isinstance(result.result, ProviderError)
        assert (result.result.status, result.result.retryable) == (401, False)

    def test_what_is_missing_is_told_before_any_call(self) -> None:
        engine = self.make(pipeline=load_pipeline("fast"))
        try:
            with pytest.raises(ConfigError, match="voice 'nobody'"):
                engine.prepare(["heart", "nobody"])
        finally:
            engine.close()
