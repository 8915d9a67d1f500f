"""The proofs one by one: what is made, and what each of them sees."""

from __future__ import annotations

from typing import Any

import pytest

from tests.task_checks.edits import MakeSandbox, edited, whats
from voicebench.language.compare import compare_values
from voicebench.language.slots import FactType
from voicebench.task_checks.calls import MANNERS, check_baseline, check_reference, hold
from voicebench.task_checks.facts import check_facts
from voicebench.task_checks.leaks import check_leaks
from voicebench.task_checks.mutants import check_mutants, mutants_of
from voicebench.task_checks.solution import check_solution
from voicebench.task_checks.values import SPELLINGS, other_values, respell
from voicebench.task_checks.variations import check_variations, variations_of

pytestmark = pytest.mark.unit

# ---- the solution -------------------------------------------------------------------------------------------------


def test_a_played_solution_leaves_its_rows_and_its_path(sandbox: MakeSandbox) -> None:
    played = sandbox("F1-E1").solution
    assert [record.arguments for record in played.records if record] == [{"loan_id": "LN-4471"}, {"pin": "40717"}, {}]
    assert [made.name for made in played.handoffs] == ["transfer_to_loans"]
    assert played.final["requests"] == [{"request_id": "REQ-0001", "loan_id": "LN-4471"}]


def test_a_refusal_that_is_the_point_must_come(sandbox: MakeSandbox) -> None:
    def expects_refusal(case: dict[str, Any]) -> None:
        case["solution"][2]["refused"] = "LOAN_NOT_FOUND"

    assert whats(check_solution(edited(sandbox("F1-E1"), expects_refusal)))[0] == (
        "step 3, find_loan, should be refused with LOAN_NOT_FOUND and succeeds"
    )


def test_an_answer_that_is_not_there_cannot_be_used(sandbox: MakeSandbox) -> None:
    def uses_nothing(case: dict[str, Any]) -> None:
        case["solution"][5]["with"] = {"until": "$result.find_loan.data.renewable_until"}

    assert whats(check_solution(edited(sandbox("F1-E1"), uses_nothing)))[0] == (
        "step 6, renew_loan, cannot be played: $result.find_loan.data.renewable_until is nowhere in an earlier answer"
    )


def test_nothing_can_be_called_after_the_call_has_ended(sandbox: MakeSandbox) -> None:
    def ends_early(case: dict[str, Any]) -> None:
        case["solution"].insert(5, {"call": "end_call", "with": {"reason": "done"}})

    assert whats(check_solution(edited(sandbox("F1-E1"), ends_early)))[0] == (
        "step 7, renew_loan, cannot be played: the call has ended before it"
    )


def test_an_allowed_detour_may_lead_to_the_agent_that_offers_the_next_hop(sandbox: MakeSandbox) -> None:
    def twice(case: dict[str, Any]) -> None:
        case["expect"] |= {"handoffs": ["transfer_to_loans", "transfer_to_loans"], "allow_hops": ["transfer_to_desk"]}

    told = whats(check_solution(edited(sandbox("F1-E1"), twice)))
    assert told == ["does not pass: handoffs (transfer_to_loans: never taken in its place)"]


# ---- mutants ------------------------------------------------------------------------------------------------------


def test_the_mutants_of_a_renewal(sandbox: MakeSandbox) -> None:
    assert [mutant.what for mutant in mutants_of(sandbox("F1-E1"))] == [
        "step 6, renew_loan, is left out",
        "step 6, renew_loan: until is '2026-08-07' instead of nothing",
        "the caller is verified with pin '40712' instead of '40717'",
        "step 6, renew_loan, comes before the caller was verified",
        "the path: transfer_to_loans is left out",
        "the path: transfer_to_desk instead of transfer_to_loans",
        "the path: transfer_to_loans as handoff 1 too much",
        "the path: transfer_to_desk as handoff 2 too much",
        "renew_loan is called once more, with {}",
        "waive_fee is called once more, with {}",
        "sign_slip is called once more, with {'signed_by': 'Pat Doe'}",
        "file_refusal is called once more, with {'reason_code': 'fee_due'}",
        "borrower of another row of loans is changed to 'not Omar Haddad'",
        "a row of requests is added",
        "a row of refusals is added",
        "a row of slips is added",
    ]


def test_a_write_that_does_not_wait_for_the_pin_is_found(sandbox: MakeSandbox) -> None:
    """A refusal can be filed for whoever knows a loan's number; here the pin is asked first, and would not matter."""

    def verifies(case: dict[str, Any]) -> None:
        case["solution"][:0] = [{"hand_off": "transfer_to_loans"}]
        case["solution"][3:3] = [
            {"call": "verify_borrower", "with": {"pin": "40717"}},
            {"hand_off": "transfer_to_desk"},
        ]
        case["expect"]["handoffs"] = ["transfer_to_loans", "transfer_to_desk"]

    findings, _ = check_mutants(edited(sandbox("F2-E1"), verifies))
    assert whats(findings) == [
        "passes: the caller is verified with pin '40712' instead of '40717'",
        "passes: step 6, file_refusal, comes before the caller was verified",
    ]


