"""The whole graph of a desk's agents as SVG, with a path through it.

Colours come from the style sheet; line, sign and number say the same as they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from markupsafe import Markup

from voicebench.packs import PackSpec
from voicebench.viewer.layout import Curve, Layout, Point, lay_out
from voicebench.viewer.path import Hop, HopStatus, path_sentence

__all__ = ["Graph", "draw"]

_SIGNS: dict[HopStatus, str] = {"right": "", "allowed": " ok", "wrong": " ✗", "missing": " missing"}
_SAID = {
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
        statuses: those that occur, for a legend.
    """

    svg: Markup
    sentence: str
    title: str
    statuses: tuple[HopStatus, ...]


def draw(spec: PackSpec, hops: Sequence[Hop], *, key: str, title: str, expected: bool = False) -> Graph:
    """Draw a pack's agents and a path.

    Args:
        spec: the pack.
        hops: the path; none draws the agents alone.
        key: what ids in the page start with; differs between the drawings of one page.
        title: what the drawing is of.
        expected: whether the path is the one that is asked for, not one that was taken.
    """
    layout = lay_out(spec)
    sentence = path_sentence(spec, hops) if hops or expected else _edges_sentence(spec)
    size = {"viewBox": f"0 0 {layout.width:g} {layout.height:g}", "width": f"{layout.width:g}"}
    svg = ElementTree.Element(
        "svg", {"class": "graph", "role": "img", "aria-labelledby": f"{key}-title", "aria-describedby": f"{key}-desc"}
    )
    svg.attrib.update(size)
    ElementTree.SubElement(svg, "title", {"id": f"{key}-title"}).text = title
    described = [f"{hop.number}: {hop.source} to {hop.target}, {_said(hop, expected)}" for hop in hops]
    ElementTree.SubElement(svg, "desc", {"id": f"{key}-desc"}).text = ". ".join([sentence, *described])
    drawn = [hop for hop in hops if hop.source in layout.corners and hop.target in layout.corners]
    _draw_edges(svg, spec, layout)
    groups = _grouped(drawn)
    for group in groups:
        _draw_line(svg, layout.curve(group[0].source, group[0].target), f"hop {group[0].status}")
    _draw_agents(svg, spec, layout, drawn)
    placed: list[Point] = []
    for group in groups:
        _draw_label(svg, layout.curve(group[0].source, group[0].target), group, placed)
    statuses = tuple(status for status in _SIGNS if any(hop.status == status for hop in hops))
    return Graph(Markup(ElementTree.tostring(svg, encoding="unicode")), sentence, title, statuses)  # noqa: S704


def _said(hop: Hop, expected: bool) -> str:
    return "expected" if expected else _SAID[hop.status]


def _edges_sentence(spec: PackSpec) -> str:
    parts = []
    for agent in spec.agents:
        targets = list(dict.fromkeys(handoff.to for handoff in agent.handoffs.values()))
        parts.append(
            f"{agent.name} hands off to {', '.join(targets)}" if targets else f"{agent.name} hands off to no one"
        )
    return "; ".join(parts)


def _grouped(hops: Sequence[Hop]) -> list[list[Hop]]:
    """Put together what is one line: the hops with the same agents and the same status."""
    groups: dict[tuple[str, str, str], list[Hop]] = {}
    for hop in hops:
        groups.setdefault((hop.source, hop.target, hop.status), []).append(hop)
    return list(groups.values())


def _draw_edges(svg: ElementTree.Element, spec: PackSpec, layout: Layout) -> None:
    """Draw every handoff there is; a line without an arrow goes both ways."""
    edges = {(agent.name, handoff.to) for agent in spec.agents for handoff in agent.handoffs.values()}
    for source, target in sorted(edges):
        if source == target or target not in layout.corners or ((target, source) in edges and source > target):
            continue
        _draw_line(svg, layout.curve(source, target), "edge", arrow=(target, source) not in edges)


def _draw_line(svg: ElementTree.Element, curve: Curve, kind: str, *, arrow: bool = True) -> None:
    (x1, y1), (x2, y2), (x3, y3), (x4, y4) = curve.points
    path = f"M{x1:g} {y1:g}C{x2:.5g} {y2:.5g} {x3:.5g} {y3:.5g} {x4:g} {y4:g}"
    ElementTree.SubElement(svg, "path", {"class": kind, "d": path})
    if arrow:
        ElementTree.SubElement(svg, "polygon", {"class": f"{kind} arrow", "points": _arrow(curve)})


def _arrow(curve: Curve) -> str:
    """Return a triangle at the end of a curve, along its last stretch."""
    (x1, y1), (x2, y2) = curve.at(0.92), curve.points[3]
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1.0
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    back = (x2 - 9 * dx, y2 - 9 * dy)
    corners = [(x2, y2), (back[0] - 4.5 * dy, back[1] + 4.5 * dx), (back[0] + 4.5 * dy, back[1] - 4.5 * dx)]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


def _draw_agents(svg: ElementTree.Element, spec: PackSpec, layout: Layout, hops: Sequence[Hop]) -> None:
    first = spec.agents[0].name
    visited = {first} | {hop.target for hop in hops if hop.status != "missing"} if hops else set()
    wrong = {hop.target for hop in hops if hop.status == "wrong"} - {
        hop.target for hop in hops if hop.status == "right"
    }
    missed = {hop.target for hop in hops if hop.status == "missing"} - visited
    for agent in spec.agents:
        x, y = layout.corners[agent.name]
        marks = {"visited": visited, "wrong": wrong, "missing": missed}
        kind = " ".join(["agent", *(mark for mark, names in marks.items() if agent.name in names)])
        if agent.name == first:
            middle = y + layout.node_height / 2
            entering = Curve(((4.0, middle), (10.0, middle), (x - 6, middle), (x, middle)))
            _draw_line(svg, entering, "entry")
        size = {"width": f"{layout.node_width:g}", "height": f"{layout.node_height:g}", "rx": "8"}
        ElementTree.SubElement(svg, "rect", {"class": kind, "x": f"{x:g}", "y": f"{y:g}", **size})
        place = {"x": f"{x + layout.node_width / 2:g}", "y": f"{y + layout.node_height / 2 + 5:g}"}
        name = agent.name if len(agent.name) <= 22 else f"{agent.name[:21]}…"
        ElementTree.SubElement(svg, "text", {"class": kind, **place}).text = name.replace("_", " ")


def _draw_label(svg: ElementTree.Element, curve: Curve, group: Sequence[Hop], placed: list[Point]) -> None:
    """Write numbers and sign on a line, further along where another label is in the way."""
    text = ", ".join(str(hop.number) for hop in group) + _SIGNS[group[0].status]
    width = 12 + 7.2 * len(text)
    spots = [curve.at(part) for part in (0.5, 0.35, 0.65, 0.2, 0.8)]
    x, y = next((spot for spot in spots if all(_apart(spot, other, width) for other in placed)), spots[0])
    placed.append((x, y))
    kind = f"label {group[0].status}"
    box = {"x": f"{x - width / 2:.1f}", "y": f"{y - 10:.1f}", "width": f"{width:.1f}", "height": "20", "rx": "10"}
    ElementTree.SubElement(svg, "rect", {"class": kind, **box})
    ElementTree.SubElement(svg, "text", {"class": kind, "x": f"{x:.1f}", "y": f"{y + 4.5:.1f}"}).text = text


def _apart(spot: Point, other: Point, width: float) -> bool:
    return abs(spot[0] - other[0]) > width or abs(spot[1] - other[1]) > 20
