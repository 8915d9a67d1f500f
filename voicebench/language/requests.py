"""The details that an agent's turn asks for: a request frame, and the noun of a detail after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from voicebench.language.detail_nouns import DetailNoun, has_value, nouns_in, questions_in
from voicebench.language.itn import MONTHS
from voicebench.language.labels import Detail
from voicebench.language.request_frames import Region, asked_again, is_told, regions_of, stripped_of_fillers
from voicebench.language.sentences import Sentence

__all__ = ["Requests", "requested"]

_BARE_WORDS = 16
"""A turn of no more words may ask by nouns alone: "Full name, account number and PIN"."""

_TERSE: tuple[tuple[Detail, re.Pattern[str]], ...] = (
    ("order_number", re.compile(r"\border\b")),
    ("phone", re.compile(r"\b(?:tele)?phone\b")),
    ("card_last4", re.compile(r"\bcard(?:s last)? digits\b")),
)
"""Words that name a detail only in a clause that holds nothing but details: "Order, and the zip?"."""

_ON_A_DAY = re.compile(
    r"(?:\b(?:on|at|by|from|since|until|before|after|during|in|within|of|every|per|each|all|same"
    r"|more|next|this|business|\d+|take|took|took your|of your|(?:good|great|nice|lovely"
    r"|wonderful) )"
    r"(?: (?:the|that|this|your|any|a|same))?|\b(?:one|1) more| great| nice| \d+|business)$"
)
_GREETING = re.compile(
    r"^(?:(?:hello|hi|hey|and|a|very|well|oh) )*good (?:day|morning|afternoon|evening)(?! (?:or|for|to|would|works?|"
    r"time)\b)"
    r"|\bhow (?:is|was|has|are)(?: \w+){0,2} (?:day|evening|week|weekend)\b|\b(?:have|enjoy) (?:a|your|the)(?: \w+)"
    r"{0,3} (?:day|evening|weekend|time|week)\b"
)
_THAT_ONE = re.compile(
    r"\b(?:with|for|under|by|of|no|any) (?:that|this|such)$|\b(?:under|using|via|through"
    r"|by (?:your|the)|one of|another)(?: (?:your|the|that|this))?$"
)
_MONTH = "|".join(MONTHS)
_DAYS = re.compile(
    rf"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|tomorrow|(?:{_MONTH})"
    rf" \d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th)|\d{{1,2}}(?: \d\d)? (?:am|pm)"
    r"|(?:morning|afternoon|evening|noon))\b"
)
_WHICH = re.compile(
    r"\bwhich (?:one|1|of (?:them|these|those)|would|do|works?|suits?|is|time|day|slot|is)\b"
    r"|\bwhich$|\bwhat works\b|\b(?:any|one|either) of (?:them|these|those)\b|\bany preference\b"
)
_UNNAMED = re.compile(
    r"^(?:\w+ , |and |so |okay |great |thanks )*(?:(?:for|in|to|at|on|from|under|with) )?(?:"
    r"(?:what|which)(?: (?:kind|type|sort|size|color|colour|location|city|town|state|country"
    r"|doctor|clinician|office|store|branch|account|plan|bank|department|language|version|language"
    r"|restaurant|theater|"
    r"venue|airport|airline|seat|class|method|option|insurance|hospital|pharmacy|service))\b"
    r"|who (?:are|is|should|would|do|did|will|referred)|how (?:many|old|long)\b"
    r"|where (?:do|did|is|are|would|should|will|was|were)|(?:what(?:s| is| was| are)) your (?!best"
    r"|next|question|thought|opinion|plan|request|need|concern|name|order|issue|choice))"
    r"|\bwhich account\b|\bwho (?:would|should|do|are) (?:you|i)\b|\b(?:what|which) (?:location"
    r"|city|doctor|account)\b|\bto whom\b"
)
_NOT_UNNAMED = re.compile(
    r"\b(?:can i (?:do|help|get)|may i help|help you|can we do|help (?:you )?with|this about"
    r"|is (?:that|this|it) (?:ok|right|correct)|calling about)\b"
)
_FAULTY = re.compile(
    r"^(?: (?:you (?:gave|entered|provided)|that you \w+))?(?: (?:is|was|were|seems|seemed|got"
    r"|appears|must be|may be|might be|to be|has been|a bit|too|a little))+ (?:missing|cut off"
    r"|incomplete|invalid|not valid|unclear|short|garbled|lost|broken up|wrong)\b"
    r"|^ (?:didnt|did not) (?:come|go) through\b|^ (?:doesnt|does not|didnt|dont) (?:work|seem to be valid|exist)\b"
)


@dataclass(frozen=True)
class Requests:
    """What is asked for, each once, in the order of the turn.

    Attributes:
        details: details that any company may ask for.
        own: intents of the pack whose own nouns are asked for ("chart number").
        other_has_name: an ``other`` among the details has a name ("PIN"); else it is what a question asks for in words
            that nothing here knows ("which office").
    """

    details: tuple[Detail, ...] = ()
    own: tuple[str, ...] = ()
    other_has_name: bool = True

    @property
    def named(self) -> tuple[Detail, ...]:
        """The details that have a name."""
        return tuple(one for one in self.details if one != "other" or self.other_has_name)


@dataclass(frozen=True)
class _Named:
    """What a place in a sentence names: a general detail, or an intent of the pack."""

    start: int
    end: int
    detail: Detail | None
    own: str | None = None
    vague: bool = False


_UNKNOWN = _Named(0, 0, "other", vague=True)


def requested(sentences: Sequence[Sentence], own: Mapping[str, Sequence[str]]) -> Requests:
    """Return the details that a turn asks for.

    Args:
        sentences: of the turn.
        own: the pack's own nouns: regular expressions by intent; where one and a general noun match the same words,
            the pack's counts.
    """
    patterns = _compiled(tuple((name, tuple(nouns)) for name, nouns in own.items()))
    whole = sum(one.words.count(" ") + 1 for one in sentences)
    found: list[_Named] = []
    for at, one in enumerate(sentences):
        named = _asked_in(one, patterns, bare=whole <= _BARE_WORDS or _is_polite(one))
        before, _, last = one.paused.rpartition(" , ")
        if not named and before and asked_again(last):
            named = _named_before(before, patterns)
        if not named and at and asked_again(one.paused):
            named = _named_before(sentences[at - 1].paused, patterns)
        # A question for a detail without a label: a city, a number of people
        if not named and one.is_question and _UNNAMED.search(one.paused) and not _NOT_UNNAMED.search(one.words):
            named = [_UNKNOWN]
        found += named
    details = tuple(dict.fromkeys(one.detail for one in found if one.detail))
    details = _with_choice_of_days(sentences, details)
    intents = tuple(dict.fromkeys(one.own for one in found if one.own))
    return Requests(details, intents, any(one.detail == "other" and not one.vague for one in found))


def _is_polite(sentence: Sentence) -> bool:
    """Whether a sentence asks whatever its words are: "Just the last four of the card, please."."""
    return sentence.text.endswith("?") or "please" in sentence.words.split()


@lru_cache(maxsize=64)
def _compiled(own: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the pack's nouns, compiled; its expressions have been checked when it was read."""
    return tuple((name, re.compile(rf"\b(?:{'|'.join(nouns)})\b")) for name, nouns in own if nouns)


