"""What intents mean, in words: every intent of a shipped pack has a meaning, and a pack's meanings are checked."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from voicebench.language.slots import IntentsSpec
from voicebench.packs import load_pack
from voicebench.packs.crossrefs import check_pack

pytestmark = pytest.mark.unit

MINIMAL = Path(__file__).parent / "minimal_pack"
KINDS = ("asked", "heard", "said")


@pytest.mark.parametrize("name", ["customer_support", "healthcare", "legal"])
def test_every_intent_of_a_shipped_pack_has_a_meaning_of_its_own(name: str) -> None:
    intents = load_pack(name).spec.intents
    for kind in KINDS:
        meanings = getattr(intents.meanings, kind)
        assert list(meanings) == list(getattr(intents, kind)), f"intents.meanings.{kind}: one for each, in their order"
        assert len(set(meanings.values())) == len(meanings), f"two intents of {kind} mean the same"


def test_a_pack_may_say_what_some_of_its_intents_mean(tmp_path: Path) -> None:
    assert load_pack(MINIMAL).spec.intents.meanings.heard == {}
    shutil.copytree(MINIMAL, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "copy" / "pack.yaml").open("a") as file:
        file.write("  meanings: {heard: {renewed: they say that the loan has been renewed}}\n")
    pack = load_pack(tmp_path / "copy")
    assert pack.spec.intents.meanings.heard == {"renewed": "they say that the loan has been renewed"}


@pytest.fixture(scope="module")
def problems() -> Any:
    """The problems of the minimal pack with some meanings, as far as they are about those."""
    pack = load_pack(MINIMAL)

    def found(**meanings: dict[str, str]) -> list[str]:
        intents = pack.spec.intents.model_dump(exclude={"meanings"}) | {"meanings": meanings}
        spec = pack.spec.model_copy(update={"intents": IntentsSpec.model_validate(intents)})
        return [problem for problem in check_pack(spec, {}, pack.tools, {}) if "meanings" in problem]

    return found


def test_a_meaning_belongs_to_an_intent(problems: Any) -> None:
    assert problems(heard={"renewed": "they say so"}, said={"ask_letter": "you ask for it"}) == []
    assert problems(heard={"renewd": "they say so"}) == [
        "pack.yaml: intents.meanings.heard: no intent 'renewd'; did you mean 'renewed'?"
    ]
    assert len(problems(said={"renewed": "you say so"})) == 1


@pytest.mark.parametrize(
    "meaning",
    [
        "",
        "they",
        "it is renewed",
        "you say so",
        "They say so",
        "they say so.",
        "they say so ",
        "they say (or write) so",
        'they say "so"',
        "they say so -> say yes",
        "they say so\nthey do",
        "they " + "s" * 116,
    ],
)
def test_a_meaning_is_one_short_clause_about_the_agent_or_the_caller(problems: Any, meaning: str) -> None:
    [told] = problems(heard={"renewed": meaning})
    assert told.startswith(f"pack.yaml: intents.meanings.heard.renewed: {meaning!r} is no meaning; write one clause")
    assert "begins with 'they', at most 120 characters" in told
    assert "begins with 'you'" in problems(said={"ask_letter": "they ask for a letter"})[0]
