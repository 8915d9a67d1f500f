"""One way to do an act in a sentence: what has to be found, what must not stand beside it, and the form it needs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from voicebench.language.labels import Act
from voicebench.language.sentences import Sentence

__all__ = ["ActPattern", "act_pattern"]


@dataclass(frozen=True)
class ActPattern:
    """One way to do an act in a sentence.

    Attributes:
        act: the act.
        pattern: what has to be found in the words, normalised: "I'll" is ill, "we'll" is well, "didn't" is didnt.
        unless: what must not be found in them.
        question: whether the sentence has to be a question (True), must be none (False), or may be either (None).
    """

    act: Act
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None = None
    question: bool | None = None

    def fits(self, sentence: Sentence) -> bool:
        """Whether a sentence does the act in this way."""
        if self.question is not None and sentence.is_question is not self.question:
            return False
        words = sentence.words
        return bool(self.pattern.search(words)) and not (self.unless and self.unless.search(words))


def act_pattern(act: Act, pattern: str, unless: str = "", question: bool | None = None) -> ActPattern:
    """Return a way to do an act, from regular expressions over normalised words."""
    return ActPattern(act, re.compile(pattern), re.compile(unless) if unless else None, question)
