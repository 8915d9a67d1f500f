"""The locked lines of a caller's part: what is said in its own words breaks no rule about words."""

from __future__ import annotations

from voicebench.caller.script import words_of
from voicebench.language.dialogue_acts import sentences
from voicebench.language.plain_talk import is_plain, stem
from voicebench.packs.models import CallerScript

__all__ = ["OwnLines"]


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
