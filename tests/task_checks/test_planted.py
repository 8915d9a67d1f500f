"""Further ways to be unfair, each planted in a task that is fair."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.task_checks.edits import MakeSandbox, edited, whats
from voicebench.errors import ConfigError
from voicebench.packs import Pack, load_pack
from voicebench.task_checks import PackReport
from voicebench.task_checks.calls import check_baseline
from voicebench.task_checks.check import TaskReport, check_task
from voicebench.task_checks.facts import check_facts, unproven_numbers
from voicebench.task_checks.leaks import check_leaks
from voicebench.task_checks.mutants import check_mutants, mutants_of
from voicebench.task_checks.new_case import new_case
from voicebench.task_checks.sandbox import TaskSandbox
from voicebench.task_checks.variations import check_variations, variations_of

pytestmark = pytest.mark.unit


def test_an_agent_that_tries_everything_passes_where_nothing_is_expected_on_its_path(sandbox: MakeSandbox) -> None:
    def its_path(case: dict[str, Any]) -> None:
        case["expect"]["handoffs"] = ["transfer_to_loans", "transfer_to_desk"]

    assert check_baseline(sandbox("B2-E1"), "call_all") == ([], 0)
    findings, passes = check_baseline(edited(sandbox("B2-E1"), its_path), "call_all")
    assert (whats(findings), passes) == (["call_all passes"], 1)


def test_tools_that_fail_are_a_finding_and_end_the_proofs_of_that_task(library: Pack) -> None:
    root = library.root
    broken = load_pack(root)
    seed = broken.seed_sql + "DROP TABLE requests; CREATE TABLE requests (request_id TEXT, loan_id TEXT CHECK (0));"
    given = edited(TaskSandbox(broken, broken.cases["F1-E1"], broken.snapshot()), lambda _: None, seed_sql=seed)
    report = check_task(given.pack, given.case, given.snapshot)
    assert [finding.proof for finding in report.findings] == ["solution"]
    assert report.findings[0].what.startswith("pack broken_library: tool 'renew_loan' failed on {}: IntegrityError: ")
    assert (report.mutants, report.reference) == (None, None)


def test_too_few_mutants_on_average_are_a_finding_of_the_whole_pack() -> None:
    def report(whole: bool, *made: int | None) -> list[str]:
        return PackReport("p", [TaskReport("p", "X-E1", [], {}, mutants) for mutants in made], whole).findings

    assert report(True, 11, 8, None) == ["9.5 mutants a task on average, fewer than 10"]
    assert report(True, 11, 9, None) == []
    assert report(False, 3) == []


# ---- mutants and variations ---------------------------------------------------------------------------------------


def test_a_required_read_may_not_be_left_out(sandbox: MakeSandbox) -> None:
    def requires(case: dict[str, Any]) -> None:
        case["expect"]["reads_required"] = {"find_loan": "Always find the loan first."}

    given = edited(sandbox("F2-E1"), requires)
    left_out = {"step 2, find_loan, is left out", "step 2, find_loan: loan_id is 'LN-4476' instead of 'LN-4471'"}
    assert left_out <= {mutant.what for mutant in mutants_of(given)}
    assert not left_out & {mutant.what for mutant in mutants_of(sandbox("F2-E1"))}
    assert check_mutants(given)[0] == []


def test_an_argument_that_may_be_anything_is_not_changed(sandbox: MakeSandbox) -> None:
    def any_reason(case: dict[str, Any]) -> None:
        case["solution"][2]["with"]["reason_code"] = {"any": True}

    changed = [
        [m.what for m in mutants_of(given) if "reason_code is" in m.what]
        for given in (sandbox("F2-E1"), edited(sandbox("F2-E1"), any_reason))
    ]
    assert changed == [["step 3, file_refusal: reason_code is 'fee_due' instead of 'reserved'"], []]


@pytest.mark.parametrize(("other", "found"), [("reserved", []), ("too_late", ["database (missing · refusals · 1"])])
def test_an_alternative_must_leave_the_same_rows(sandbox: MakeSandbox, other: str, found: list[str]) -> None:
    def alternative(case: dict[str, Any]) -> None:
        case["solution"][2]["alternatives"] = [{"with": {"reason_code": other}}]

    findings, _ = check_variations(edited(sandbox("F2-E1"), alternative))
    assert len(findings) == len(found)
    for finding, text in zip(findings, found, strict=True):
        assert finding.what.startswith("fails: alternative 1 of step 3: ")
        assert text in finding.what


def test_an_allowed_detour_is_a_variation_unless_the_path_is_exact(sandbox: MakeSandbox) -> None:
    def allows(case: dict[str, Any]) -> None:
        case["expect"]["allow_hops"] = ["transfer_to_desk"]

    def exact(case: dict[str, Any]) -> None:
        allows(case)
        case["expect"]["exact_path"] = True

    made = [
        [v.what for v in variations_of(edited(sandbox("F1-E1"), edit)) if "detour" in v.what]
        for edit in (allows, exact)
    ]
    assert made == [["the allowed detour transfer_to_desk"], []]
    assert check_variations(edited(sandbox("F1-E1"), allows))[0] == []


# ---- facts ----------------------------------------------------------------------------------------------------------


def test_two_forms_that_are_the_same_are_found(sandbox: MakeSandbox) -> None:
    def repeats(case: dict[str, Any]) -> None:
        case["caller"]["facts"]["pin"]["forms"][2] = "40717"

    told = ["pin: two of its forms are the same, so that asking again does not help"]
    assert whats(check_facts(edited(sandbox("F1-E1"), repeats))) == told


@pytest.mark.parametrize("first", ["L N, four four seven one", "four four seven one, with L N"])
def test_facts_that_run_into_each_other_when_they_are_given_together_are_found(
    sandbox: MakeSandbox, first: str
) -> None:
    def together(case: dict[str, Any]) -> None:
        case["caller"]["answers"][0]["give"] = ["loan_number", "pin"]
        case["caller"]["facts"]["loan_number"]["forms"][0] = first

    told = ["pin in 'four four seven one, with L N, four zero seven one seven.' is taken for nothing"]
    assert whats(check_facts(edited(sandbox("F1-E1"), together))) == told * first.endswith("L N")


def test_a_sentence_that_is_allowed_after_a_mark_may_be_said_there_and_nowhere_else(sandbox: MakeSandbox) -> None:
    def forbids(needs: list[str]) -> list[str]:
        def edit(case: dict[str, Any]) -> None:
            case["caller"]["answers"] += [
                {"heard": "signed", "say": "Good.", "sets": "done"},
                {"heard": "reserved", "say": "Then send me a letter.", "needs": needs},
            ]
            case["caller"]["forbids"] = [{"said": "ask_letter", "before": "done"}]

        return whats(check_facts(edited(sandbox("F1-E1"), edit)))

    assert forbids(["done"]) == []
    assert forbids([]) == ["the script forbids ask_letter, and says 'Then send me a letter.'"]


@pytest.mark.parametrize(("quoted", "unproven"), [(None, False), ("777.77", True)])
def test_a_number_that_follows_from_no_answer_is_said_to_be_unproven(quoted: str | None, unproven: bool) -> None:
    pack = load_pack("customer_support")
    given = TaskSandbox(pack, pack.cases["T2-M1"], pack.snapshot())
    [at] = [index for index, step in enumerate(given.case.solution) if step.call == "open_return"]
    [fee] = [
        record.arguments["fee_quoted"] for record in given.solution.records if record and record.name == "open_return"
    ]

    def constant(case: dict[str, Any]) -> None:
        case["solution"][at]["with"]["fee_quoted"] = quoted or str(fee)

    told = f"step {at + 1}, open_return: fee_quoted is {quoted}: whether an agent can compute it"
    assert unproven_numbers(edited(given, constant)) == [told] * unproven


# ---- leaks ----------------------------------------------------------------------------------------------------------


def test_a_number_of_the_caller_s_row_that_nobody_said_may_not_stand_in_a_prompt(sandbox: MakeSandbox) -> None:
    def pin_in_the_row(case: dict[str, Any]) -> None:
        case["expect"]["rows"]["loans"][0]["changed"]["where"] = {"pin": "66135"}

    prompts = {"desk": "Never say 66135.", "loans": "As in F1-E1, be kind."}
    assert whats(check_leaks(edited(sandbox("F1-E1"), pin_in_the_row, prompts=prompts))) == [
        "the prompt of desk holds loans.pin, 66135",
        "the prompt of loans holds the task's id, F1-E1",
    ]


# ---- a new case -----------------------------------------------------------------------------------------------------


def test_a_pack_without_anything_to_wait_for_gets_no_case(library: Pack, tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    for path in library.root.iterdir():
        if path.is_file():
            (tmp_path / "pack" / path.name).write_bytes(path.read_bytes())
    (tmp_path / "pack" / "prompts").symlink_to(library.root / "prompts")
    text = (tmp_path / "pack" / "pack.yaml").read_text()
    without = re.sub(r"  heard:\n.*(?=  said:)", "", text, flags=re.DOTALL)
    (tmp_path / "pack" / "pack.yaml").write_text(without)
    with pytest.raises(ConfigError, match=r"pack\.yaml: intents\.heard: write what the caller waits to hear first"):
        new_case(load_pack(tmp_path / "pack"), "L1-E1")
