from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from voicebench.cli import main
from voicebench.errors import ConfigError
from voicebench.packs import list_packs, load_pack
from voicebench.task_checks import TaskFinding, check_task, new_case

pytestmark = pytest.mark.unit


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "library"
    shutil.copytree(Path(__file__).parent / "broken_pack", copy)
    return copy


def test_a_new_case_loads_beside_the_others_and_says_what_is_to_be_written(folder: Path) -> None:
    path = new_case(load_pack(folder), "L2-H3")
    pack = load_pack(folder)
    case = pack.cases["L2-H3"]
    assert (path.name, case.difficulty, case.expect.handoffs) == ("L2-H3.yaml", "hard", ["transfer_to_loans"])
    assert check_task(pack, case, pack.snapshot()).findings[0] == TaskFinding(
        "text",
        "still to be written: title, category, measures, why, succeeds_when, caller.opening, caller.brief, "
        "caller.answers[0].say, caller.closing, caller.give_up, solution[1].say",
    )


@pytest.mark.parametrize("pack", list_packs())
def test_a_new_case_loads_in_every_shipped_pack(pack: str, tmp_path: Path) -> None:
    shutil.copytree(load_pack(pack).root, tmp_path / "copy")
    new_case(load_pack(tmp_path / "copy"), "Z9-M99")
    assert load_pack(tmp_path / "copy").cases["Z9-M99"].difficulty == "medium"


def test_no_case_is_written_over(folder: Path) -> None:
    before = (folder / "cases" / "F1-E1.yaml").read_text()
    with pytest.raises(ConfigError, match=r"F1-E1\.yaml: exists; choose another id"):
        new_case(load_pack(folder), "F1-E1")
    assert (folder / "cases" / "F1-E1.yaml").read_text() == before


@pytest.mark.parametrize("task", ["F1", "../F1-E1", "F1-X1", "f1-E1"])
def test_an_id_has_a_category_a_difficulty_and_a_number(folder: Path, task: str) -> None:
    with pytest.raises(ConfigError, match="an id is a category, a hyphen, E, M or H, and a number"):
        new_case(load_pack(folder), task)


def test_the_command_prints_the_path(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["tasks", "new", str(folder), "L5-E1"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"{folder / 'cases' / 'L5-E1.yaml'}\n"
