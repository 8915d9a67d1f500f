"""``voicebench doctor``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from voicebench.cli.options import BaseUrl, Json, Model, Set
from voicebench.cli.output import CHECK_SAID_NO, only_json, print_json, print_lines, print_table

__all__ = ["doctor"]


def doctor(
    pipeline: Annotated[
        str,
        typer.Argument(metavar="[PIPELINE]", help="Whose run is to start: a shipped pipeline's name, or a YAML file."),
    ] = "local-cpu",
    model: Model = None,
    base_url: BaseUrl = None,
    settings: Set = None,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out the short call that measures capacity.")] = False,
    as_json: Json = False,
) -> int:
    """Say what is installed and what is missing, how much this machine can do, and which command mends what.

    Exit 4 when a run of the pipeline could not start.
    """
    try:
        from voicebench.machine import diagnose, read_needs
    except ModuleNotFoundError as error:  # an installation without its dependencies: nothing else can be looked at
        detail, fix = f"{error.name} cannot be imported, and voicebench needs it", "pip install voicebench-sim"
        if as_json:
            finding = {"area": "packages", "name": error.name, "status": "missing", "detail": detail, "fix": fix}
            print_json({"ok": False, "findings": [finding]})
        print(f"error: {detail}. Run: {fix}", file=sys.stderr)
        return CHECK_SAID_NO
    if not quick:
        print("looking, and making a short call; --quick leaves the call out", file=sys.stderr)
    with only_json(as_json):
        needs = read_needs(pipeline, settings or (), model=model, base_url=base_url)
        diagnosis = diagnose(Path("runs"), needs, measure=not quick)
    if as_json:
        print_json(diagnosis.to_json())
    else:
        word = {"ok": "ok", "missing": "MISSING", "warning": "warning", "info": "-"}
        rows = [(each.area, each.name, word[each.status], each.detail) for each in diagnosis.checks]
        print_table(("area", "name", "", "what was found"), rows)
        print_lines(f"{each.area} {each.name}: {each.fix}" for each in diagnosis.checks if each.fix)
    if diagnosis.ok:
        print_lines([] if as_json else [f"a run of {pipeline} can start here"])
        return 0
    names = ", ".join(f"{finding.area} {finding.name}" for finding in diagnosis.missing)
    print(f"error: a run of {pipeline} cannot start here: {names}", file=sys.stderr)
    return CHECK_SAID_NO
