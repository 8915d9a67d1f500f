"""The page on boards shows what the code makes."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.leaderboard.constructed import SixModels
from tests.leaderboard.test_board import KEYS
from voicebench.leaderboard import read_board
from voicebench.leaderboard.figure import draw_ranking
from voicebench.leaderboard.formats import cells

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
