"""Remedies and services that callers are offered, and whether a caller takes one: its noun, its acts, a yes to it.

What a caller must not take stands in its pack by these names. A remedy is taken where a clause that refuses nothing

- does it ("have them ring me", "charge me"),
- names it and takes it ("I'd take the voucher", "a call back would be fine", "the voucher, then"),
- or agrees, and the offer that it answers names it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from voicebench.language.caller_acts import clauses, consents, offer_in, refuses, with_ordinals
from voicebench.language.dialogue_acts import affirmed, agrees, sentences
from voicebench.language.itn import normalise
from voicebench.language.plain_talk import is_plain

__all__ = ["REMEDIES", "names_remedy", "takes_remedy"]

_MONTH = r"january|february|april|june|july|august|september|october|november|december"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"


@dataclass(frozen=True)
class _RemedyWords:
    """Expressions over normalised text.

    Attributes:
        nouns: what it is called.
        acts: how a caller takes it without its name, if it does.
        offers: how an agent offers it, beside its nouns.
        of_task: whether a task may call for one of its kind: its own day, its own doctor.
    """

    nouns: str
    acts: str = r"(?!)"
    offers: str = r"(?!)"
    of_task: bool = False


REMEDIES: dict[str, _RemedyWords] = {
    "callback": _RemedyWords(
        r"call ?backs?|return call|(?:phone|telephone) call|a call|a ring",
        r"(?:call|ring|phone|telephone) (?:me|us)(?! by| mrs?\b| ms\b)|(?:give|drop) me a (?:call|ring"
        r"|buzz|line)"
        r"|(?:glad|happy|grateful|great|nice|good|lovely|better|fine|okay|ok|kind|helpful|appreciate it) (?:if|when) "
        r"(?:he|she|they|you|some\w+|the \w+) (?:\w+ )?(?:call|phon|r[ai]ng|contact|reach)\w*"
        r"|(?:get|come) back to me|(?:get|be|keep) in touch|reach out|(?:hear|hearing) from (?:you|them|him|her"
        r"|somebody)"
        r"|(?:wait(?:ing)?|expect(?:ing)?)(?: for)? (?:a|your|their|the|that|his|her) call|let me know (?:later"
        r"|tomorrow|when)"
        r"|(?:try|reach|get|catch|find|contact) me (?:around|in|on|this|at home|after|before|tomorrow|any ?time"
        r"|when|about"
        r"|later)"
        r"|(?:ill|i will) (?:be (?:at )?home|pick up|keep my phone|answer)|(?:have|let|get) (?:them|him|her"
        r"|somebody|someone"
        r"|your \w+) (?:call|ring|phone|contact|reach)",
        r"(?:call|ring|phone|contact|reach out to|get back to) you\b|in touch",
    ),
    "ticket": _RemedyWords(r"tickets?|trouble report|complaints?", offers=r"\breport\b|\bcase\b"),
    "credit": _RemedyWords(r"vouchers?|store credit|gift cards?|(?:a|the|that|some) credit|points|coupons?"),
    "exchange": _RemedyWords(
        r"exchange|replacements?|(?:a |the )?new (?:one|1|pair|device)|another (?:one|1|pair)|swap|substitute",
        r"swap (?:it|them)|replace (?:it|them)",
    ),
    "refund": _RemedyWords(
        r"refunds?|(?:the|my|that) money|money back|reimbursement|cash back",
        r"(?:put|send|pay|credit|transfer) (?:it|that|them|the \w+)(?: back)?(?: straight)? (?:on|to|onto|into) my"
        r"|pay me back|refund (?:me|it|them)|reimburse me",
    ),
    "repair": _RemedyWords(
        r"repairs?|technician", r"(?:fix|repair|mend) (?:it|them|my|the)|(?:it|them) (?:fixed|repaired|mended)"
    ),
    "person": _RemedyWords(
        r"(?:a|another|some|your|the|real|actual|live) (?:real |live |actual |human )?(?:person|human"
        r"|human being|manager"
        r"|supervisor|nurse|boss|representative|colleague|operator)|(?:some(?:body|one)|any(?:body|one)|who) else",
        r"(?:speak|talk|put me through|connect me|transfer me|switch me)(?: over)? (?:to|with) (?:a|an|your|the"
        r"|some\w+)"
        r"|put me through|(?:is|isnt|are|arent) there (?:(?:some|any)(?:body|one)|(?:a|another) (?:manager"
        r"|supervisor|person|human|boss|nurse))",
        r"put you through|transfer you|connect you|speak (?:to|with)|talk (?:to|with)",
    ),
    "appointment": _RemedyWords(
        r"appointments?|visits?|consultations?|consult|meetings?|slots?|openings?|(?:another|other|different"
        r"|new|later|sooner"
        r"|earlier) (?:time|day|date|one)",
        r"(?:book|fit|squeeze|schedule) me(?: in)?|put me down|sign me up"
        r"|(?:ill|i will|i can|i could|can i|could i|can we|could we|let me|id like to|i would like to|id love to|id)"
        r" (?:come|drop by|stop by|be there|see (?:one|1|him|her|them|somebody|the doctor"
        r"|a lawyer))(?! back to)(?! to the)|see me|"
        r"what time (?:on|would|is|do|does|in)|whens the (?:first|next|earliest|soonest|1)"
        r"|when would (?:that|it) be|(?:how soon|when|what time"
        r"|what day) (?:can|could|may|would|should|do) (?:i|we)"
        r"|(?:some|any)thing (?:\w+ )?(?:later|earlier|sooner|in the (?:morning|afternoon|evening))"
        r"|set (?:one|1|it|that) up",
        r"be seen|see you|meet|book you|come in",
    ),
    "payment_plan": _RemedyWords(
        r"payment plans?|(?:the|that|a|your|any|this) plan|installments?|monthly payments?|rates",
        r"(?:pay|paying)(?: \w+){0,4} (?:each|every|per|a|by the) month|in parts|spread (?:it|that|the)"
        r"|bit by bit|little by"
        r" little|in (?:2|3|4|several|small\w*) (?:payments|parts|steps)",
    ),
    "fee": _RemedyWords(
        r"(?:the|that|this|a|your|any) (?:\w+ )?(?:fee|charge)",
        r"(?:charge|bill) (?:me|it|my)|(?:ill|i will|i can|i would|id|happy to|willing to|glad to"
        r"|let me) (?:just )?(?:pay|cover)"
        r"(?! (?:it |that )?(?:tonight|online))|(?:take|deduct|subtract|keep) (?:it|that|the fee|them"
        r"|the \w+) (?:off|out of|from)"
        r"|whatever (?:it|that) (?:is|costs|comes to)|(?:dont|do not) mind (?:paying|the|that)",
        r"\bfee\b|\bcharge\b",
    ),
    "discount": _RemedyWords(
        r"discounts?|rebates?|(?:better|special|lower|smaller|reduced) (?:price|offer|deal|fee)|goodwill",
        r"(?:waive|drop|skip|forgive|lower|reduce|halve|remove) (?:it|that|the|this)|(?:leave|let) (?:it|that"
        r"|the \w+|me) off"
        r"|knock \w+ \w+ off|(?:do|make it|take) (?:\d+|half)(?: percent| dollars)?(?: off| instead| less)"
        r"|half (?:off|price|of|the)"
        r"|meet me halfway|(?:come|go) down|any cheaper|for less|without (?:the|that|a) fee",
    ),
    "hold": _RemedyWords(
        r"(?:a|the|that|your) (?:hold|lock|block|freeze)|new password",
        r"(?:lock|freeze|block|suspend) (?:it|my|the|everything)|(?:reset|change) (?:my|the) password",
        r"\bhold\b|\block\b|\bfreeze\b|\bblock\b",
    ),
    "cancellation": _RemedyWords(
        r"cancellation",
        r"cancel (?:it|that|the|my|everything|this)|call (?:it|the \w+|that|everything) off"
        r"|forget (?:about )?(?:it all|everything|(?:the|my|that) (?:whole )?(?:order|thing|delivery"
        r"|visit|appointment))|scrap (?:it|the)"
        r"|take it off"
        r"|(?:dont|do not) (?:need|want) (?:the|my|that|this) (?:order|delivery|television|visit"
        r"|appointment)(?: \w+)? ?(?:any ?more|after all)",
    ),
    "something_else": _RemedyWords(
        r"(?:1 more|another|a further|a second) (?:thing|question|matter|request|issue|favor)",
        r"(?:by the way|incidentally|before i forget)(?= \w+)|while (?:i have you|im on|i am on|were at it"
        r"|we are at it"
        r"|youre at it|you are at it|youre there|im at it)|^(?:and |oh )?also (?:i|could|can|my|the|theres"
        r"|there|what|do|please)\b",
    ),
    "other_day": _RemedyWords(
        rf"{_WEEKDAY}|{_MONTH}|(?:[4-9]|\d\d)(?:st|nd|rd|th)|\d{{1,2}}(?:st|nd|rd|th) week|tomorrow|(?:the )?weekend"
        r"|(?:next|this|the following|the first|the last) (?:week|month)"
        r"|(?:any|another|other|different|whatever|whichever|which|that|a later|an earlier) (?:day|date|time|week)",
        r"(?:pick|choose|take) (?:whatever|whichever|any|one|1)|whatever (?:suits|works|day|you)|i(?:m| am) flexible"
        r"|(?:move|push|shift|change) it (?:to|back)(?: (?:another|a|the|next))? (?:day|date|time|week|later)",
        of_task=True,
    ),
}
"""By name, what packs may say that their callers must not take."""

_TAKE = (
    r"take|taking|accept|like|love|(?:want|need)(?: to have)?|appreciate|welcome|get|choose|prefer|go (?:with"
    r"|for|ahead with)"
    r"|going (?:with|for)|send|give|open|make|arrange|book|sign me up|put|try|agree(?:d)? (?:to|on)|(?:happy"
    r"|fine|okay|ok"
    r"|good|alright|content|cool) with|(?:dont|do not) mind|settle for|file|create|start|opt for|lets (?:do|say"
    r"|have|use|set)"
    r"|(?:can|could|may|ill|i will|id|let me|well) (?:\w+ )?(?:have|do|use|see)|set up|interested in|live with"
    r"|set|move it to"
    r"|in favor of|put (?:it|that) (?:on|to|down)|up for|have (?:them|somebody|someone)|glad to"
)
_APPROVED = (
    r"(?:is|are|s|was|(?:would|might|may|could|should) be (?!too|no|a problem|bad)\w+|d be|will be"
    r"|sounds?|looks?|works?|helps?|suits?"
    r"|would|will|does|do|is not a"
    r"|isnt a)(?: \w+){0,2}"
    r" ?(?:fine|good|great|ok|okay|perfect|all right|alright|wonderful|lovely|excellent|nice|help(?:ful)?|do"
    r"|work|better|best"
    r"|kind|enough|too|problem|acceptable|me|with me|it)|works|helps|suits me|sounds? \w+|will do"
    r"|would do|then|instead|please|is no problem"
)
_ASKS = re.compile(
    r"\b(?:hear|know|tell|told|how much|what|ask|asking|why|cancel\w*|call off|called off|calling off|off"
    r"|move|change"
    r"|said|already|put down|write down|note)\b"
)
"""What is asked about, called off or told of is not taken."""
_LOOSE = re.compile(
    r"\b(?:um|uh|oh|well|okay|ok|alright|all right|great|perfect|good|right|so|and|then|yes|yeah|yep|sure|fine"
    r"|please|a|an"
    r"|the|that|thanks|thank you|instead|now|i|guess|suppose|think|maybe|for me|my|your|of|free|in|on|at"
    r"|morning|afternoon)\b"
)

_GOOD = re.compile(
    r"((?:\w+ ){1,4}?)(?:is|are|will be|would be|might be|sounds?|works?|suits?)(?: \w+)?? ?(?:fine|good|great|ok|okay"
    r"|perfect|alright|better|best|for me|with me|me)\b"
)


@lru_cache(512)
def _words_of(remedy: str) -> _RemedyWords:
    return REMEDIES.get(remedy) or _RemedyWords(remedy, of_task=True)


@lru_cache(512)
def _taken(nouns: str) -> re.Pattern[str]:
    named = rf"(?<!my )(?<!our )\b(?:{nouns})\b"
    return re.compile(
        rf"\b(?:{_TAKE})\b(?: \w+){{0,4}}? ?{named}|{named}(?: \w+){{0,3}}? (?:{_APPROVED})\b|{named} it is$"
    )


def takes_remedy(said: str, heard: str, remedies: Sequence[str], own: Collection[str] = ()) -> bool:
    """Whether a caller asks for one of these remedies, or accepts it.

    Args:
        said: the caller's words.
        heard: the agent's, that it answers.
        remedies: names of ``REMEDIES``, or nouns of the company's own as expressions over normalised text.
        own: words of the caller's task; a noun made of these alone is what it calls for.
    """
    return any(_takes(said, heard, _words_of(remedy), frozenset(own)) for remedy in remedies)


def names_remedy(offer: str, remedies: Sequence[str]) -> bool:
    """Whether an agent's words name or offer one of these remedies, and do not deny it."""
    words = normalise(affirmed(offer))
    return any(re.search(rf"\b(?:{_words_of(one).nouns}|{_words_of(one).offers})", words) for one in remedies)


