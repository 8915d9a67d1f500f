"""What the commands do, as functions: arguments have the names and defaults of the flags, and paths may be strings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal, TypedDict

from voicebench.api.results import Call, Run, ScoredCall
from voicebench.config import Pipeline, default_trials, load_pipeline
from voicebench.engines import Engine, LocalEngine, ProcessEngine, RayEngine
from voicebench.errors import ConfigError, CorruptFile, StoreError
from voicebench.leaderboard import Board, RunComparison, compare_runs, read_board
from voicebench.machine.capacity import most_at_once
from voicebench.packs.strict_yaml import nearest
from voicebench.record.json_types import JsonValue
from voicebench.record.trace import TraceRecord
from voicebench.runner import Estimate, NullReporter, Progress, ProgressReporter, RunRequest, Stop
from voicebench.runner import dry_run as estimate_run
from voicebench.runner import run as make_run
from voicebench.stored import rescore_run

__all__ = ["RunOptions", "call", "compare", "dry_run", "leaderboard", "run", "score"]

Settings = Mapping[str, JsonValue] | Sequence[str]
OnProgress = Callable[[Progress], object]
OnStep = Callable[[TraceRecord], None]
Channel = Literal["audio", "text"]


class RunOptions(TypedDict):
    """The arguments that ``run`` and ``dry_run`` share, for those who pass them on to either."""

    packs: Sequence[str | Path]
    tasks: Sequence[str]
    trials: int | None
    model: str | None
    base_url: str | None
    line: str | None
    channel: Channel | None
    seed: int
    settings: Settings
    limit: int | None
    variants: bool
    workers: int
    out: str | Path | None


def run(
    pipeline: str | Path,
    *,
    packs: Sequence[str | Path] = (),
    tasks: Sequence[str] = (),
    trials: int | None = None,
    model: str | None = None,
    base_url: str | None = None,
    line: str | None = None,
    channel: Channel | None = None,
    seed: int = 0,
    settings: Settings = (),
    limit: int | None = None,
    variants: bool = False,
    workers: int = 1,
    engine: Literal["local", "ray"] = "local",
    address: str | None = None,
    gpus_per_worker: float | None = None,
    max_cost: float | None = None,
    out: str | Path | None = None,
    on_progress: OnProgress | ProgressReporter | None = None,
    on_step: OnStep | None = None,
) -> Run:
    """Make the calls of a run, and return what came of them. The same run into the same ``out`` goes on.

    It returns when all calls are made. Where an asyncio loop runs, as in a notebook, the calls are made in a thread,
    and this waits for it; a coroutine that must not wait says ``await asyncio.to_thread(vb.run, ...)``. The first
    Ctrl-C lets the calls in flight finish, the second gives them up.

    Args:
        pipeline: the name of a shipped pipeline, or a YAML file.
        packs: names or folders of packs; all shipped ones if none is named.
        tasks: ``[PACK/]ID`` each; all tasks of the packs if none is named.
        trials: repetitions of each task; None is 1, in ``callm`` and ``mivas`` 5.
        model: the model under test.
        base_url: the OpenAI-compatible address that it answers at.
        line: a line preset.
        channel: ``audio``, or ``text`` for calls without voices, line and recognition.
        seed: everything random follows from it.
        settings: any keys of the pipeline, ``{"agent.llm.ttft_ms": 1500}`` or ``["agent.llm.ttft_ms=1500"]``.
        limit: only the first so many tasks.
        variants: also with noise (``-BG``) and over a bad signal (``-SIG``).
        workers: processes; each makes one call at a time.
        engine: ``local`` processes, or the nodes of a ``ray`` cluster.
        address: of the cluster's head; None starts one here.
        gpus_per_worker: GPUs of each worker on a cluster.
        max_cost: US dollars; once they are spent, no further call starts.
        out: folder of the run; None makes one in ``runs/``.
        on_progress: is given a ``Progress`` when the run begins and after each call; or a ``ProgressReporter``.
        on_step: is given each span and event of the trace as it is recorded; the calls are then made one at a time in
            this process, in the thread that calls it.

    Raises:
        ConfigError: a pipeline, pack, task or setting is wrong.
        ModelMissing: weights are absent.
        ProviderError: the model's server refuses the key or the model, or does not answer before the first call.
        StoreError: the folder cannot be written, or another process works in it.
        Interrupted: Ctrl-C was pressed twice; it is a ``KeyboardInterrupt``.

    Example:
        seen: list[vb.Progress] = []
        refused = vb.run(
            "fast",
            tasks=["T2-H3"],
            trials=2,
            channel="text",
            model="refuse",
            out="runs/b",
            on_progress=seen.append,
        )
        print(refused.summary.pass_rate, refused.summary.causes, seen[-1])
    """
    configured = _configured(pipeline, settings, model, base_url, line, channel)
    request = RunRequest(
        configured,
        _listed("packs", packs),
        _listed("tasks", tasks),
        default_trials(configured) if trials is None else trials,
        seed,
        limit,
        None if out is None else Path(out),
        variants,
        line,
        workers,
        max_cost,
    )
    make_engine = _engine(engine, workers, address, gpus_per_worker, on_step)
    return _make(request, make_engine, _CallBack(on_progress) if callable(on_progress) else on_progress)


def dry_run(
    pipeline: str | Path,
    *,
    packs: Sequence[str | Path] = (),
    tasks: Sequence[str] = (),
    trials: int | None = None,
    model: str | None = None,
    base_url: str | None = None,
    line: str | None = None,
    channel: Channel | None = None,
    seed: int = 0,
    settings: Settings = (),
    limit: int | None = None,
    variants: bool = False,
    workers: int = 1,
    out: str | Path | None = None,
) -> Estimate:
    """Return what a run would still take, from the calls in its folder if there are any; nothing is written.

    Args:
        pipeline: as for ``run``, and so are all others.
        packs: names or folders.
        tasks: ``[PACK/]ID`` each.
        trials: repetitions of each task.
        model: the model under test.
        base_url: where it answers.
        line: a line preset.
        channel: ``audio`` or ``text``.
        seed: of the run.
        settings: any keys of the pipeline.
        limit: only the first so many tasks.
        variants: also over the lines of ``-BG`` and ``-SIG``.
        workers: calls at a time.
        out: folder of the run.

    Raises:
        ConfigError: a pipeline, pack, task or setting is wrong.

    Example:
        print(vb.dry_run("callm", model="gpt-4.1", tasks=["T2-H3"]))
    """
    configured = _configured(pipeline, settings, model, base_url, line, channel)
    return estimate_run(
        RunRequest(
            configured,
            _listed("packs", packs),
            _listed("tasks", tasks),
            default_trials(configured) if trials is None else trials,
            seed,
            limit,
            None if out is None else Path(out),
            variants,
            line,
            workers,
        )
    )


def call(
    task: str,
    pipeline: str | Path = "local-cpu",
    *,
    packs: Sequence[str | Path] = (),
    model: str | None = None,
    base_url: str | None = None,
    line: str | None = None,
    channel: Channel | None = None,
    seed: int = 0,
    settings: Settings = (),
    out: str | Path | None = None,
    on_step: OnStep | None = None,
) -> Call:
    """Make one call in this process, and return it. The arguments are those of ``run``.

    Args:
        task: ``[PACK/]ID``.
        pipeline: the name of a shipped pipeline, or a YAML file.
        packs: names or folders of packs that are searched for the task; all shipped ones if none is named.
        model: the model under test.
        base_url: the OpenAI-compatible address that it answers at.
        line: a line preset.
        channel: ``audio``, or ``text`` for a call without voices, line and recognition.
        seed: everything random follows from it.
        settings: any keys of the pipeline.
        out: folder of the run; None makes one in ``runs/``.
        on_step: is given each span and event of the trace as it is recorded, in the thread that makes the call.

    Raises:
        ConfigError: a pipeline, pack, task or setting is wrong.
        ModelMissing: weights are absent.
        ProviderError: the model's server refuses the key or the model, or does not answer before the call.
        StoreError: the folder cannot be written, or holds another run.
        Interrupted: Ctrl-C was pressed twice.

    Example:
        call = vb.call("T2-H3", pipeline="fast")
        for turn in call.transcript:
            print(turn.speaker, turn.spoken)
    """
    made = run(
        pipeline,
        packs=packs,
        tasks=[task],
        trials=1,
        model=model,
        base_url=base_url,
        line=line,
        channel=channel,
        seed=seed,
        settings=settings,
        out=out,
        on_step=on_step or (lambda step: None),
    )
    if not made.calls:
        raise StoreError(f"{made.dir}: the call was not made ({made.problem or made.status})")
    return made.calls[0]


def score(run: str | Path, *, on_damaged: Callable[[CorruptFile], object] | None = None) -> list[ScoredCall]:
    """Verify and measure every call of a run again, from its files; ``call.json`` is written where something changed.

    Args:
        run: the folder of the run.
        on_damaged: is given what is wrong with a call that cannot be scored, and the others are scored; None raises it.

    Raises:
        StoreError: the folder holds no run, or another process works in it.
        CorruptFile: a file is corrupt.

    Example:
        print([one.call for one in vb.score("runs/a") if one.changed])
    """
    return [ScoredCall(Call(one.call), one.before, one.changed) for one in rescore_run(Path(run), tell=on_damaged)]


def leaderboard(
    runs: Sequence[str | Path],
    *,
    max_ttft: float = 1_000.0,
    profile: str | None = None,
    rule: Literal["ttft", "ttfat"] = "ttft",
    k: int = 5,
) -> Board:
    """Rank the models of stored runs.

    Args:
        runs: folders of runs, or folders that hold runs.
        max_ttft: the median latency up to which a model qualifies, milliseconds.
        profile: the pipeline that is ranked; None ranks ``callm`` and ``mivas``, ``any`` each profile by itself.
        rule: the latency that qualifies: the first token of any kind, or of the answer.
        k: of pass^k.

    Raises:
        ConfigError: there is no run at a path, or an argument is wrong.
        StoreError: a run cannot be read.

    Example:
        board = vb.leaderboard(["runs/a", "runs/b"], profile="fast")
        for row in board.rankings[0].rows:
            print(row.pass_at_1, row.qualified)
    """
    if rule not in ("ttft", "ttfat"):
        raise ConfigError(f"rule: {rule!r} is not possible; {nearest(rule, ('ttft', 'ttfat'))}")
    if not isinstance(max_ttft, int | float) or not max_ttft >= 0:
        raise ConfigError(f"max_ttft: {max_ttft!r} is not possible; give milliseconds, 0 or more")
    if not isinstance(k, int) or k < 1:
        raise ConfigError(f"k: {k!r} is not possible; give a whole number of at least 1")
    paths = [Path(path) for path in _listed("runs", runs)]
    return read_board(paths, limit_ms=max_ttft, k=k, profile=profile, rule=rule)


def compare(first: str | Path, second: str | Path) -> RunComparison:
    """Compare two runs by the tasks and trials that both have: the second less the first.

    Raises:
        StoreError: one of them cannot be read.

    Example:
        found = vb.compare("runs/b", "runs/a").comparison
        print(found.difference, found.p_value)
    """
    return compare_runs(Path(first), Path(second))


class _CallBack(NullReporter):
    """Reports the progress to a function."""

    def __init__(self, on_progress: OnProgress) -> None:
        self._on_progress = on_progress

    def planned(self, progress: Progress) -> None:
        self._on_progress(progress)

    def finished(self, name: str, line: str, progress: Progress) -> None:
        self._on_progress(progress)


def _configured(
    pipeline: str | Path,
    settings: Settings,
    model: str | None,
    base_url: str | None,
    line: str | None,
    channel: Channel | None,
) -> Pipeline:
    """Load a pipeline, with the settings and the arguments that stand for some of them on top."""
    overrides = [] if isinstance(settings, Mapping) else _listed("settings", settings)
    pairs = settings.items() if isinstance(settings, Mapping) else ()
    named = {"line.preset": line, "channel": channel}
    for key, value in (*pairs, *((key, value) for key, value in named.items() if value is not None)):
        try:
            overrides.append(f"{key}={json.dumps(value)}")
        except (TypeError, ValueError) as error:
            raise ConfigError(
                f"{key}: a {type(value).__name__} is no value of a setting; give what JSON can hold"
            ) from error
    return load_pipeline(str(pipeline), overrides, model=model, base_url=base_url)


def _listed(name: str, values: Sequence[str | Path]) -> list[str]:
    """Return the strings of a sequence; a string alone stands for a sequence of one."""
    if isinstance(values, str | Path):
        return [str(values)]
    listed = list(values) if isinstance(values, Iterable) else [None]
    if not all(isinstance(value, str | Path) for value in listed):
        raise ConfigError(f"{name}: {values!r} is not possible; give a list of strings")
    return [str(value) for value in listed]


def _engine(
    engine: Literal["local", "ray"],
    workers: int,
    address: str | None,
    gpus_per_worker: float | None,
    on_step: OnStep | None,
) -> Callable[[Pipeline, int], Engine]:
    """Return what makes the engine that was asked for."""
    if engine not in ("local", "ray"):
        raise ConfigError(f"engine: {engine!r} is not possible; give 'local' or 'ray'")
    if on_step is not None and not callable(on_step):
        raise ConfigError(f"on_step: {on_step!r} cannot be called; give a function")
    if engine == "ray":
        if on_step is not None:
            raise ConfigError("on_step: steps are given of calls in this process only; leave it or engine='ray' out")
        return partial(RayEngine, workers=workers, address=address, gpus_per_worker=gpus_per_worker or 0.0)
    for name, value in (("--address", address), ("--gpus-per-worker", gpus_per_worker)):
        if value is not None:
            raise ConfigError(f"{name} is for --engine ray")
    if on_step is None:
        return partial(ProcessEngine, workers=workers)
    return partial(LocalEngine, watch=on_step)


def _make(
    request: RunRequest, make_engine: Callable[[Pipeline, int], Engine], reporter: ProgressReporter | None = None
) -> Run:
    """Make a run here; where an asyncio loop runs here, in a thread, since every call runs a loop of its own."""
    reporter = reporter or NullReporter()

    def make(stop: Stop | None) -> Run:
        at_once = most_at_once(request.pipeline, request.workers, reporter.note)
        asked = replace(request, most_at_once=at_once)
        return Run(make_run(asked, reporter=reporter, make_engine=make_engine, stop=stop))

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return make(None)
    stop = Stop()
    pool = ThreadPoolExecutor(1, "voicebench-run")
    made = pool.submit(make, stop)
    pool.shutdown(wait=False)
    while not made.done():
        try:
            # In short waits: a signal may reach another thread, and then Python hands it on only when this one wakes.
            wait([made], timeout=0.2)
        except KeyboardInterrupt:  # it is this thread's alone: the one that makes the calls never sees it
            if stop.requested:
                raise
            stop.requested = True
    return made.result()
