"""The board: rows of all runs, those that may be compared ranked together, the rest with the reason why not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from voicebench.config import PROFILES, load_pipeline
from voicebench.config.profiles import BASELINES, QUALIFYING_TTFT_MS, REFERENCE
from voicebench.errors import ConfigError
from voicebench.leaderboard.breakdowns import breakdowns
from voicebench.leaderboard.compare import Comparison, compare_trials
from voicebench.leaderboard.latencies import latencies, missed_turns
from voicebench.leaderboard.rows import MOST_COMPREHENSION_VOIDS, MOST_SCRIPT_VOIDS, Entry, Row, Rule, entries, make_row
from voicebench.leaderboard.trials import StoredRun, load_runs
from voicebench.metrics.statistics import holm, smallest_difference
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.record.row import BoardRow

__all__ = ["ANY", "Board", "Pair", "Ranking", "make_board", "read_board"]

ANY = "any"


@dataclass(frozen=True)
class Pair:
    """Two ranked rows against each other.

    Attributes:
        first, second: models.
        comparison: first less second.
        p_holm: its p-value, adjusted for all pairs of the ranking.
    """

    first: str
    second: str
    comparison: Comparison
    p_holm: float


@dataclass(frozen=True)
class Ranking:
    """Rows with one profile, caller, line and scoring version, and the same tasks; ranked ones first, best first.

    Attributes:
        profile, caller, line: what they share.
        scored_by: the scoring versions of their calls; a row with several has no rank.
        rows: in order.
    """

    profile: str
    caller: str
    line: str
    scored_by: tuple[int, ...]
    rows: tuple[Row, ...]

    @property
    def ranked(self) -> list[Row]:
        """The rows that have a rank, first to last."""
        return [row for row in self.rows if not row.unranked_because]

    @property
    def reference(self) -> Row | None:
        """The line reference: what the line lets a perfect agent reach."""
        return next((row for row in self.rows if row.entry.first.model == REFERENCE), None)

    def pairs(self) -> list[Pair]:
        """Compare all ranked rows with each other."""
        both = list(combinations(self.ranked, 2))
        found = [compare_trials(second.entry.trials, first.entry.trials) for first, second in both]
        # With ten models there are 45 pairs, of which two would differ at .05 by chance alone.
        adjusted = holm([comparison.p_value for comparison in found])
        return [
            Pair(first.entry.first.model, second.entry.first.model, comparison, p_holm)
            for (first, second), comparison, p_holm in zip(both, found, adjusted, strict=True)
        ]


@dataclass(frozen=True)
class Board:
    """All rankings.

    Attributes:
        rankings: rows that may be compared are in one.
        limit_ms: the median latency up to which a model qualifies.
        min_difference: the smallest difference of two pass rates that means anything, at the size of the smallest row.
        problems: calls that could not be read.
    """

    rankings: tuple[Ranking, ...]
    limit_ms: float
    min_difference: float | None
    problems: tuple[str, ...]

    def __repr__(self) -> str:
        """Name the profiles and count the rows."""
        profiles = ", ".join(sorted({row.entry.first.profile for row in self.rows})) or "no profile"
        return f"<Board {profiles}: {len(self.rows)} row{'s' * (len(self.rows) != 1)}>"

    @property
    def rows(self) -> list[Row]:
        """The rows of all rankings."""
        return [row for ranking in self.rankings for row in ranking.rows]

    def records(self, *, with_breakdowns: bool = False) -> list[BoardRow]:
        """Return the rows as they are published.

        Args:
            with_breakdowns: sets ``breakdowns``, ``latencies`` and ``missed_turns`` of each row too.
        """
        records = []
        for ranking in self.rankings:
            for row in ranking.rows:
                record = row.record()
                if with_breakdowns:
                    parts = {
                        "breakdowns": breakdowns(row.entry, ranking.reference),
                        "latencies": latencies(row.entry),
                        "missed_turns": missed_turns(row.entry),
                    }
                    record = record.model_copy(update=parts)
                records.append(record)
        return records


def read_board(
    paths: Sequence[Path],
    *,
    limit_ms: float = QUALIFYING_TTFT_MS,
    k: int = 5,
    profile: str | None = None,
    rule: Rule = "ttft",
) -> Board:
    """Make the board of runs from their folders.

    Args:
        paths: folders of runs, or of one run each.
        limit_ms: the median latency up to which a model qualifies.
        k: of pass^k.
        profile: the pipeline whose runs are ranked; ``any`` ranks each profile by itself; None the pinned ones.
        rule: the latency that decides whether a model qualifies.

    Raises:
        ConfigError: there is no run at a path.
        StoreError: a run cannot be read.
    """
    return make_board(load_runs(paths), limit_ms=limit_ms, k=k, profile=profile, rule=rule)


def make_board(
    runs: Sequence[StoredRun],
    *,
    limit_ms: float = QUALIFYING_TTFT_MS,
    k: int = 5,
    profile: str | None = None,
    rule: Rule = "ttft",
) -> Board:
    """Make the board of runs that were read; see :func:`read_board`."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for entry in entries(runs):
        row = make_row(entry, limit_ms, k, rule)
        row = replace(row, unranked_because=tuple(_reasons(row, profile, rule, limit_ms)))
        groups.setdefault(comparable_key(entry), []).append(row)
    rankings = []
    for rows in groups.values():
        run = rows[0].entry.first
        rankings.append(Ranking(run.profile, run.caller, run.line, run.scored_by, tuple(sorted(rows, key=order))))
    rankings.sort(
        key=lambda one: (not one.ranked, one.profile, one.line, one.caller, [-version for version in one.scored_by])
    )
    rows = [row for ranking in rankings for row in ranking.rows]
    differences = []
    for row in [row for row in rows if not row.unranked_because] or [row for row in rows if row.calls]:
        clusters = len({trial.cluster for trial in row.entry.decided})
        differences.append(smallest_difference(clusters, row.calls / clusters))
    problems = tuple(problem for run in runs for problem in run.problems)
    # The smallest row has the largest of these; a promise for all rows is that of the least certain one.
    return Board(tuple(rankings), limit_ms, max(differences, default=None), problems)


