"""Word errors: what was said against what was heard, in one plain form."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import jiwer

from voicebench.language.itn import normalise

__all__ = ["WordErrors", "plain_words", "sum_errors", "word_errors"]


@dataclass(frozen=True)
class WordErrors:
    """The edits of least number that make the words heard of the words said (Levenshtein, 1966).

    Attributes:
        words: how many were said.
        substitutions: of them heard as another.
        deletions: of them not heard.
        insertions: heard and not said.
    """

    words: int
    substitutions: int
    deletions: int
    insertions: int

    @property
    def errors(self) -> int:
        """All edits."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def rate(self) -> float | None:
        """Edits a word said, which is more than 1 where much was heard that nobody said; None without words."""
        return self.errors / self.words if self.words else None

    def as_json(self) -> dict[str, float | int | None]:
        """Return the counts and the rate."""
        return {**vars(self), "rate": None if self.rate is None else round(self.rate, 4)}


def word_errors(said: str, heard: str) -> WordErrors:
    """Count the word errors of one utterance, both texts in the form of :func:`plain_words`."""
    reference, hypothesis = plain_words(said), plain_words(heard)
    if not reference:
        return WordErrors(0, 0, 0, len(hypothesis))
    counted = jiwer.process_words([" ".join(reference)], [" ".join(hypothesis)])
    return WordErrors(len(reference), counted.substitutions, counted.deletions, counted.insertions)


def sum_errors(utterances: Iterable[WordErrors]) -> WordErrors:
    """Return the errors of several utterances together."""
    counted = list(utterances)
    return WordErrors(
        sum(one.words for one in counted),
        sum(one.substitutions for one in counted),
        sum(one.deletions for one in counted),
        sum(one.insertions for one in counted),
    )


def plain_words(text: str) -> list[str]:
    """Return the words of a text in plain form, so that ways of writing the same sound are no error.

    Each digit is a word ("nine four one, ten" and "94110"), and letters in a row are one ("K E" and "KE").
    """
    words: list[str] = []
    for spelled, run in itertools.groupby(normalise(text).split(), key=_is_letter):
        together = list(run)
        words += ["".join(together)] if spelled else [part for word in together for part in _digits_apart(word)]
    return words


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word.isalpha()


def _digits_apart(word: str) -> list[str]:
    return list(word) if word.isdigit() else [word]
