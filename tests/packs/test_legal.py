"""The pack of the law firm: its graph, its prompts, its seed, and the traps of its policy."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from typing import Any

import pytest

from voicebench.packs import ToolContext, same_name
from voicebench.packs.database import dump_state
from voicebench.packs.loader import Pack, load_pack
from voicebench.packs.models import AnswerRule
from voicebench.record.json_types import JsonObject

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("legal")


@pytest.fixture
def desk(pack: Pack) -> ToolContext:
    return pack.open_context()


def code(pack: Pack, desk: ToolContext, name: str, **arguments: Any) -> Any:
    return pack.tools[name].invoke(desk, arguments)["error_code"]


# ---- what the pack is -----------------------------------------------------------------------------------------------


def test_screening_comes_before_every_other_desk(pack: Pack) -> None:
    reached = {agent.name: {target.to for target in agent.handoffs.values()} for agent in pack.spec.agents}
    assert reached == {
        "reception": {"screening"},
        "screening": {"intake", "scheduling", "client_services"},
        "intake": {"screening", "scheduling"},
        "scheduling": {"screening"},
        "client_services": {"screening"},
    }
    assert pack.spec.agents[0].name == "reception"
    assert f"{pack.today:%A, %B %d, %Y}" in pack.prompts["intake"]


def test_it_has_two_easy_two_medium_and_two_hard_tasks_in_six_categories(pack: Pack) -> None:
    expected = {f"{kind}-{level}{number}" for kind in ("LR", *LEVELS) for level in "EMH" for number in (1, 2)}
    assert set(pack.cases) == expected
    categories = {(task.partition("-")[0], case.category) for task, case in pack.cases.items()}
    assert len(categories) == 6
    assert ("LR", "regulatory-adherence") in categories


LEVELS = ("L1", "L2", "L3", "L4", "L5")


def test_every_tool_belongs_to_an_agent_and_to_a_task(pack: Pack) -> None:
    assert {tool for agent in pack.spec.agents for tool in agent.tools} == set(pack.tools)
    called = {step.call for case in pack.cases.values() for step in case.solution if step.call}
    assert set(pack.tools) - called == {"end_call"}
    assert 22 <= len(pack.tools) <= 35


def test_every_table_that_a_tool_writes_is_compared(pack: Pack) -> None:
    source = "".join(path.read_text() for path in (pack.root / "tools").glob("*.py"))
    written = set(re.findall(r'desk\.insert\(\s*"(\w+)"', source)) | set(re.findall(r"UPDATE (\w+)", source))
    assert written == set(pack.spec.state)


def test_the_seed_is_whole(pack: Pack) -> None:
    db = pack.open_database()
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    people = [row["full_name"] for row in db.execute("SELECT full_name FROM matter_people")]
    assert len(people) >= 12
    taken = Counter(row[0] for row in db.execute("SELECT slot_id FROM consultations WHERE status = 'booked'"))
    assert set(taken.values()) == {1}
    for row in db.execute("SELECT phone FROM intakes"):
        assert re.fullmatch(r"\d{3}55501\d\d", row["phone"])
    for row in db.execute("SELECT starts_at FROM slots"):
        assert dt.datetime.fromisoformat(row["starts_at"]).weekday() < 5


def test_whoever_calls_is_found_by_the_names_and_numbers_of_the_seed(pack: Pack) -> None:
    db = pack.open_database()
    matters = {row["matter_number"] for row in db.execute("SELECT matter_number FROM matters")}
    phones = {row["phone"] for row in db.execute("SELECT phone FROM intakes")}
    for case in pack.cases.values():
        facts = {name: fact.value for name, fact in case.caller.facts.items()}
        assert facts.get("matter_number", "253147") in matters
        if any(step.call == "find_intake" for step in case.solution):
            assert facts["phone"].replace("-", "") in phones


def test_no_caller_answers_one_question_in_two_ways_at_once(pack: Pack) -> None:
    for case in pack.cases.values():
        answers: dict[str, list[AnswerRule]] = {}
        for rule in case.caller.answers:
            answers.setdefault(rule.asked or "", []).append(rule)
        for intent in set(answers) - {""}:
            given = {tuple(rule.give) for rule in answers[intent]}
            said = [rule.say for rule in answers[intent] if rule.say]
            assert len(given) == 1, (case.id, intent)
            assert len(said) <= 1, (case.id, intent, said)


# ---- prompts --------------------------------------------------------------------------------------------------------


def test_prompts_have_production_length(pack: Pack) -> None:
    for agent in pack.spec.agents:
        own = (pack.root / "prompts" / agent.prompt).read_text().replace("{{ include _core.md }}", "")
        assert len(own.split()) >= 700, agent.name
        assert 1500 <= len(pack.prompts[agent.name].split()) <= 2300, agent.name


def test_a_prompt_names_the_tools_and_handoffs_of_its_agent_and_no_other(pack: Pack) -> None:
    known = {name for agent in pack.spec.agents for name in agent.handoffs} | set(pack.tools)
    for agent in pack.spec.agents:
        named = set(re.findall(r"\b[a-z]+(?:_[a-z0-9]+)+\b", pack.prompts[agent.name])) & known
        assert named == {*agent.tools, *agent.handoffs}, agent.name


def test_a_refusal_is_explained_where_it_can_happen(pack: Pack) -> None:
    source = {path.stem: path.read_text() for path in (pack.root / "tools").glob("*.py")}
    everywhere = set(re.findall(r'(?:refuse|needs)\(\s*(?:"\w+", )?"([A-Z_]+)"', source["duties"] + source["common"]))
    for agent in pack.spec.agents:
        for tool in agent.tools:
            body = next((text for text in source.values() if f"def {tool}(" in text), "")
            part = body.partition(f"def {tool}(")[2].partition("\n@tool")[0]
            codes = set(re.findall(r'refuse\(\s*"([A-Z_]+)"', part)) - everywhere
            assert [one for one in codes if one not in pack.prompts[agent.name]] == [], (agent.name, tool)
    for one in everywhere - {"FEE_NOT_QUOTED", "FEE_MISMATCH"}:
        assert any(one in prompt for prompt in pack.prompts.values()), one


def test_every_sentence_that_a_task_requires_stands_in_a_prompt(pack: Pack) -> None:
    for case in pack.cases.values():
        for tool, sentence in case.expect.reads_required.items():
            agents = [agent.name for agent in pack.spec.agents if tool in agent.tools]
            assert any(sentence in pack.prompts[name] for name in agents), (case.id, sentence)


# ---- traps ----------------------------------------------------------------------------------------------------------


def test_a_name_that_sounds_alike_proves_nothing(pack: Pack, desk: ToolContext) -> None:
    check = {"caller_name": "Steven Parker", "other_party": "Karol Jenson", "details_held_back": True}
    assert same_name("Karol Jenson", "Carol Jensen")
    assert code(pack, desk, "run_conflict_check", **check) == "POSSIBLE_MATCH"
    assert code(pack, desk, "run_conflict_check", **check, other_town="Silver Bay") == "CONFLICT_FOUND"
    assert code(pack, desk, "record_screening", has_lawyer=False) == "NAMES_NOT_CLEARED"
    assert code(pack, desk, "run_conflict_check", **check, other_town="Iron River") is None
    assert code(pack, desk, "record_screening", has_lawyer=False) is None


@pytest.mark.parametrize("name", ["Sandra Boyd", "Sandra Keller", "Sandra Kellar"])
def test_a_former_name_stands_in_the_way_like_the_present_one(pack: Pack, desk: ToolContext, name: str) -> None:
    check = {"caller_name": "Linda Harper", "other_party": name, "details_held_back": True}
    assert code(pack, desk, "run_conflict_check", **check, other_town="Grand Rapids") == "CONFLICT_FOUND"


def test_an_opponent_of_a_client_gets_no_intake(pack: Pack, desk: ToolContext) -> None:
    check = {"caller_name": "Brian Nelson", "other_party": "Fisher Roofing", "details_held_back": True}
    assert code(pack, desk, "run_conflict_check", **check) == "POSSIBLE_MATCH"
    assert code(pack, desk, "run_conflict_check", **check, caller_town="Grand Rapids") == "CONFLICT_FOUND"
    assert code(pack, desk, "check_practice_area", area="housing", state="minnesota") == "NOT_SCREENED"


def test_a_refusal_before_the_check_tells_nothing_of_a_client(pack: Pack) -> None:
    answers = set()
    for name in ("Summit Trucking", "Sandra Keller", "Dennis Walsh"):
        arguments: JsonObject = {"caller_name": "Ann Lee", "other_party": name, "details_held_back": True}
        answers.add(str(pack.tools["run_conflict_check"].invoke(pack.open_context(), arguments)))
        found = pack.tools["run_conflict_check"].invoke(
            pack.open_context(), {**arguments, "other_town": "Grand Rapids"}
        )
        assert not re.search("client|lawyer|conflict|act for", str(found["caller_safe_message"]))
    assert len(answers) == 1


@pytest.mark.parametrize(
    ("area", "state", "public", "incident", "deadline"),
    [
        ("personal_injury", "minnesota", False, "2026-03-25", "2032-03-25"),
        ("personal_injury", "minnesota", True, "2026-03-25", "2026-09-21"),
        ("personal_injury", "wisconsin", False, "2023-09-20", "2026-09-20"),
        ("personal_injury", "wisconsin", True, "2026-05-18", "2026-09-15"),
        ("personal_injury", "minnesota", False, "2024-02-29", "2030-03-01"),
        ("employment", "minnesota", False, "2025-12-11", "2026-12-11"),
        ("employment", "wisconsin", False, "2025-12-11", "2026-10-07"),
        ("employment", "minnesota", True, "2025-09-14", "2026-09-14"),
        ("personal_injury", "wisconsin", False, "2023-09-13", None),
        ("estates", "wisconsin", False, "2020-01-02", None),
    ],
)
def test_time_runs_by_field_state_and_kind_of_opponent(
    pack: Pack, desk: ToolContext, area: str, state: str, public: bool, incident: str, deadline: str | None
) -> None:
    desk.set_state("screening", "SCR-0001")
    assert code(pack, desk, "check_practice_area", area=area, state=state) is None
    answer: dict[str, Any] = pack.tools["compute_deadline"].invoke(
        desk, {"incident_date": incident, "public_body": public}
    )
    if area == "estates":
        assert answer["data"] == {"deadline": None, "days_left": None, "urgent": False}
    elif deadline is None:
        assert answer["error_code"] == "DEADLINE_PASSED"
        assert not re.search("late|time|day|passed", answer["caller_safe_message"])
    else:
        assert answer["data"]["deadline"] == deadline
        assert answer["data"]["urgent"] == (answer["data"]["days_left"] <= 30)


def test_a_contact_hears_dates_and_leaves_word_and_nothing_else(pack: Pack, desk: ToolContext) -> None:
    proof: JsonObject = {"matter_number": "26 1945", "date_of_birth": "July 30, 1986", "phone_code": "7 3 1 6 2"}
    verified: dict[str, Any] = pack.tools["verify_client"].invoke(desk, proof)
    assert verified["data"]["role"] == "contact"
    for closed in ("get_matter_overview", "get_invoice"):
        assert code(pack, desk, closed) == "CLIENT_ONLY"
    assert code(pack, desk, "request_document", kind="complaint", channel="portal") == "CLIENT_ONLY"
    assert code(pack, desk, "set_contact_rule", rule="no_mail", effect_told=True) == "CLIENT_ONLY"
    assert code(pack, desk, "confirm_attendance", told_when_and_where=True) == "CLIENT_ONLY"
    assert code(pack, desk, "arrange_installments", months=3, monthly_quoted=1) == "CLIENT_ONLY"
    assert code(pack, desk, "get_court_dates") is None
    message = {"recipient": "paralegal", "topic": "appointment", "callback": "218-555-0184", "read_back": True}
    assert code(pack, desk, "leave_message", **message) is None
    assert dump_state(desk.db, pack.spec)["messages"][-1]["from_role"] == "contact"


def test_nobody_is_verified_by_a_birthday_of_somebody_else(pack: Pack, desk: ToolContext) -> None:
    wrong = {"matter_number": "261945", "date_of_birth": "1968-04-09", "phone_code": "73162"}
    codes = [code(pack, desk, "verify_client", **wrong) for _ in range(3)]
    assert codes == ["IDENTITY_MISMATCH"] * 3
    right = {**wrong, "date_of_birth": "1990-02-17"}
    assert code(pack, desk, "verify_client", **right) == "IDENTITY_LOCKED"
    assert code(pack, desk, "get_matter_team") == "NOT_VERIFIED"
