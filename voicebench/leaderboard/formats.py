"""A board as text: JSON, CSV, Markdown, and the cells of a table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Literal

from voicebench.leaderboard.board import Board, Ranking
from voicebench.leaderboard.breakdowns import KINDS, breakdowns
from voicebench.leaderboard.latencies import latencies, missed_turns
from voicebench.leaderboard.rows import rounded
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.store import SCORING_VERSION

__all__ = [
    "BREAKDOWN_COLUMNS",
    "COLUMNS",
    "FORMATS",
    "LATENCY_COLUMNS",
    "breakdown_cells",
    "cells",
    "footnotes",
    "latency_cells",
    "render",
    "title",
]

Format = Literal["table", "json", "csv", "md"]
FORMATS: tuple[Format, ...] = ("table", "json", "csv", "md")

COLUMNS = (
    "rank",
    "model",
    "harness",
    "pass@1",
    "95 %",
    "pass^k",
    "tasks",
    "calls",
    "void: script",
    "void: comprehension",
    "error",
    "hung up",
    "said",
    "not understood",
    "TTFT p50",
    "95 %",
    "p95",
    "TTFAT p50",
    "V2V p50",
    "$/call",
    "qualified",
    "config",
    "why unranked",
)

BREAKDOWN_COLUMNS = ("model", "by", "part", "tasks", "calls", "pass rate", "95 %", "reward", "line reference")

LATENCY_COLUMNS = ("model", "latency", "n", "p50", "95 %", "p95", "share of V2V")


def render(
    board: Board, output: Literal["json", "csv", "md"], *, with_breakdowns: bool = False, with_pairs: bool = False
) -> str:
    """Return the board as one text, which ends with a line's end.

    Args:
        board: what to print.
        output: the format; the table for terminals is made of :func:`cells`.
        with_breakdowns: adds the parts of each row, and its latencies; CSV has room for the latencies alone.
        with_pairs: adds the ranked rows against each other; CSV has no room for them.
    """
    if output == "csv":
        return to_csv(board, with_breakdowns)
    if output == "md":
        return to_markdown(board, with_breakdowns, with_pairs)
    return to_json(board, with_breakdowns, with_pairs)


def title(ranking: Ranking) -> str:
    """Name a ranking by what its rows share."""
    versions = "+".join(map(str, ranking.scored_by)) or "-"
    return f"profile {ranking.profile or '-'}, caller {ranking.caller}, line {ranking.line}, scoring {versions}"


def cells(ranking: Ranking) -> Iterator[tuple[str, ...]]:
    """Give the cells of each row of a ranking, as ``COLUMNS`` names them."""
    ranked = ranking.ranked
    for row in ranking.rows:
        run = row.entry.first
        bounds = row.ttft_interval
        yield (
            str(ranked.index(row) + 1) if row in ranked else "-",
            run.model,
            run.harness,
            "INCOMPLETE" if row.pass_at_1 is None else _percent(row.pass_at_1),
            "-" if row.interval is None else f"{_percent(row.interval[0])} to {_percent(row.interval[1])}",
            "-" if row.pass_hat_k is None else f"{_percent(row.pass_hat_k)} (k={row.k})",
            str(row.tasks),
            str(row.calls),
            _percent(row.script_void_rate),
            _percent(row.comprehension_void_rate),
            _percent(row.error_rate),
            str(row.hung_up),
            _percent(row.said),
            _percent(row.not_understood_rate),
            _ms(row.ttft.p50),
            "-" if bounds is None else f"{bounds.low:,.0f} to {bounds.high:,.0f}{'*' * (bounds.over == 'calls')}",
            _ms(row.ttft.p95),
            _ms(row.ttfat.p50),
            _ms(row.v2v.p50),
            "unknown" if row.cost_per_call_usd is None else f"{row.cost_per_call_usd:.4f}",
            f"{row.qualified}{' (!)' if row.contradictions else ''}",
            run.record.config_hash[:8],
            "; ".join(row.unranked_because),
        )


def breakdown_cells(ranking: Ranking) -> Iterator[tuple[str, ...]]:
    """Give the cells of all parts of a ranking's rows, as ``BREAKDOWN_COLUMNS`` names them."""
    for row in ranking.rows:
        parts = breakdowns(row.entry, ranking.reference)
        for kind in KINDS:
            for part in parts[kind]:
                low, high = part.interval or (None, None)
                yield (
                    row.entry.first.model,
                    kind,
                    part.name,
                    str(part.tasks),
                    str(part.calls),
                    _percent(part.pass_rate),
                    "-" if low is None else f"{_percent(low)} to {_percent(high)}",
                    "-" if part.reward is None else f"{part.reward:.3f}",
                    _percent(part.reference),
                )


def latency_cells(ranking: Ranking) -> Iterator[tuple[str, ...]]:
    """Give the cells of all latencies of a ranking's rows, and of turns missed, as ``LATENCY_COLUMNS`` names them."""
    for row in ranking.rows:
        model = row.entry.first.model
        for one in latencies(row.entry):
            if one.interval is not None:
                low, high = one.interval
                bounds = f"{low:,.0f} to {high:,.0f}{'*' * (one.over == 'calls')}"
                share = "" if one.share is None else _percent(one.share)
                name = one.name.replace("_", " ")
                yield (model, name, str(one.n), _ms(one.p50_ms), bounds, _ms(one.p95_ms), share)
        missed = missed_turns(row.entry)
        if missed.calls:
            yield (model, "missed turns", str(missed.total), f"{missed.per_call:.2f} a call", "", "", "")


