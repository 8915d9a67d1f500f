"""The whole graph of a pack's agents as SVG, with a path through it.

Colours come from the style sheet; line, sign and number say the same as they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from markupsafe import Markup

from voicebench.packs import PackSpec
from voicebench.viewer.layout import BezierCurve, Point, lay_out
from voicebench.viewer.path import PathStep, StepStatus, path_sentence

__all__ = ["Graph", "draw"]

_SIGNS: dict[StepStatus, str] = {"right": "", "allowed": " ok", "wrong": " ✗", "missing": " missing"}
_MEANINGS = {
    "right": "taken as expected",
    "allowed": "an allowed detour",
    "wrong": "not on the expected path",
    "missing": "expected, never taken",
}


@dataclass(frozen=True)
class Graph:
    """A drawing, and what it says.

    Attributes:
        svg: the element, ready to stand in a page.
        sentence: the path as text.
        title: what the drawing is of.
        statuses: those that occur.
    """

    svg: Markup
    sentence: str
    title: str
    statuses: tuple[StepStatus, ...]


def draw(spec: PackSpec, path: Sequence[PathStep], *, key: str, title: str, expected: bool = False) -> Graph:
    """Draw a pack's agents and a path.

    Args:
        spec: the pack.
        path: the handoffs; none draws the agents alone.
        key: what ids in the page start with; differs between the drawings of one page.
        title: what the drawing is of.
        expected: whether the path is the one that is asked for, not one that was taken.
    """
    if path or expected:
        sentence = path_sentence(spec, path)
    else:
        targets = {
            agent.name: dict.fromkeys(handoff.to for handoff in agent.handoffs.values()) for agent in spec.agents
        }
        sentence = "; ".join(f"{name} hands off to {', '.join(to) or 'no one'}" for name, to in targets.items())
    described = [
        f"{step.number}: {step.source} to {step.target}, {'expected' if expected else _MEANINGS[step.status]}"
        for step in path
    ]
    drawing = _Drawing(spec, path, key)
    ElementTree.SubElement(drawing.svg, "title", {"id": f"{key}-title"}).text = title
    ElementTree.SubElement(drawing.svg, "desc", {"id": f"{key}-desc"}).text = ". ".join([sentence, *described])
    drawing.edges()
    drawing.path()
    drawing.agents()
    drawing.labels()
    statuses = tuple(status for status in _SIGNS if any(step.status == status for step in path))
    svg = ElementTree.tostring(drawing.svg, encoding="unicode")
    return Graph(Markup(svg), sentence, title, statuses)  # noqa: S704  # ElementTree escaped all names in it


class _Drawing:
    """An SVG element to which the parts of a graph are added, those in front last."""

    def __init__(self, spec: PackSpec, path: Sequence[PathStep], key: str) -> None:
        self._spec = spec
        self._layout = layout = lay_out(spec)
        self._path = [step for step in path if step.source in layout.corners and step.target in layout.corners]
        groups: dict[tuple[str, str, str], list[PathStep]] = {}
        for step in self._path:
            groups.setdefault((step.source, step.target, step.status), []).append(step)
        self._groups = list(groups.values())
        """The steps that are one line: with the same agents and the same status."""
        size = {"viewBox": f"0 0 {layout.width:g} {layout.height:g}", "width": f"{layout.width:g}"}
        described = {"aria-labelledby": f"{key}-title", "aria-describedby": f"{key}-desc"}
        self.svg = ElementTree.Element("svg", {"class": "graph", "role": "img", **described, **size})

    def edges(self) -> None:
        """Draw every handoff there is; a line without an arrow goes both ways."""
        edges = {(agent.name, handoff.to) for agent in self._spec.agents for handoff in agent.handoffs.values()}
        for source, target in sorted(edges):
            back = (target, source) in edges
            if source != target and target in self._layout.corners and not (back and source > target):
                self._line(self._layout.curve(source, target), "edge", arrow=not back)

    def path(self) -> None:
        """Draw the lines of the path."""
        for group in self._groups:
            self._line(self._layout.curve(group[0].source, group[0].target), f"handoff {group[0].status}")

    def agents(self) -> None:
        """Draw a box for each agent, and where the call comes in."""
        layout, first = self._layout, self._spec.agents[0].name
        targets = {status: {step.target for step in self._path if step.status == status} for status in _SIGNS}
        visited = {first} | {step.target for step in self._path if step.status != "missing"} if self._path else set()
        marks = {
            "visited": visited,
            "wrong": targets["wrong"] - targets["right"],
            "missing": targets["missing"] - visited,
        }
        for agent in self._spec.agents:
            x, y = layout.corners[agent.name]
            kind = " ".join(["agent", *(mark for mark, names in marks.items() if agent.name in names)])
            if agent.name == first:
                middle = y + layout.node_height / 2
                self._line(BezierCurve(((4.0, middle), (10.0, middle), (x - 6, middle), (x, middle))), "entry")
            size = {"width": f"{layout.node_width:g}", "height": f"{layout.node_height:g}", "rx": "8"}
            ElementTree.SubElement(self.svg, "rect", {"class": kind, "x": f"{x:g}", "y": f"{y:g}", **size})
            place = {"x": f"{x + layout.node_width / 2:g}", "y": f"{y + layout.node_height / 2 + 5:g}"}
            name = agent.name if len(agent.name) <= 22 else f"{agent.name[:21]}…"
            ElementTree.SubElement(self.svg, "text", {"class": kind, **place}).text = name.replace("_", " ")

    def labels(self) -> None:
        """Write numbers and sign on each line of the path, further along where another label is in the way."""
        placed: list[Point] = []
        for group in self._groups:
            status = group[0].status
            text = ", ".join(str(step.number) for step in group) + _SIGNS[status]
            width = 12 + 7.2 * len(text)
            curve = self._layout.curve(group[0].source, group[0].target)
            spots = [curve.at(part) for part in (0.5, 0.35, 0.65, 0.2, 0.8)]
            free = (spot for spot in spots if all(abs(spot[0] - x) > width or abs(spot[1] - y) > 20 for x, y in placed))
            x, y = next(free, spots[0])
            placed.append((x, y))
            box = {
                "x": f"{x - width / 2:.1f}",
                "y": f"{y - 10:.1f}",
                "width": f"{width:.1f}",
                "height": "20",
                "rx": "10",
            }
            ElementTree.SubElement(self.svg, "rect", {"class": f"label {status}", **box})
            place = {"x": f"{x:.1f}", "y": f"{y + 4.5:.1f}"}
            ElementTree.SubElement(self.svg, "text", {"class": f"label {status}", **place}).text = text

    def _line(self, curve: BezierCurve, kind: str, *, arrow: bool = True) -> None:
        (x1, y1), (x2, y2), (x3, y3), (x4, y4) = curve.points
        path = f"M{x1:g} {y1:g}C{x2:.5g} {y2:.5g} {x3:.5g} {y3:.5g} {x4:g} {y4:g}"
        ElementTree.SubElement(self.svg, "path", {"class": kind, "d": path})
        if not arrow:
            return
        # The arrow follows the last stretch of the curve: its end tangent alone looks bent on short curves.
        near_x, near_y = curve.at(0.92)
        length = ((x4 - near_x) ** 2 + (y4 - near_y) ** 2) ** 0.5 or 1.0
        dx, dy = (x4 - near_x) / length, (y4 - near_y) / length
        back = (x4 - 9 * dx, y4 - 9 * dy)
        corners = [(x4, y4), (back[0] - 4.5 * dy, back[1] + 4.5 * dx), (back[0] + 4.5 * dy, back[1] - 4.5 * dx)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        ElementTree.SubElement(self.svg, "polygon", {"class": f"{kind} arrow", "points": points})
