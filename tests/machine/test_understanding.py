"""What the scripted caller understands of labelled turns, counted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from voicebench.cli import main
from voicebench.errors import ConfigError
from voicebench.language.labels import Act, Detail
from voicebench.machine.benches.labelled_turns import LabelledTurn, read_turns
from voicebench.machine.benches.understanding import HeardTurn, comprehension, hear_turns, own_trade
from voicebench.packs import Pack, load_pack

pytestmark = pytest.mark.unit


ASKED = {
    "full_name": "blarn",
    "order_number": "dwiv",
    "phone": "gruk",
    "return_reason": "jolp",
    "identity": "kwim",
    "proceed": "mufta",
    "other_proof": "nelb",
}
HEARD = {"person_takes_over": "porv", "callback_offered": "queb"}
"""Words that only the expressions below know."""


@pytest.fixture(scope="module")
def pack() -> Pack:
    """The shop with expressions of our own, so that these tests are about counting and not about language."""
    shop = load_pack("customer_support")
    asked = {name: [f"\\b{ASKED[name]}\\b"] if name in ASKED else [] for name in shop.spec.intents.asked}
    heard = {name: [f"\\b{HEARD[name]}\\b"] if name in HEARD else [] for name in shop.spec.intents.heard}
    labels = {
        "full_name": ["full_name"],
        "order_number": ["order_number"],
        "reason": ["issue", "return_reason"],
        "proceed": ["proceed"],
        "not_found": ["identity"],
        "transfers_now": ["person_takes_over"],
        "offers_callback": ["callback_offered"],
        "other": ["other_proof"],
    }
    own = {"asked": asked, "heard": heard, "labels": labels, "details": {}, "examples": {}, "questions": {}}
    intents = shop.spec.intents.model_copy(update=own)
    return replace(shop, spec=shop.spec.model_copy(update={"intents": intents}))


def turn(text: str, *labels: Detail | Act, value: str | None = None, value_of: str | None = None) -> LabelledTurn:
    details = [one for one in labels if one in get_args(Detail)]
    acts = [one for one in labels if one in get_args(Act)]
    line = {"id": text, "text": text, "asks": details, "acts": acts, "value": value, "value_of": value_of}
    return LabelledTurn.model_validate(line)


def heard(pack: Pack, one: LabelledTurn) -> HeardTurn:
    return hear_turns(pack, [one], None)[0]


GIBBERISH = "Blue glass often?"


@pytest.mark.parametrize(
    ("one", "outcome"),
    [
        (turn("Blarn?", "full_name"), "right"),
        (turn("Blarn and dwiv?", "full_name", "order_number"), "right"),
        (turn("Blarn?", "full_name", "order_number"), "partly"),
        (turn("Blarn and gruk?", "full_name"), "unasked"),
        (turn("Gruk?", "full_name"), "else"),
        (turn(GIBBERISH, "full_name"), "sorry"),
        (turn("One moment please.", "full_name"), "waits"),
        (turn("Jolp?", "reason"), "right"),
        (turn("Porv?", "transfers_now"), "right"),
        (turn("We will call you back tomorrow.", "offers_callback"), "right"),
        (turn("We will call you back tomorrow, mufta?", "offers_callback"), "right"),
        (turn("One moment please.", "hold"), "right"),
        (turn(GIBBERISH, "hold", "working"), "sorry"),
        (turn("Gruk?", "thanks"), "else"),
        (turn("Kwim?", "not_found"), "right"),
        (turn("Blarn?", "not_found", "full_name"), "right"),
        (turn(GIBBERISH, "done"), None),
        (turn("Nelb?", "other"), None),
    ],
)
def test_each_turn_comes_out_in_one_way(pack: Pack, one: LabelledTurn, outcome: str | None) -> None:
    assert heard(pack, one).outcome == outcome


def test_counts_are_those_of_the_turns(pack: Pack) -> None:
    turns = [
        turn("Blarn?", "full_name"),
        turn("Blarn, so far?", "full_name", "order_number"),
        turn("Blarn and gruk?", "full_name", "proceed"),
        turn("One moment please.", "proceed"),
        turn(GIBBERISH, "proceed"),
        turn("One moment.", "hold"),
        turn("Gruk?", "working"),
        turn("Blue is glass?", "goodbye"),
        turn("One moment, bye.", "goodbye"),
    ]
    assert comprehension(hear_turns(pack, turns, None)).to_json() == {
        "measured": 7,
        "right": 2,
        "unasked": 0,
        "partly": 1,
        "waits": 1,
        "sorry": 1,
        "not_understood": 3,
        "statements": {"sorry": 1, "of": 2},
        "silences": {"answered": 1, "of": 2},
        "recall": {"(must wait)": [1, 2], "asks:full_name": [3, 3], "asks:order_number": [0, 1], "proceed": [0, 3]},
        "precision": {"(waits)": [2, 3], "full_name": [3, 3], "phone": [0, 2]},
    }


def test_asked_to_repeat_it_gives_the_number_again(pack: Pack) -> None:
    spec = pack.spec.model_copy(
        update={
            "facts": {
                **pack.spec.facts,
                "order_number": pack.spec.facts["order_number"].model_copy(update={"question": "Dwiv?"}),
            }
        }
    )
    asked = replace(pack, spec=spec)
    one = heard(asked, turn("Dwiv?", "repeat_unnamed"))
    assert (one.outcome, one.reaction) == ("right", frozenset({"(repeats)"}))
    assert heard(asked, turn("Gruk?", "repeat_unnamed")).outcome == "else"


def test_a_read_back_is_heard_by_who_said_it_and_by_who_did_not(pack: Pack) -> None:
    spoken = turn("So the number is KE1234567, is that right?", "read_back", value="KE1234567", value_of="order_number")
    assert heard(load_pack("customer_support"), spoken).read_backs == {
        "read_back (right)": True,
        "read_back (wrong)": True,
    }
    assert heard(pack, turn("So the green one?", "read_back", value="green", value_of="which_item")).read_backs == {}


def test_words_of_other_trades_are_left_out(pack: Pack) -> None:
    turns = [turn("Blarn?", "full_name"), turn("Your reservation number?", "order_number")]
    assert [one.turn for one in own_trade(hear_turns(pack, turns, None))] == turns[:1]


@pytest.mark.parametrize("name", ["customer_support", "healthcare", "legal"])
def test_the_caller_of_each_pack_answers_every_question(name: str) -> None:
    shipped = load_pack(name)
    for fact, spec in shipped.spec.facts.items():
        one = hear_turns(shipped, [turn(spec.question, "done")], None)[0]
        assert "(sorry)" not in one.reaction, (fact, spec.question)


def command(*arguments: str) -> int:
    """Run ``bench understanding`` by rules; return its exit code."""
    with pytest.raises(SystemExit) as exited:
        main(["bench", "understanding", "--understanding", "rules", *arguments])
    return int(str(exited.value.code))


# ---- files ----------------------------------------------------------------------------------------------------------


def written(folder: Path, *lines: str) -> str:
    path = folder / "turns.jsonl"
    path.write_text("\n".join(lines))
    return str(path)


GOOD = json.dumps({"id": "a", "text": "May I have your name?", "asks": ["full_name"], "acts": []})


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "turns.jsonl:3: no JSON object"),
        ("[]", "turns.jsonl:3: "),
        (
            '{"id": "b", "text": "", "asks": ["shoe_size"], "acts": []}',
            "3: 'shoe_size' is no label of 'asks'",
        ),
        (
            '{"id": "b", "text": "", "asks": [], "acts": ["full_name"]}',
            "3: 'full_name' is no label of 'acts'",
        ),
        ('{"id": "b", "asks": []}', "turns.jsonl:3: text: Field required"),
        (GOOD, "turns.jsonl:3: the id 'a' is that of line 1 too"),
    ],
)
def test_a_line_that_is_no_turn_is_named(
    line: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(written(tmp_path, GOOD, "", line)) == 2
    assert problem in capsys.readouterr().err


def test_a_file_without_turns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no turn in it"):
        read_turns(Path(written(tmp_path, "")))
    with pytest.raises(ConfigError, match="cannot be read"):
        read_turns(tmp_path / "absent.jsonl")


def test_the_command_prints_counts_of_one_pack_or_of_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, GOOD)
    assert command(path, "--pack", "legal", "--json") == 0
    legal = json.loads(capsys.readouterr().out)
    assert (legal["measured"], legal["right"], legal["own_trade"]["measured"]) == (1, 1, 1)
    assert command(path, "--json") == 0
    packs = json.loads(capsys.readouterr().out)["packs"]
    assert sorted(packs) == ["customer_support", "healthcare", "legal"]
    assert packs["legal"] == legal


def test_the_command_prints_what_went_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = json.dumps({"id": "odd", "text": "Is the sky green over there?", "asks": ["phone"], "acts": []})
    assert command(written(tmp_path, GOOD, wrong), "--pack", "legal", "--misses", "5") == 0
    printed = capsys.readouterr().out
    assert "odd, " in printed
    assert "missed: asks:phone" in printed


def test_a_file_or_a_run_is_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command() == 2
    assert "--from RUN" in capsys.readouterr().err
    assert command("--from", str(tmp_path)) == 2
    assert "run.json: not there" in capsys.readouterr().err
