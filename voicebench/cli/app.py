"""The root of the command line: its verbs, its errors and its exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from voicebench import __version__
from voicebench.cli import (
    bench,
    call,
    compare,
    doctor,
    export,
    leaderboard,
    line,
    models,
    replay,
    run,
    score,
    serve,
    show,
    submit,
    tasks,
    voices,
)
from voicebench.cli.output import INCOMPLETE, INTERNAL, INTERRUPTED, USAGE
from voicebench.errors import ConfigError, ModelMissing, ProviderError, StoreError, VoicebenchError, advise

__all__ = ["app", "exit_code", "main"]

app = typer.Typer(
    name="voicebench",
    help="Phone a voice agent over a simulated telephone line, and score the call.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run.run)
app.command("call")(call.call)
app.command("show")(show.show)
app.command("score")(score.score)
app.command("view")(show.view)
app.command("replay")(replay.replay)
app.command("leaderboard")(leaderboard.leaderboard)
app.command("compare")(compare.compare)
app.add_typer(submit.app, name="submit")
app.add_typer(tasks.app, name="tasks")
app.add_typer(line.app, name="line")
app.add_typer(voices.app, name="voices")
app.add_typer(models.app, name="models")
app.add_typer(serve.app, name="serve")
app.command("doctor")(doctor.doctor)
app.command("index")(export.index)
app.command("export")(export.export)
app.command("schema")(export.schema)
app.add_typer(bench.app, name="bench")


def print_version(wanted: bool) -> None:
    """Print the version and exit, if that was asked for."""
    if wanted:
        typer.echo(f"voicebench {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print tracebacks of errors; may stand anywhere on the line.")
    ] = False,
) -> None:
    """Phone a voice agent over a simulated telephone line, and score the call."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Exit codes: 0 done, whatever the scores; 1 internal error; 2 usage or configuration; 3 the run is incomplete; 4 a
    check said no; 130 interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    # Taken out by hand: as an option of the root, Typer would take it before the verb alone.
    debug = "--debug" in given
    try:
        code = app([part for part in given if part != "--debug"], prog_name="voicebench", standalone_mode=False)
    except typer.TyperException as error:
        print(f"error: {error.format_message()}", file=sys.stderr)
        sys.exit(USAGE)
    # A run that is stopped says itself how it goes on; here nothing was under way.
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    except Exception as error:
        if debug:
            raise
        print(f"error: {describe(error)}", file=sys.stderr)
        sys.exit(exit_code(error))
    sys.exit(code if isinstance(code, int) else 0)


def exit_code(error: Exception) -> int:
    """Return the exit code of a verb that ended with an error."""
    # Refused keys and unknown models are mended by another command line; what may pass by itself leaves it incomplete.
    if isinstance(error, ProviderError):
        return USAGE if error.refused else INCOMPLETE
    return USAGE if isinstance(error, ConfigError | ModelMissing | StoreError) else INTERNAL


def describe(error: Exception) -> str:
    """Return the message of an error: what, where, and what to do; of an unforeseen one, how to report it."""
    if isinstance(error, VoicebenchError):
        return advise(error)
    name = type(error).__name__
    return f"{name}: {error} (internal); run it again with --debug for the traceback, and report it with that"