def order(row: Row) -> tuple[bool, bool, float, float, str]:
    """Return what rows are sorted by: those with a rank first, then by score."""
    scores = (-(row.pass_at_1 or 0.0), -(row.pass_hat_k or 0.0))
    return bool(row.unranked_because), not row.complete, *scores, row.entry.first.model


def comparable_key(entry: Entry) -> tuple[object, ...]:
    """Return what rows must share to be ranked together: pipeline but for agent and prices, tasks, scoring version."""
    run = entry.first
    shared = {key: value for key, value in run.configuration.items() if key not in ("agent", "prices")}
    packs = {name: pack_hash for run in entry.runs for name, pack_hash in run.record.packs.items()}
    tasks = sorted((packs.get(pack, ""), task) for pack, task in entry.planned)
    return run.profile, run.caller, run.line, run.scored_by, json.dumps(shared, sort_keys=True), json.dumps(tasks)


def _reasons(row: Row, profile: str | None, rule: Rule, limit_ms: float) -> list[str]:
    """Return why a row has no rank: first what no other run of the model would change."""
    run = row.entry.first
    reasons = []
    if run.model == REFERENCE:
        reasons.append("line reference")
    elif run.model in BASELINES:
        reasons.append("baseline")
    reasons += run.record.unranked
    reasons += _profile_reasons(run, profile)
    if len(run.scored_by) > 1:
        reasons.append(f"scored by versions {' and '.join(map(str, run.scored_by))}: `voicebench score` makes it one")
    script_voids, not_understood = (row.script_void_rate or 0.0), (row.comprehension_void_rate or 0.0)
    if script_voids > MOST_SCRIPT_VOIDS:
        over = f"{100 * script_voids:.1f} % of the attempts, over {100 * MOST_SCRIPT_VOIDS:.0f} %"
        reasons.append(f"the caller broke its script in {over}")
    if not_understood > MOST_COMPREHENSION_VOIDS:
        over = f"{100 * not_understood:.1f} % of the attempts, over {100 * MOST_COMPREHENSION_VOIDS:.0f} %"
        reasons.append(f"incomplete: the caller did not understand the agent in {over}")
    elif not row.complete:
        reasons.append(f"incomplete: {row.missing} of {row.calls + row.missing} calls have no verdict on the agent")
    if row.qualified == "no":
        p50 = (row.ttft if rule == "ttft" else row.ttfat).p50
        measured = "was never measured" if p50 is None else f"is {p50:,.0f} ms, over {limit_ms:,.0f} ms"
        reasons.append(f"not qualified: the median {rule.upper()} {measured}")
    return reasons


def _profile_reasons(run: StoredRun, profile: str | None) -> list[str]:
    wanted = PROFILES if profile is None else (profile,)
    if profile == ANY:
        return []
    if run.profile not in wanted:
        return [f"profile {run.profile or 'without a name'}, not {' or '.join(wanted)}"]
    # A profile pins everything that could favour a model; a run that changed any of it is no run of the profile.
    try:
        pinned = load_pipeline(run.profile).model_dump(mode="json")
    except ConfigError:
        return []
    changed = [key for key in sorted(pinned) if _pinned(pinned, key) != _pinned(run.configuration, key)]
    return [f"profile {run.profile} with another {', '.join(changed)}"] if changed else []


def _pinned(configuration: JsonObject, key: str) -> JsonValue:
    """Return a section of a pipeline without what a user of a profile chooses: the model, and prices."""
    section = configuration.get(key)
    if key == "agent" and isinstance(section, dict):
        return {name: value for name, value in section.items() if name not in _CHOSEN}
    return None if key == "prices" else section


_CHOSEN = ("llm", "model", "base_url", "api_key_env", "voice", "transcription", "params", "timeout_s", "local")
"""Keys of an agent that say which model it is and how it is reached, of either harness."""
