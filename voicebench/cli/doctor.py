"""``voicebench doctor``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voicebench.cli.codes import CHECK_SAID_NO
from voicebench.cli.options import BaseUrl, Json, Model, Set
from voicebench.cli.output import only_json, print_json, print_lines, print_table

if TYPE_CHECKING:
    from voicebench.machine import Diagnosis

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
        return _not_whole(str(error.name), as_json)
    if not quick:
        print("looking, and making a short call; --quick leaves the call out", file=sys.stderr)
    with only_json(as_json):
        needs = read_needs(pipeline, settings or (), model=model, base_url=base_url)
        diagnosis = diagnose(Path("runs"), needs, measure=not quick)
    if as_json:
        print_json(diagnosis.as_json())
    else:
        _print(diagnosis, pipeline)
    if diagnosis.ok:
        return 0
    names = ", ".join(f"{finding.area} {finding.name}" for finding in diagnosis.missing)
    print(f"error: a run of {pipeline} cannot start here: {names}", file=sys.stderr)
    return CHECK_SAID_NO


def _not_whole(package: str, as_json: bool) -> int:
    fix = "pip install voicebench-sim"
    detail = f"{package} cannot be imported, and voicebench needs it"
    if as_json:
        finding = {"area": "packages", "name": package, "status": "missing", "detail": detail, "fix": fix}
        print_json({"ok": False, "findings": [finding]})
    print(f"error: {detail}. Run: {fix}", file=sys.stderr)
    return CHECK_SAID_NO


def _print(diagnosis: Diagnosis, pipeline: str) -> None:
    word = {"ok": "ok", "missing": "MISSING", "warning": "warning", "info": "-"}
    print_table(
        ("area", "name", "", "what was found"),
        [(each.area, each.name, word[each.status], each.detail) for each in diagnosis.findings],
    )
    print_lines(f"{each.area} {each.name}: {each.fix}" for each in diagnosis.findings if each.fix)
    if diagnosis.ok:
        print_lines([f"a run of {pipeline} can start here"])
