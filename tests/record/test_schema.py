"""The printed schema and the page hold for the code, and the files of a call made now hold for the schema."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from voicebench.cli import main
from voicebench.config import load_pipeline
from voicebench.leaderboard.board import ANY, make_board
from voicebench.leaderboard.trials import load_run
from voicebench.record.schema import SCHEMAS, json_schema
from voicebench.runner import RunRequest, run

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]


def printed(capsys: pytest.CaptureFixture[str], what: str) -> dict[str, Any]:
    capsys.readouterr()
    with pytest.raises(SystemExit, match="0"):
        main(["schema", what])
    schema: dict[str, Any] = json.loads(capsys.readouterr().out)
    return schema


def fields(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every field of a schema's records."""
    for title, record in [("", schema), *schema.get("$defs", {}).items()]:
        for name, field in record.get("properties", {}).items():
            yield f"{title}.{name}", field
            yield from ((f"{title}.{key}", value) for key, value in field.get("properties", {}).items())


def test_the_page_is_that_of_the_code(tmp_path: Path) -> None:
    page = tmp_path / "records.md"
    subprocess.run([sys.executable, str(ROOT / "scripts" / "records_page"), str(page)], check=True)
    assert page.read_text() == (ROOT / "docs" / "records.md").read_text(), "run scripts/records_page"


def test_every_field_says_what_it_means(capsys: pytest.CaptureFixture[str]) -> None:
    for what in SCHEMAS:
        schema = printed(capsys, what)
        assert schema == json_schema(what)
        jsonschema.Draft202012Validator.check_schema(schema)
        found = dict(fields(schema))
        assert len(found) > 10
        without = {name for name, field in found.items() if not field.get("description")}
        assert without <= {name for name in found if name.endswith((".type", ".attributes"))}


def test_the_files_of_a_call_made_now_are_of_the_printed_schema(
    asked: Callable[..., RunRequest], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(asked(pipeline=load_pipeline("fast", ["channel=text"]), tasks=["T2-H3"]))
    root = tmp_path / "run"
    [folder] = root.glob("calls/*/*/*/*")
    files = {
        "call": [json.loads((folder / "call.json").read_text())],
        "trace": [json.loads(line) for line in (folder / "trace.jsonl").read_text().splitlines()],
        "exchanges": [json.loads(line) for line in (folder / "exchanges.jsonl").read_text().splitlines()],
        "run": [json.loads((root / "run.json").read_text())],
        "row": [row.to_json() for row in make_board([load_run(root)], profile=ANY).records(with_breakdowns=True)],
    }
    assert list(files) == list(SCHEMAS)
    for what, found in files.items():
        validator = jsonschema.Draft202012Validator(printed(capsys, what))
        assert found
        for one in found:
            validator.validate(one)
            changed = {**one, "unheard_of": 1}
            assert not validator.is_valid(changed)
