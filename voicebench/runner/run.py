"""Running a set of calls: what is missing is made, what is there is kept."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from voicebench.call.audio import check_names
from voicebench.call.costs import services
from voicebench.config import Pipeline
from voicebench.engines import Engine, LocalEngine
from voicebench.errors import ConfigError, NotWritable, StoreError
from voicebench.runner.catalogue import Catalogue
from voicebench.runner.estimate import Estimate, estimate
from voicebench.runner.interrupt import Interrupted, Stop, stop_on_interrupt
from voicebench.runner.limiter import limiters_of
from voicebench.runner.plan import RunRequest, Trial, plan_trials
from voicebench.runner.preflight import preflight
from voicebench.runner.progress import Silent, Watcher
from voicebench.runner.record import new_folder, open_run
from voicebench.runner.session import Session
from voicebench.runner.spending import Budget
from voicebench.store import RunFolder, run_lock, sweep
from voicebench.store.index import Index
from voicebench.stored.results import RunResult, Status, summarise, trial_row

__all__ = ["dry_run", "run"]

EngineFactory = Callable[[Pipeline, int], Engine]


def run(request: RunRequest, *, watch: Watcher | None = None, make_engine: EngineFactory = LocalEngine) -> RunResult:
    """Make all calls of a run that have no verdict yet, and return what there is then.

    Void and error calls are tried again with the next attempt's seed, at most twice. Ctrl-C lets the calls in flight
    finish and starts no other; a second one gives them up. A disk that fills stops the run; earlier results stay.

    Args:
        request: what was asked for.
        watch: is told of the progress.
        make_engine: makes the engine from the pipeline and the run's seed.

    Raises:
        ConfigError: wrong packs or tasks, a folder with another configuration, a pipeline that cannot be used here.
        ModelMissing: weights are absent.
        ProviderError: the model's server refuses the key or the model, or does not answer before the first call.
        StoreError: the folder cannot be written, or another process has it.
        Interrupted: Ctrl-C was pressed twice.
    """
    watch = watch or Silent()
    trials = plan_trials(request)
    check_names(request.pipeline, _voices(request.pipeline, trials))
    _check_price(request)
    folder = new_folder(request)
    with contextlib.closing(make_engine(request.pipeline, request.seed)) as engine:
        fresh = not folder.run_json.exists()
        if fresh:
            _get_ready(request.pipeline, engine, trials, watch)
        with (
            _given_up(folder),
            _or_elsewhere(),
            run_lock(folder.root),
            stop_on_interrupt(lambda: watch.note(_STOPPING)) as stop,
        ):
            sweep(folder.root)
            packs = {trial.pack.name: trial.pack for trial in trials}.values()
            record = open_run(folder, request, packs, watch)
            with _open_index(folder, request, watch) as index:
                catalogue = Catalogue(folder, trials, watch, index)
                return _run(request, catalogue, engine, stop, str(record["run_id"]), ready=fresh)


_STOPPING = "stopping after the calls in flight; Ctrl-C again gives them up"


def dry_run(request: RunRequest) -> Estimate:
    """Return what a run would still take, from the calls in its folder if there are any; nothing is written.

    Raises:
        ConfigError: wrong packs or tasks, or a name in the pipeline that nothing has.
    """
    trials = plan_trials(request)
    check_names(request.pipeline, _voices(request.pipeline, trials))
    folder = RunFolder(request.out.resolve()) if request.out is not None else None
    catalogue = Catalogue(folder or new_folder(request), trials, Silent())
    catalogue.read(repair=False)
    return _estimate(request, catalogue)


def _run(
    request: RunRequest, catalogue: Catalogue, engine: Engine, stop: Stop, run_id: str, *, ready: bool
) -> RunResult:
    """Make what is due, in a folder that is ours."""
    watch = catalogue.watch
    catalogue.read()
    budget = Budget(request.max_cost)
    for attempts in catalogue.made.values():
        for attempt in attempts:
            budget.add(attempt.row["cost"])
    limiters = limiters_of(request.pipeline)
    session = Session(catalogue, request.seed, watch, stop, limiters, budget, request.most_at_once)
    session.take_over()
    if session.due:
        if not ready:
            _get_ready(request.pipeline, engine, [trial for trial, _ in session.due], watch)
        watch.note(str(_estimate(request, catalogue)))
        session.make_calls(engine)
    made = [attempts for attempts in catalogue.made.values() if attempts]
    summary = summarise(made, len(catalogue.trials))
    status: Status = "complete" if summary["complete"] else "incomplete"
    if session.is_interrupted:
        status = "interrupted"
    rows = [trial_row(attempts) for attempts in made]
    return RunResult(run_id, catalogue.folder.root, rows, summary, status, session.problem)


@contextlib.contextmanager
def _given_up(folder: RunFolder) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as interrupt:
        raise Interrupted(folder.root) from interrupt


@contextlib.contextmanager
def _or_elsewhere() -> Iterator[None]:
    try:
        yield
    except NotWritable as error:
        raise NotWritable(f"{error}, or give another folder with --out") from error


def _check_price(request: RunRequest) -> None:
    """Refuse a limit of money for a model whose price nobody knows."""
    if request.max_cost is not None and estimate(request.pipeline, 1, 1, 1, []).usd is None:
        models = " or ".join(
            repr(service.model) for service in services(request.pipeline).values() if not service.local
        )
        raise ConfigError(
            f"--max-cost: model {models} has no price, so that the limit cannot be kept; "
            "give it one under `prices:` in the pipeline, or leave --max-cost out"
        )


def _estimate(request: RunRequest, catalogue: Catalogue) -> Estimate:
    made = [attempt for attempts in catalogue.made.values() for attempt in attempts]
    due = sum(1 for _ in catalogue.due())
    return estimate(request.pipeline, len(catalogue.trials), due, request.workers, made)


def _get_ready(pipeline: Pipeline, engine: Engine, trials: Iterable[Trial], watch: Watcher) -> None:
    """Load what these calls need, all voices of their callers too, and ask the models once."""
    engine.prepare(_voices(pipeline, trials))
    _preflight(pipeline, watch)


def _voices(pipeline: Pipeline, trials: Iterable[Trial]) -> list[str]:
    """Return the names of the voices that speak the callers of these calls."""
    return sorted({pipeline.caller.voice_for(trial.task.case.caller.voice) for trial in trials})


def _preflight(pipeline: Pipeline, watch: Watcher) -> None:
    """Ask the models once, telling each second how long a wait still is."""

    def wait(reason: str, seconds: float) -> None:
        watch.note(f"{reason}; trying again in {seconds:.0f} s")
        end_s = time.perf_counter() + seconds
        while (left_s := end_s - time.perf_counter()) > 0:
            watch.waits("preflight", f"the provider's rest of {seconds:.1f} s", seconds - left_s)
            time.sleep(min(1.0, left_s))

    preflight(pipeline, wait)


@contextlib.contextmanager
def _open_index(folder: RunFolder, request: RunRequest, watch: Watcher) -> Iterator[Index | None]:
    """Open the index; it is derived, so that trouble with it is no trouble of the run."""
    inside: Path = folder.root if request.out is not None else folder.root.parent
    try:
        index = Index(inside / "index.db")
    except StoreError as error:
        watch.note(str(error))
        yield None
        return
    with index:
        yield index
