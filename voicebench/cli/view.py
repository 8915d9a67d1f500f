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
    static: Annotated[
        Path | None, typer.Option("--static", metavar="DIR", help="Write the pages as files there, and serve nothing.")
    ] = None,
) -> None:
    """Serve the pages of runs and calls on this machine; it only reads.

    With --static they are written as files, which open in a browser without a server.
    """
    from voicebench.viewer import Site, serve, write_site

    if static is not None:
        pages = write_site(Site(runs_dir), static)
        print_lines([f"{pages} pages: {(static / 'index.html').resolve().as_uri()}"])
        return
    serve(Site(runs_dir), host, port, lambda address: print(f"voicebench pages: {address}  (Ctrl-C ends)", flush=True))
