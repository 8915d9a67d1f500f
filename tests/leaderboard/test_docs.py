"""The page on boards shows what the code makes."""

from __future__ import annotations

import re
import sqlite3
from datetime import date
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import pytest

from tests.leaderboard.constructed import SixModels, make_run
from tests.leaderboard.test_board import KEYS
from voicebench.call.costs import cost_of_request
from voicebench.config import load_pipeline
from voicebench.leaderboard import read_board
from voicebench.leaderboard.figure import draw_ranking
from voicebench.leaderboard.formats import cells
from voicebench.leaderboard.latencies import FIGURES
from voicebench.store import find_runs
from voicebench.store.index import rebuild_index
from voicebench.stored.export import ExportFormat

pytestmark = pytest.mark.unit

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "leaderboard.md").read_text(encoding="utf-8")
CONFIG = 17


def test_the_example_and_its_figure_are_what_the_code_makes(tmp_path: Path) -> None:
    SixModels.write(tmp_path)
    [ranking] = read_board([tmp_path], profile=SixModels.PROFILE).rankings
    shown = [line[2:-2].split(" | ") for line in PAGE.splitlines() if re.match(r"\| [\d-]+ \|", line)]
    made = list(cells(ranking))
    assert [row[:CONFIG] for row in shown] == [list(row[:CONFIG]) for row in made]
    assert (DOCS / "figures" / "leaderboard.svg").read_text(encoding="utf-8") == draw_ranking(ranking, 1_000.0)


def test_the_figure_has_a_mark_where_the_number_is(tmp_path: Path) -> None:
    SixModels.write(tmp_path)
    [ranking] = read_board([tmp_path], profile=SixModels.PROFILE).rankings
    drawing = ElementTree.fromstring(draw_ranking(ranking, 1_000.0))
    marks = [mark for mark in drawing.iter() if mark.tag.endswith("circle")]
    assert len(marks) == 2 * len(ranking.rows)
    best = ranking.rows[0]
    assert float(marks[0].attrib["cx"]) == pytest.approx(130 + 300 * (best.pass_at_1 or 0), abs=0.06)
    hollow = [mark.attrib["fill"] == "white" for mark in marks[::2]]
    assert hollow == [bool(row.unranked_because) for row in ranking.rows]


def test_all_keys_of_a_row_are_explained() -> None:
    explained = PAGE.split("## A row")[1].split("## Intervals")[0]
    assert {key for key in KEYS if f"`{key}`" not in explained} == set()


def test_all_latencies_of_a_row_are_explained() -> None:
    explained = PAGE.split("## Latencies and turn taking")[1].split("## Cost")[0]
    assert [name for name in FIGURES if f"`{name}`" not in explained] == []


def test_the_prices_of_the_example_are_what_a_request_costs(tmp_path: Path) -> None:
    example = PAGE.split("<!-- prices: read by a test -->\n```yaml\n")[1].split("```")[0]
    (tmp_path / "mine.yaml").write_text(example)
    settings = ["agent.llm.model=my-model", "agent.llm.base_url=http://127.0.0.1:8000/v1"]
    mine = load_pipeline(tmp_path / "mine.yaml", settings)
    usage = {"input_tokens": 2_000_000.0, "cache_read_tokens": 1_000_000.0, "output_tokens": 1_000_000.0}
    assert cost_of_request(mine, "agent", date(2026, 8, 1), usage) == pytest.approx(0.40 + 0.10 + 1.60)
    assert cost_of_request(load_pipeline("local-cpu", settings), "agent", date(2026, 8, 1), usage) is None
    assert mine.prices["my-transcriber"].audio_hours == 0.36


def test_all_tables_and_views_of_the_index_and_formats_of_exports_are_named(tmp_path: Path) -> None:
    section = PAGE.split("## The index and exports")[1]
    make_run(tmp_path / "run", "m", {"T1-E1": ["passed"]})
    rebuild_index(tmp_path / "index.db", find_runs(tmp_path))
    opened = sqlite3.connect(f"{(tmp_path / 'index.db').as_uri()}?mode=ro&immutable=1", uri=True)
    names = [name for (name,) in opened.execute("select name from sqlite_master where type in ('table', 'view')")]
    opened.close()
    assert len(names) > 15
    assert [name for name in names if f"`{name}`" not in section] == []
    assert f"[--format {'|'.join(['csv', 'parquet', *get_args(ExportFormat)[1:]])}]" in section
