"""The prompt of a caller that a model plays: all of its part, nothing of the solution, and a version."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from voicebench.caller.prompt import HEADINGS, PROMPT_VERSION, caller_prompt
from voicebench.config.caller import CallerLlm
from voicebench.packs import Pack, load_pack
from voicebench.packs.models import CallerScript

pytestmark = pytest.mark.unit

VERSIONS = {1: "df8bbd26"}
"""Version to the beginning of the prompt's hash for ``PART``."""

PART: dict[str, Any] = {
    "facts": {"code_word": {"value": "1234", "forms": ["one", "two", "three"]}},
    "opening": "Hello.",
    "brief": "You want a thing.",
    "answers": [
        {"asked": "code_word", "give": ["code_word"], "say": "Here it is.", "sets": "given"},
        {"heard": "no_luck", "say": "Pity.", "times": 2, "needs": ["given"], "interrupt_after_words": 4},
    ],
    "forbids": [{"said": "shout", "before": "given", "except": "opening"}],
    "closing": "Goodbye.",
    "hangs_up": {"heard": "luck", "needs": ["given"]},
    "give_up": "Enough.",
}


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("customer_support")


def test_it_holds_the_whole_part_word_for_word(pack: Pack) -> None:
    for case in pack.cases.values():
        script, prompt = case.caller, caller_prompt(case.caller, pack.spec)
        facts = [text for fact in script.facts.values() for text in (fact.value, *fact.forms)]
        says = [rule.say for rule in script.answers if rule.say]
        for text in (script.brief.strip(), script.opening, script.closing, script.give_up, *facts, *says):
            assert text in prompt, (case.id, text)
        assert prompt.count("- this: ") == len(script.forbids)
        assert [line.removeprefix("## ") for line in prompt.splitlines() if line.startswith("## ")] == list(HEADINGS)


def test_it_holds_no_tool_and_nothing_of_what_is_expected(pack: Pack) -> None:
    snapshot = pack.snapshot()
    for case in pack.cases.values():
        prompt = caller_prompt(case.caller, pack.spec)
        assert [name for name in (*snapshot.tools, *case.expect.handoffs) if name in prompt] == []
        for text in (case.measures, case.why, case.succeeds_when):
            assert text not in prompt


def test_conditions_are_told_by_what_the_caller_has_said(pack: Pack) -> None:
    prompt = caller_prompt(pack.cases["T3-H4"].caller, pack.spec)
    said = 'after you have said "I cannot make that one, so please cancel it."'
    assert f"You hang up as soon as you hear: cancel confirmed, {said}." in prompt
    assert f'- If you hear: asks to cancel ({said}) -> say "Yes, please cancel that appointment."' in prompt
    assert "- this: ask cancel, before you have said" in prompt
    assert "except in your first sentence" in prompt
    assert '(at most 1 time) -> say "Good, then please book' in prompt


def test_another_prompt_is_another_version(pack: Pack) -> None:
    """Who changes the prompt raises ``PROMPT_VERSION`` and what ``caller.llm.prompt`` may be, and adds the hash."""
    prompt = caller_prompt(CallerScript.model_validate(PART), pack.spec)
    assert sha256(prompt.encode()).hexdigest()[:8] == VERSIONS[PROMPT_VERSION]
    assert CallerLlm().prompt == PROMPT_VERSION
