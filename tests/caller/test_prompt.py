"""The prompt of a caller that a model plays: all of its part, nothing of the solution, and a version."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from voicebench.caller.prompt import HEADINGS, PROMPT_VERSION, caller_prompt, check_prompt
from voicebench.caller.script import forbids_of
from voicebench.config import load_pipeline
from voicebench.config.caller import Caller, CallerLlm
from voicebench.errors import ConfigError
from voicebench.language.intents import Intents
from voicebench.language.slots import IntentsSpec
from voicebench.packs import Pack, load_pack
from voicebench.packs.models import CallerScript

pytestmark = pytest.mark.unit

VERSIONS = {1: "df8bbd26", 2: "9513c281", 3: "b28c1354"}
"""Version to the beginning of the prompt's hash for ``PART``; the first knew no meanings."""

PART: dict[str, Any] = {
    "facts": {"code_word": {"value": "1234", "forms": ["one", "two", "three"]}},
    "opening": "Hello.",
    "brief": "You want a thing.",
    "answers": [
        {"asked": "code_word", "give": ["code_word"], "say": "Here it is.", "sets": "given"},
        {"heard": "no_luck", "say": "Pity.", "times": 2, "needs": ["given"], "interrupt_after_words": 4},
    ],
    "forbids": [{"said": "shout", "offered": "no_luck", "before": "given", "except": "opening"}],
    "closing": "Goodbye.",
    "hangs_up": {"heard": "luck", "needs": ["given"]},
    "give_up": "Enough.",
}

INTENTS: dict[str, Any] = {
    "asked": {"code_word": "code"},
    "heard": {"no_luck": "no luck", "luck": "luck"},
    "said": {"shout": "hey"},
    "meanings": {"asked": {"code_word": "they ask for the secret"}, "heard": {"luck": "they say that you have won"}},
}
"""Two of them are told by their meanings, two by their names."""


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("customer_support")


def test_it_holds_the_whole_part_word_for_word(pack: Pack) -> None:
    intents = Intents(pack.spec.intents)
    for case in pack.cases.values():
        script, prompt = case.caller, caller_prompt(case.caller, pack.spec)
        facts = [text for fact in script.facts.values() for text in (fact.value, *fact.forms)]
        says = [rule.say for rule in script.answers if rule.say]
        for text in (script.brief.strip(), script.opening, script.closing, script.give_up, *facts, *says):
            assert text in prompt, (case.id, text)
        assert prompt.count("- anything in which you ") == len(forbids_of(script, pack.spec, intents))
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
    assert f"as soon as they say that it has been canceled (cancel confirmed), {said}." in prompt
    offer = "they ask whether they should cancel it, or offer to (asks to cancel)"
    assert f'- If {offer}, {said} -> say "Yes, please cancel that appointment."' in prompt
    assert "(ask cancel), until you have said" in prompt
    assert ", except in your first sentence" in prompt
    assert '(coverage told), at most 1 time -> say "Good, then please book' in prompt


def test_a_condition_that_is_met_by_giving_something_says_so() -> None:
    legal = load_pack("legal")
    prompt = caller_prompt(legal.cases["L3-H2"].caller, legal.spec)
    assert "(asks for a day), after you have given your consult date -> give your consult date" in prompt


def test_what_is_heard_stands_before_what_is_asked(pack: Pack) -> None:
    prompt = caller_prompt(pack.cases["T2-H3"].caller, pack.spec)
    heard, asked = (prompt.split(f"## {heading}")[1].split("\n## ")[0] for heading in HEADINGS[3:5])
    assert (heard.count("\n- If they "), asked.count("\n- If they ")) == (5, 17)
    assert "(callback offered)" in heard
    assert "- If they ask for your name, or who is calling (full name) -> give your full name" in asked


def test_an_intent_is_told_by_its_meaning_and_without_one_by_its_name(pack: Pack) -> None:
    intents = IntentsSpec.model_validate(INTENTS)
    prompt = caller_prompt(
        CallerScript.model_validate(PART), pack.spec.model_copy(update={"intents": intents, "forbids": []})
    )
    assert 'If they ask for the secret (code word) -> give your code word and say "Here it is."' in prompt
    assert 'If they tell you this (no luck), after you have said "Here it is.", at most 2 times, break in' in prompt
    assert 'as soon as they say that you have won (luck), after you have said "Here it is.".' in prompt
    assert "- anything in which you say this (shout), until you have said" in prompt
    assert ". Do not say yes when they tell you this (no luck)\n" in prompt


@pytest.mark.parametrize("name", ["customer_support", "healthcare", "legal"])
def test_no_caller_of_a_shipped_pack_is_told_a_bare_name(name: str) -> None:
    shipped = load_pack(name)
    for case in shipped.cases.values():
        prompt = caller_prompt(case.caller, shipped.spec)
        for bare in ("they ask for this (", "they tell you this (", "you say this ("):
            assert bare not in prompt, case.id


def test_another_prompt_is_another_version(pack: Pack) -> None:
    """Who changes the prompt raises ``PROMPT_VERSION`` and what ``caller.llm.prompt`` may be, and adds the hash."""
    intents = IntentsSpec.model_validate(INTENTS)
    prompt = caller_prompt(
        CallerScript.model_validate(PART), pack.spec.model_copy(update={"intents": intents, "forbids": []})
    )
    assert sha256(prompt.encode()).hexdigest()[:8] == VERSIONS[PROMPT_VERSION]
    assert CallerLlm().prompt == PROMPT_VERSION


def test_an_earlier_prompt_is_told_to_nobody() -> None:
    check_prompt(Caller(kind="llm"))
    check_prompt(Caller(kind="scripted", llm=CallerLlm(prompt=1)))
    with pytest.raises(ConfigError, match=r"caller\.llm\.prompt is 1, and callers are now told prompt 3: set caller"):
        check_prompt(Caller(kind="llm", llm=CallerLlm(prompt=1)))
    with pytest.raises(ConfigError, match=r"--set caller\.llm\.prompt=4: 'caller\.llm\.prompt' is 4"):
        load_pipeline("fast", ["caller.llm.prompt=4"])
