"""Packs from their folders: what loads, what is refused and how the refusal reads."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from voicebench.errors import ConfigError
from voicebench.packs import PackSnapshot, find_tasks, load_pack
from voicebench.packs.strict_yaml import parse_yaml

pytestmark = pytest.mark.unit

MINIMAL = Path(__file__).parent / "minimal_pack"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(MINIMAL, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__")))


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_only_true_false_and_null_are_not_text() -> None:
    text = "a: 0225\nb: 2026-08-03\nc: 1.50\nd: yes\ne: true\nf: null\ng: ~\nh: [0x10, on, False]\ni: 'true'\n"
    assert parse_yaml(text, "here") == {
        "a": "0225",
        "b": "2026-08-03",
        "c": "1.50",
        "d": "yes",
        "e": True,
        "f": None,
        "g": "~",
        "h": ["0x10", "on", "False"],
        "i": "true",
    }


def test_a_key_given_twice_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"here: key 'a' is given twice.*line 2"):
        parse_yaml("a: 1\na: 2\n", "here")


def test_the_minimal_pack_loads() -> None:
    pack = load_pack(MINIMAL)
    assert pack.name == "corner_library"
    assert list(pack.tools) == ["find_loan", "renew_loan", "end_call"]
    assert pack.prompts["desk"] == "You answer the phone.\n\nNever read a loan aloud before its number was given.\n"
    case = pack.cases["L1-E1"]
    assert case.caller.facts["loan_number"].value == "LN-4471"
    assert case.solution[3].with_ == {"until": {"one_of": [None, "2026-08-06"]}}


def test_each_call_has_a_database_and_a_desk_of_its_own() -> None:
    pack = load_pack(MINIMAL)
    first, second = pack.open_context(), pack.open_context()
    assert pack.tools["find_loan"].invoke(first, {"loan_id": "L N four four seven one"})["ok"]
    renewed: dict[str, Any] = pack.tools["renew_loan"].invoke(first, {})
    assert renewed["data"]["due"] == "2026-08-06"
    assert pack.tools["renew_loan"].invoke(second, {})["error_code"] == "NO_LOAN_SELECTED"
    dues = [[row["due"] for row in desk.dump(pack.spec)["loans"]] for desk in (first, second)]
    assert dues == [["2026-08-06", "2026-08-05"], ["2026-08-03", "2026-08-05"]]


def test_a_snapshot_survives_json() -> None:
    snapshot = load_pack(MINIMAL).snapshot()
    again = PackSnapshot.model_validate_json(snapshot.model_dump_json(by_alias=True))
    assert again == snapshot
    assert PackSnapshot.model_validate_json(snapshot.model_dump_json()) == snapshot
    assert again.tools["renew_loan"].arg_types == {"until": "date", "reason": "prose"}


def test_the_hash_covers_every_file_and_not_the_place(folder: Path) -> None:
    before = load_pack(folder).hash
    assert before == load_pack(MINIMAL).hash
    (folder / "prompts" / "desk.md").write_text("Hello.\n")
    assert load_pack(folder).hash != before


def test_two_copies_of_a_pack_live_in_one_process(folder: Path) -> None:
    edit(folder / "tools.py", "LOAN_NOT_FOUND", "NO_SUCH_LOAN")
    original, copy = load_pack(MINIMAL), load_pack(folder)
    answers = [pack.tools["find_loan"].invoke(pack.open_context(), {"loan_id": "x"}) for pack in (original, copy)]
    assert [answer["error_code"] for answer in answers] == ["LOAN_NOT_FOUND", "NO_SUCH_LOAN"]
    assert not (folder / "__pycache__").exists()


@pytest.fixture
def package(folder: Path) -> Path:
    """The minimal pack with its tools in a package of two modules."""
    tools = folder / "tools"
    tools.mkdir()
    (folder / "tools.py").rename(tools / "loans.py")
    (tools / "__init__.py").write_text("from .loans import find_loan, renew_loan\n")
    return folder


def test_tools_may_be_a_package_of_modules(package: Path) -> None:
    pack = load_pack(package)
    assert list(pack.tools) == ["find_loan", "renew_loan", "end_call"]
    desk = pack.open_context()
    assert pack.tools["find_loan"].invoke(desk, {"loan_id": "LN-4471"})["ok"]
    renewed: dict[str, Any] = pack.tools["renew_loan"].invoke(desk, {})
    assert renewed["data"]["due"] == "2026-08-06"
    assert not list(package.rglob("__pycache__"))
    assert not [finder for finder in sys.meta_path if type(finder).__name__ == "_Siblings"]


def test_an_edit_of_any_module_counts(package: Path) -> None:
    before = load_pack(package)
    edit(package / "tools" / "loans.py", "LOAN_NOT_FOUND", "NO_SUCH_LOAN")
    after = load_pack(package)
    answers = [pack.tools["find_loan"].invoke(pack.open_context(), {"loan_id": "x"}) for pack in (before, after)]
    assert [answer["error_code"] for answer in answers] == ["LOAN_NOT_FOUND", "NO_SUCH_LOAN"]
    assert before.hash != after.hash


def test_an_error_in_a_package_names_its_module(package: Path) -> None:
    edit(package / "tools" / "loans.py", "@tool(writes=False)", "@tool()")
    with pytest.raises(ConfigError, match=r"tools/loans.py, line 11: TypeError"):
        load_pack(package)
    (package / "tools" / "__init__.py").write_text("from .lones import find_loan\n")
    with pytest.raises(ConfigError, match=r"tools/__init__.py, line 1: ModuleNotFoundError"):
        load_pack(package)
    (package / "tools" / "__init__.py").unlink()
    with pytest.raises(ConfigError, match=r"tools/__init__.py: cannot be read"):
        load_pack(package)


BROKEN = [
    ("pack.yaml", "greeting:", "greting:", r"pack.yaml: unknown key 'greting'; did you mean 'greeting'\?"),
    ("pack.yaml", "today: 2026-07-30", "today: soon", r"pack.yaml: today: 'soon' is no date"),
    ("pack.yaml", "prompt: desk.md", "prompt: dask.md", r"dask.md: no such prompt; did you mean 'desk.md'\?"),
    (
        "pack.yaml",
        "[find_loan, renew_loan]",
        "[find_lone]",
        r"agents\[1\].tools: .*'find_lone'; did you mean 'find_loan'",
    ),
    ("pack.yaml", "{to: loans,", "{to: loan,", r"handoffs.transfer_to_loans.to: no agent 'loan'; did you mean 'loans'"),
    ("pack.yaml", "key: request_id", "key: id", r"state.requests.key: no column 'id'"),
    ("pack.yaml", "  loans: {types", "  lones: {types", r"state: no table in schema.sql 'lones'; did you mean 'loans'"),
    ("pack.yaml", "'loan number'", "'Loan number'", r"intents.asked.loan_number: .* capitals"),
    ("pack.yaml", "'loan number'", "'loan ('", r"intents.asked.loan_number: .* no regular expression"),
    ("pack.yaml", "type: name", "type: nam", r"facts.full_name.type: Input should be 'id', 'phone'"),
    ("prompts/desk.md", "_core.md", "_cor.md", r"_cor.md: no such prompt; did you mean '_core.md'"),
    ("prompts/desk.md", "You answer", "{{ today }}", r"desk.md: '{{' stands only in a line of its own"),
    ("prompts/_core.md", "Never", "{{ include desk.md }}\nNever", r"_core.md: includes desk.md, which includes it"),
    ("schema.sql", "CREATE TABLE loans", "CREATE loans", r"schema.sql and seed.sql do not make a database"),
    ("seed.sql", "'LN-4472'", "'LN-4471'", r"do not make a database: UNIQUE"),
    ("tools.py", "@tool(writes=False)", "@tool()", r"tools.py, line 11: TypeError"),
    (
        "tools.py",
        "loan_id: Annotated[str, Id()]",
        "loan_id: str",
        r"tool 'find_loan': argument 'loan_id' needs Annotated",
    ),
    (
        "cases/L1-E1.yaml",
        "caller:\n",
        "caller:\n  voice: hart\n",
        r"L1-E1.yaml: caller.voice: no voice 'hart'; did you mean 'heart'\?",
    ),
    ("cases/L1-E1.yaml", "caller:\n", "caller:\n  voice: task\n", r"caller.voice: no voice 'task'; .*joe-slow"),
    ("cases/L1-E1.yaml", "  closing:", "  clozing:", r"unknown key 'caller.clozing'; did you mean 'closing'"),
    (
        "cases/L1-E1.yaml",
        "- {heard: renewed",
        "- {hears: renewed",
        r"'caller.answers\[1\].hears'; did you mean 'heard'",
    ),
    ("cases/L1-E1.yaml", "closing: Thank you.", "", r"key 'caller.closing' is missing"),
    ("cases/L1-E1.yaml", "id: L1-E1", "id: L1-E2", r"the id 'L1-E2' differs from the file's name"),
    ("cases/L1-E1.yaml", "difficulty: easy", "difficulty: hard", r"difficulty: 'hard' has the letter H"),
    ("cases/L1-E1.yaml", "asked: loan_number", "asked: lone_number", r"answers\[0\].asked: no intent 'lone_number'"),
    ("cases/L1-E1.yaml", "give: loan_number", "give: phone", r"answers\[0\].give: no fact of this caller 'phone'"),
    ("cases/L1-E1.yaml", "value: LN-4471", "value: LN-447", r"'LN447' does not match the pack's format"),
    ("cases/L1-E1.yaml", "before: done", "offered: renew", r"forbids\[0\].offered: no intent 'renew'; did you mean"),
    (
        "cases/L1-E1.yaml",
        "  closing:",
        "  allows: ask_letter\n  closing:",
        r"allows: no intent that the pack forbids 'ask_letter'; there are none",
    ),
    (
        "pack.yaml",
        "intents:",
        "forbids: [{said: ask_leter}]\nintents:",
        r"forbids\[0\].said: no intent 'ask_leter'; did you mean 'ask_letter'",
    ),
    (
        "pack.yaml",
        "intents:",
        "forbids: [{said: ask_letter, before: done}]\nintents:",
        r"pack.yaml: forbids\[0\]: 'before' and 'except' belong to a case",
    ),
    ("cases/L1-E1.yaml", "before: done", "before: don", r"forbids\[0\].before: no mark .*'don'; did you mean 'done'"),
    (
        "cases/L1-E1.yaml",
        "hand_off: transfer_to_loans",
        "hand_off: transfer_to_desk",
        r"no handoff of desk 'transfer_to_desk'",
    ),
    ("cases/L1-E1.yaml", "  - {hand_off: transfer_to_loans}\n", "", r"call: no tool of desk 'renew_loan'"),
    ("cases/L1-E1.yaml", "{loan_id: $fact.loan_number}", "{loan: x}", r"with: no argument of find_loan 'loan'"),
    ("cases/L1-E1.yaml", ", with: {loan_id: $fact.loan_number}", "", r"find_loan cannot be called without loan_id"),
    (
        "cases/L1-E1.yaml",
        "$fact.loan_number",
        "$fact.lone_number",
        r"with.loan_id: no fact of this caller 'lone_number'",
    ),
    ("cases/L1-E1.yaml", "$result.renew_loan", "$result.renew", r"say: no earlier call 'renew'"),
    ("cases/L1-E1.yaml", "{one_of: [null", "{none_of: [null", r"until: an argument is a constant"),
    ("cases/L1-E1.yaml", "handoffs: [transfer_to_loans]", "handoffs: [loans]", r"expect.handoffs: no handoff 'loans'"),
    ("cases/L1-E1.yaml", "set: {due:", "set: {do:", r"rows.loans\[0\].changed.set: no column 'do'"),
    ("cases/L1-E1.yaml", "    requests:", "    branches:", r"expect.rows: no state table 'branches'"),
]


@pytest.mark.parametrize(("file", "old", "new", "message"), BROKEN)
def test_what_is_wrong_is_named_with_file_key_and_nearest(
    folder: Path, file: str, old: str, new: str, message: str
) -> None:
    edit(folder / file, old, new)
    with pytest.raises(ConfigError, match=message) as raised:
        load_pack(folder)
    assert str(folder) in str(raised.value)


@pytest.mark.parametrize("name", ["/tmp/elsewhere", "../up", "corner-library", "Corner", "a b", "''", "é"])
def test_a_packs_name_is_an_identifier_and_never_a_path(folder: Path, name: str) -> None:
    edit(folder / "pack.yaml", "name: corner_library", f"name: {name}")
    with pytest.raises(ConfigError, match=r"pack\.yaml: the name .* is no identifier; use lower-case letters"):
        load_pack(folder)


def test_an_unknown_pack_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no pack 'corner_libary'"):
        load_pack("corner_libary")
    with pytest.raises(ConfigError, match=r"has no pack\.yaml"):
        load_pack(tmp_path)


def test_tasks_are_found_by_id_by_pack_and_by_variant(folder: Path) -> None:
    edit(folder / "pack.yaml", "name: corner_library", "name: other_library")
    packs = [load_pack(MINIMAL), load_pack(folder)]
    [task] = find_tasks(["other_library/L1-E1-BG"], packs)
    assert (task.pack.name, task.id, task.line) == ("other_library", "L1-E1-BG", "background_noise")
    assert [(one.pack.name, one.id, one.line) for one in find_tasks([], packs)] == [
        ("corner_library", "L1-E1", None),
        ("other_library", "L1-E1", None),
    ]
    with pytest.raises(ConfigError, match="ambiguous: corner_library/L1-E1, other_library/L1-E1"):
        find_tasks(["L1-E1"], packs)
    with pytest.raises(ConfigError, match=r"no task 'L1-E2' in .*; did you mean 'L1-E1'\?"):
        find_tasks(["L1-E2"], packs)
    with pytest.raises(ConfigError, match=r"no pack 'corner_libary'; did you mean 'corner_library'\?"):
        find_tasks(["corner_libary/L1-E1"], packs)


def test_packs_import_no_model_library() -> None:
    code = "import sys, voicebench.packs; print({'openai', 'pipecat', 'numpy', 'soundfile'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
