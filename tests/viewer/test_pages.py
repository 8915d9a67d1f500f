"""The pages around the calls in a real browser: found, filtered, switched, and fit for everybody."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.viewer.runs import BROKEN, CORRUPT, FAILING, INJECTED, PACK, PASSING, TEXT, UNFINISHED, VOID, call_page
from voicebench.viewer import Site, write_site
from voicebench.viewer.render import page_path

pytestmark = pytest.mark.browser

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

START, RUN, PACKS, TASK = "", page_path("run", "text"), page_path("pack", PACK), page_path("task", PACK, "T2-H3")
KINDS = {
    "start": START,
    "run": RUN,
    "run with a failed call": page_path("run", "returns"),
    "pack": PACKS,
    "task": TASK,
    "passing": call_page(PASSING),
    "failing": call_page(FAILING),
    "void": call_page(VOID),
    "unfinished": call_page(UNFINISHED),
    "text": call_page(TEXT),
    "corrupt": call_page(CORRUPT),
    "broken": call_page(BROKEN),
    "injected": call_page(INJECTED),
}


def serious(page: Page) -> list[dict[str, Any]]:
    """What axe-core finds on the page that keeps somebody from using it."""
    page.evaluate(AXE)
    found = page.evaluate(f"axe.run(document, {{resultTypes: ['violations'], runOnly: {RULES}, preload: false}})")
    return [
        {"rule": one["id"], "where": [node["target"] for node in one["nodes"]]}
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing_serious_in_light_nor_in_dark_on_a_phone(page: Page, server: str, kind: str) -> None:
    page.goto(f"{server}{KINDS[kind]}")
    assert serious(page) == []
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 375, "height": 700})
    page.evaluate("document.querySelectorAll('details').forEach(folded => { folded.open = true; })")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 21, 27)"
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    assert serious(page) == []


def test_the_start_page_says_what_the_benchmarks_are_and_lists_runs_newest_first(page: Page, server: str) -> None:
    page.goto(server)
    for name in ("Conversational AI LLM Bench", "Multi-Industry Voice Agent Simulation Bench"):
        expect(page.get_by_role("heading", name=name)).to_be_visible()
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(9)
    started = rows.locator("th .soft").all_inner_texts()
    assert started == sorted(started, reverse=True)
    passing = rows.filter(has=page.get_by_role("link", name="passing"))
    assert passing.locator("td.rate").inner_text().split() == ["100", "%", "1", "of", "1"]
    passing.get_by_role("link", name="passing").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Run passing")


def test_a_run_is_filtered_by_verdict_and_the_address_keeps_the_choice(page: Page, server: str) -> None:
    page.goto(f"{server}{page_path('run', 'unfinished')}")
    cells = page.locator("table.matrix a[data-verdict]:visible")
    expect(cells).to_have_count(2)
    page.get_by_label("Verdict").select_option("unfinished")
    expect(cells).to_have_count(1)
    expect(page.locator("[data-count]")).to_have_text("1 call of 1 task")
    assert page.url.endswith("#verdict=unfinished")
    page.get_by_label("Gate that failed").select_option("tools")
    expect(cells).to_have_count(0)
    page.reload()
    expect(page.locator("[data-count]")).to_have_text("0 calls of 0 tasks")
    page.get_by_role("button", name="Show all").click()
    expect(cells).to_have_count(2)


def test_the_matrix_says_each_verdict_and_gate_by_name(page: Page, server: str) -> None:
    page.goto(f"{server}{page_path('run', 'returns')}")
    cell = page.get_by_role("link", name="T2-H3 trial 1: failed, gates failed: tools, handoffs")
    cell.click()
    page.wait_for_selector("html[data-ready]")
    assert page.url == f"{server}{call_page(FAILING)}"


def test_a_run_counts_the_first_causes_of_calls_that_did_not_pass(page: Page, server: str) -> None:
    page.goto(f"{server}{page_path('run', 'returns')}")
    causes = page.get_by_role("region", name="Why calls did not pass").get_by_role("row")
    assert causes.all_inner_texts()[1:] == ["model\tit had heard it right and did wrong\t1\t100 %"]
    page.goto(f"{server}{page_path('run', 'void')}")
    expect(causes.nth(1).get_by_role("rowheader")).to_have_text("caller")
    page.goto(f"{server}{page_path('run', 'passing')}")
    expect(page.get_by_role("heading", name="Tasks and trials")).to_be_visible()
    expect(causes).to_have_count(0)


def test_an_agent_of_a_pack_opens_with_its_tools_and_its_whole_prompt(page: Page, server: str) -> None:
    page.goto(f"{server}{PACKS}")
    expect(page.get_by_role("img", name="The agents of Kestrel Electronics and their handoffs")).to_be_visible()
    returns = page.locator("#agent-returns")
    prompt = returns.locator("pre.prompt")
    expect(prompt).to_be_hidden()
    returns.locator("summary").first.click()
    expect(returns.get_by_text("check_return_eligibility(", exact=False)).to_be_visible()
    returns.get_by_text("The whole prompt").click()
    expect(prompt).to_be_visible()
    assert len(prompt.inner_text().split()) > 1_500
    page.goto(f"{server}{PACKS}#agent-fraud")
    expect(page.locator("#agent-fraud ul.tools").first).to_be_visible()


def test_a_task_shows_one_call_under_a_switch_of_model_and_verdict(page: Page, server: str) -> None:
    page.goto(f"{server}{TASK}")
    switch = page.get_by_role("navigation", name="Which call")
    chosen = switch.locator("[aria-current]")
    assert "passed" in chosen.inner_text()
    expect(page.locator(".summary .badge").first).to_have_text("passed")
    assert "voicebench run fast --channel text" in page.locator("#command-text").inner_text()
    switch.get_by_role("link", name="failed").first.click()
    expect(page.locator(".summary .badge").first).to_have_text("failed")
    assert "failed" in switch.locator("[aria-current]").inner_text()
    expect(page.get_by_role("heading", name="What this task measures")).to_be_visible()
    assert "Hello, I want to send back the Corva Studio Headphones" in page.locator("#script-text").inner_text()


def test_the_keyboard_reaches_the_content_the_filters_and_a_call(page: Page, server: str) -> None:
    page.goto(f"{server}{page_path('run', 'returns')}")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('td.cell a')"):
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("html[data-ready]")
    assert page.url == f"{server}{call_page(FAILING)}"


def test_the_site_of_files_opens_and_plays_without_a_server(browser: Browser, runs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "one"
    shutil.copytree(runs / "returns", folder / "returns")
    site = tmp_path / "site"
    assert write_site(Site(folder), site) > 30
    context = browser.new_context(offline=True)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((site / "index.html").as_uri())
    page.get_by_role("link", name="returns").click()
    page.get_by_role("link", name="T2-H3 trial 1: failed, gates failed: tools, handoffs").click()
    page.wait_for_selector("html[data-ready]")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => document.getElementById('audio').currentTime > 0.2")
    address = page.get_by_role("link", name="trace.jsonl").evaluate("link => link.href")
    source = folder / "returns/calls" / PACK / "T2-H3/1/attempt-1/trace.jsonl"
    assert Path(unquote(urlsplit(address).path)).read_bytes() == source.read_bytes()
    page.get_by_role("link", name="T2-H3", exact=True).click()
    expect(page.get_by_role("heading", name="What this task measures")).to_be_visible()
    assert complaints == []
    context.close()
