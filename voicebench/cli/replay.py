"""``voicebench replay``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voicebench.cli.options import Json
from voicebench.cli.output import only_json, print_json, print_lines, seconds

if TYPE_CHECKING:
    from voicebench.call.compare import Difference
    from voicebench.stored import Replayed

__all__ = ["replay"]

DIFFERENT = 4


def replay(
    call_dir: Annotated[Path, typer.Argument(metavar="CALL_DIR", help="An attempt's folder, as `run` prints it.")],
    pack: Annotated[
        str | None, typer.Option("--pack", metavar="PACK", help="Name or folder of its pack, if that has moved.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Make a call again from its exchanges, and say where it first differs (exit 4)."""
    from voicebench.stored import replay_call

    with only_json(as_json):
        replayed = replay_call(call_dir, pack)
    if as_json:
        print_json(replayed.as_json())
    else:
        print_lines(_told(replayed))
    return 0 if replayed.equal else DIFFERENT


def _told(replayed: Replayed) -> list[str]:
    files = ", ".join(f"{name} {status}" for name, status in replayed.files.items())
    ending = f"{replayed.verdict}{f' ({replayed.reason})' if replayed.reason else ''}"
    if replayed.difference is None:
        return [f"equal: {', '.join(replayed.files)}", f"verdict: {ending}"]
    lines = [*_difference(replayed.difference), files]
    return lines if replayed.verdict is None else [*lines, f"verdict: {ending}"]


def _difference(difference: Difference) -> list[str]:
    at = "" if difference.at_ns is None else f" (call time {seconds(difference.at_ns / 1e9, 3)})"
    return [
        f"first difference: {difference.file}, {difference.place}{at}",
        f"  recorded  {_shown(difference.recorded)}",
        f"  replayed  {_shown(difference.replayed)}",
    ]


def _shown(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)
