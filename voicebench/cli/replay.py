"""``voicebench replay``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voicebench.cli.options import Json
from voicebench.cli.output import CHECK_SAID_NO, only_json, print_json, print_lines, seconds

if TYPE_CHECKING:
    from voicebench.stored import Replayed

__all__ = ["replay"]


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
        print_json(replayed.to_json())
    else:
        print_lines(describe(replayed))
    return 0 if replayed.equal else CHECK_SAID_NO


def describe(replayed: Replayed) -> list[str]:
    """Say which files are equal, or where and how the first difference is, and the verdict."""
    ending = f"verdict: {replayed.verdict}{f' ({replayed.reason})' if replayed.reason else ''}"
    found = replayed.difference
    if found is None:
        return [f"equal: {', '.join(replayed.files)}", ending]
    at = "" if found.at_ns is None else f" (call time {seconds(found.at_ns / 1e9, 3)})"
    sides = [
        "nothing" if value is None else json.dumps(value, ensure_ascii=False)
        for value in (found.recorded, found.replayed)
    ]
    return [
        f"first difference: {found.file}, {found.place}{at}",
        f"  recorded  {sides[0]}",
        f"  replayed  {sides[1]}",
        ", ".join(f"{name} {status}" for name, status in replayed.files.items()),
        *([] if replayed.verdict is None else [ending]),
    ]
