"""``voicebench run``."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voicebench.cli.options import BaseUrl, Channel, Json, Line, Model, Out, Seed, Set, configured
from voicebench.cli.output import only_json, print_json, print_lines, print_table, seconds, tick

if TYPE_CHECKING:
    from voicebench.runner import RunResult

__all__ = ["ending", "print_result", "run"]

INCOMPLETE, CHECK_SAID_NO, INTERRUPTED = 3, 4, 130


def run(
    pipeline: Annotated[str, typer.Argument(metavar="PIPELINE", help="A shipped pipeline's name, or a YAML file.")],
    pack: Annotated[
        list[str] | None, typer.Option("--pack", metavar="PACK", help="Name or folder of a pack; may be repeated.")
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option("--task", metavar="[PACK/]ID", help="One task; may be repeated.")
    ] = None,
    trials: Annotated[int, typer.Option("--trials", min=1, metavar="K", help="Repetitions of each task.")] = 1,
    model: Model = None,
    base_url: BaseUrl = None,
    line: Line = None,
    channel: Channel = None,
    seed: Seed = 0,
    settings: Set = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, metavar="N", help="Only the first N tasks, before trials.")
    ] = None,
    fail_under: Annotated[
        float | None, typer.Option("--fail-under", min=0, max=1, metavar="R", help="Exit 4 below this pass rate.")
    ] = None,
    out: Out = None,
    as_json: Json = False,
) -> int:
    """Make the calls of a run, and say what came of them.

    The same command with the same --out goes on where it stopped.
    """
    from voicebench.runner import RunRequest, watcher
    from voicebench.runner import run as make_run

    configuration = configured(pipeline, settings, model=model, base_url=base_url, line=line, channel=channel)
    request = RunRequest(configuration, pack or (), task or (), trials, seed, limit, out)
    with only_json(as_json), watcher() as watch:
        result = make_run(request, watch=watch)
    if as_json:
        print_json(result.as_json())
    else:
        print_result(result)
    return ending(result, fail_under)


def print_result(result: RunResult) -> None:
    """Print the table of calls, the summary, and where the recordings are."""
    columns = ("task", "trial", "verdict", "tools", "handoffs", "database", "call", "here", "TTFT p50", "V2V p50")
    print_table(columns, [_cells(call) for call in result.calls])
    summary = result.summary
    rate = "-" if summary["pass_rate"] is None else f"{summary['pass_rate']:.0%}"
    print_lines(
        [
            f"{summary['passed']} passed, {summary['failed']} failed, {summary['void']} void, {summary['error']} error "
            f"of {summary['planned']}; pass rate {rate}",
            *(f"{call['task']} trial {call['trial']}: {call['dir']}/recording.wav" for call in result.calls),
            f"run: {result.run_dir}",
        ]
    )


def ending(result: RunResult, fail_under: float | None = None) -> int:
    """Say on standard error what keeps the run from being done, and return the exit code."""
    if result.status == "interrupted":
        again = [part for part in sys.argv[1:] if part != "--debug"]
        out = [] if "--out" in again else ["--out", str(result.run_dir)]
        print(f"interrupted; go on with: {shlex.join(['voicebench', *again, *out])}", file=sys.stderr)
        return INTERRUPTED
    if result.status == "incomplete":
        lost = result.summary["planned"] - result.summary["passed"] - result.summary["failed"]
        reason = result.problem or f"{lost} of {result.summary['planned']} calls have no verdict on the agent"
        print(f"error: {result.run_dir}: incomplete: {reason}", file=sys.stderr)
        return INCOMPLETE
    rate = result.summary["pass_rate"]
    if fail_under is not None and (rate is None or rate < fail_under):
        print(f"error: {result.run_dir}: pass rate {rate} is under --fail-under {fail_under}", file=sys.stderr)
        return CHECK_SAID_NO
    return 0


def _cells(call: dict[str, Any]) -> list[object]:
    gates = call["gates"] or {}
    return [
        call["task"],
        call["trial"],
        call["verdict"],
        *(tick(gates.get(gate, {}).get("passed")) for gate in ("tools", "handoffs", "database")),
        seconds(call["call_s"]),
        seconds(call["wall_s"]),
        _ms(call["ttft_ms"]),
        _ms(call["v2v_ms"]),
    ]


def _ms(latency: dict[str, float | None] | None) -> str:
    value = (latency or {}).get("p50")
    return "-" if value is None else f"{value:.0f} ms"
