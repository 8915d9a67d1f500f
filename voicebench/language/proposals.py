"""What an agent proposes when it asks for a yes, and whether a caller may say yes to it.

A caller knows what is its own: the words of its part, without the clauses that refuse something. A proposal is
foreign where it names an act, a remedy, a person or a day that these words do not hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from voicebench.language.caller_acts import clauses, refuses
from voicebench.language.itn import MONTHS, normalise
from voicebench.language.number_mentions import days_in
from voicebench.language.sentences import Sentence

__all__ = ["OwnWishes", "proposal_in"]

_DOES = (
    r"\b(?:i|we|me to|us to|ahead and|like to|want to|prefer to|rather|wish to|ill|well|keep it and|let me)"
    r" (?:(?!cannot|cant|not|dont|wont|never)\w+ ){0,2}?"
)
"""What stands before an act that is proposed; "if you cancel late, it costs …" proposes none."""


@dataclass(frozen=True)
class _Proposed:
    """Expressions over normalised text.

    Attributes:
        words: what an agent proposes.
        own: by what a part shows that its caller wants that; without it the same words.
    """

    words: str
    own: str = ""


_FOREIGN = (
    # acts
    _Proposed(rf"{_DOES}(?:cancel|call (?:it |that |this )?off|scrap)\b", r"cancel\w*|call\w* [^.]*off|take back"),
    _Proposed(
        r"\bcancel (?:the|your|this|that|that whole|the whole) (?:\w+ )?order\b",
        r"cancel\w* [^.]*order",
    ),
    _Proposed(
        rf"{_DOES}(?:close|delete|erase|wipe|deactivate|remove)\b",
        r"clos(?:e|ed|ing)|delet\w+|eras\w+|remov\w+|stop|take (?:\w+ )?off|turn\w* [^.]*off",
    ),
    _Proposed(rf"{_DOES}(?:end|terminate)\b", r"end|ended|terminat\w+|stop|cancel\w*"),
    _Proposed(
        rf"{_DOES}(?:move|reschedule|postpone|delay|push)\b(?! (?:on|forward with)\b)",
        r"mov(?:e|ed|ing)|reschedul\w+|postpone\w*|(?:another|other|different|later|earlier|sooner|which|that) day"
        r"|change (?:the|my|it|that)",
    ),
    _Proposed(rf"{_DOES}(?:keep|leave) (?:it|them|the|your)\b", r"keep|leave|run out|runs out|stay\w*"),
    _Proposed(
        rf"(?<!not to )(?<!not ){_DOES}(?<!not to )(?<!not )(?:renew|extend)\b",
        r"renew(?:ed)?|extend\w*|refill\w*",
    ),
    _Proposed(rf"{_DOES}(?:upgrade|downgrade)\b|\b(?:an upgrade|a downgrade)\b", r"\w+grad\w+|plus|pro|tier"),
    _Proposed(
        r"\brecording\b|\brecorded\b|\brecord (?:this|the|your|our) (?:call|conversation|consultation"
        r"|meeting)\b",
    ),
    _Proposed(
        r"\b(?:share|send|forward|release|disclose|give|pass) (?:on )?(?:your|her|his|the) (?:\w+ )?"
        r"(?:charts?|records?|files?|data|details|information)\b",
        r"records?|notes|file|copy|send|share|write|results?",
    ),
    _Proposed(
        r"\b(?:texting|emailing) you\b|\b(?:newsletter|marketing|promotions?|survey)\b",
        r"texts?|emails?|marketing",
    ),
    _Proposed(
        r"\b(?:once|twice) an? (?:day|week|month|year)\b|\bless often\b|\bfewer (?:calls|texts|emails)\b",
    ),
    # remedies
    _Proposed(
        r"\bexchang\w+\b|\breplacements?\b|\bswap\b|\b(?:a different|another) (?:one|1|unit)\b",
        r"exchang\w+|replac\w+|new (?:one|1)|swap|recall",
    ),
    _Proposed(r"\bvouchers?\b|\bstore credit\b|\bgift cards?\b|\bcoupons?\b|\bbonus points\b"),
    _Proposed(
        r"\brefund\b(?! policy)",
        r"refund\w*|money|back|return\w*|credit\w*|difference|charged?|paid|cancel\w*",
    ),
    _Proposed(
        r"\bhalf (?:the )?(?:price|off)\b|\bdiscounts?\b|\bpercent off\b|\breduced (?:rate|price|fee)\b",
        r"discount\w*|cheaper|difference|match|price",
    ),
    _Proposed(r"\bpayment plan\b|\binstallments?\b", r"plan|installments?|months|monthly"),
    _Proposed(r"\bwait(?:ing)? ?list\b|\bstandby\b", r"wait\w*|list"),
    _Proposed(
        r"\bup ?front\b|\bin advance\b|\bdeposit\b|\bprepay\w*\b|\bpre pay\w*\b",
        r"up ?front|in advance|deposit|prepay\w*",
    ),
    _Proposed(r"\brestocking\b", r"restocking|fee"),
    _Proposed(
        r"\b(?:membership|warranty|protection plan|subscription|insurance policy)\b",
        r"membership|member|tier|plus|renew\w*|warranty|protection|subscription|plan|trial",
    ),
    _Proposed(
        r"\b(?:sick|video|virtual|urgent care|walk in|telehealth|follow up) (?:visit|appointment|call)\b"
        r"|\bby video\b|\burgent care\b",
        r"sick|video|virtual|urgent|walk in|telehealth|follow up",
    ),
    _Proposed(
        r"\b(?:report|ticket|complaint|claim)\b",
        r"report\w*|ticket|complain\w*|claims?|scam|text|hold|insur\w+|accident|fil(?:e|ed|ing)|sue"
        r"|against|search\w*|case|lost|missing|fell|hurt|injur\w+|recall",
    ),
    _Proposed(
        r"\bconsultations?\b(?! fee)",
        r"consult\w*|appointments?|meet\w*|slots?|visits?|talk|speak\w*|come in|called about|book\w*",
    ),
    # other people
    _Proposed(
        r"\b(?:nurse practitioner|physicians? assistant|student (?:doctor|nurse)|paralegal|intern|trainee|law clerk)\b"
        r"|\b(?:another|a different|some other|1 of (?:our|the) other) (?:doctor|lawyer|attorney|clinician)s?\b"
    ),
    # what comes beside
    _Proposed(
        r"\b(?:as well|too)$|\b(?:also|additionally|in addition|on top of (?:that|it))\b"
        r"|\ball of your\b",
    ),
    _Proposed(
        r"\b(?:to|with) the other (?:side|party|driver)\b",
        r"to the other (?:side|party)|to them|write to",
    ),
)
_IN_PERSON = re.compile(r"\b(?:in person|at (?:our|the) office)\b")
_BY_PHONE = re.compile(r"\b(?:by|over|on) (?:the )?(?:phone|video)\b|\bphone (?:call|consultation)\b")
_TITLED = re.compile(r"\b(?:doctor|dr|attorney|mr|mrs|ms) ([a-z]+)\b")
_WEEKDAY = re.compile(r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b")
_DATE = re.compile(rf"\b(?:{'|'.join(MONTHS)}) (\d{{1,2}})\b")
_POINTS_BACK = re.compile(
    r"^(?:so |and |then |okay |now )*(?:(?:is|would|will|does|do|are|shall|should|can|may|did) "
    r"(?:(?:i|we|you|that|this|it|be|work|suit|sound|okay|ok|with|for|go|ahead|proceed|all|right|alright|fine|good|like"
    r"|want|me|to|do|so|agree|accept|have|take|please|then|then|now|acceptable|the|just) ?)+"
    r"|(?:okay|ok|all right|alright|sound good|sounds good|yes|deal)(?: \w+){0,3})$"
)


def proposal_in(sentences: Sequence[Sentence]) -> str:
    """Return the questions of a turn, each with the sentence that it points back to ("Is that all right?").

    Args:
        sentences: of the turn; one without any question is a proposal as a whole.
    """
    parts: list[str] = []
    for at, sentence in enumerate(sentences):
        if not sentence.is_question:
            continue
        if at and _POINTS_BACK.search(sentence.words):
            parts.append(sentences[at - 1].text)
        parts.append(sentence.text)
    return " ".join(dict.fromkeys(parts or [one.text for one in sentences]))


class OwnWishes:
    """What a caller wants, by the words of its part.

    Args:
        lines: of its part: its opening, its sentences, the values of its facts.
        days: of these, those that say which day it wants.
    """

    def __init__(self, lines: Iterable[str], days: Iterable[str]) -> None:
        wanted = [clause for line in lines for clause in clauses(line) if not refuses(clause)]
        self._own = " . ".join(wanted)
        self._days = _days(days)

    def refuses(self, proposal: str) -> bool:
        """Whether something that is proposed is not the caller's own."""
        words = [normalise(part) for part in re.split(r"(?<=[.?!]) +", proposal)]
        if any(self._is_foreign(one, part) for one in _FOREIGN for part in words):
            return True
        whole = " ".join(words)
        if _IN_PERSON.search(whole) and _BY_PHONE.search(self._own) and not _IN_PERSON.search(self._own):
            return True
        people = set(_TITLED.findall(self._own))
        named = set(_TITLED.findall(whole))
        return bool(people and named - people) or self.is_other_day(proposal)

    def is_other_day(self, proposal: str) -> bool:
        """Whether a proposal names days, and the one that the caller wants is not among them."""
        (own_dates, own_weekdays), (dates, weekdays) = self._days, _days([proposal])
        if own_dates and dates:
            return own_dates.isdisjoint(dates)
        return bool(own_weekdays and weekdays) and own_weekdays.isdisjoint(weekdays)

    def _is_foreign(self, one: _Proposed, words: str) -> bool:
        if not _compiled(one.words).search(words):
            return False
        return not _compiled(rf"\b(?:{one.own})\b" if one.own else one.words).search(self._own)


@lru_cache(256)
def _compiled(words: str) -> re.Pattern[str]:
    return re.compile(words)


def _days(texts: Iterable[str]) -> tuple[frozenset[int], frozenset[str]]:
    """Return the days of a month and the weekdays that some texts name."""
    dates: set[int] = set()
    weekdays: set[str] = set()
    for text in texts:
        words = normalise(text)
        dates |= days_in(text) | {int(one) for one in _DATE.findall(words)}
        weekdays |= set(_WEEKDAY.findall(words))
    return frozenset(dates), frozenset(weekdays)
