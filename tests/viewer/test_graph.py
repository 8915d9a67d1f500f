"""The drawing of the agents: the same for the same pack, nothing on top of another, and every handoff with its sign."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

from voicebench.packs import PackSpec, load_pack
from voicebench.record.verdict import HandoffRow, MadeHandoff, ToolCalls
from voicebench.viewer.graph import draw
from voicebench.viewer.layout import lay_out
from voicebench.viewer.path import expected_path, path_sentence, taken_path

pytestmark = pytest.mark.unit

PACK = load_pack("customer_support")
SPEC = PACK.spec
CASE = PACK.cases["T2-H3"]
VERIFIED = ("transfer_to_verification", "reception", "verification")


def made(*path: tuple[str, str, str]) -> ToolCalls:
    """What ``call.json`` has of these handoffs, last first: their times say the order."""
    rows = [
        HandoffRow(
            expected=None,
            actual=MadeHandoff(name=tool, from_agent=source, to_agent=target, start_s=float(number)),
            gating=False,
            satisfied=False,
            arguments=(),
            reason="",
        )
        for number, (tool, source, target) in enumerate(path)
    ]
    return ToolCalls(rows=tuple(rows[::-1]), missing=(), parameter_miss=(), extra=())


def statuses(*path: tuple[str, str, str]) -> list[tuple[str, str]]:
    return [(handoff.tool, handoff.status) for handoff in taken_path(SPEC, CASE, made(*path))]


def test_the_expected_path_is_right_handoff_by_handoff() -> None:
    path = expected_path(SPEC, CASE)
    assert [(handoff.source, handoff.target, handoff.status) for handoff in path] == [
        ("reception", "verification", "right"),
        ("verification", "returns", "right"),
    ]


def test_from_the_first_wrong_handoff_all_is_wrong_and_what_never_came_is_missing() -> None:
    service = ("transfer_to_service", "verification", "service")
    fraud = ("transfer_to_fraud", "service", "fraud")
    assert statuses(VERIFIED) == [("transfer_to_verification", "right"), ("transfer_to_returns", "missing")]
    assert statuses(VERIFIED, service, fraud) == [
        ("transfer_to_verification", "right"),
        ("transfer_to_service", "wrong"),
        ("transfer_to_fraud", "wrong"),
        ("transfer_to_returns", "missing"),
    ]


def test_a_right_handoff_after_a_wrong_one_is_off_the_shared_prefix_but_not_missing() -> None:
    service = ("transfer_to_service", "verification", "service")
    returns = ("transfer_to_returns", "service", "returns")
    assert [status for _, status in statuses(VERIFIED, service, returns)] == ["right", "wrong", "wrong"]


def test_an_allowed_detour_is_neither_wrong_nor_the_end_of_the_prefix() -> None:
    expect = CASE.expect.model_copy(update={"allow_hops": ["transfer_to_orders"]})
    case = CASE.model_copy(update={"expect": expect})
    orders = ("transfer_to_orders", "verification", "orders")
    path = taken_path(SPEC, case, made(VERIFIED, orders, ("transfer_to_returns", "orders", "returns")))
    assert [handoff.status for handoff in path] == ["right", "allowed", "right"]


def test_the_path_as_text_says_what_is_wrong_and_what_is_missing() -> None:
    path = taken_path(SPEC, CASE, made(VERIFIED, ("transfer_to_fraud", "verification", "fraud")))
    assert path_sentence(SPEC, path) == "reception → verification → fraud (wrong); missing: verification → returns"
    assert path_sentence(SPEC, []) == "reception alone, no handoff"


def test_line_sign_and_number_say_what_the_colour_says() -> None:
    path = taken_path(SPEC, CASE, made(VERIFIED, ("transfer_to_fraud", "verification", "fraud")))
    svg = ElementTree.fromstring(str(draw(SPEC, path, key="taken", title="Path taken").svg))
    labels = [text.text for text in svg.iter("text") if "label" in str(text.get("class"))]
    assert labels == ["1", "2 ✗", "2 missing"]
    lines = [path.get("class") for path in svg.iter("path") if str(path.get("class")).startswith("handoff")]
    assert lines == ["handoff right", "handoff wrong", "handoff missing"]
    description = svg.findtext("desc") or ""
    assert "2: verification to fraud, not on the expected path" in description
    assert svg.get("aria-labelledby") == "taken-title"


def test_names_of_a_pack_stay_text() -> None:
    agents = [SPEC.agents[0].model_copy(update={"name": "<script>alert(1)</script>", "handoffs": {}})]
    svg = str(draw(SPEC.model_copy(update={"agents": agents}), [], key="all", title="Agents").svg)
    assert "<script" not in svg


def ring(size: int) -> PackSpec:
    """A desk whose agents hand off to the next, to the one after it, and back to the first."""
    names = [f"agent_{number}" for number in range(size)]
    first = SPEC.agents[0]
    handoff = next(iter(first.handoffs.values()))
    agents = []
    for number, name in enumerate(names):
        targets = {names[(number + 1) % size], names[(number + 2) % size], names[0]} - {name}
        handoffs = {f"to_{target}": handoff.model_copy(update={"to": target}) for target in sorted(targets)}
        agents.append(first.model_copy(update={"name": name, "handoffs": handoffs}))
    return SPEC.model_copy(update={"agents": agents})


@pytest.mark.parametrize("spec", [SPEC, *(ring(size) for size in range(5, 9))], ids=lambda spec: str(len(spec.agents)))
def test_agents_do_not_overlap_and_all_lies_within_the_drawing(spec: PackSpec) -> None:
    layout = lay_out(spec)
    for (_, (x1, y1)), (_, (x2, y2)) in combinations(layout.corners.items(), 2):
        assert abs(x1 - x2) >= layout.node_width or abs(y1 - y2) >= layout.node_height
    drawing = draw(spec, [], key="all", title="Agents")
    assert drawing.svg == draw(spec, [], key="all", title="Agents").svg
    for agent in spec.agents:
        for handoff in agent.handoffs.values():
            points = [layout.curve(agent.name, handoff.to).at(step / 20) for step in range(21)]
            assert all(0 <= x <= layout.width and 0 <= y <= layout.height for x, y in points)


def test_every_handoff_of_the_pack_is_drawn_once() -> None:
    pairs = {frozenset((agent.name, handoff.to)) for agent in SPEC.agents for handoff in agent.handoffs.values()}
    svg = str(draw(SPEC, [], key="all", title="Agents").svg)
    assert len(re.findall('<path class="edge"', svg)) == len(pairs)
