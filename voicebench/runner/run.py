"""Running a set of calls: what is missing is made, what is there is kept."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FrameType

from voicebench.call.audio import check_names
from voicebench.call.costs import services
from voicebench.config import Pipeline
from voicebench.engines import Engine, LocalEngine
from voicebench.errors import ConfigError, NotWritable, StoreError
from voicebench.runner.estimate import Estimate, estimate
from voicebench.runner.limiter import limiters_of
from voicebench.runner.plan import RunRequest, Trial, plan_trials
from voicebench.runner.preflight import preflight
from voicebench.runner.progress import NullReporter, ProgressReporter
from voicebench.runner.record import new_folder, open_run
from voicebench.runner.scheduler import Budget, Catalogue, Scheduler, Stop
from voicebench.store import RunFolder, run_lock, sweep
from voicebench.store.index import Index
from voicebench.stored.results import RunResult, Status, summarise, trial_row

__all__ = ["Interrupted", "dry_run", "run"]

EngineFactory = Callable[[Pipeline, int], Engine]


class Interrupted(KeyboardInterrupt):
    """A run was given up at the second Ctrl-C.

    Attributes:
        run_dir: its folder.
    """

    def __init__(self, run_dir: Path) -> None:
        super().__init__(str(run_dir))
        self.run_dir = run_dir


def run(
    request: RunRequest,
    *,
    reporter: ProgressReporter | None = None,
    make_engine: EngineFactory = LocalEngine,
    stop: Stop | None = None,
) -> RunResult:
    """Make all calls of a run that have no verdict yet, and return the results of the whole run.

    Void and error calls are tried again with the next attempt's seed, at most twice. Ctrl-C lets the calls in flight
    finish and starts no other; a second one gives them up. A disk that fills stops the run; earlier results stay.

    Args:
        request: what was asked for.
        reporter: gets the progress.
        make_engine: makes the engine from the pipeline and the run's seed.
        stop: the flag that lets the calls in flight finish and starts no other; None makes one that Ctrl-C sets.

    Raises:
        ConfigError: wrong packs or tasks, a folder with another configuration, a pipeline that cannot be used here.
        ModelMissing: weights are absent.
        ProviderError: the model's server refuses the key or the model, or does not answer before the first call.
        StoreError: the folder cannot be written, or another process has it.
        Interrupted: Ctrl-C was pressed twice.
    """
    reporter = reporter or NullReporter()
    trials = plan_trials(request)
    check_names(request.pipeline, _voices(request.pipeline, trials))
    if request.max_cost is not None and estimate(request.pipeline, 1, 1, 1, []).usd is None:
        asked = services(request.pipeline).values()
        models = " or ".join(repr(service.model) for service in asked if not service.local)
        raise ConfigError(
            f"--max-cost: model {models} has no price, so that the limit cannot be kept; "
            "give it one under `prices:` in the pipeline, or leave --max-cost out"
        )
    with contextlib.closing(make_engine(request.pipeline, request.seed)) as engine:
        # A run that goes on is made ready later, and only if calls are due: to print its results needs no model.
        fresh = request.out is None or not RunFolder(request.out.resolve()).run_json.exists()
        if fresh:  # before anything is written: a run that cannot start leaves no folder
            _get_ready(request.pipeline, engine, trials, reporter)
        folder = new_folder(request)
        heeded = contextlib.nullcontext(stop) if stop is not None else _stop_on_interrupt(reporter)
        given = Stop()
        try:
            with run_lock(folder.root), heeded as given:
                sweep(folder.root)
                packs = {trial.pack.name: trial.pack for trial in trials}.values()
                record = open_run(folder, request, packs, reporter)
                with _open_index(folder, request, reporter) as index:
                    catalogue = Catalogue(folder, trials, reporter, index)
                    return _run(request, catalogue, engine, given, record.run_id, ready=fresh)
        except KeyboardInterrupt as interrupt:
            raise Interrupted(folder.root) from interrupt
        except Exception as error:
            # A library that was building something of its own when Ctrl-C came may raise another error in its place.
            if given.given_up:
                raise Interrupted(folder.root) from error
            if isinstance(error, NotWritable):
                raise NotWritable(f"{error}, or give another folder with --out") from error
            raise


def dry_run(request: RunRequest) -> Estimate:
    """Return what a run would still take, from the calls in its folder if there are any; nothing is written.

    Raises:
        ConfigError: wrong packs or tasks, or an unknown name in the pipeline.
    """
    trials = plan_trials(request)
    check_names(request.pipeline, _voices(request.pipeline, trials))
    # Without a folder there are no calls yet: a name that no run has stands for it, and nothing is made.
    folder = RunFolder((request.out or Path("runs", "(none)")).resolve())
    catalogue = Catalogue(folder, trials, NullReporter())
    catalogue.read(repair=False)
    return _estimate(request, catalogue)


def _run(
    request: RunRequest, catalogue: Catalogue, engine: Engine, stop: Stop, run_id: str, *, ready: bool
) -> RunResult:
    """Make what is due, in a folder that this process holds the lock of."""
    reporter = catalogue.reporter
    catalogue.read()
    budget = Budget(request.max_cost)
    for attempts in catalogue.made.values():
        for attempt in attempts:
            budget.add(attempt.row.cost)
    limiters = limiters_of(request.pipeline)
    scheduler = Scheduler(catalogue, request.seed, reporter, stop, limiters, budget, request.most_at_once)
    scheduler.enqueue_pending()
    if scheduler.due:
        if not ready:
            _get_ready(request.pipeline, engine, [trial for trial, _ in scheduler.due], reporter)
        reporter.note(str(_estimate(request, catalogue)))
        scheduler.make_calls(engine)
    made = [attempts for attempts in catalogue.made.values() if attempts]
    summary = summarise(made, len(catalogue.trials))
    status: Status = "complete" if summary.complete else "incomplete"
    if scheduler.is_interrupted:
        status = "interrupted"
    rows = [trial_row(attempts) for attempts in made]
    return RunResult(run_id, catalogue.folder.root, rows, summary, status, scheduler.problem)


@contextlib.contextmanager
def _stop_on_interrupt(reporter: ProgressReporter) -> Iterator[Stop]:
    """Give a flag that the first Ctrl-C sets; the second raises KeyboardInterrupt.

    Signals reach only a program's main thread; in another one it is for the caller to give a flag, and to set it.
    """
    stop = Stop()

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.requested:
            stop.given_up = True
            raise KeyboardInterrupt
        stop.requested = True
        reporter.note("stopping after the calls in flight; Ctrl-C again gives them up")

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _estimate(request: RunRequest, catalogue: Catalogue) -> Estimate:
    made = [attempt for attempts in catalogue.made.values() for attempt in attempts]
    due = sum(1 for _ in catalogue.due())
    return estimate(request.pipeline, len(catalogue.trials), due, request.workers, made)


def _get_ready(pipeline: Pipeline, engine: Engine, trials: Iterable[Trial], reporter: ProgressReporter) -> None:
    """Load what these calls need, all voices of their callers too, and ask the models once."""

    def wait(reason: str, seconds: float) -> None:
        reporter.note(f"{reason}; trying again in {seconds:.0f} s")
        end_s = time.perf_counter() + seconds
        while (left_s := end_s - time.perf_counter()) > 0:
            reporter.waits("preflight", f"the provider's cooldown of {seconds:.1f} s", seconds - left_s)
            time.sleep(min(1.0, left_s))

    engine.prepare(_voices(pipeline, trials))
    preflight(pipeline, wait)


def _voices(pipeline: Pipeline, trials: Iterable[Trial]) -> list[str]:
    """Return the names of the voices that speak the callers of these calls."""
    return sorted({pipeline.caller.voice_for(trial.task.case.caller.voice) for trial in trials})


@contextlib.contextmanager
def _open_index(folder: RunFolder, request: RunRequest, reporter: ProgressReporter) -> Iterator[Index | None]:
    """Open the index. It is derived from the files, so that a run goes on without one that cannot be written."""
    inside: Path = folder.root if request.out is not None else folder.root.parent
    try:
        index = Index(inside / "index.db")
    except StoreError as error:
        reporter.note(str(error))
        yield None
        return
    with index:
        yield index