def _takes(said: str, heard: str, words: _RemedyWords, own: frozenset[str]) -> bool:
    part, own = own, own if words.of_task else frozenset()
    noun, act, taken = re.compile(rf"\b(?:{words.nouns})\b"), re.compile(rf"\b(?:{words.acts})\b"), _taken(words.nouns)
    asked = {with_ordinals(normalise(one)) for one in sentences(said) if one.endswith("?")}
    for clause in map(with_ordinals, clauses(said)):
        # "I don't need it anymore" is an act that denies; all else that refuses takes nothing.
        if (found := act.search(clause)) and not refuses(clause.replace(found[0], " ")):
            return True
        foreign = [one for one in noun.finditer(clause) if not own.issuperset(one[0].split())]
        if not foreign or refuses(clause) or _ASKS.search(clause):
            continue
        if taken.search(clause) or (clause not in asked and not _LOOSE.sub(" ", noun.sub(" ", clause)).split()):
            return True
    named = [one[0] for one in noun.finditer(with_ordinals(normalise(said)))]
    offer = with_ordinals(normalise(affirmed(offer_in(heard))))
    if not (consents(said) or _approves(said, offer)) or (named and all(own.issuperset(one.split()) for one in named)):
        return False  # who names the day of his own task accepts no other
    picked = part.intersection(normalise(said).split(), offer.split())
    if not agrees(said) and any(not is_plain(word) for word in picked):
        return False  # who names, of the things offered, one that the task calls for
    offered = re.compile(rf"\b(?:{words.nouns}|{words.offers})")
    return any(not own.issuperset(one[0].split()) for one in offered.finditer(offer))


def _approves(said: str, offer: str) -> bool:
    """Whether a caller finds good what it names in the words of the offer: "Quarry Street is fine, go ahead"."""
    names = [match[1] for clause in clauses(said) if not refuses(clause) and (match := _GOOD.match(clause))]
    return any(set(_LOOSE.sub(" ", name).split()) <= set(offer.split()) for name in names)
