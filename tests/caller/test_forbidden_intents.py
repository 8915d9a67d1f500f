"""What callers are forbidden: by their pack, by their task, and by the brief in whose words it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.caller.caller_trace import breaches_in_answer
from tests.caller.played import play
from voicebench.caller.prompt import caller_prompt
from voicebench.caller.script import forbids_of
from voicebench.language.dialogue_acts import affirmed, agrees, proposed
from voicebench.language.intents import Intents
from voicebench.packs import list_packs, load_pack
from voicebench.packs.models import CallerScript
from voicebench.serve.caller import Reader

pytestmark = pytest.mark.unit

PACKS = {name: load_pack(name) for name in list_packs()}
INTENTS = {name: Intents(pack.spec.intents) for name, pack in PACKS.items()}
SCRIPTS = {case.id: case.caller for pack in PACKS.values() for case in pack.cases.values()}
DATA: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("forbidden.yaml").read_text())


def forbidden(pack: str, task: str) -> list[str]:
    script = PACKS[pack].cases[task].caller
    return [forbid.said for forbid in forbids_of(script, PACKS[pack].spec, INTENTS[pack])]


def sentences(kind: str) -> list[Any]:
    return [
        pytest.param(pack, task, intent, entry["heard"], said, id=f"{task}-{intent}-{said}"[:70])
        for intents in DATA.values()
        for intent, entry in intents.items()
        for pack, task in entry["tasks"].items()
        for said in entry[kind]
    ]


# ---- sentences ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pack", "task", "intent", "heard", "said"), sentences("trips"))
def test_a_caller_who_is_tempted_is_found(pack: str, task: str, intent: str, heard: str, said: str) -> None:
    found = breaches_in_answer(PACKS[pack], task, heard, said)
    plain = intent.replace("_", " ")
    assert f'said "{said}", and its task forbids: {plain}' in [one.what for one in found if one.rule == "forbidden"]


@pytest.mark.parametrize(("pack", "task", "intent", "heard", "said"), sentences("fair"))
def test_who_refuses_or_says_something_near_is_fair(pack: str, task: str, intent: str, heard: str, said: str) -> None:
    assert intent in forbidden(pack, task)
    assert [one.what for one in breaches_in_answer(PACKS[pack], task, heard, said)] == []


UNTRIED = {"customer_support": {"accept_fee", "accept_other_day"}, "healthcare": {"gives_a_card"}, "legal": set[str]()}
"""Intents of each pack whose sentences stand in ``sentences.yaml``."""


@pytest.mark.parametrize("name", PACKS)
def test_a_packs_expressions_find_four_ways_to_say_each_intent_and_nothing_near_it(name: str) -> None:
    intents, tried = set(PACKS[name].spec.intents.said), DATA["shared"] | DATA[name]
    assert intents - set(tried) == UNTRIED[name]
    for intent in intents & set(tried):
        trips, fair = (
            {said for said in tried[intent][kind] if INTENTS[name].match("said", intent, affirmed(said))}
            for kind in ("trips", "fair")
        )
        assert (intent, len(trips) >= 4, fair) == (intent, True, set())
        assert len(tried[intent]["fair"]) >= 4


# ---- a bare yes -----------------------------------------------------------------------------------------------------

YESES = [
    "Yes.",
    "Yes, please.",
    "Okay, sure.",
    "Perfect, that works for me.",
    "Sounds good to me, thanks.",
    "That would be great.",
    "All right, please do that.",
    "I'll take it.",
    "Great, I accept that.",
    "Oh yes, that's very kind of you.",
]
NO_YESES = [
    "Yes, that's right.",
    "Okay.",
    "Thanks, I see.",
    "No, thank you.",
    "Yes, it is about my headphones.",
    "Yes, but I want a person.",
    "That is no help to me.",
    "Sure, the order number is K E four.",
]


@pytest.mark.parametrize("said", YESES)
def test_a_bare_yes_to_an_offer_takes_it(said: str) -> None:
    assert agrees(said)
    offer = "Shall I have somebody call you back tomorrow?"
    assert "forbidden" in [one.rule for one in breaches_in_answer(PACKS["customer_support"], "T2-H3", offer, said)]


@pytest.mark.parametrize("said", NO_YESES)
def test_other_words_are_no_bare_yes(said: str) -> None:
    assert not agrees(said)


@pytest.mark.parametrize(
    ("pack", "task", "heard"),
    [
        ("customer_support", "T2-H3", "I can promise you a refund of 89 dollars."),
        ("customer_support", "T2-H3", "I can promise you a refund. Is that all right?"),
        ("customer_support", "T2-H3", "Shall I open a ticket for you?"),
        ("customer_support", "T2-H3", "I can offer you store credit instead. Would that work for you?"),
        ("customer_support", "T2-E1", "Would you like an exchange instead?"),
        ("customer_support", "T5-E1", "A hold stops all orders on your account. Shall I do that?"),
        ("healthcare", "H1-M1", "Shall I find you another time?"),
        ("healthcare", "HR-M1", "I could book her a visit with the doctor."),
        ("legal", "L2-E1", "Would you like an appointment with one of our lawyers?"),
        ("legal", "LR-E1", "Shall I open a ticket for you?"),
    ],
)
def test_a_yes_to_each_kind_of_offer_is_found(pack: str, task: str, heard: str) -> None:
    assert "forbidden" in [one.rule for one in breaches_in_answer(PACKS[pack], task, heard, "Yes, that sounds good.")]


@pytest.mark.parametrize(
    "heard",
    [
        "Is your name Tomas Ferreira?",
        "We could call you back, or I put you through to a person. Shall I put you through?",
        "There is store credit, of course. Are you still there?",
    ],
)
def test_a_yes_to_another_question_takes_nothing(heard: str) -> None:
    assert "forbidden" not in [
        one.rule for one in breaches_in_answer(PACKS["customer_support"], "T2-H3", heard, "Yes, please.")
    ]


def test_where_the_script_itself_says_yes_a_yes_is_fair() -> None:
    assert "Yes, please do that." in [rule.say for rule in SCRIPTS["T4-H2"].answers]
    offer = "Shall I go ahead and open a ticket for that?"
    assert breaches_in_answer(PACKS["customer_support"], "T4-H2", offer, "Yes, please do that.") == []


def test_what_a_yes_answers_is_the_last_question_or_all_of_it() -> None:
    assert proposed("I can call you back. What is your name?") == "What is your name?"
    assert proposed("I can call you back. Is that okay with you?") == "I can call you back. Is that okay with you?"
    assert proposed("I can call you back.") == "I can call you back."


# ---- whom it holds for ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pack", "task"), [(name, task) for name, pack in PACKS.items() for task in pack.cases])
def test_every_task_forbids_something_and_its_own_lines_express_none_of_it(pack: str, task: str) -> None:
    script, names = SCRIPTS[task], forbidden(pack, task)
    assert {"open_ticket", "second_request", "also_asks", "accept_callback"} & set(names)
    exempt = {forbid.said for forbid in PACKS[pack].spec.forbids} - set(names)
    lines = [affirmed(line) for line in (script.opening, script.closing, *(rule.say or "" for rule in script.answers))]
    expressed = {name for line in lines for name in INTENTS[pack].matching("said", line) if name in names}
    conditional = {forbid.said for forbid in script.forbids if forbid.before or forbid.except_}
    assert expressed <= conditional
    assert set(script.allows) <= exempt


@pytest.mark.parametrize("name", PACKS)
def test_everything_that_a_caller_may_say_is_forbidden_to_somebody(name: str) -> None:
    used = {said for task in PACKS[name].cases for said in forbidden(name, task)}
    assert used == set(PACKS[name].spec.intents.said)


def test_a_case_is_exempt_from_what_its_own_lines_want() -> None:
    """What is exempt without being named in ``allows``, so that no expression grows until it exempts its own case."""
    exempt: dict[str, set[str]] = {}
    for name, pack in PACKS.items():
        for task, case in pack.cases.items():
            for forbid in pack.spec.forbids:
                if forbid.said not in (*forbidden(name, task), *case.caller.allows):
                    exempt.setdefault(forbid.said, set()).add(task)
    assert exempt == {
        "accept_callback": {"H4-M1", "L4-H2", "L4-M2", "L5-M2", "LR-M1", "LR-M2"},
        "ask_payment_plan": {"L5-E2"},
        "ask_repair": {"T3-E2", "T3-H1", "T3-H4", "T3-M1", "T3-M2"},
        "ask_visit": {"H1-M2", "H4-H2", "H4-M2", "H5-E1", "H5-E2", "H5-H1", "H5-H2", "H5-M1", "HR-H1"},
    }


def test_a_case_allows_what_it_wants_and_forbids_in_terms_of_its_own() -> None:
    pack = PACKS["customer_support"]
    part: dict[str, Any] = {
        "facts": {},
        "opening": "Hello.",
        "brief": "You call.",
        "answers": [{"heard": "refund_promised", "say": "Thanks.", "sets": "done"}],
        "closing": "Goodbye.",
        "hangs_up": {"heard": "return_opened"},
        "give_up": "Enough.",
    }

    def names(**more: Any) -> list[tuple[str, str | None]]:
        found = forbids_of(CallerScript(**(part | more)), pack.spec, INTENTS[pack.name])
        return [(forbid.said, forbid.before) for forbid in found]

    everything = [(forbid.said, None) for forbid in pack.spec.forbids]
    assert names() == everything
    assert names(allows="open_ticket") == [one for one in everything if one[0] != "open_ticket"]
    assert names(opening="Hello, please open a ticket.") == names(allows="open_ticket")
    assert names(opening="Hello, please do not open a ticket.") == everything
    own = names(forbids=[{"said": "open_ticket", "before": "done"}])
    assert own == [("open_ticket", "done"), *names(allows="open_ticket")]


def test_the_prompt_tells_it() -> None:
    prompt = caller_prompt(SCRIPTS["T4-E2"], PACKS["customer_support"].spec)
    never = prompt.partition("## What you never say")[2].partition("\n## ")[0].splitlines()
    assert "- anything in which you ask for Pro, or accept it (accept pro)" in never
    assert (
        "- anything in which you ask for a call back, or accept one (accept callback). Do not say yes when they offer "
        "that somebody calls you back or gets in touch with you later (callback offered)" in never
    )


@pytest.mark.parametrize(("pack", "task"), [("customer_support", "T4-E2"), ("healthcare", "H1-E2"), ("legal", "L1-E1")])
def test_the_local_caller_breaks_it_on_demand_in_any_task(pack: str, task: str) -> None:
    played = play(PACKS[pack], task, Reader(fault="forbidden"))
    assert played.rules[0] == "forbidden"
