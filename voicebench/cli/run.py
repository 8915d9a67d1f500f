"""``voicebench run``."""

from __future__ import annotations

import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from voicebench.cli.compare import summary
from voicebench.cli.options import BaseUrl, Channel, Json, Line, Model, Out, Seed, Set
from voicebench.cli.output import (
    CHECK_SAID_NO,
    INCOMPLETE,
    INTERRUPTED,
    USAGE,
    only_json,
    print_causes,
    print_json,
    print_lines,
    print_table,
    seconds,
    tick,
)

if TYPE_CHECKING:
    from voicebench.api.verbs import RunOptions
    from voicebench.leaderboard import RunComparison
    from voicebench.record.figures import CallerComprehension, Quantiles
    from voicebench.stored import RunResult

__all__ = ["ending", "print_result", "run"]

GATES = ("tools", "handoffs", "database")

_LISTED = 50
"""The most calls that are listed for people; of more, those that did not pass."""

_Packs = Annotated[
    list[str] | None, typer.Option("--pack", metavar="PACK", help="Name or folder of a pack; may be repeated.")
]
_Tasks = Annotated[list[str] | None, typer.Option("--task", metavar="[PACK/]ID", help="One task; may be repeated.")]
_Trials = Annotated[
    int | None,
    typer.Option("--trials", min=1, metavar="K", help="Repetitions of each task; default 1, in callm and mivas 5."),
]
_Limit = Annotated[
    int | None, typer.Option("--limit", min=1, metavar="N", help="Only the first N tasks, before trials.")
]
_Variants = Annotated[bool, typer.Option("--variants", help="Also with noise (-BG) and over a bad signal (-SIG).")]
_Workers = Annotated[
    int, typer.Option("--workers", min=1, metavar="N", help="Processes; each makes one call at a time.")
]
_Engine = Annotated[
    Literal["local", "ray"],
    typer.Option("--engine", help="Where: processes of this machine, or a Ray cluster's nodes."),
]
_Address = Annotated[
    str | None,
    typer.Option(
        "--address", metavar="HOST:PORT", help="Of the cluster's head, or auto; without it one is started here."
    ),
]
_Gpus = Annotated[
    float | None,
    typer.Option(
        "--gpus-per-worker", min=0, metavar="N", help="GPUs of each worker on a cluster; 0.25: four share one."
    ),
]
_MaxCost = Annotated[
    float | None, typer.Option("--max-cost", min=0, metavar="USD", help="Start no further call once so much is spent.")
]
_DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print an estimate of calls, time and money, and make nothing.")
]
_Junit = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write a JUnit file as well.")]
_FailUnder = Annotated[
    float | None, typer.Option("--fail-under", min=0, max=1, metavar="R", help="Exit 4 below this pass rate.")
]
_Baseline = Annotated[
    Path | None,
    typer.Option("--baseline", metavar="RUN", help="Exit 4 if the agent does worse than in this run, beyond chance."),
]
_Against = Annotated[Path | None, typer.Option("--against", metavar="RUN", hidden=True, help="Old name of --baseline.")]


def run(
    pipeline: Annotated[str, typer.Argument(metavar="PIPELINE", help="A shipped pipeline's name, or a YAML file.")],
    pack: _Packs = None,
    task: _Tasks = None,
    trials: _Trials = None,
    model: Model = None,
    base_url: BaseUrl = None,
    line: Line = None,
    channel: Channel = None,
    seed: Seed = 0,
    settings: Set = None,
    limit: _Limit = None,
    variants: _Variants = False,
    workers: _Workers = 1,
    engine: _Engine = "local",
    address: _Address = None,
    gpus_per_worker: _Gpus = None,
    max_cost: _MaxCost = None,
    dry_run: _DryRun = False,
    junit: _Junit = None,
    fail_under: _FailUnder = None,
    baseline: _Baseline = None,
    against: _Against = None,
    out: Out = None,
    as_json: Json = False,
) -> int:
    """Make the calls of a run, and say what came of them.

    The same command with the same --out goes on where it stopped.
    """
    from voicebench import api
    from voicebench.leaderboard import check_scoring, compare_runs, load_run
    from voicebench.runner import Interrupted, progress_reporter
    from voicebench.store import SCORING_VERSION, write_file
    from voicebench.stored.export import to_junit

    if against is not None:
        print("note: --against is called --baseline now, and goes with the next version", file=sys.stderr)
    baseline = baseline or against
    options: RunOptions = {
        "packs": pack or (),
        "tasks": task or (),
        "trials": trials,
        "model": model,
        "base_url": base_url,
        "line": line,
        "channel": channel,
        "seed": seed,
        "settings": settings or (),
        "limit": limit,
        "variants": variants,
        "workers": workers,
        "out": out,
    }
    if dry_run:
        estimate = api.dry_run(pipeline, **options)
        print_json(estimate.to_json()) if as_json else print_lines([str(estimate)])
        return 0
    if baseline is not None:
        # It fails here, and not after an hour of calls, if there is nothing to compare with.
        check_scoring([load_run(baseline.resolve())], SCORING_VERSION)
    make = partial(api.run, engine=engine, address=address, gpus_per_worker=gpus_per_worker, max_cost=max_cost)
    try:
        with only_json(as_json), progress_reporter() as reporter:
            result = make(pipeline, **options, on_progress=reporter).result
    except Interrupted as given_up:
        return interrupted(given_up.run_dir)
    if junit is not None:
        write_file(junit.resolve(), to_junit(result))
    compared = None if baseline is None else compare_runs(baseline, result.run_dir)
    if as_json:
        # The second key is the name of before --baseline, for scripts that read it.
        both = {} if compared is None else dict.fromkeys(("baseline", "against"), compared.to_json())
        print_json({**result.to_json(), **both})
    else:
        print_result(result)
        print_lines([] if compared is None else summary(compared))
    return ending(result, fail_under, compared)


