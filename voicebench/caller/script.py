"""Lines of a caller's script: what it may not say, joining phrases to one sentence, comparing word for word."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from voicebench.language.dialogue_acts import affirmed, sentences
from voicebench.language.intents import Intents
from voicebench.language.plain_talk import is_plain, stem
from voicebench.language.proposals import OwnWishes
from voicebench.language.slots import Fact, FactSpec
from voicebench.packs.models import CallerScript, Forbid, PackSpec

__all__ = ["OwnLines", "forbids_of", "join_phrases", "own_wishes", "thing_to_offer", "words_of"]

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def forbids_of(script: CallerScript, spec: PackSpec, intents: Intents) -> list[Forbid]:
    """Return the intents that a caller must not express, the task's own first.

    The pack forbids some intents to all its callers. Left out of these are those that the task forbids in its own
    terms, those that it allows, and those that its own locked lines express: who calls for a ticket may ask for one.

    Args:
        script: the caller's part of the case.
        spec: the pack's.
        intents: the pack's, compiled.
    """
    own = {forbid.said for forbid in script.forbids}
    said = (script.opening, *(rule.say for rule in script.answers if rule.say), script.closing)
    lines = [affirmed(line) for line in said]

    def is_wanted(name: str) -> bool:
        return name in script.allows or any(intents.match("said", name, line) for line in lines)

    return [
        *script.forbids,
        *(forbid for forbid in spec.forbids if forbid.said not in own and not is_wanted(forbid.said)),
    ]


def own_wishes(script: CallerScript, day_intents: Collection[str]) -> OwnWishes:
    """Return what a caller wants, by its script.

    Args:
        script: the caller's part of the case.
        day_intents: the pack's intents that ask for a day; the answer to them is the day that it wants.
    """
    values = {name: (fact.value, *fact.forms) for name, fact in script.facts.items()}
    days = [rule for rule in script.answers if rule.asked in day_intents]
    said = [rule.say for rule in days if rule.say]
    given = [text for rule in days for name in rule.give for text in values[name]]
    lines = [script.opening, script.closing, *(rule.say for rule in script.answers if rule.say)]
    return OwnWishes([*lines, *(text for texts in values.values() for text in texts)], [*said, *given])


def join_phrases(phrases: Sequence[str]) -> str:
    """Join phrases by commas into one sentence.

    A full stop between them would be spoken as a pause that ends the turn at the other side. Questions go last.

    Args:
        phrases: at least one; each keeps its own inner punctuation.
    """
    ordered = sorted((phrase.strip() for phrase in phrases), key=lambda phrase: phrase.endswith("?"))
    text = ", ".join([*(phrase.rstrip(".,;!?") for phrase in ordered[:-1]), ordered[-1]])
    return text if text.endswith((".", "?", "!")) else f"{text}."


def words_of(text: str) -> list[str]:
    """Return the bare words of a text, in small letters, without punctuation: what "word for word" compares."""
    return _WORD.findall(text.replace("\u2019", "'").casefold())


def thing_to_offer(facts: Mapping[str, Fact], specs: Mapping[str, FactSpec], given: Collection[str]) -> str:
    """Return a number that a caller has, for one who asks for another: "an order number"; empty if it has none.

    Args:
        facts: the caller's.
        specs: the pack's kinds of facts.
        given: facts given already; another one comes before them.
    """
    kinds = {name: specs[name].type for name in facts if name in specs}
    numbers = [name for kind in ("id", "phone") for name in kinds if kinds[name] == kind]
    plain = [name for name in numbers if not any(character.isdigit() for character in name)]
    name = next((name for name in plain if name not in given), next(iter(plain), None))
    if name is None:
        return ""
    words = "phone number" if name == "phone" else name.replace("_", " ").replace(" id", " ID")
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


class OwnLines:
    """What a caller's part lets it say, sentence by sentence.

    Args:
        script: the caller's part of the case.
    """

    def __init__(self, script: CallerScript) -> None:
        said = [rule.say for rule in script.answers if rule.say]
        forms = [form for fact in script.facts.values() for form in fact.forms]
        self._locked = [words_of(line) for line in (script.opening, script.closing, script.give_up)]
        self._own = {tuple(words_of(one)) for line in (*said, *forms) for one in (line, *sentences(line))}

    def is_locked(self, text: str) -> bool:
        """Whether this is a line that is said in any case: the opening, the closing, giving up."""
        return words_of(text) in self._locked

    def without(self, text: str) -> str:
        """Return a text without the sentences that stand in the part."""
        return " ".join(one for one in sentences(text) if tuple(words_of(one)) not in self._own)

    @staticmethod
    def shares_words(line: str, text: str) -> bool:
        """Whether a text has a word of a line's that is no word of ordinary talk."""
        topics = {stem(word) for word in words_of(line) if not is_plain(word)}
        return not topics.isdisjoint(map(stem, words_of(text)))
