"""Boards: what each row says, which rows are ranked, and why the others are not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.leaderboard.constructed import SixModels, make_run, task_ids
from voicebench.errors import ConfigError, StoreError
from voicebench.leaderboard import read_board, render
from voicebench.leaderboard.formats import title
from voicebench.leaderboard.rows import Row
from voicebench.metrics.statistics import smallest_difference

pytestmark = pytest.mark.unit

KEYS = {
    "model", "harness", "pass_at_1", "pass_hat_k", "k", "interval", "tasks", "calls", "void_rate", "error_rate",
    "hung_up", "said", "script_void_rate", "comprehension_void_rate",
    "not_understood_rate",
    "ttft_p50_ms", "ttft_p50_interval", "ttft_p95_ms", "ttfat_p50_ms",
    "tool_round_ttft_p50_ms", "v2v_p50_ms", "cost_per_call_usd", "qualified", "contradictions",
    "complete", "ranked", "unranked_because", "caller", "line", "config_hash",
    "scoring_version",
}  # fmt: skip

P, F = "passed", "failed"
FOUR = task_ids(4)


def alike(*verdicts: str, tasks: int = 4) -> dict[str, list[str]]:
    return {task: list(verdicts) for task in task_ids(tasks)}


def only_row(*roots: Path, **asked: Any) -> Row:
    [row] = read_board(roots, **{"profile": "any", **asked}).rows
    return row


def test_a_row_has_the_figures_of_the_stored_calls(tmp_path: Path) -> None:
    outcomes = {FOUR[0]: [P, P, P], FOUR[1]: [P, F, P], FOUR[2]: [F, F, F], FOUR[3]: [F, P, P]}
    root = make_run(tmp_path / "run", "m", outcomes, usd=0.02, spread=0.0)
    told = json.loads(render(read_board([root], k=2, profile="bench"), "json"))
    assert set(told) == {"rows", "limit_ms", "min_difference"}
    [row] = told["rows"]
    assert set(row) == KEYS
    assert row["pass_at_1"] == pytest.approx((1 + 2 / 3 + 0 + 2 / 3) / 4, abs=1e-6)
    assert row["pass_hat_k"] == pytest.approx((1 + 1 / 3 + 0 + 1 / 3) / 4, abs=1e-6)
    assert (row["k"], row["tasks"], row["calls"]) == (2, 4, 12)
    assert (row["ttft_p50_ms"], row["ttfat_p50_ms"], row["v2v_p50_ms"]) == (400.0, 500.0, 1_600.0)
    assert row["cost_per_call_usd"] == 0.02
    assert (row["complete"], row["ranked"], row["unranked_because"]) == (True, True, None)
    assert (row["caller"], row["line"]) == ("scripted/locked/heart/asr/meaning 2", "pstn")
    assert row["interval"][0] < row["pass_at_1"] < row["interval"][1]


@pytest.mark.parametrize(
    ("ttft_ms", "spread", "qualified"), [(300, 0.05, "yes"), (1_500, 0.05, "no"), (995, 0.15, "borderline")]
)
def test_qualification_by_the_median_ttft_and_its_interval(
    tmp_path: Path, ttft_ms: float, spread: float, qualified: str
) -> None:
    row = only_row(make_run(tmp_path / "run", "m", alike(P, P), ttft_ms=ttft_ms, spread=spread))
    assert row.qualified == qualified
    assert row.ttft_interval is not None
    assert row.ttft_interval.over == "calls"
    assert (row.unranked_because == ()) == (qualified != "no")


def test_the_limit_and_the_rule_can_be_chosen(tmp_path: Path) -> None:
    root = make_run(tmp_path / "run", "m", alike(P, tasks=6), ttft_ms=950, spread=0.0)
    assert only_row(root).qualified == "yes"
    assert only_row(root, limit_ms=900).qualified == "no"
    assert only_row(root, rule="ttfat").qualified == "no"
    assert only_row(root, rule="ttfat").unranked_because == (
        "not qualified: the median TTFAT is 1,050 ms, over 1,000 ms",
    )


def test_only_the_asked_profile_is_ranked(tmp_path: Path) -> None:
    root = make_run(tmp_path / "run", "m", alike(P))
    [row] = read_board([root]).rows
    assert row.unranked_because == ("profile bench, not callm or mivas",)
    assert only_row(root, profile="bench").unranked_because == ()
    assert only_row(root, profile="other").unranked_because == ("profile bench, not other",)


def test_a_profile_that_was_changed_is_not_that_profile(tmp_path: Path) -> None:
    settings = ["line.preset=bad_signal", "agent.llm.params={}"]
    root = make_run(tmp_path / "run", "m", alike(P), profile="fast", settings=settings)
    assert only_row(root, profile="fast").unranked_because == ("profile fast with another clock, line",)
    assert only_row(root, profile="any").unranked_because == ()


@pytest.mark.parametrize(("model", "why"), [("reference", "line reference"), ("silent", "baseline")])
def test_reference_and_baselines_have_rows_without_a_rank(tmp_path: Path, model: str, why: str) -> None:
    assert only_row(make_run(tmp_path / "run", model, alike(P))).unranked_because == (why,)


def test_charged_models_are_not_ranked(tmp_path: Path) -> None:
    root = make_run(tmp_path / "run", "m", alike(P), settings=["clock.charges.llm=fixed:300/20"])
    assert only_row(root).unranked_because == ("charges",)


@pytest.mark.parametrize(
    "other",
    [
        {"settings": ["caller.voice=joe"]},
        {"settings": ["line.preset=bad_signal"]},
        {"settings": ["limits.turns=9"]},
        {"profile": "other"},
        {"outcomes": alike(P, tasks=5)},
    ],
    ids=["caller", "line", "limits", "profile", "tasks"],
)
def test_unlike_runs_are_never_in_one_ranking(tmp_path: Path, other: dict[str, Any]) -> None:
    make_run(tmp_path / "one", "one", alike(P))
    make_run(tmp_path / "two", "two", alike(P))
    make_run(tmp_path / "three", "three", **{"outcomes": alike(P), **other})
    rankings = read_board([tmp_path], profile="any").rankings
    models = sorted([row.entry.first.model for row in ranking.ranked] for ranking in rankings)
    assert models == [["one", "two"], ["three"]]


def test_other_agents_on_the_same_calls_are_rows_of_one_ranking(tmp_path: Path) -> None:
    make_run(tmp_path / "one", "m", alike(P))
    make_run(tmp_path / "two", "m", alike(F), settings=["agent.llm.params={temperature: 1}"])
    [ranking] = read_board([tmp_path], profile="any").rankings
    assert [row.pass_at_1 for row in ranking.rows] == [1.0, 0.0]


def test_runs_of_one_configuration_are_one_row(tmp_path: Path) -> None:
    make_run(tmp_path / "one", "m", alike(P, P))
    make_run(tmp_path / "two", "m", alike(F, F), seed=1)
    row = only_row(tmp_path)
    assert (row.pass_at_1, row.calls, row.tasks) == (0.5, 16, 4)
    assert only_row(tmp_path / "one", tmp_path, tmp_path / "one").calls == 16


def test_a_run_on_another_version_of_the_pack_is_another_row(tmp_path: Path) -> None:
    make_run(tmp_path / "one", "m", alike(P))
    record = make_run(tmp_path / "two", "m", alike(P)) / "run.json"
    record.write_text(record.read_text().replace('"customer_support":"', '"customer_support":"0'))
    record.write_text(record.read_text().replace('"customer_support": "', '"customer_support": "0'))
    assert len(read_board([tmp_path], profile="any").rankings) == 2


def test_calls_of_two_scoring_versions_are_never_in_one_ranking(tmp_path: Path) -> None:
    make_run(tmp_path / "one", "m", alike(P), scoring_version=1)
    make_run(tmp_path / "two", "m", alike(F))
    make_run(tmp_path / "none", "m", alike(P), seed=1, scoring_version=None)
    board = read_board([tmp_path], profile="any")
    assert [(row.record().scoring_version, row.pass_at_1, row.calls) for row in board.rows] == [
        (2, 0.0, 4),
        (1, 1.0, 8),
    ]
    assert [title(ranking).rpartition(", ")[2] for ranking in board.rankings] == ["scoring 2", "scoring 1"]


def test_a_run_that_went_on_under_another_scoring_version_has_no_rank(tmp_path: Path) -> None:
    root = make_run(tmp_path / "run", "m", {**alike(P, P), FOUR[0]: [P, "error>passed"]}, scoring_version=1)
    last = root / "calls/customer_support" / FOUR[0] / "2/attempt-2/call.json"
    last.write_text(json.dumps({**json.loads(last.read_text()), "scoring_version": 2}))
    row = only_row(root)
    assert row.unranked_because == ("scored by versions 1 and 2: `voicebench score` makes it one",)
    assert row.record().scoring_version is None


def test_a_score_with_few_void_calls_is_published_with_their_rate(tmp_path: Path) -> None:
    outcomes = {**alike(P, P, P, P, P, tasks=12), FOUR[0]: ["void>passed", P, P, P, "error>error>error"]}
    row = only_row(make_run(tmp_path / "run", "m", outcomes))
    assert (row.complete, row.missing, row.calls) == (True, 1, 59)
    assert (row.void_rate, row.error_rate) == (1 / 63, 3 / 63)
    assert row.pass_at_1 == pytest.approx(59 / 60), "an error is no pass"
    assert row.pass_hat_k == pytest.approx(11 / 12)


def test_what_made_calls_void_is_counted_apart(tmp_path: Path) -> None:
    outcomes = {**alike(P, P, P, P, P, tasks=12), FOUR[0]: ["void>passed", "void>passed", "void>passed", P, P]}
    run = make_run(tmp_path / "run", "m", outcomes)
    first = run / "calls" / "customer_support" / FOUR[0] / "1" / "attempt-1" / "call.json"
    first.write_text(json.dumps({**json.loads(first.read_text()), "void_kind": "comprehension"}))
    row = only_row(run)
    assert (row.void_rate, row.script_void_rate, row.comprehension_void_rate) == (3 / 63, 2 / 63, 1 / 63)


def test_a_score_with_too_many_void_calls_is_incomplete_with_its_bounds(tmp_path: Path) -> None:
    outcomes = {**alike(P, F, tasks=4), FOUR[0]: [P, "void>void>void"]}
    row = only_row(make_run(tmp_path / "run", "m", outcomes))
    assert (row.complete, row.pass_at_1, row.pass_hat_k) == (False, None, None)
    assert row.interval == (0.5, 0.625)
    assert row.unranked_because == (
        "the caller broke its script in 30.0 % of the attempts, over 2 %",
        "incomplete: 1 of 8 calls have no verdict on the agent",
    )


@pytest.mark.parametrize(
    ("changes", "missing", "tasks"),
    [
        ({"trials": 3}, 4, 4),
        ({"request": {"tasks": [*FOUR, "T1-M1"]}}, 2, 5),
        ({"request": {"tasks": FOUR, "variants": True}}, 16, 12),
        ({"request": {"tasks": [], "limit": 2}}, 0, 4),
    ],
    ids=["trials", "a-task", "variants", "limit"],
)
def test_trials_that_were_never_made_are_missing(
    tmp_path: Path, changes: dict[str, Any], missing: int, tasks: int
) -> None:
    row = only_row(make_run(tmp_path / "run", "m", alike(P, P), **changes))
    assert (row.missing, row.tasks, row.complete) == (missing, tasks, missing == 0)


def test_one_trial_that_was_never_made_leaves_a_row_incomplete_where_one_without_a_verdict_does_not(
    tmp_path: Path,
) -> None:
    sixty = alike(P, P, P, P, P, tasks=12)
    tried = only_row(make_run(tmp_path / "tried", "m", {**sixty, FOUR[0]: [P, P, P, P, "void>void>void"]}))
    never = only_row(make_run(tmp_path / "never", "m", {**sixty, FOUR[0]: [P, P, P, P]}, trials=5))
    assert (tried.missing, tried.complete) == (never.missing, True) == (1, True)
    assert (never.complete, never.pass_at_1) == (False, None)


def test_the_smallest_difference_is_that_of_the_smallest_row(tmp_path: Path) -> None:
    make_run(tmp_path / "large", "large", alike(P, F, P, F, tasks=24))
    make_run(tmp_path / "small", "small", alike(P, F, tasks=6))
    make_run(tmp_path / "wide", "wide", alike(P, F, tasks=12))
    assert read_board([tmp_path], profile="any").min_difference == smallest_difference(6, 2)
    assert smallest_difference(6, 2) > smallest_difference(12, 2) > smallest_difference(24, 4)


def test_pass_hat_k_is_null_above_the_trials_and_the_row_complete(tmp_path: Path) -> None:
    row = only_row(make_run(tmp_path / "run", "m", alike(P, P)))
    assert (row.k, row.pass_hat_k, row.complete) == (5, None, True)


def test_one_unknown_cost_makes_the_mean_unknown(tmp_path: Path) -> None:
    root = make_run(tmp_path / "run", "m", alike(P, P), usd=0.5)
    assert only_row(root).cost_per_call_usd == 0.5
    path = root / "calls/customer_support" / FOUR[0] / "1/attempt-1/call.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "cost": None}))
    assert only_row(root).cost_per_call_usd is None


def test_a_call_that_cannot_be_read_is_missing_and_told(tmp_path: Path) -> None:
    root = make_run(tmp_path / "run", "m", alike(P, P))
    (root / "calls/customer_support" / FOUR[0] / "1/attempt-1/trace.jsonl").write_text("{")
    (root / "calls/customer_support" / FOUR[1] / "1/attempt-1/call.json").write_text("{")
    board = read_board([root], profile="any")
    assert board.rows[0].missing == 2
    assert len(board.problems) == 2


def test_what_is_no_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no run there"):
        read_board([tmp_path])
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(StoreError, match="run_id: Field required; the file is corrupt"):
        read_board([tmp_path])
    record = make_run(tmp_path, "m", alike(P)) / "run.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "configuration": {}}))
    with pytest.raises(StoreError, match="no record of a run"):
        read_board([tmp_path])


def test_a_run_of_a_newer_version_is_told(tmp_path: Path) -> None:
    record = make_run(tmp_path / "run", "m", alike(P)) / "run.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "schema_version": 99}))
    with pytest.raises(StoreError, match="of schema version 99, which a newer voicebench wrote"):
        read_board([tmp_path])


def test_parts_of_a_row_beside_the_line_reference(tmp_path: Path) -> None:
    outcomes = {"T1-E1": [P, P], "T1-E1-BG": [F, P], "T1-M1": [F, F], "T1-H1": [P, F]}
    make_run(tmp_path / "one", "m", outcomes)
    make_run(tmp_path / "two", "reference", {**outcomes, "T1-E1-BG": [P, P], "T1-M1": [P, F]})
    records = read_board([tmp_path], profile="any").records(with_breakdowns=True)
    [parts] = [row.breakdowns for row in records if row.ranked]
    assert parts is not None
    rates = {kind: {part.name: part.pass_rate for part in parts[kind]} for kind in parts}
    assert rates["difficulty"] == {"easy": 0.75, "medium": 0.0, "hard": 0.5}
    assert rates["line"] == {"background_noise": 0.5, "pstn": 0.5}
    assert rates["pack"] == {"customer_support": 0.5}
    assert rates["gate"] == {"tools": 0.5, "handoffs": 1.0, "database": 0.5}
    assert [part.reference for part in parts["difficulty"]] == [1.0, 0.5, 0.5]
    assert parts["gate"][0].reward == 0.75
    assert parts["pack"][0].reward == 0.75


def test_six_models(tmp_path: Path) -> None:
    SixModels.write(tmp_path)
    board = read_board([tmp_path], profile="any")
    [ranking] = board.rankings
    ranked = [row.entry.first.model for row in ranking.ranked]
    assert ranked == ["amber", "birch", "cedar", "dune", "fjord"]
    assert [row.entry.first.model for row in ranking.rows[5:]] == ["reference", "ember"]
    assert {row.entry.first.model: row.qualified for row in ranking.rows if row.qualified != "yes"} == {
        "dune": "borderline",
        "ember": "no",
    }
    assert board.min_difference == pytest.approx(0.138, abs=0.002)
    pairs = {(pair.first, pair.second): pair for pair in ranking.pairs()}
    assert len(pairs) == 10
    assert pairs["amber", "fjord"].p_holm < 0.01
    assert pairs["amber", "birch"].p_holm > 0.05
    assert all(pair.p_holm >= pair.comparison.p_value for pair in pairs.values())


def test_runs_are_only_read(tmp_path: Path) -> None:
    root = make_run(tmp_path / "run", "m", alike(P))
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    shutil.copytree(root, tmp_path / "copy")
    render(read_board([root], profile="any"), "json", with_breakdowns=True, with_pairs=True)
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_another_model_of_the_caller_or_another_prompt_is_another_ranking(tmp_path: Path) -> None:
    make_run(tmp_path / "rules", "m", alike(P))
    for name, prompt in (("one", 1), ("one", 2), ("two", 2)):
        played = ["caller.kind=llm", f"caller.llm.model={name}", f"caller.llm.prompt={prompt}"]
        make_run(tmp_path / f"{name}-{prompt}", "m", alike(P), settings=played)
    rankings = read_board([tmp_path], profile="any").rankings
    assert sorted(ranking.caller for ranking in rankings) == [
        "llm/locked/heart/asr/meaning 2/one (prompt 1)",
        "llm/locked/heart/asr/meaning 2/one (prompt 2)",
        "llm/locked/heart/asr/meaning 2/two (prompt 2)",
        "scripted/locked/heart/asr/meaning 2",
    ]


def test_a_profile_with_another_caller_has_no_rank(tmp_path: Path) -> None:
    make_run(tmp_path / "run", "m", alike(P), profile="callm")
    [row] = [row for ranking in read_board([tmp_path]).rankings for row in ranking.rows]
    assert any(why.startswith("profile callm with another") and "caller" in why for why in row.unranked_because)
