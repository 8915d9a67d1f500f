"""A figure of a leg as SVG: spectrum, level, lost packets. Drawn here, so that a report needs no plotting library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

__all__ = ["Panel", "Series", "draw"]

WIDTH, PANEL_HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 190, 60, 20, 30, 34
COLOURS = ("#1b6ca8", "#c2571a", "#4b8b3b")


@dataclass(frozen=True)
class Series:
    """A line through points, or, without ``y``, a mark at each ``x``."""

    name: str
    x: Sequence[float]
    y: Sequence[float] | None = None


@dataclass(frozen=True)
class Panel:
    """One diagram.

    Attributes:
        title: above it.
        x_label: under it, with the unit.
        x_range, y_range: ends of the axes.
        x_ticks, y_ticks: where numbers stand.
        series: what is drawn.
    """

    title: str
    x_label: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_ticks: Sequence[float]
    y_ticks: Sequence[float]
    series: Sequence[Series]


def draw(panels: Sequence[Panel]) -> str:
    """Return the panels, one under the other, as an SVG document."""
    height = PANEL_HEIGHT * len(panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
    ]
    for row, panel in enumerate(panels):
        parts.append(f'<g transform="translate(0 {row * PANEL_HEIGHT})">')
        parts += _axes(panel)
        for colour, one in zip(COLOURS, panel.series, strict=False):
            drawn = f'stroke="{colour}" stroke-width="1.2"/>'
            if one.y is not None:
                points = " ".join(f"{_x(panel, x):.1f},{_y(panel, y):.1f}" for x, y in zip(one.x, one.y, strict=True))
                parts.append(f'<polyline points="{points}" fill="none" {drawn}')
            elif len(one.x):
                marks = "".join(f"M{_x(panel, x):.1f} {TOP}V{PANEL_HEIGHT - BOTTOM}" for x in one.x)
                parts.append(f'<path d="{marks}" {drawn}')
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def _x(panel: Panel, value: float) -> float:
    low, high = panel.x_range
    return LEFT + (WIDTH - LEFT - RIGHT) * (value - low) / (high - low)


def _y(panel: Panel, value: float) -> float:
    low, high = panel.y_range
    part = (min(max(value, low), high) - low) / (high - low)
    return PANEL_HEIGHT - BOTTOM - (PANEL_HEIGHT - TOP - BOTTOM) * part


def _axes(panel: Panel) -> list[str]:
    bottom, right = PANEL_HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = [
        f'<text x="{LEFT}" y="18" font-weight="bold">{escape(panel.title)}</text>',
        f'<text x="{right}" y="{bottom + 28}" text-anchor="end">{escape(panel.x_label)}</text>',
    ]
    for value in panel.y_ticks:
        y = _y(panel, value)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    for value in panel.x_ticks:
        x = _x(panel, value)
        parts.append(f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{bottom + 4}" stroke="#555"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{value:g}</text>')
    parts.append(
        f'<rect x="{LEFT}" y="{TOP}" width="{right - LEFT}" height="{bottom - TOP}" fill="none" stroke="#555"/>'
    )
    names = [(colour, one.name) for colour, one in zip(COLOURS, panel.series, strict=False)]
    for place, (colour, name) in enumerate(reversed(names)):
        x = right - 150 * place
        parts.append(f'<text x="{x}" y="18" text-anchor="end" fill="{colour}">{escape(name)}</text>')
    return parts
