"""``voicebench line``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voicebench.cli.options import Json, Seed
from voicebench.cli.output import print_json, print_table

__all__ = ["app"]

app = typer.Typer(help="The simulated telephone line.", no_args_is_help=True)


@app.command("list")
def list_presets(as_json: Json = False) -> None:
    """List all presets."""
    from voicebench.line import presets

    if as_json:
        listed = [
            {"name": one.name, "description": one.description, **one.settings.model_dump(mode="json")}
            for one in presets()
        ]
        print_json({"presets": listed})
    else:
        print_table(("name", "description"), [(one.name, one.description) for one in presets()])


@app.command("apply")
def apply(
    source: Annotated[Path, typer.Argument(metavar="IN.wav", help="Any recording that libsndfile reads.")],
    target: Annotated[Path, typer.Argument(metavar="OUT.wav", help="16 kHz, mono, 16 bit.")],
    preset: Annotated[str, typer.Option("--preset", metavar="P", help="As `line list` names them.")],
    channel: Annotated[
        int | None, typer.Option("--channel", metavar="N", help="Of the recording, from 1; default: the mean of all.")
    ] = None,
    seed: Seed = 0,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="R.json", help="Levels, delay and losses, as JSON.")
    ] = None,
) -> None:
    """Send a recording over the caller's leg of a line, its speech brought to -26 dBov first."""
    from voicebench.line import apply_file
    from voicebench.line import preset as find_preset

    done = apply_file(source, target, find_preset(preset), seed, report, channel=channel)
    typer.echo(
        f"{target}: {done.seconds:.2f} s over {preset}, speech brought to -26 dBov first ({done.gain_db:+.1f} dB)"
    )


@app.command("report")
def report(
    preset: Annotated[str, typer.Option("--preset", metavar="P", help="As `line list` names them.")],
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE.md", help="Markdown; default line-P.md.")] = None,
) -> None:
    """Write a page about a line: what each leg does to a sample of speech, with a figure."""
    from voicebench.line import preset as find_preset
    from voicebench.line import write_report

    for path in write_report(preset, find_preset(preset), seed, out or Path(f"line-{preset}.md")):
        typer.echo(str(path))