def test_an_allowed_hop_is_no_mutant_and_an_exact_path_allows_none(sandbox: MakeSandbox) -> None:
    def allows(case: dict[str, Any]) -> None:
        case["expect"]["allow_hops"] = ["transfer_to_desk", "transfer_to_loans"]

    def exact(case: dict[str, Any]) -> None:
        allows(case)
        case["expect"]["exact_path"] = True

    paths = [
        [m.what for m in mutants_of(edited(sandbox("F1-E1"), edit)) if "handoff" in m.what] for edit in (allows, exact)
    ]
    assert [len(path) for path in paths] == [0, 2]


# ---- variations ---------------------------------------------------------------------------------------------------


def test_the_variations_of_a_renewal(sandbox: MakeSandbox) -> None:
    assert [variation.what for variation in variations_of(sandbox("F1-E1"))] == [
        "find_loan is read besides, with {'loan_id': 'LN-4471'}",
        "verify_borrower is read besides, with {'pin': '40717'}",
        "step 6, renew_loan: until is '2026-08-06'",
        "identifiers in small letters without hyphens",
        "identifiers letter by letter",
        "the rows in another order",
    ]


def test_expected_rows_may_stand_in_another_order(sandbox: MakeSandbox) -> None:
    def two(case: dict[str, Any]) -> None:
        names = ["Ida Brandt", "Omar Haddad"]
        case["solution"][6:6] = [{"call": "sign_slip", "with": {"signed_by": name}} for name in names]
        case["expect"]["rows"]["slips"] = [{"added": {"signed_as": name}} for name in names]

    given = edited(sandbox("F1-E1"), two)
    assert "the expected rows and lists in another order" in [variation.what for variation in variations_of(given)]
    assert check_variations(given)[0] == []


def test_an_option_that_leaves_other_rows_is_found(sandbox: MakeSandbox) -> None:
    def another_day(case: dict[str, Any]) -> None:
        case["solution"][5]["with"]["until"]["one_of"].append("2026-08-09")

    findings, _ = check_variations(edited(sandbox("F1-E1"), another_day))
    assert whats(findings) == ["fails: step 6, renew_loan: until is '2026-08-09': database (changed · loans · 1)"]


def test_calls_change_places_only_where_the_tools_allow_it(sandbox: MakeSandbox) -> None:
    def signs(case: dict[str, Any]) -> None:
        case["solution"].insert(6, {"call": "sign_slip", "with": {"signed_by": "Ida Brandt"}})
        case["expect"]["rows"]["slips"] = [{"added": {"loan_id": "LN-4471"}}]

    orders = [v.what for v in variations_of(edited(sandbox("F1-E1"), signs)) if " before " in v.what]
    assert orders == ["sign_slip (step 7) before renew_loan (step 6)"]


# ---- values -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("id", "KE-4471860"),
        ("id", "cust_grace"),
        ("phone", "541-555-0112"),
        ("date", "2026-08-03"),
        ("number", 44.85),
        ("number", 25),
        ("name", "Grace Okonkwo"),
        ("bool", True),
        ("enum", "changed_mind"),
    ],
)
def test_another_value_is_another_one_and_another_spelling_is_not(kind: FactType, value: Any) -> None:
    schema: dict[str, Any] = {"enum": ["changed_mind", "defective"]} if kind == "enum" else {}
    others = other_values(kind, value, schema)
    assert others
    assert not any(compare_values(kind, value, other).equal for other in others)
    for type_, way in SPELLINGS.values():
        if type_ == kind:
            assert compare_values(kind, value, respell(kind, way, value)).equal


def test_spellings_are_really_others() -> None:
    assert respell("number", "number", 25) == "25.0"
    assert respell("number", "number", 44.85) == "44.85"
    assert respell("id", "spaced", "KE-447") == "K E 4 4 7"
    assert respell("phone", "brackets", "541-555-0112") == "(541) 555-0112"
    assert respell("date", "words", "2026-08-03") == "August 03, 2026"


# ---- facts --------------------------------------------------------------------------------------------------------


def test_a_question_that_sets_off_no_rule_is_found(sandbox: MakeSandbox) -> None:
    def swapped(case: dict[str, Any]) -> None:
        case["caller"]["answers"][1]["asked"] = "full_name"

    assert whats(check_facts(edited(sandbox("F1-E1"), swapped))) == [
        "pin is not given when the pack asks for it: 'What is the pin of your card?' sets off no rule that gives it"
    ]


