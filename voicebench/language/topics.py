"""Topics that a caller may bring up without having been given them: family, illness, damage, journeys, other services.

A topic is a list of words for one thing. Who names one of them has a story of his own, unless his part or the other
side names that thing in whatever word. What no list holds is no topic, so that ordinary talk never is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from voicebench.language.caller_acts import clauses
from voicebench.language.itn import normalise

__all__ = ["foreign_topics", "pasts_in", "tells_a_promise"]

_TOPICS = (
    # family and people
    "wife|husband|spouse|married|marriage|partner|fiancee?|girlfriend|boyfriend|ex wife|ex husband",
    "son|sons|daughter|daughters|kid|kids|child|children|baby|toddler|grandson|granddaughter|grandchild\\w*"
    "|mother|mom|father|dad|parents?",
    "brothers?|sisters?|siblings?|cousins?|uncle|aunt|nephew|niece|in laws?|grandmother|grandfather|grandma|grandpa",
    "neighbou?rs?|roommates?|friend|friends|buddy|tenants?",
    "my boss|coworkers?|employer|job|fired|laid off|unemployed|promotion|retire\\w*|shift",
    "landlord|lease|rent|eviction|evict\\w*|mold|apartment",
    "dog|dogs|cat|cats|puppy|pets?",
    "driver|truck|trucks|trucking",
    # body and health
    "pains?|hurts?|hurting|aches?|aching|sore|headaches?|cramps?|stabbing",
    "chest|heart attack|short of breath|breathing|palpitations",
    "fever|cough\\w*|flu|a cold|sick|throat|infection|virus|covid|nausea|vomit\\w*|dizzy|dizziness|faint\\w*",
    "rash|itch\\w*|swollen|swelling|bleed\\w*|lump|mole|bruis\\w*|wound|stitches",
    "pregnan\\w*|expecting a",
    "diabet\\w*|cancer|tumor|asthma|allerg\\w*|stroke|arthritis|depress\\w*|anxi\\w*|insomnia|snor\\w*"
    "|blood sugar|cholesterol",
    "blood pressure",
    "surgery|operat(?:ion|ed)|hospital\\w*|emergency room|ambulance|rehab|replaced|transplant",
    "broke my|broken (?:leg|arm|hip|foot|wrist|ankle|rib|bone)|sprain\\w*|twisted|fracture\\w*",
    "metal plate|screws?|implants?|pacemaker|stent|hearing aid|pump|plate",
    "my (?:\\w+ )?back|lower back|spine",
    "war|army|military|navy|veteran|deployed",
    "knee|knees|shoulder|hip|ankle|wrist|neck|stomach|belly|leg|tooth|teeth|ear infection|eyesight",
    "vaccin\\w*|booster|(?:flu|tetanus|allergy) shots?",
    "prescriptions?|refills?|pills|medicine|medications?|pharmacy|antibiotics?|painkillers?",
    "x ?rays?|mri|scan|ultrasound|mammogram|colonoscopy",
    "blood (?:test|work)|lab (?:test|work|results?)|test results?|results?|biopsy",
    "medical records|my records|my file|referral|sick note|doctors note|sick leave",
    "insurance|insured|medicaid|medicare|deductible|copay|co pay",
    # accidents, damage, loss
    "crack\\w*|dent\\w*|scratch\\w*|smash\\w*|shattered|bent|torn|ripped|burn\\w*|burst|exploded|smok(?:e|ing)"
    "|overheat\\w*|leak\\w*|flood\\w*|water damage",
    "broken|broke down|breaks down|stopped working|defect\\w*|faulty|malfunction\\w*|damaged|wont (?:turn on"
    "|start|charge|open|work|connect|boot)"
    r"|(?:it|they|these|them|which|screen|battery|device|thing) (?:\w+ )?(?:doesnt|does not|dont|isnt|arent"
    "|not) (?:turn(?:ing)? on|work(?:ing)?|charg(?:e|ing)|start(?:ing)?)"
    "|dead on arrival|flickers?|flickering|rattles?|buzz(?:es|ing)",
    "dropped (?:it|them|her|him|my)|fell (?:down|off|out)|fallen|knocked (?:it|over)|spilled",
    "stole\\w*|theft|thief|robbed|robbery|burglar\\w*|break in|hacked",
    "lost my|i lost (?!you|the line|that)|misplaced",
    "accident|crash\\w*|collision|rear ended|hit my|injur\\w*|whiplash",
    "police|arrest\\w*|jail|officer|911|firefighters|fire department",
    "a fire|house fire|burned down|storm|hurricane|tornado",
    # life
    "vacation|holidays?|trip|travel\\w*|flying|flight|cruise|airport|out of town|abroad|leaving (?:town|for)|fly to",
    "funeral|passed away|death|widow\\w*",
    "wedding|anniversary|birthday party|graduation|christmas|thanksgiving",
    "divorc\\w*|custody|alimony|child support|separat(?:ed|ion)|prenup\\w*",
    "moved (?:away|out|to)|moving (?:away|out|to)|new (?:address|apartment|house|place)|relocat\\w*",
    "school|college|university|exam week|homework",
    "gift for|present for|bought it for|surprise",
    "cabin|boat|farm|deed|mortgage|property|land|estate",
    # law and money
    "sue|suing|sued|lawsuit|court date|judge|subpoena|settle(?:ment|d)? out",
    "immigra\\w*|visa|green card|deport\\w*|citizenship|asylum",
    "contracts?|non ?compete|employment agreement",
    "criminal|dui|drunk driving|felony|speeding|parking ticket|traffic ticket",
    "my will|a will|wills|last will|testament|inherit\\w*|probate|executor|trust fund|power of attorney",
    "bankrupt\\w*|chapter 7|chapter 13|debts?|creditors?|loan|loans|credit union",
    "tax|taxes|irs|audit|refund check",
    "patents?|trademarks?|copyright",
    "pension|social security|disability|workers comp\\w*|welfare",
    "bank statement|citibank|chase|wells fargo|bank of america|paypal|venmo|apple pay|bitcoin",
    "owe you|my balance|my bill|my invoices?|invoices?|billing|billed|receipts?|overcharged|double charged|statement",
    # a shop's other things
    "membership|loyalty|points",
    "warranty|protection plan|coverage",
    "laptops?|computer|tablet|ipad",
    "phone plan|smartphone|cell phone|new phone",
    "washing machine|washer|dryer|fridge|refrigerator|dishwasher|stove|oven|freezer|microwave|vacuum|air conditioner",
    "television|tv|televisions",
    "headphones|earbuds|speaker|speakers|soundbar",
    "camera|lens|tripod",
    "printer|router|console|game|games|keyboard|monitor",
    "password|log ?in|my app|the app|website is",
    "newsletter|advertising|ads|marketing|catalog",
    "sale|sales|specials?|deals|black friday|price match",
    "store hours|opening hours|your hours|(?:store|shop|office|clinic|you)(?: guys)? (?:open|close)|close today"
    "|open (?:on|today|until|at|tomorrow)",
    "parking|directions|bus stop|wheelchair|elevator|nearest store|where are you located",
    "hiring|job opening|vacancies",
    "complaint|complain|lawyer of mine|my lawyer|my attorney|report you|review online|better business",
    "another (?:order|bill|matter|account|device|prescription)|other (?:order|bill|matter|account)"
    "|second (?:order|bill|visit)",
)
_GROUPS = tuple(re.compile(rf"\b(?:{topic})\b") for topic in _TOPICS)
_DENIES = re.compile(
    r"\b(?:no|not|nothing|never|isnt|arent|wasnt|dont|doesnt|didnt|havent|without|nor|neither|nobody)\b"
)
_CLAIMS_BY_DENIAL = re.compile(
    r"\b(?:wont|not|doesnt|does not|isnt) (?:turn|start|charge|work|open|connect"
    r"|boot)\w*\b"
)
_PROMISED = re.compile(
    r"\b(?:(?:(?:your|the|a|1 of your|one of your|another|some) (?:\w+ )?(?:colleagues?|coworkers?|partners?"
    r"|boss|manager|nurses?"
    r"|receptionist|website|agents?|lady|guy|man|woman|people|person|doctor|assistant|paralegal|technician"
    r"|store|office"
    r"|letter|email)|somebody|someone|they|he|she|you guys|you people) (?:\w+ ){0,2}?(?:told|promised|assured"
    r"|guaranteed"
    r"|informed) (?:me|us)|(?:the|your|my) \w+ (?:\w+self )?(?:told|promised|assured) me"
    r"|(?:i|we) (?:was|were|had been|have been|been) (?:told|promised|assured|guaranteed)"
    r"|(?:you|they|he|she) (?:\w+ )?promised|your \w+ (?:\w+ )?(?:said"
    r"|says|claimed)\b|(?:1|one) of your \w+ (?:said|told|says)|(?:i"
    r"|we) (?:\w+ )?(?:talked|spoke)"
    r" (?:to|with) (?:a|an|your|some\w+|the|one|1)\b)"
)

_PAST = re.compile(
    r"\b(?:last (?:time|year|month|week)|the other day|years ago|months ago|ages ago"
    r"|the last \w+ i)\b"
)
"""What begins a story of earlier calls, true or denied: "last time I didn't have to"."""
_SPEAKER = re.compile(r"\b(?:i|we|me|us|you|they|it)\b")


def foreign_topics(text: str, part: Iterable[str], told: Iterable[str]) -> list[str]:
    """Return the words of a caller that bring up what nothing gave it, in the order of the topics.

    Args:
        text: what it says; what a clause denies is not brought up.
        part: its part; what that denies ("nothing is broken") is not given by it.
        told: what the other side has said, in whatever way.
    """
    said = _brought_up(text)
    hits = [(group, match[0]) for group in _GROUPS if (match := group.search(said))]
    if not hits:
        return []
    known = [*map(_brought_up, part), *map(_normal, told)]
    return [word for group, word in hits if not any(group.search(source) for source in known)]


@lru_cache(4096)
def _brought_up(text: str) -> str:
    """Return the clauses of a text that deny nothing, or whose denial is what they claim."""
    return " | ".join(one for one in clauses(text) if not _DENIES.search(one) or _CLAIMS_BY_DENIAL.search(one))


def tells_a_promise(text: str) -> bool:
    """Whether a caller claims that it was told or promised something before this call."""
    return any(
        _PROMISED.search(clause) and not re.search(r"\bif\b", clause) and not _DENIES.search(clause.split("told")[0])
        for clause in clauses(text)
    )


def pasts_in(text: str) -> set[str]:
    """Return the times before this call of which a caller tells."""
    found = ((clause, _PAST.search(clause)) for clause in clauses(text))
    return {match[0] for clause, match in found if match and _SPEAKER.search(clause)}


@lru_cache(4096)
def _normal(text: str) -> str:
    return normalise(text)
