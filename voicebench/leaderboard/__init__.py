"""Scores that can be published: rows, rankings, comparisons, and submissions that others can check."""

from __future__ import annotations

from voicebench.leaderboard.board import Board, Ranking, make_board, read_board
from voicebench.leaderboard.compare import Comparison, RunComparison, check_scoring, compare_runs
from voicebench.leaderboard.formats import FORMATS, render
from voicebench.leaderboard.rows import Entry, Row
from voicebench.leaderboard.trials import StoredRun, TrialResult, load_run, load_runs

__all__ = [
    "FORMATS",
    "Board",
    "Comparison",
    "Entry",
    "Ranking",
    "Row",
    "RunComparison",
    "StoredRun",
    "TrialResult",
    "check_scoring",
    "compare_runs",
    "load_run",
    "load_runs",
    "make_board",
    "read_board",
    "render",
]
