"""A ranking as SVG: pass@1 and the median of the first token, each with its interval, and the limit."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from voicebench.leaderboard.board import Ranking

__all__ = ["draw_ranking"]

_WIDTH, _ROW, _TOP, _BOTTOM = 760, 26, 44, 34
_NAMES, _RATE, _LATENCY = 120, (130.0, 430.0), (470.0, 740.0)
_COLOURS = {"yes": "#1b6ca8", "borderline": "#c2571a", "no": "#9a9a9a"}
_GRID, _TEXT = "#dddddd", "#222222"


def draw_ranking(ranking: Ranking, limit_ms: float) -> str:
    """Return the rows of a ranking, top to bottom in their order, as an SVG document.

    Hollow marks are rows without a rank. The colour says whether a model qualifies.
    """
    rows = ranking.rows
    height = _TOP + _ROW * len(rows) + _BOTTOM
    slowest = max((row.ttft.p50 or 0.0 for row in rows), default=0.0)
    most_ms = max(1.2 * limit_ms, 1.1 * slowest)
    limit = _at(_LATENCY, limit_ms / most_ms)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'font-family="sans-serif" font-size="12" fill="{_TEXT}">',
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
        _text(_RATE[0], 18, "pass@1, 95 % interval", "start"),
        _text(_LATENCY[0], 18, "median time to first token, 95 % interval, ms", "start"),
        *_axis(_RATE, [(share, f"{share:.0%}") for share in (0.0, 0.25, 0.5, 0.75, 1.0)], 1.0, height),
        *_axis(_LATENCY, [(float(ms), f"{ms:,}") for ms in range(0, int(most_ms) + 1, 250)], most_ms, height),
        f'<line x1="{limit:.1f}" x2="{limit:.1f}" y1="{_TOP - 12}" y2="{height - _BOTTOM}" stroke="{_TEXT}" '
        'stroke-dasharray="4 3"/>',
    ]
    for number, row in enumerate(rows):
        y = _TOP + _ROW * number + _ROW / 2
        colour, hollow = _COLOURS[row.qualified], bool(row.unranked_because)
        parts.append(_text(_NAMES, y + 4, row.entry.first.model, "end"))
        if row.interval is not None:
            parts += _mark(_RATE, row.pass_at_1, row.interval, y, colour, hollow=hollow)
        if row.ttft_interval is not None and row.ttft.p50 is not None:
            ends = (row.ttft_interval.low / most_ms, min(1.0, row.ttft_interval.high / most_ms))
            parts += _mark(_LATENCY, row.ttft.p50 / most_ms, ends, y, colour, hollow=hollow)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _mark(
    span: tuple[float, float], value: float | None, ends: tuple[float, float], y: float, colour: str, *, hollow: bool
) -> Iterator[str]:
    left, right = _at(span, ends[0]), _at(span, ends[1])
    yield f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{colour}" stroke-width="2"/>'
    if value is not None:
        fill = "white" if hollow else colour
        x = _at(span, value)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{fill}" stroke="{colour}" stroke-width="2"/>'


def _axis(span: tuple[float, float], ticks: list[tuple[float, str]], most: float, height: float) -> Iterator[str]:
    for value, label in ticks:
        x = _at(span, value / most)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 8}" y2="{height - _BOTTOM}" stroke="{_GRID}"/>'
        yield _text(x, height - _BOTTOM + 16, label, "middle")


def _at(span: tuple[float, float], share: float) -> float:
    return span[0] + share * (span[1] - span[0])


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
