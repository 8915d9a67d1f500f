"""The page of each shipped pack tells its figures and names as they are."""

from __future__ import annotations

import re

import pytest

from voicebench.config import data_dir
from voicebench.packs import Pack, list_packs, load_pack
from voicebench.task_checks.spoken import SpokenForms, caller_voices, each_spoken_form

pytestmark = pytest.mark.unit

COUNTED = {5: "Five", 7: "Seven"}
INCLUDE = "{{ include _core.md }}"


@pytest.fixture(scope="module", params=list_packs())
def pack(request: pytest.FixtureRequest) -> Pack:
    return load_pack(request.param)


@pytest.fixture(scope="module")
def page(pack: Pack) -> str:
    return page_of(pack)


def page_of(pack: Pack) -> str:
    return (data_dir("tasks").parent / "docs" / f"{pack.name}.md").read_text(encoding="utf-8")


def rows_under(heading: str, page: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its head."""
    table = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_it_counts_agents_tools_tasks_and_people(pack: Pack, page: str) -> None:
    opening = " ".join(page.partition("\n## ")[0].split())
    told = re.search(r"(\w+) agents, (\d+) tools, (?:(\d+) (patients|customers), )?(\d+) tasks\.", opening)
    assert told is not None
    agents, tools, people, table, tasks = told.groups()
    assert agents == COUNTED[len(pack.spec.agents)]
    assert (int(tools), int(tasks)) == (len(pack.tools), len(pack.cases))
    if table:
        assert pack.open_database().execute(f"SELECT count(*) FROM {table}").fetchone()[0] == int(people)
    assert f"{pack.today:%A, %B} {pack.today.day}, {pack.today.year}" in opening


def test_it_tells_the_prompts_lengths(pack: Pack, page: str) -> None:
    core = (pack.root / "prompts" / "_core.md").read_text(encoding="utf-8")
    assert re.search(rf"\(?\b{len(core.split()):,}\b( words|\))", page)
    for agent in pack.spec.agents:
        own = (pack.root / "prompts" / agent.prompt).read_text(encoding="utf-8").replace(INCLUDE, "")
        told = f"| {len(own.split()):,} | {len(pack.prompts[agent.name].split()):,} |"
        assert re.search(rf"^\| {agent.name} .*{re.escape(told)}$", page, re.MULTILINE), (agent.name, told)


def test_it_names_tasks_and_categories_that_there_are(pack: Pack, page: str) -> None:
    letters = {task.partition("-")[0] for task in pack.cases}
    named = set(re.findall(rf"\b(?:{'|'.join(letters)})-\w\w\b", page))
    assert named <= set(pack.cases)
    assert len(named) > len(pack.cases) / 2
    told = set(re.findall(r"^\| (\w\w?) \| `?([\w-]+)", page, re.MULTILINE))
    assert {(task.partition("-")[0], case.category) for task, case in pack.cases.items()} <= told


def test_it_tells_what_is_heard_of_the_facts(pack: Pack, page: str) -> None:
    told = re.search(
        r"(\d+) of (\d+) facts are heard right at the first saying and (?:the other )?(\d+)(?: more)? at the second",
        " ".join(page.split()),
    )
    assert told is not None
    heard = SpokenForms(pack)
    understood: dict[tuple[str, str, str], list[bool]] = {}
    for case in pack.cases.values():
        for spoken in each_spoken_form(pack, case, caller_voices()):
            right = spoken.right(heard.of(spoken) or "")
            understood.setdefault((case.id, spoken.fact, spoken.voice), []).append(right)
    first = [key for key, tries in understood.items() if tries[0]]
    second = [key for key, tries in understood.items() if tries[:2] == [False, True]]
    assert [int(n) for n in told.groups()] == [len(first), len(understood), len(second)]
    lost = [fact for _, fact, _ in understood.keys() - {*first, *second}]
    assert set(lost) <= {"full_name"}
    assert not lost or f"The other {len(lost)} are names" in page


# ---- what the page of customer support has beside that --------------------------------------------------------------


@pytest.fixture(scope="module")
def shop() -> Pack:
    return load_pack("customer_support")


def test_each_tool_stands_at_its_desk(shop: Pack) -> None:
    page = page_of(shop)
    has = {agent.name: set(agent.tools) for agent in shop.spec.agents}
    others = {name: set().union(*(tools for desk, tools in has.items() if desk != name)) for name in has}
    told = {desk: set(re.findall(r"`(\w+)`", tools)) for desk, tools in rows_under("The tools", page)}
    assert told == {name: has[name] - others[name] for name in has if has[name] - others[name]}
    shared = page.split("\n## The tools\n")[1].split("\n\nAll desks have")[1].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", shared)) == set(shop.tools) - set().union(*told.values())


def test_what_has_to_be_said_is_an_argument_of_these_tools_and_no_other(shop: Pack) -> None:
    for _, argument, tools in rows_under("What has to be said", page_of(shop)):
        takes = {name for name, tool in shop.tools.items() if argument.strip("`") in tool.spec.schemas}
        assert takes == set(re.findall(r"`(\w+)`", tools)) - {"safety", "escalate_to_human"}, argument


def test_each_task_has_its_row_with_desks_and_tables(shop: Pack) -> None:
    leads = {name: handoff.to for agent in shop.spec.agents for name, handoff in agent.handoffs.items()}
    expected = []
    for case in shop.cases.values():
        path = ["reception", *(leads[handoff] for handoff in case.expect.handoffs)]
        tables = ", ".join(f"`{table}`" for table in case.expect.rows)
        expected.append([case.id, case.title, ", ".join(path[2:] or path[-1:]), tables])
    assert sorted(rows_under("The tasks", page_of(shop))) == sorted(expected)