def footnotes(board: Board, *, with_pairs: bool = False) -> list[str]:
    """Return what a reader of the numbers must know."""
    notes = [f"A model qualifies with a median first token within {board.limit_ms:,.0f} ms."]
    if board.min_difference is not None:
        notes.append(f"Differences under {100 * board.min_difference:.0f} points mean nothing at this size.")
    if any(row.ttft_interval is not None and row.ttft_interval.over == "calls" for row in board.rows):
        notes.append("* under five tasks: the interval of the median is over LLM calls.")
    of_other_profiles = any(why.startswith("profile ") for row in board.rows for why in row.unranked_because)
    if of_other_profiles and not any(ranking.ranked for ranking in board.rankings):
        notes.append("No row is ranked; `--profile any` ranks the runs of each profile by themselves.")
    if any(not row.complete for row in board.rows):
        notes.append("INCOMPLETE: its interval is what the missing calls would still allow.")
    notes += [
        f"(!) {row.entry.first.model}: TTFT is doubtful, for {why}." for row in board.rows for why in row.contradictions
    ]
    notes += [
        f"{row.entry.first.model}: after a tool's result its median first token takes {_ms(row.tool_round_ttft.p50)}, "
        "which qualifies nothing."
        for row in board.rows
        if row.tool_round_ttft.n
    ]
    shown = {
        "Hung up: the service broke off a call that it had begun to answer; such a trial is not passed.": any(
            row.hung_up for row in board.rows
        ),
        "Said: the share of what it had to tell, and not to tell, that the agent kept; it gates nothing.": any(
            row.said is not None for row in board.rows
        ),
        "Void by comprehension: the interval is wider downwards by its share of the attempts.": any(
            row.comprehension_void_rate for row in board.rows
        ),
    }
    notes += [note for note, is_shown in shown.items() if is_shown]
    if any({*ranking.scored_by} - {SCORING_VERSION} for ranking in board.rankings):
        notes.append(f"Scored by older rules: `voicebench score RUN` applies those of version {SCORING_VERSION}.")
    if with_pairs:
        for pair in (pair for ranking in board.rankings for pair in ranking.pairs()):
            low, high = pair.comparison.interval
            notes.append(
                f"{pair.first} less {pair.second}: {100 * pair.comparison.difference:+.1f} points "
                f"({100 * low:+.1f} to {100 * high:+.1f}), p = {pair.p_holm:.3f} (Holm)"
            )
    return [*notes, *board.problems]


def to_json(board: Board, with_breakdowns: bool, with_pairs: bool) -> str:
    """Write one object: the rows, and what they are compared by."""
    printed: JsonObject = {
        "rows": [record.to_json() for record in board.records(with_breakdowns=with_breakdowns)],
        "limit_ms": board.limit_ms,
        "min_difference": rounded(board.min_difference),
    }
    if with_pairs:
        printed["pairs"] = [
            {
                "first": pair.first,
                "second": pair.second,
                "difference": rounded(pair.comparison.difference),
                "interval": [rounded(end) for end in pair.comparison.interval],
                "p_value": rounded(pair.comparison.p_value),
                "p_holm": rounded(pair.p_holm),
            }
            for ranking in board.rankings
            for pair in ranking.pairs()
        ]
    return json.dumps(printed, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_csv(board: Board, with_latencies: bool) -> str:
    """Write a line for each row; the two ends of an interval have columns of their own."""
    lines: list[dict[str, JsonValue]] = []
    for row, record in zip(board.rows, board.records(), strict=True):
        line: dict[str, JsonValue] = {}
        for key, value in record.to_json().items():
            if key in ("interval", "ttft_p50_interval"):
                ends = record.interval if key == "interval" else record.ttft_p50_interval
                line[f"{key}_low"], line[f"{key}_high"] = ends or (None, None)
            else:
                # A spreadsheet takes text that begins so for a formula, and the name of a model is anyone's.
                inert = isinstance(value, str) and value.startswith(("=", "+", "-", "@"))
                cell = "; ".join(map(str, value)) if isinstance(value, list) else value
                line[key] = f"'{cell}" if inert else cell
        if with_latencies:
            for one in latencies(row.entry):
                low, high = one.interval or (None, None)
                line |= {f"{one.name}_p50_ms": one.p50_ms, f"{one.name}_p50_low": low, f"{one.name}_p50_high": high}
                line[f"{one.name}_p95_ms"] = one.p95_ms
                if one.name.startswith("v2v_"):
                    line[f"{one.name}_share"] = one.share
            line |= {f"missed_turns_{key}": value for key, value in missed_turns(row.entry).to_json().items()}
        lines.append({**line, "limit_ms": board.limit_ms, "min_difference": rounded(board.min_difference)})
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([list(lines[0]), *(line.values() for line in lines)] if lines else [])
    return out.getvalue()


def to_markdown(board: Board, with_breakdowns: bool, with_pairs: bool) -> str:
    """Write a table for each ranking, and the notes."""
    lines: list[str] = []
    for ranking in board.rankings:
        lines += [f"**{_escaped(title(ranking))}**", "", *_table(COLUMNS, cells(ranking)), ""]
        if with_breakdowns:
            lines += [*_table(BREAKDOWN_COLUMNS, breakdown_cells(ranking)), ""]
            lines += [*_table(LATENCY_COLUMNS, latency_cells(ranking)), ""]
    lines += [f"- {_escaped(note)}" for note in footnotes(board, with_pairs=with_pairs)]
    return "\n".join(lines) + "\n"


def _table(columns: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    for row in rows:
        yield f"| {' | '.join(_escaped(cell) for cell in row)} |"


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\|<>*_`[]" else char for char in text.replace("\n", " "))


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f} ms"
