"""The line reference asks otherwise than the pack: in wordings of our own, of a file, or of the pack's examples."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from voicebench.errors import ConfigError
from voicebench.language.intents import Intents
from voicebench.packs import list_packs, load_pack
from voicebench.speech.sentence_encoder import load_sentence_encoder
from voicebench.task_checks.sandbox import TaskSandbox
from voicebench.task_checks.wordings import WORDINGS, check_wordings, questions_for, read_wordings

pytestmark = pytest.mark.audio


def task(pack: str, name: str) -> TaskSandbox:
    loaded = load_pack(pack)
    return TaskSandbox(loaded, loaded.cases[name], loaded.snapshot())


def test_questions_are_drawn_by_the_seed_and_are_not_the_packs_own() -> None:
    sandbox = task("customer_support", "T2-M1")
    drawn = [questions_for(sandbox, WORDINGS, seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0]["full_name"] in WORDINGS["full_name"]
    assert drawn[0]["full_name"] != sandbox.pack.spec.facts["full_name"].question


def test_what_is_the_packs_own_is_asked_for_in_its_examples_after_what_its_question_says_first() -> None:
    sandbox = task("legal", "L1-E1")
    question = questions_for(sandbox, WORDINGS, 1)["other_party"]
    first, _, rest = question.partition(". ")
    assert first == "Please hold back the details for now"
    assert rest in sandbox.pack.spec.intents.examples["other_party"]


def test_a_task_passes_when_it_is_asked_for_its_facts_in_plain_other_words() -> None:
    sandbox = task("customer_support", "T2-M1")
    plain = {
        "full_name": ["Could I get your first and last name, please?"],
        "order_number": ["Could you read me your order number?"],
        "postal_code": ["Could you confirm your zip code for me?"],
    }
    assert check_wordings(sandbox, plain) == ([], 1)  # type: ignore[arg-type]


def test_only_lines_that_ask_for_one_detail_and_do_nothing_else_are_read(tmp_path: Path) -> None:
    rows = [
        {"text": "Your name?", "asks": ["full_name"], "acts": []},
        {"text": "Your name and phone?", "asks": ["full_name", "phone"], "acts": []},
        {"text": "One moment. Your zip?", "asks": ["postal_code"], "acts": ["hold"]},
    ]
    file = tmp_path / "wordings.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    assert read_wordings(file) == {"full_name": ["Your name?"]}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 1: write an object with text, asks and acts"),
        ('{"text": "x", "asks": ["fone"], "acts": []}', "line 1: no detail 'fone'; did you mean 'phone'?"),
        ('{"text": "x", "asks": [], "acts": []}', "no line asks for one detail"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(line: str, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "wordings.jsonl"
    file.write_text(line)
    with pytest.raises(ConfigError, match=problem.replace("?", r"\?")):
        read_wordings(file)


@pytest.mark.parametrize(
    ("pack", "turn", "intents"),
    [
        ("healthcare", "And what is she called, the lady the visit is for? And her birthday?", "patient_name"),
        ("legal", "Could I have your full name? What's the landlord called?", "other_party"),
    ],
)
def test_beside_what_any_company_asks_for_the_packs_own_is_understood_too(pack: str, turn: str, intents: str) -> None:
    understood = Intents(load_pack(pack).spec.intents, load_sentence_encoder())
    assert intents in {name for question in understood.asked(turn) for name in question.intents}
    assert len(understood.asked(turn)) == 2


CORPUS = Path(__file__).parents[1] / "data" / "comprehension" / "utterances.jsonl"
FEW = (0, 12, 24)


def held(pack: str, numbers: Iterable[int], seed: int) -> tuple[list[str], int, int]:
    """Return what did not pass when real agents asked, how many calls were held and how many facts were asked for."""
    loaded, wordings = load_pack(pack), read_wordings(CORPUS)
    snapshot, cases = loaded.snapshot(), list(loaded.cases.values())
    sandboxes = [TaskSandbox(loaded, cases[number], snapshot) for number in numbers]
    calls = [check_wordings(one, wordings, seed) for one in sandboxes]
    asked = sum(len(questions_for(one, wordings, seed)) for one in sandboxes)
    return [str(finding) for findings, _ in calls for finding in findings], sum(made for _, made in calls), asked


@pytest.mark.parametrize("pack", list_packs())
def test_tasks_pass_in_words_that_real_agents_asked_in(pack: str) -> None:
    findings, calls, asked = held(pack, FEW, seed=0)
    assert findings == []
    assert calls == len(FEW)
    assert asked >= 2 * calls


@pytest.mark.long
@pytest.mark.parametrize("pack", list_packs())
def test_nearly_all_tasks_pass_in_words_that_real_agents_asked_in(pack: str) -> None:
    whole = range(len(load_pack(pack).cases))
    results = [held(pack, whole, seed) for seed in (0, 1, 2)]
    findings = [finding for found, _, _ in results for finding in found]
    calls, asked = sum(made for _, made, _ in results), sum(facts for _, _, facts in results)
    print(f"{pack}: {asked} facts asked for in {calls} calls, {len(findings)} of which did not pass")
    assert len(findings) <= 0.06 * calls, findings
