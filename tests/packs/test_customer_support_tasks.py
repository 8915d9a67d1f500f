"""The tasks of Kestrel Electronics: their solutions replayed, and what their callers may say."""

from __future__ import annotations

import re
from typing import Any

import pytest

from voicebench.language.dialogue_acts import affirmed
from voicebench.language.extract import extract
from voicebench.language.intents import Intents
from voicebench.packs import ToolContext, diff_state, dump_state
from voicebench.packs.loader import Pack, load_pack
from voicebench.packs.models import Case, Step
from voicebench.record.verdict import MadeHandoff, MadeToolCall
from voicebench.verify import Evidence, verify_call

pytestmark = pytest.mark.unit

TASKS = list(load_pack("customer_support").cases)


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("customer_support")


@pytest.fixture(scope="module")
def intents(pack: Pack) -> Intents:
    return Intents(pack.spec.intents)


@pytest.fixture
def desk(pack: Pack) -> ToolContext:
    return pack.open_context()


def dig(results: Any, path: str) -> Any:
    for key in path.split("."):
        results = results[int(key) if isinstance(results, list) else key]
    return results


def resolve(value: Any, case: Case, results: dict[str, Any]) -> Any:
    if value == {"any": True}:
        return case.caller.opening
    if isinstance(value, dict):
        return value["one_of"][0]
    if isinstance(value, str) and value.startswith("$fact."):
        return case.caller.facts[value.removeprefix("$fact.")].value
    if isinstance(value, str) and value.startswith("$result."):
        return dig(results, value.removeprefix("$result."))
    return value


def made(name: str, arguments: dict[str, Any], result: dict[str, Any]) -> MadeToolCall:
    return MadeToolCall(name=name, arguments=arguments, result=result, agent="", start_s=0, after_hangup=False)


def said(step: Step, case: Case, results: dict[str, Any]) -> str:
    text = step.say or ""
    return re.sub(r"\$result(\.\w+)+", lambda match: str(resolve(match[0], case, results)), text)


def replay(pack: Pack, desk: ToolContext, case: Case) -> tuple[list[MadeToolCall], list[str], list[str]]:
    """Run a solution with the facts' values; return calls, sentences and handoffs."""
    results: dict[str, Any] = {}
    calls: list[MadeToolCall] = []
    sentences, path = [], []
    for step in case.solution:
        if step.say:
            sentences.append(said(step, case, results))
        if step.hand_off:
            path.append(step.hand_off)
        if step.call:
            arguments = {name: resolve(value, case, results) for name, value in step.with_.items()}
            results[step.call] = pack.tools[step.call].invoke(desk, arguments)
            calls.append(made(step.call, arguments, results[step.call]))
    return calls, sentences, path


@pytest.mark.parametrize("task", TASKS)
def test_the_solution_passes_and_leaves_exactly_the_written_rows(pack: Pack, desk: ToolContext, task: str) -> None:
    case = pack.cases[task]
    before = dump_state(desk.db, pack.spec)
    calls, _, path = replay(pack, desk, case)
    difference = diff_state(before, dump_state(desk.db, pack.spec), pack.spec)
    assert [call.error_code for call in calls] == [step.refused for step in case.solution if step.call]
    handoffs = [MadeHandoff(name=tool, from_agent="", to_agent="", start_s=0) for tool in path]
    verdict = verify_call(pack.snapshot(), case, Evidence(calls, handoffs, difference))
    assert verdict.passed, verdict.gates
    assert verdict.reward == 1.0
    count = sum(len(changes) for changes in case.expect.rows.values())
    assert count == sum(table.count for table in difference.tables.values()) > 0


@pytest.mark.parametrize("task", TASKS)
def test_reading_alone_leaves_the_seed_and_so_fails(pack: Pack, desk: ToolContext, task: str) -> None:
    case = pack.cases[task]
    before = dump_state(desk.db, pack.spec)
    reads = [step for step in case.solution if step.call and not pack.tools[step.call].writes]
    replay(pack, desk, case.model_copy(update={"solution": reads}))
    assert dump_state(desk.db, pack.spec) == before
    assert case.expect.rows


@pytest.mark.parametrize("task", TASKS)
def test_the_last_sentence_of_a_solution_is_the_cue_to_hang_up(
    pack: Pack, desk: ToolContext, intents: Intents, task: str
) -> None:
    case = pack.cases[task]
    *earlier, last = replay(pack, desk, case)[1]
    assert intents.match("heard", case.caller.hangs_up.heard, last)
    assert not any(intents.match("heard", case.caller.hangs_up.heard, text) for text in earlier)


def test_the_sentences_of_the_service_call_lead_the_caller_on(pack: Pack, desk: ToolContext, intents: Intents) -> None:
    covered, booked, cancelled = replay(pack, desk, pack.cases["T3-H4"])[1]
    assert intents.match("heard", "coverage_told", covered)
    assert not intents.match("heard", "booked_day_and_time", covered)
    assert intents.match("heard", "booked_day_and_time", booked)
    assert intents.matching("heard", cancelled)[:1] == ["cancel_confirmed"]


@pytest.mark.parametrize("task", TASKS)
def test_no_caller_says_what_its_script_forbids(pack: Pack, intents: Intents, task: str) -> None:
    script = pack.cases[task].caller
    for forbidden in script.forbids:
        allowed = {rule.sets for rule in script.answers} - {None}
        lines = [script.closing, script.give_up]
        lines += [r.say for r in script.answers if r.say and not (forbidden.before and {r.sets, *r.needs} & allowed)]
        lines += [] if forbidden.except_ == "opening" else [script.opening]
        for line in lines:
            assert not intents.match("said", forbidden.said, affirmed(line)), (forbidden.said, line)


@pytest.mark.parametrize("task", TASKS)
def test_every_form_of_a_fact_says_its_value_in_a_way_of_its_own(pack: Pack, task: str) -> None:
    for name, fact in pack.cases[task].caller.facts.items():
        spec = pack.spec.facts[name]
        assert len(set(fact.forms)) == len(fact.forms) >= 3
        if spec.type not in {"id", "phone", "date", "number"}:
            continue
        plain = re.sub(r"[^A-Z0-9]", "", fact.value.upper())
        for form in fact.forms:
            found = extract(spec, form, today=pack.today)
            assert found, (name, form)
            assert re.sub(r"[^A-Z0-9]", "", found[0].upper()) == plain, (name, form)
            assert "double" not in form
            assert "." not in form
