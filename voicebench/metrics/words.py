"""Word errors: what was said against what was heard, in one plain form."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import jiwer

from voicebench.language.itn import normalise
from voicebench.record.transcript import LegWordErrors, TurnWordErrors

__all__ = ["plain_words", "sum_errors", "word_errors"]


def word_errors(said: str, heard: str) -> TurnWordErrors:
    """Count the word errors of one utterance, both texts in the form of :func:`plain_words`.

    They are the edits of least number that make the words heard of the words said (Levenshtein, 1966). The rate is over
    the words said: more than 1 where much was heard that was not said.
    """
    reference, hypothesis = plain_words(said), plain_words(heard)
    if not reference:
        return TurnWordErrors(words=0, substitutions=0, deletions=0, insertions=len(hypothesis), rate=None)
    counted = jiwer.process_words([" ".join(reference)], [" ".join(hypothesis)])
    edits = counted.substitutions + counted.deletions + counted.insertions
    return TurnWordErrors(
        words=len(reference),
        substitutions=counted.substitutions,
        deletions=counted.deletions,
        insertions=counted.insertions,
        rate=round(edits / len(reference), 4),
    )


def sum_errors(turns: Sequence[TurnWordErrors]) -> LegWordErrors | None:
    """Return the errors of several utterances together, weighed by their words; None without any."""
    if not turns:
        return None
    words = sum(one.words for one in turns)
    substitutions = sum(one.substitutions for one in turns)
    deletions = sum(one.deletions for one in turns)
    insertions = sum(one.insertions for one in turns)
    return LegWordErrors(
        utterances=len(turns),
        words=words,
        substitutions=substitutions,
        deletions=deletions,
        insertions=insertions,
        rate=round((substitutions + deletions + insertions) / words, 4) if words else None,
    )


def plain_words(text: str) -> list[str]:
    """Return the words of a text in plain form, so that ways of writing the same sound are no error.

    Each digit is a word ("nine four one, ten" and "94110"), and letters in a row are one ("K E" and "KE").
    """
    words: list[str] = []
    for spelled, run in itertools.groupby(normalise(text).split(), key=lambda word: len(word) == 1 and word.isalpha()):
        if spelled:
            words.append("".join(run))
        else:
            words += [part for word in run for part in (word if word.isdigit() else [word])]
    return words