def print_result(result: RunResult) -> None:
    """Print the table of calls, the summary, and where the recordings are."""
    from voicebench.stored.results import HUNG_UP

    listed = [
        call for call in result.calls if len(result.calls) <= _LISTED or call.verdict != "passed" or call.hung_up
    ][:_LISTED]
    columns = ("task", "trial", "verdict", *GATES, "duration", "wall", "TTFT p50", "V2V p50")
    rows = []
    for call in listed:
        gates = (None if call.gates is None else getattr(call.gates, gate).passed for gate in GATES)
        times = (seconds(call.call_s), seconds(call.wall_s), _ms(call.ttft_ms), _ms(call.v2v_ms))
        verdict = f"{call.verdict}, hung up" if call.hung_up else call.verdict
        rows.append((call.task, call.trial, verdict, *map(tick, gates), *times))
    print_table(columns, rows)
    summary = result.summary
    print_causes(summary.causes)
    rate = "-" if summary.pass_rate is None else f"{summary.pass_rate:.0%}"
    attempts, cost = summary.attempts, summary.cost
    voids = attempts.voids
    kinds = f"; {voids.script} by script, {voids.comprehension} by comprehension" if attempts.void else ""
    lost = (
        f"{attempts.void} void ({attempts.void_rate or 0:.1%}{kinds}), "
        f"{attempts.error} error ({attempts.error_rate or 0:.1%})"
    )
    least = f", at least {_usd(cost.at_least_usd)}" if cost.unknown_calls else ""
    parts = ", ".join(f"{part} {_usd(getattr(cost, part))}" for part in ("agent", "caller", "asr", "tts"))
    lines = [
        f"{summary.passed} passed, {summary.failed} failed, {summary.void} void, {summary.error} error "
        f"of {summary.planned}; pass rate {rate}",
        *([f"{summary.hung_up} of the failed: {HUNG_UP}"] if summary.hung_up else []),
        f"{attempts.n} attempts: {lost}",
        *([] if summary.said is None else [f"duties kept in words: {summary.said:.1%} (they gate nothing)"]),
        *_not_understood(summary.comprehension),
        f"cost: {_usd(cost.usd)}{least} ({parts})",
    ]
    for call in listed:
        recording = Path(call.dir) / "recording.wav"
        lines.append(f"{call.task} trial {call.trial}: {recording if recording.exists() else call.dir}")
    if len(result.calls) > len(listed):
        lines.append(f"{len(result.calls) - len(listed)} more calls are not listed; --json lists all")
    print_lines([*lines, f"run: {result.run_dir}"])


def ending(result: RunResult, fail_under: float | None = None, compared: RunComparison | None = None) -> int:
    """Say on standard error what keeps the run from being done, and return the exit code."""
    if result.status == "interrupted":
        return interrupted(result.run_dir)
    if result.status == "incomplete":
        lost = result.summary.planned - result.summary.passed - result.summary.failed
        reason = result.problem or f"{lost} of {result.summary.planned} calls have no verdict on the agent"
        print(f"error: {result.run_dir}: incomplete: {reason}", file=sys.stderr)
        return INCOMPLETE
    rate = result.summary.pass_rate
    if fail_under is not None and (rate is None or rate < fail_under):
        print(f"error: {result.run_dir}: pass rate {rate} is under --fail-under {fail_under}", file=sys.stderr)
        return CHECK_SAID_NO
    if compared is None:
        return 0
    one, start = compared.comparison, f"error: {result.run_dir}: --baseline {compared.before.root}"
    if not one.calls:
        print(f"{start}: the runs share no task and trial; compare runs of the same tasks", file=sys.stderr)
        return USAGE
    if one.got_worse:
        fell = f"{100 * one.before:.1f} % there, {100 * one.after:.1f} % now"
        print(f"{start}: worse by more than chance explains ({fell}; p = {one.p_worse:.3f})", file=sys.stderr)
        return CHECK_SAID_NO
    return 0


def interrupted(run_dir: Path) -> int:
    """Say on standard error how the run goes on, and return the exit code."""
    # The same line with the run's folder: whoever named none gets one that finds this run again.
    again = [part for part in sys.argv[1:] if part != "--debug"]
    named = any(part == "--out" or part.startswith("--out=") for part in again)
    command = shlex.join(["voicebench", *again, *([] if named else ["--out", str(run_dir)])])
    print(f"interrupted; go on with: {command}", file=sys.stderr)
    return INTERRUPTED


def _not_understood(turns: CallerComprehension | None) -> list[str]:
    """Say how many turns the callers did not understand, of those of which they heard words."""
    if turns is None or not turns.heard:
        return []
    share = turns.not_understood / turns.heard
    return [
        f"turns of the agent that its callers did not understand: {turns.not_understood} of {turns.heard} ({share:.1%})"
    ]


def _usd(value: float | None) -> str:
    return "unknown" if value is None else f"${value:.4f}" if 0 < value < 1 else f"${value:.2f}"


def _ms(latency: Quantiles | None) -> str:
    return "-" if latency is None or latency.p50 is None else f"{latency.p50:.0f} ms"
