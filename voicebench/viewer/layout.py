"""The layout of a drawing of a pack's agents: columns by distance from the first, and curves between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from voicebench.packs import PackSpec

__all__ = ["BezierCurve", "Layout", "lay_out"]

# Pixels. A line between neighbours needs 84 for its curve and its label; a character is that of 13 px sans-serif, the
# wide ones included; lines that run in parallel are a lane of 17 apart, which leaves a label of 20 readable; and the
# ends of a bow stand 7 off the middle of a box, where the straight lines are.
_HEIGHT, _GAP_X, _GAP_Y = 36.0, 84.0, 16.0
_MARGIN = 26.0
_CHARACTER = 7.6
_LANE = 17.0
_PORT = 7.0

Point = tuple[float, float]


@dataclass(frozen=True)
class BezierCurve:
    """A cubic Bézier curve by its four points."""

    points: tuple[Point, Point, Point, Point]

    def at(self, part: float) -> Point:
        """Return the point at a part of the curve, from 0 to 1."""
        rest = 1 - part
        weights = (rest**3, 3 * rest**2 * part, 3 * rest * part**2, part**3)
        x, y = (sum(w * point[axis] for w, point in zip(weights, self.points, strict=True)) for axis in (0, 1))
        return x, y

    @property
    def reversed(self) -> BezierCurve:
        """The same curve from its end to its start."""
        a, b, c, d = self.points
        return BezierCurve((d, c, b, a))


@dataclass(frozen=True)
class Layout:
    """A drawing of the agents.

    Attributes:
        width, height: of the whole.
        node_width, node_height: of one agent's box.
        corners: agent to the upper left corner of its box.
        columns: agent to its column.
        rows: agent to its place in its column.
    """

    width: float
    height: float
    node_width: float
    node_height: float
    corners: Mapping[str, Point]
    columns: Mapping[str, int]
    rows: Mapping[str, int]

    def curve(self, source: str, target: str) -> BezierCurve:
        """Return the curve from one agent to another; the handoff back has the same curve, from its other end."""
        span = self.columns[target] - self.columns[source]
        if span < 0:
            return self.curve(target, source).reversed
        x1, y1 = self._side(source, right=True)
        x2, y2 = self._side(target, right=span == 0)
        if span == 0:  # in one column: a bow on the right of it, wider the more agents it passes
            down = 1 if y2 >= y1 else -1
            y1, y2 = y1 + down * _PORT, y2 - down * _PORT
            bow = x1 + _LANE * (1 + abs(self.rows[source] - self.rows[target])) / 0.75
            return BezierCurve(((x1, y1), (bow, y1), (bow, y2), (x1, y2)))
        if span == 1:
            middle = (x1 + x2) / 2
            return BezierCurve(((x1, y1), (middle, y1), (middle, y2), (x2, y2)))
        # Over the heads of the columns between. In its middle a cubic curve is an eighth of each end and three eighths
        # of each control point, which gives the height of these for a given peak.
        peak = min(y for _, y in self.corners.values()) - _LANE * (span - 1)
        control = (peak - 0.125 * (y1 + y2)) / 0.75
        return BezierCurve(((x1, y1), (x1 + _GAP_X, control), (x2 - _GAP_X, control), (x2, y2)))

    def _side(self, agent: str, *, right: bool) -> Point:
        x, y = self.corners[agent]
        return x + (self.node_width if right else 0.0), y + self.node_height / 2


def lay_out(spec: PackSpec) -> Layout:
    """Place the agents: column by the fewest handoffs from the first; in a column near those that hand off to them.

    The same pack always gives the same drawing.
    """
    columns = _columns(spec)
    grouped: list[list[str]] = [[] for _ in range(max(columns.values()) + 1)]
    for agent in spec.agents:
        grouped[columns[agent.name]].append(agent.name)
    rows: dict[str, int] = {}
    for names in grouped:
        ordered = sorted(names, key=lambda name: _barycentre(spec, name, rows, columns))
        rows.update((name, row) for row, name in enumerate(ordered))
    width = max(96.0, 24 + _CHARACTER * min(22, max(len(agent.name) for agent in spec.agents)))
    tallest = max(len(names) for names in grouped)
    crossed = [
        abs(columns[agent.name] - columns[handoff.to])
        for agent in spec.agents
        for handoff in agent.handoffs.values()
        if handoff.to in columns
    ]
    top = _MARGIN + _LANE * (max([1, *crossed]) - 1)
    height = tallest * (_HEIGHT + _GAP_Y) - _GAP_Y
    corners = {
        name: (
            _MARGIN + columns[name] * (width + _GAP_X),
            top + (height - len(grouped[columns[name]]) * (_HEIGHT + _GAP_Y) + _GAP_Y) / 2 + row * (_HEIGHT + _GAP_Y),
        )
        for name, row in rows.items()
    }
    last = len(grouped[-1])
    whole = _MARGIN + len(grouped) * (width + _GAP_X) - _GAP_X + (_LANE * last if last > 1 else 0.0) + _MARGIN
    return Layout(whole, top + height + _MARGIN, width, _HEIGHT, corners, columns, rows)


def _columns(spec: PackSpec) -> dict[str, int]:
    """Return the fewest handoffs from the first agent to each; one that no handoff reaches stands last."""
    targets = {agent.name: [handoff.to for handoff in agent.handoffs.values()] for agent in spec.agents}
    columns = {spec.agents[0].name: 0}
    queue = [spec.agents[0].name]
    for name in queue:
        for target in targets.get(name, ()):
            if target not in columns and target in targets:
                columns[target] = columns[name] + 1
                queue.append(target)
    beyond = max(columns.values()) + 1
    return {agent.name: columns.get(agent.name, beyond) for agent in spec.agents}


def _barycentre(spec: PackSpec, name: str, rows: Mapping[str, int], columns: Mapping[str, int]) -> float:
    """Return the mean row of the agents of the column before that hand off to this one (Sugiyama et al., 1981)."""
    before: Sequence[int] = [
        rows[agent.name]
        for agent in spec.agents
        if columns[agent.name] == columns[name] - 1 and any(handoff.to == name for handoff in agent.handoffs.values())
    ]
    return sum(before) / len(before) if before else 0.0
