"""The pack of the Marlow Ridge Clinic: its graph, its prompts, its seed, and who is told what."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from typing import cast

import pytest

from tests.packs.clinic import Clinic
from voicebench.packs import dump_state, same_name
from voicebench.packs.loader import Pack, load_pack

pytestmark = pytest.mark.unit

WITHOUT_CHART = {
    "confirm_identity",
    "check_representative",
    "check_plan_at_office",
    "register_new_patient",
    "log_disclosure",
    "log_emergency_advice",
    "decline_request",
    "escalate_to_human",
    "end_call",
}
PATH = ["reception", "identity", "clinical", "coverage", "imaging", "scheduling", "billing"]


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("healthcare")


# ---- what the pack is -----------------------------------------------------------------------------------------------


def test_calls_move_in_one_direction(pack: Pack) -> None:
    assert [agent.name for agent in pack.spec.agents] == PATH
    for agent in pack.spec.agents:
        ahead = PATH[PATH.index(agent.name) + 1 :]
        assert {hop.to for hop in agent.handoffs.values()} <= set(ahead), agent.name
    assert pack.spec.agents[-1].handoffs == {}


def test_every_desk_but_reception_is_reached_from_identity(pack: Pack) -> None:
    reached = {agent.name: {hop.to for hop in agent.handoffs.values()} for agent in pack.spec.agents}
    assert reached["identity"] == set(PATH[2:])
    assert reached["reception"] == {"identity", "scheduling", "coverage"}


def test_it_has_thirty_three_tools_and_each_belongs_to_an_agent(pack: Pack) -> None:
    assert len(pack.tools) == 33
    assert {tool for agent in pack.spec.agents for tool in agent.tools} == set(pack.tools)


def test_six_categories_have_two_tasks_of_each_difficulty(pack: Pack) -> None:
    ids = {
        f"{category}-{level}{n}" for category in ("HR", "H1", "H2", "H3", "H4", "H5") for level in "EMH" for n in (1, 2)
    }
    assert set(pack.cases) == ids
    assert len({case.category for case in pack.cases.values()}) == 6


def test_no_two_patients_are_taken_for_each_other(pack: Pack) -> None:
    people = (
        pack.open_database().execute("SELECT full_name, date_of_birth, phone, chart_number FROM patients").fetchall()
    )
    assert len(people) >= 12
    for one, other in itertools.combinations(people, 2):
        assert not same_name(one["full_name"], other["full_name"]), (one[0], other[0])
        assert not {*one[1:]} & {*other[1:]}
    assert all(re.fullmatch(r"40655501\d\d", row["phone"]) for row in people)


def test_the_seed_holds_no_time_twice(pack: Pack) -> None:
    db = pack.open_database()
    held = [row[0] for row in db.execute("SELECT slot_id FROM visits WHERE status = 'booked'")]
    assert len(held) == len(set(held))
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []


# ---- prompts --------------------------------------------------------------------------------------------------------


def test_prompts_have_production_length(pack: Pack) -> None:
    for agent in pack.spec.agents:
        own = (pack.root / "prompts" / agent.prompt).read_text().replace("{{ include _core.md }}", "")
        assert len(own.split()) >= 700, agent.name
        assert 1500 <= len(pack.prompts[agent.name].split()) <= 2300, agent.name


def test_a_prompt_speaks_of_all_tools_of_its_agent_and_of_no_other(pack: Pack) -> None:
    every = {name for agent in pack.spec.agents for name in agent.handoffs} | set(pack.tools)
    for agent in pack.spec.agents:
        named = set(re.findall(r"\b[a-z]+(?:_[a-z0-9]+)+\b", pack.prompts[agent.name])) & every
        assert named == {*agent.tools, *agent.handoffs}, agent.name


def test_every_refusal_is_explained_to_who_may_meet_it(pack: Pack) -> None:
    source = "".join(path.read_text() for path in (pack.root / "tools").glob("*.py"))
    codes = set(re.findall(r'refuse\(\s*"([A-Z0-9_]+)"', source))
    assert codes == {code for code in codes if any(f"`{code}`" in prompt for prompt in pack.prompts.values())}
    for prompt in pack.prompts.values():
        assert {"CHART_CLOSED", "OUTSIDE_PERMISSION", "NOT_SENT_TO_911", "INVALID_ARGUMENTS"} <= set(
            re.findall(r"[A-Z0-9_]{5,}", prompt)
        )


def test_a_demanded_read_is_demanded_by_a_prompt(pack: Pack) -> None:
    for case in pack.cases.values():
        for tool, sentence in case.expect.reads_required.items():
            assert tool in sentence
            assert any(sentence in prompt for prompt in pack.prompts.values()), (case.id, tool)


def test_the_greeting_discloses_machine_recording_and_emergencies(pack: Pack) -> None:
    assert all(word in pack.spec.greeting for word in ("automated assistant", "recorded", "nine one one"))


# ---- who is told what -----------------------------------------------------------------------------------------------


def test_nothing_of_a_chart_before_it_is_open(pack: Pack) -> None:
    clinic = Clinic(pack)
    before = dump_state(clinic.desk.db, pack.spec)
    for name in pack.tools.keys() - WITHOUT_CHART:
        values = {
            argument.name: (
                cast("list[str | int]", argument.schema().get("enum"))
                or [{"number": 1, "bool": True}.get(argument.type.kind, "1")]
            )[0]
            for argument in pack.tools[name].arguments
        }
        result = clinic(name, **values)
        assert (name, result["error_code"], result["data"]) == (name, "CHART_CLOSED", None)
    assert dump_state(clinic.desk.db, pack.spec) == before


def test_a_patient_and_a_stranger_hear_the_same(pack: Pack) -> None:
    right = Clinic(pack).proof("pat_alice")
    wrong = [
        {"full_name": "Alice Herman"},
        {"date_of_birth": "1983-04-27"},
        {"phone": "406-555-0154"},
        {"full_name": "Nobody Known", "date_of_birth": "1950-01-01", "phone": "406-555-0199"},
    ]
    heard = {str(Clinic(pack)("confirm_identity", **{**right, **one}, calling_for="self")) for one in wrong}
    assert len(heard) == 1
    assert "IDENTITY_NOT_CONFIRMED" in heard.pop()


def test_a_name_may_be_misspelled_and_a_digit_may_not(pack: Pack) -> None:
    clinic = Clinic(pack)
    heard = {"full_name": "Philipp Garnar", "date_of_birth": "May 24th 1970", "phone": "four zero six 555 0184"}
    assert clinic("confirm_identity", **heard, calling_for="self")["data"]["chart_open"] is True
    by_chart = {"full_name": "Gordon Hayes", "date_of_birth": "1952-12-16", "chart_number": "k l 2 1 7 5 3 9"}
    assert Clinic(pack)("confirm_identity", **by_chart, calling_for="self")["ok"]
    assert Clinic(pack).code("confirm_identity", **{**by_chart, "chart_number": "KL-21753"}, calling_for="self")


def test_three_tries_close_the_door(pack: Pack) -> None:
    clinic = Clinic(pack)
    right = clinic.proof("pat_brian")
    assert clinic.code("confirm_identity", full_name="Brian Novak", date_of_birth="1989-04-16", calling_for="self") == (
        "ONE_MORE_NEEDED"
    )
    for _ in range(3):
        assert clinic.code("confirm_identity", **{**right, "phone": "4065550100"}, calling_for="self") == (
            "IDENTITY_NOT_CONFIRMED"
        )
    assert clinic.code("confirm_identity", **right, calling_for="self") == "IDENTITY_LOCKED"


def test_who_calls_for_a_patient_opens_nothing_until_they_are_on_file(pack: Pack) -> None:
    clinic = Clinic(pack)
    assert (
        clinic.code("check_representative", caller_name="Sharon Foster", relation="parent") == "PATIENT_NOT_CONFIRMED"
    )
    assert clinic.speak_for("pat_alice", "Martin Norman", "spouse")["error_code"] == "NOT_ON_FILE"
    assert clinic.code("get_chart_overview") == "CHART_CLOSED"
    assert clinic.code("check_representative", caller_name="Alice Norman", relation="other") == "NOT_ON_FILE"


def test_a_parent_of_a_teenager_keeps_visits_and_bills(pack: Pack) -> None:
    clinic = Clinic(pack)
    assert clinic.speak_for("pat_emily", "Sharon Foster", "parent")["data"]["spoken_scope"] == (
        "visits and bills, not the care itself"
    )
    for tool in ("get_result_status", "get_imaging_orders"):
        assert clinic.code(tool) == "OUTSIDE_PERMISSION"
    assert clinic.code("request_records", recipient="patient", content="test_results") == "OUTSIDE_PERMISSION"
    assert clinic("find_visit_slots", visit_type="child_checkup")["ok"]
    assert "imaging_orders" not in clinic("get_chart_overview")["data"]
    younger = Clinic(pack, today=dt.date(2024, 3, 8))
    assert (
        younger.speak_for("pat_emily", "Sharon Foster", "parent")["data"]["spoken_scope"] == "everything about the care"
    )
    assert younger("get_result_status")["ok"]


def test_a_daughter_on_file_for_visits_sees_no_bill(pack: Pack) -> None:
    clinic = Clinic(pack)
    assert clinic.speak_for("pat_helen", "Julia Warren", "child")["ok"]
    assert set(clinic("get_chart_overview")["data"]) == {"first_name", "own_clinician", "visits"}
    for tool in ("get_statement", "get_result_status", "request_fee_waiver"):
        arguments = {"reason": "illness"} if tool == "request_fee_waiver" else {}
        assert clinic.code(tool, **arguments) == "OUTSIDE_PERMISSION"


def test_a_permission_ends_at_once_and_by_the_patient_alone(pack: Pack) -> None:
    clinic = Clinic(pack, "pat_victor")
    assert clinic("get_chart_overview")["data"]["spoken_representatives"] == "Monica Lang"
    assert clinic("revoke_representative", representative_id="rep_monica", effect_told=True)["ok"]
    assert clinic.speak_for("pat_victor", "Monica Lang", "spouse")["error_code"] == "NOT_ON_FILE"
    hers = Clinic(pack)
    assert hers.speak_for("pat_victor", "Monica Lang", "spouse")["ok"]
    assert hers.code("revoke_representative", representative_id="rep_monica", effect_told=True) == "OUTSIDE_PERMISSION"