def _asked_in(sentence: Sentence, own: tuple[tuple[str, re.Pattern[str]], ...], bare: bool) -> list[_Named]:
    """Return what one sentence asks for, from left to right."""
    paused = sentence.paused
    nouns = list(_named(paused, own))
    regions = regions_of(paused)
    asked = [one for one in nouns if _is_asked(one, paused, regions)]
    if bare:
        if nouns or _is_polite(sentence):
            found = [_Named(*match.span(), detail) for detail, word in _TERSE for match in word.finditer(paused)]
            nouns += [one for one in found if not any(_overlap(one, other) for other in nouns)]
        asked += [one for one in _bare_nouns(paused, nouns) if one not in asked]
    questions = [
        _Named(one.start, one.end, one.detail) for one in questions_in(paused) if _is_question(one, paused, sentence)
    ]
    # a question says what its noun is for: "when were you born" is no day, "which order" no number
    asked = [one for one in asked if one.own or not any(_overlap(one, other) for other in questions)]
    questions = [one for one in questions if not any(_overlap(one, other) for other in asked)]
    return sorted([*asked, *questions], key=lambda one: one.start)


def _named(paused: str, own: tuple[tuple[str, re.Pattern[str]], ...]) -> Iterator[_Named]:
    """Yield the nouns of a sentence whose value does not follow; the pack's win over general ones."""
    ours = [
        _Named(match.start(), match.end(), None, name) for name, pattern in own for match in pattern.finditer(paused)
    ]
    ours = [one for one in ours if not any(other is not one and _within(one, other) for other in ours)]
    general = [_Named(one.start, one.end, one.detail, vague=one.vague) for one in nouns_in(paused)]
    general = [one for one in general if not any(_overlap(one, other) for other in ours)]
    yield from (one for one in (*ours, *general) if not has_value(one.detail, paused, one.end))


