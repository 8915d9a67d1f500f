"""``voicebench submit``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from voicebench.cli.options import Json
from voicebench.cli.output import CHECK_SAID_NO, only_json, print_json, print_lines

__all__ = ["app"]

app = typer.Typer(help="A result that others can check.", no_args_is_help=True)


@app.command("make")
def make(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The archive; default RUN-ID.voicebench.zip here.")
    ] = None,
    recordings: Annotated[bool, typer.Option("--recordings", help="Put the recordings in, for V2V.")] = False,
) -> None:
    """Make one archive of a run: configuration, results, traces, exchanges, hashes."""
    from voicebench.leaderboard.submit import make_submission

    target = out or Path(f"{run.resolve().name}.voicebench.zip")
    count = make_submission(run, target, recordings=recordings)
    print_lines([f"{target}: {count} files, {target.stat().st_size / 1e6:.1f} MB"])


@app.command("verify")
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An archive of `voicebench submit make`.")],
    time_limit_s: Annotated[
        float, typer.Option("--time-limit", metavar="S", min=0.0, help="Seconds that scoring it again may take.")
    ] = 1800.0,
    replay: Annotated[
        bool,
        typer.Option("--replay", help="Make every call again from its exchanges, and compare."),
    ] = False,
    as_json: Json = False,
) -> int:
    """Score a submission again, and say whether every number holds; no code in it is run."""
    from voicebench.leaderboard.submit import verify_submission

    with only_json(as_json):
        found = verify_submission(file, time_limit_s=time_limit_s, replay=replay)
    if as_json:
        print_json(found.to_json())
    else:
        print_lines(f"note: {note}" for note in found.notes)
        print_lines([f"{found.calls} calls scored again: every number holds"] if found.holds else [])
    for problem in found.problems:
        print(f"error: {file}: {problem}", file=sys.stderr)
    return 0 if found.holds else CHECK_SAID_NO