def test_a_constant_must_come_from_somewhere(sandbox: MakeSandbox) -> None:
    def constant(case: dict[str, Any]) -> None:
        case["solution"][5]["with"]["until"] = "2026-08-06"

    def spoken(case: dict[str, Any]) -> None:
        constant(case)
        case["caller"]["opening"] = "I would like to keep my book until August sixth."

    assert whats(check_facts(edited(sandbox("F1-E1"), constant))) == [
        "step 6, renew_loan: until is '2026-08-06', which the caller never says and no earlier answer holds"
    ]
    assert check_facts(edited(sandbox("F1-E1"), spoken)) == []


def test_the_caller_may_not_say_what_its_script_forbids(sandbox: MakeSandbox) -> None:
    def forbids(case: dict[str, Any]) -> None:
        case["caller"] |= {"forbids": [{"said": "ask_letter"}], "closing": "Send me a letter, thank you."}

    assert whats(check_facts(edited(sandbox("F1-E1"), forbids))) == [
        "the script forbids ask_letter, and says 'Send me a letter, thank you.'"
    ]


def test_the_greeting_may_not_end_the_call(sandbox: MakeSandbox) -> None:
    spec = sandbox("F1-E1").pack.spec
    greeting = spec.model_copy(update={"greeting": "Hello, books can be renewed until August 30."})
    assert whats(check_facts(edited(sandbox("F1-E1"), lambda _: None, spec=greeting))) == [
        "the greeting makes the caller hang up: 'Hello, books can be renewed until August 30.' is renewed"
    ]


# ---- leaks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["ln 4471", "LN-4471", "L N four four seven one"])
def test_a_prompt_that_holds_a_fact_is_a_leak(sandbox: MakeSandbox, way: str) -> None:
    prompts = {"desk": f"Say hello. The usual loan is {way}, ask for it.", "loans": "Renew LN-44710 never."}
    assert whats(check_leaks(edited(sandbox("F1-E1"), lambda _: None, prompts=prompts))) == [
        "the prompt of desk holds the fact loan_number, LN-4471"
    ]


def test_a_note_that_tells_what_to_do_is_a_leak(sandbox: MakeSandbox) -> None:
    given = sandbox("F1-E1")
    seed = given.pack.seed_sql + "UPDATE loans SET note = 'For F1-E1 just call renew_loan at once.' WHERE fee = 0;"
    assert whats(check_leaks(edited(given, lambda _: None, seed_sql=seed))) == [
        "the seed's loans.note holds F1-E1, the task's id: 'For F1-E1 just call renew_loan at once.'",
        "the seed's loans.note holds renew_loan, a tool of the solution: 'For F1-E1 just call renew_loan at once.'",
    ]


def test_a_solution_that_speaks_a_fact_is_a_leak(sandbox: MakeSandbox) -> None:
    def speaks(case: dict[str, Any]) -> None:
        case["solution"][2]["with"]["loan_id"] = "LN-4471"

    findings, call = check_reference(edited(sandbox("F1-E1"), speaks))
    assert (findings[0].proof, call) == ("leak", None)
    assert "is the value of the fact 'loan_number'" in findings[0].what


# ---- calls --------------------------------------------------------------------------------------------------------


def test_transfer_all_is_tried_in_each_of_its_manners(sandbox: MakeSandbox) -> None:
    assert set(MANNERS) == {"at_once", "fitting", "everywhere"}
    hops = {
        manner: hold(sandbox("B2-E1"), "transfer_all", name).verdict.path.actual for manner, name in MANNERS.items()
    }
    assert hops == {
        "at_once": (),
        "fitting": ("transfer_to_loans", "transfer_to_desk"),
        "everywhere": ("transfer_to_loans", "transfer_to_desk"),
    }


def test_silence_is_judged_by_the_gates_too(sandbox: MakeSandbox) -> None:
    assert hold(sandbox("B2-E1"), "silent").end_reason == "agent_silent"
    assert check_baseline(sandbox("B2-E1"), "silent")[1] == 1


def test_a_form_that_no_one_understands_is_found_by_beginning_with_it(sandbox: MakeSandbox) -> None:
    def mumbles(case: dict[str, Any]) -> None:
        case["caller"]["facts"]["pin"]["forms"] = ["four zero seven one seven", "well", "you know", "that one"]

    findings, call = check_reference(edited(sandbox("F1-E1"), mumbles))
    assert call is not None
    assert call.verdict.passed
    told = whats(findings)
    assert any(what.startswith("beginning with form 2 of each fact, the call ends with ") for what in told)
    assert told[0].startswith("with the reference, form 2 of each fact: unanswered: ")