def _is_asked(noun: _Named, paused: str, regions: Sequence[Region]) -> bool:
    """Whether a noun stands in a request, or is said to be missing or faulty."""
    before = paused[: noun.start].rstrip()
    if noun.detail == "day_or_time" and (_ON_A_DAY.search(before) or _GREETING.search(paused)):
        return False
    if _THAT_ONE.search(before):
        return False
    if _FAULTY.search(paused[noun.end :]):
        return True
    return any(
        start <= noun.start and noun.end <= max(end, noun.start) and noun.start < end + 1 for start, end in regions
    ) or any(start - 6 <= noun.start < end for start, end in regions if noun.detail == "which_item")


def _bare_nouns(paused: str, nouns: Sequence[_Named]) -> list[_Named]:
    """Return the nouns of clauses that hold nothing else: "Thanks, and your zip code?"."""
    found: list[_Named] = []
    start = 0
    for clause in paused.split(" , "):
        end = start + len(clause)
        inside = [one for one in nouns if start <= one.start and one.end <= end]
        rest = "".join(
            " " if any(one.start <= at < one.end for one in inside) else paused[at] for at in range(start, end)
        )
        if inside and not _GREETING.search(clause) and not rest.startswith("what a ") and not stripped_of_fillers(rest):
            found += inside
        start = end + 3
    return found


def _is_question(question: DetailNoun, paused: str, sentence: Sentence) -> bool:
    """Whether words like "when" or "how much" ask, and are no part of a statement."""
    before = paused[: question.start].rstrip()
    if is_told(before):
        return False
    if sentence.is_question or not before or before.endswith(","):
        return True
    return (
        bool(regions_of(before + " x"))
        or re.search(r"\b(?:and|or|so|then|sorry|okay|first|please|at|on|for|until|by|to|in)$", before) is not None
    )


def _named_before(paused: str, own: tuple[tuple[str, re.Pattern[str]], ...]) -> list[_Named]:
    """Return the nouns of a sentence that the next one asks for again."""
    if re.search(r"\b(?:found|see|located|let me|my name)\b", paused):
        return []
    nouns = [
        one for one in _named(paused, own) if one.detail not in {"day_or_time", "what_happened", "reason", "which_item"}
    ]
    # "the order ID is missing from your message": no message is asked for
    return [one for one in nouns if _FAULTY.search(paused[one.end :])] or nouns


def _with_choice_of_days(sentences: Sequence[Sentence], details: tuple[Detail, ...]) -> tuple[Detail, ...]:
    """Return the details, with a choice among days and times as what it is."""
    days = {day for one in sentences for day in _DAYS.findall(one.words)}
    if len(days) < 2 or "day_or_time" in details:
        return details
    chosen = any(_WHICH.search(one.words) for one in sentences if one.is_question)
    either = any(
        one.is_question
        and " or " in one.words
        and len(_DAYS.findall(one.words.split(" or ")[-1]))
        and _DAYS.search(one.words.split(" or ")[0])
        for one in sentences
    )
    if not chosen and not either:
        return details
    return (*(one for one in details if one != "which_item"), "day_or_time")


def _overlap(one: _Named, other: _Named) -> bool:
    return one.start < other.end and other.start < one.end


def _within(one: _Named, other: _Named) -> bool:
    return other.start <= one.start and one.end <= other.end and (other.end - other.start) > (one.end - one.start)
