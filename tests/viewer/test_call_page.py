"""The page of a call in a real browser: listening, looking, and what it says of each kind of call."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.viewer.runs import (
    BOOKED,
    BROKEN,
    CORRUPT,
    FAILING,
    HOSTILE,
    INJECTED,
    PASSING,
    TEXT,
    UNFINISHED,
    VOID,
    call_page,
)
from voicebench.packs import load_pack

pytestmark = pytest.mark.browser

LANES = ["Turns", "ASR", "LLM", "TTS", "Handoffs", "Tool calls", "Line events", "Errors", "Transcript"]


def opened(page: Page, server: str, kind: tuple[str, str], anchor: str = "") -> Page:
    """Open the page of a call and wait until its timeline is drawn."""
    page.goto(f"{server}{call_page(kind)}{anchor}")
    page.wait_for_selector("html[data-ready]")
    return page


def at_s(page: Page) -> float:
    """Where the recording is, in seconds."""
    return float(page.evaluate("document.getElementById('audio').currentTime"))


def plays_past(page: Page, time_s: float) -> None:
    page.wait_for_function("time => document.getElementById('audio').currentTime > time", arg=time_s)


def is_paused(page: Page) -> bool:
    return bool(page.evaluate("document.getElementById('audio').paused"))


def scroll_px(page: Page) -> float:
    """How far the lanes are scrolled."""
    left = page.evaluate("getComputedStyle(document.getElementById('lanes')).getPropertyValue('--left')")
    return -float(left.removesuffix("px"))


def width_px(page: Page) -> float:
    """How wide the whole call is drawn."""
    width = page.evaluate("getComputedStyle(document.getElementById('lanes')).getPropertyValue('--width')")
    return float(width.removesuffix("px"))


def test_clicking_a_span_plays_it_and_stops_at_its_end(page: Page, server: str) -> None:
    opened(page, server, FAILING)
    span = page.locator(".lane-turns .box.agent").nth(1)
    start_s, end_s = (float(span.get_attribute(f"data-{edge}") or "nan") for edge in ("start", "end"))
    span.click()
    plays_past(page, start_s + 0.2)
    assert start_s < at_s(page) <= end_s
    assert page.url.endswith(f"#span={span.get_attribute('data-id')}")
    expect(page.locator("#inspector strong")).to_contain_text("agent.speech")
    page.evaluate(
        "time => { const audio = document.getElementById('audio'); if (!audio.paused) audio.currentTime = time; }",
        end_s - 0.3,
    )
    page.wait_for_function("() => document.getElementById('audio').paused")
    assert at_s(page) == pytest.approx(end_s, abs=0.05)


def test_dragging_scrubs_and_plays_nothing(page: Page, server: str) -> None:
    opened(page, server, FAILING)
    row = page.locator("#wave").bounding_box()
    assert row is not None
    length_s = float(page.evaluate("document.getElementById('audio').duration"))
    page.mouse.move(row["x"] + row["width"] * 0.25, row["y"] + 60)
    page.mouse.down()
    page.mouse.move(row["x"] + row["width"] * 0.4, row["y"] + 60, steps=4)
    page.mouse.move(row["x"] + row["width"] * 0.5, row["y"] + 60, steps=4)
    page.mouse.up()
    assert at_s(page) == pytest.approx(length_s / 2, abs=length_s * 0.01)
    assert is_paused(page)
    expect(page.locator("#now")).to_have_text(re.compile(r"0:1[67]\.\d"))


def test_scrolling_pans_and_a_modifier_zooms_where_the_pointer_is(page: Page, server: str) -> None:
    opened(page, server, FAILING)
    row = page.locator("#wave").bounding_box()
    assert row is not None
    fit = width_px(page)
    wordless = page.locator(".lane-llm .box.tight").count()
    assert wordless > 0
    page.mouse.move(row["x"] + row["width"] / 2, row["y"] + 50)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -400)
    page.keyboard.up("Control")
    page.wait_for_function(
        "fit => parseFloat(document.getElementById('lanes').style.getPropertyValue('--width')) > fit", arg=fit * 2
    )
    middle = (scroll_px(page) + row["width"] / 2) / width_px(page)
    assert middle == pytest.approx(0.5, abs=0.02)
    assert page.locator(".lane-llm .box.tight").count() < wordless
    before = scroll_px(page)
    page.mouse.wheel(0, 120)
    page.wait_for_function(
        "left => parseFloat(document.getElementById('lanes').style.getPropertyValue('--left')) < left",
        arg=-before - 100,
    )
    assert page.evaluate("scrollY") == 0
    small = page.locator("#minimap").bounding_box()
    assert small is not None
    page.mouse.click(small["x"] + small["width"] * 0.9, small["y"] + 10)
    length_s = float(page.evaluate("document.getElementById('audio').duration"))
    assert at_s(page) == pytest.approx(length_s * 0.9, abs=length_s * 0.01)
    expect(page.locator("#playhead")).not_to_have_class(re.compile("away"))
    page.get_by_role("button", name="Whole call").click()
    page.wait_for_function("() => document.getElementById('lanes').style.getPropertyValue('--left') === '0px'")
    assert width_px(page) == pytest.approx(fit, abs=2)


def test_two_fingers_on_the_waveform_zoom_the_lanes_and_leave_the_playhead(browser: Browser, server: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = opened(context.new_page(), server, FAILING)
    page.locator("#wave").scroll_into_view_if_needed()
    row = page.locator("#wave").bounding_box()
    assert row is not None
    before_px, middle_x, y = width_px(page), row["x"] + row["width"] / 2, row["y"] + 50
    hand = context.new_cdp_session(page)
    for kind, apart in (("Start", 40), ("Move", 60), ("Move", 120)):
        fingers = [{"x": middle_x + side * apart / 2, "y": y, "id": number} for number, side in enumerate((-1, 1))]
        hand.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": fingers})
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function(
        "width => parseFloat(document.getElementById('lanes').style.getPropertyValue('--width')) > width",
        arg=2.9 * before_px,
    )
    assert width_px(page) == pytest.approx(3 * before_px, rel=0.02)
    between_px = scroll_px(page) + row["width"] / 2
    assert between_px / width_px(page) == pytest.approx(row["width"] / 2 / before_px, abs=0.01)
    assert at_s(page) == 0
    context.close()


def test_keys_play_and_step_from_span_to_span(page: Page, server: str) -> None:
    opened(page, server, FAILING)
    page.keyboard.press(" ")
    plays_past(page, 0.2)
    page.keyboard.press(" ")
    page.wait_for_function("() => document.getElementById('audio').paused")
    page.locator(".lane-tools .box rect").first.click()
    page.wait_for_function("() => document.getElementById('audio').paused")
    lanes = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
        lanes.append(page.evaluate("document.activeElement.closest('svg.lane').getAttribute('aria-label')"))
    assert lanes == ["Errors", "LLM", "Errors", "Line events"]
    for key in ("ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    start_s = float(page.locator(".lane-asr .box.chosen").get_attribute("data-start") or "nan")
    plays_past(page, start_s + 0.1)


def test_an_address_leads_to_a_time_and_to_a_span(page: Page, server: str) -> None:
    opened(page, server, FAILING)
    asked = page.locator(".turn", has_text="What are the postal code").first
    within_s = round(float(asked.get_attribute("data-start") or "nan") + 0.5, 2)
    page.goto("about:blank")
    opened(page, server, FAILING, f"#t={within_s}")
    assert at_s(page) == pytest.approx(within_s, abs=0.01)
    assert is_paused(page)
    expect(page.locator(".turn[aria-current]")).to_contain_text("What are the postal code")
    span = page.locator(".lane-tools .box").nth(1)
    page.goto(f"{server}{call_page(FAILING)}#span={span.get_attribute('data-id')}")
    expect(page.locator(".box.chosen")).to_have_attribute("aria-label", re.compile("identify_customer"))
    assert at_s(page) == pytest.approx(float(span.get_attribute("data-start") or "nan"), abs=0.01)


def test_the_transcript_follows_and_marks_what_was_heard_otherwise(page: Page, server: str) -> None:
    opened(page, server, FAILING)
    page.locator(".turn .at").nth(3).click()
    expect(page.locator(".turn").nth(3)).to_have_attribute("aria-current", "true")
    plays_past(page, float(page.locator(".turn").nth(3).get_attribute("data-start") or "nan"))
    misheard = page.locator(".turn", has=page.locator(".heard mark")).first
    assert misheard.locator("mark").count() > 0
    unmarked = "one => [...one.childNodes].filter(node => node.nodeName === '#text').map(node => node.data).join(' ')"
    said, heard = (misheard.locator(side).evaluate(unmarked) for side in (".said", ".heard"))
    assert re.findall(r"\w+", said.lower()) == re.findall(r"\w+", heard.lower()) != []


def test_the_failing_return_comes_out_as_the_paper_shows_it(page: Page, server: str) -> None:
    opened(page, server, FAILING)
    expect(page.locator(".verdict")).to_contain_text("failed")
    expect(page.locator(".verdict strong")).to_have_text(
        "The agent never called check_return_eligibility; it never took the handoff transfer_to_returns."
        " The final database matches."
    )
    gates = page.locator(".gate summary").all_inner_texts()
    assert [" ".join(gate.split()) for gate in gates] == ["✗ Tools failed", "✗ Handoffs failed", "✓ Database passed"]
    expect(page.locator(".combined")).to_contain_text("failed")
    names = page.locator(".lanes .name:visible").all_inner_texts()
    assert [name.split("\n") for name in names] == [
        ["Caller audio", "Agent audio"],
        ["Time"],
        *([name] for name in LANES),
    ]
    assert page.locator(".differences span").all_inner_texts() == [
        "Missing: transfer_to_returns, check_return_eligibility",
        "Parameter miss: none",
        "Extra: verify_identity",
    ]
    missing = page.locator(".toolrow.missing", has_text="check_return_eligibility")
    missing.locator("summary").click()
    expect(missing.locator("tr", has_text="order_number")).to_contain_text("KE-4479002")
    early = page.locator(".toolrow.extra")
    early.locator("summary").click()
    expect(early).to_contain_text("NO_RECORD_SELECTED")
    expect(early.locator(".side").first).to_contain_text("None recorded.")
    graphs = page.locator("figure.graph figcaption").all_inner_texts()
    assert graphs[0] == "reception → verification → returns"
    assert graphs[1].startswith("reception → verification; missing")
    expect(page.locator("#database")).to_contain_text("The final database matches the expected one.")
    expect(page.locator("#errors, .lane-errors .box")).to_have_attribute("aria-label", re.compile("NO_RECORD_SELECTED"))


def test_the_double_booking_comes_out_as_the_paper_shows_it(page: Page, server: str) -> None:
    opened(page, server, BOOKED)
    expect(page.locator(".verdict strong")).to_have_text(
        "The agent left one row in service_appointments that should not be there."
    )
    difference = page.locator("#database > .difference")
    assert " ".join(difference.locator("h3").inner_text().split()) == "extra · service_appointments · 1"
    sides = difference.locator(".sides > div")
    expect(sides.nth(0)).to_contain_text("None recorded.")
    expect(sides.nth(1)).to_contain_text("cancelled")
    assert page.locator("#database details .difference").count() == 2
    assert page.locator(".differences span").all_inner_texts()[0] == "Missing: none"
    assert "book_service_appointment, cancel_service_appointment" in page.locator(".differences").inner_text()
    booking = page.locator(".toolrow", has_text="book_service_appointment").first
    booking.locator("summary").click()
    expect(booking.locator("tr.equal", has_text="service_type")).to_contain_text("enum: bench = bench")
    assert page.locator(".gate.passed").count() == 2


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_locked_script_is_copied_whole(page: Page, server: str, key: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, server, PASSING)
    button = page.locator("#script button")
    button.focus()
    page.keyboard.press(key)
    expect(button).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#script-text").text_content()
    assert load_pack("customer_support").cases["T2-M1"].caller.opening in copied
    expect(button).to_have_text("Copy")


def test_without_leave_to_copy_the_script_is_selected(page: Page, server: str) -> None:
    opened(page, server, PASSING)
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error('no')))")
    page.locator("#script button").click()
    expect(page.locator("#script button")).to_contain_text("press Ctrl+C")
    assert page.evaluate("getSelection().toString()").strip() == page.locator("#script-text").inner_text().strip()


def test_no_page_shows_the_names_of_values_for_the_values(page: Page, server: str) -> None:
    for kind in (FAILING, BOOKED, PASSING, TEXT):
        opened(page, server, kind)
        source = page.content()
        assert "$fact." not in source
        assert "$result." not in source


def test_a_passing_call_says_so(page: Page, server: str) -> None:
    opened(page, server, PASSING)
    expect(page.locator(".verdict")).to_contain_text("passed")
    assert page.locator(".gate.passed").count() == 3
    assert page.locator(".toolrow.missing").count() == 0
    assert page.locator(".v2v tbody tr").count() > 0
    expect(page.locator("dl.facts").first).to_contain_text("Audio")


@pytest.mark.parametrize(
    ("kind", "verdict", "sentence"),
    [
        (VOID, "void", "The simulated caller broke its script, which says nothing about the agent."),
        (UNFINISHED, "unfinished", "has not ended, or was interrupted"),
        (CORRUPT, "corrupt", "cannot be read"),
        (BROKEN, "failed", "never called check_return_eligibility"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_calls_that_came_to_nothing_have_their_page(
    page: Page, server: str, runs: Path, kind: tuple[str, str], verdict: str, sentence: str
) -> None:
    answer = page.goto(f"{server}{call_page(kind)}")
    assert answer is not None
    assert answer.status == 200
    expect(page.locator(".verdict .badge")).to_have_text(re.compile(verdict, re.IGNORECASE))
    expect(page.locator(".verdict")).to_contain_text(sentence)
    expect(page.locator("#script")).to_contain_text("You are Tomas Ferreira")
    expect(page.locator(".problem")).to_have_count({VOID: 1, CORRUPT: 1, BROKEN: 2}.get(kind, 0))
    assert str(runs) not in page.content()


def test_a_void_call_says_where_its_caller_broke_the_script_and_links_its_other_attempts(
    page: Page, server: str
) -> None:
    opened(page, server, VOID)
    breach = page.locator(".problem")
    expect(breach).to_contain_text("The caller hung up before it was told: person takes over.")
    breach.get_by_role("link", name="Go to where").click()
    expect(page.locator(".box.chosen")).to_have_attribute("aria-label", re.compile("Turns: caller.speech"))
    assert at_s(page) == pytest.approx(14.4, abs=0.5)
    expect(page.locator(".combined")).to_have_text("∅ Combined void")
    expect(page.locator(".cause")).to_have_count(0)
    expect(page.locator("dl.facts").first).to_contain_text("llm (reader), voice heart")
    page.locator(".box.chosen rect").click()
    plays_past(page, 14.6)
    page.locator(".neighbours").get_by_role("link", name="3").click()
    expect(page.locator(".verdict .badge")).to_have_text("void by script")
    assert page.url == f"{server}{call_page(VOID, attempt=3)}"


def test_a_call_in_text_has_lanes_and_no_sound(page: Page, server: str) -> None:
    opened(page, server, TEXT)
    expect(page.locator("dl.facts").first).to_contain_text("Trace sample")
    assert page.locator("#audio").count() == 0
    expect(page.locator("#play")).to_be_hidden()
    expect(page.locator("#timeline")).to_contain_text("held in text")
    page.locator(".lane-tools .box rect").first.click()
    expect(page.locator("#inspector")).to_contain_text("identify_customer")
    expect(page.locator(".neighbours")).to_contain_text("Trials: 1 2")


def test_words_of_a_model_stay_text(page: Page, server: str) -> None:
    opened(page, server, INJECTED)
    assert page.title().startswith("T2-H3")
    expect(page.locator(".turn", has_text=HOSTILE).first).to_be_visible()
    page.locator(".lane-tools .box rect").first.click()
    expect(page.locator("#inspector")).to_contain_text(json.dumps(HOSTILE))
    page.locator(".toolrow", has_text="identify_customer").locator("summary").click()
    expect(page.locator(".toolrow[open] tr.plus")).to_contain_text(json.dumps(HOSTILE))
    assert page.locator("img").count() == 0
    assert page.title().startswith("T2-H3")


def test_a_narrow_window_scrolls_nothing_sideways(page: Page, server: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    opened(page, server, FAILING)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".lane-turns .box.agent").first.click()
    plays_past(page, 0.3)
