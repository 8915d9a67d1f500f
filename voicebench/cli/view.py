"""``voicebench view``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voicebench.cli.output import print_lines

__all__ = ["view"]


def view(
    runs_dir: Annotated[Path, typer.Argument(metavar="[RUNS_DIR]", help="Folder of runs, or of one run.")] = Path(
        "runs"
    ),
    port: Annotated[int, typer.Option("--port", help="TCP port; 0 takes a free one.")] = 8765,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; any but a loopback one lets others read the runs.")
    ] = "127.0.0.1",
) -> None:
    """Serve the pages of runs and calls on this machine; it only reads."""
    from voicebench.viewer import Site, serve

    serve(Site(runs_dir), host, port, lambda address: print_lines([f"voicebench pages: {address}  (Ctrl-C ends)"]))
