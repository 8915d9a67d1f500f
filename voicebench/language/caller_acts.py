"""What a caller does with its words, whatever the task: says yes, refuses, leaves it open, did not hear, plays company.

The caller's counterpart of :mod:`voicebench.language.agent_acts`. Each act has its guards: a yes beside a refusal is no
yes, and "I'd rather not give that" beside a value withholds nothing.
"""

from __future__ import annotations

import re

from voicebench.language.dialogue_acts import agrees, sentences
from voicebench.language.itn import normalise
from voicebench.language.number_words import ORDINALS, TENS

__all__ = [
    "clauses",
    "consents",
    "did_not_hear",
    "evades",
    "leaves_open",
    "offer_in",
    "refuses",
    "sides_with_company",
    "wishes",
    "with_ordinals",
]

_ORDINAL = re.compile(
    rf"\b(?:({'|'.join(TENS)}|20|30)[ -])?({'|'.join(sorted(ORDINALS, key=len, reverse=True))}|\d{{1,2}}(?:st"
    rf"|nd|rd|th))\b"
)
_CLAUSE = re.compile(r"(?<=[.,;:!?])\s+|\s+(?=(?:but|and then|and also)\b)")
_REFUSED = re.compile(
    r"\b(?:no|not|never|none|neither|nor|nothing|nobody|dont|doesnt|didnt|isnt|arent|wasnt|wont|wouldnt|cant|cannot"
    r"|couldnt|shouldnt|without|instead of|rather than|rather|last thing|too (?:late|early|far|much|long)"
    r"|forget about"
    r"|no use|bad|worse|terrible|leave (?:it|that|them|my \w+)(?: alone| as)?|stop|declined?|only|skip)\b"
)
"""What takes a clause out of the running as an acceptance."""
_UNWILLING = re.compile(
    r"^(?:no|nope|nah|neither|not)\b|\b(?:dont|do not|didnt|wont|cant|cannot|no use|isnt|not what|no thank|no thanks"
    r"|id rather|i would rather|id prefer|i would prefer|but|instead)\b"
)
"""What takes a whole turn out of the running as a yes."""
_STILL_WILLING = re.compile(
    r"^(?:and |so |but )?(?:isnt there|cant (?:you|i|we)|couldnt (?:you|i|we)|wont you|arent there)\b|"
    r"\b(?:dont mind|do not mind|why not|dont see why not|no problem|no objections?|cant hurt|cannot hurt"
    r"|better than nothing"
    r"|nothing else|(?:the |my |your )?only (?:way|option|choice|thing|possibility|chance|1|one)"
    r"(?: (?:left|there is|we have|you have))?)\b"
)
"""What sounds like a refusal and is none."""
_FILL = (
    r"(?:um|uh|oh|ah|hm+|well|okay|ok|alright|all right|great|perfect|good|right|so|and|then|yes|yeah|yep|yup"
    r"|sure|fine"
    r"|please|thanks|thank you|now|really|very|much|kind|of|you|i suppose|i guess|i think|in that case|if so"
    r"|for me|me"
    r"|with|by|to|course|maybe|just|a|lot)"
)
_GOOD = (
    r"(?:fine|good|great|ok|okay|perfect|all right|alright|wonderful|lovely|excellent|nice|helpful|kind|better"
    r"|acceptable|ideal|best|super|enough)"
)
_YES_PHRASE = (
    r"go ahead|go on|go for it|(?:good|great|nice|excellent) idea|(?:please )?(?:move|take|change|switch"
    r"|swap) it|sounds like a \w+|im in|fair enough|thatll do|lets hear it|what else (?:have|do) you \w+"
    r"|please do|do (?:that|it|so|this)|lets (?:do|go with|try|have|take|make it) ?(?:that|it"
    r"|this|so|them)?|why not|i would|i do|id (?:like|love|appreciate|welcome) (?:that|it|one|this)"
    r"|id be (?:glad|happy)"
    r"(?: to)?|be my guest|by all means|gladly|absolutely|certainly|definitely|sounds \w+|(?:that|this|it)(?: all)?"
    rf" sounds \w+|works|(?:thats|that is|that would be|thatd be|this is|its|it is|would be|is) (?:\w+ )?{_GOOD}"
    r"|(?:that|it|this)(?: will| would| does|ll|d)? (?:works?|suits?(?: me)?|helps?|do)"
    r"|(?:whatever|whichever) (?:\w+ )?(?:you|is|suits|works|it|comes|has)[ \w]*"
    r"|as you (?:like|wish|think|say|please)[ \w]*|(?:its )?up to you"
    r"|you decide"
    r"|your call|either(?: one| way)?|(?:any|all|both) of (?:them|those|that)|dont mind(?: \w+){0,3}"
    r"|better safe[ \w]*"
    r"|(?:if|when) (?:thats|that is|it|you|theres|there is|we)[ \w]*|set (?:one|it|that|this) up|sign me up[ \w]*"
    r"|(?:please )?(?:arrange|book|send|order|schedule|open|start|process|file|put in|make) (?:that|it|one|this|them)"
    r"|put me down[ \w]*|i accept[ \w]*|ill (?:take|accept) (?:it|that|one|this|them|her|him)|i agree[ \w]*"
    r"|agreed|deal"
    r"|as soon as possible|the sooner the better|count me in|no problem|no objections?|(?:and )?when|how soon"
    r"|what (?:times?|days?|dates?|slots?|hours?) (?:do|are|have|would|is)[ \w]*"
    r"|whens the (?:first|next|earliest|soonest|1)[ \w]*"
    r"|i (?:suppose|guess|think) so|(?:it )?cant hurt|i could live with (?:that|it)|happy with (?:that|it)|suits me"
    r"|(?:this|tomorrow|in the|on|at|any) ?(?:afternoon|morning|evening|time|moment|day|week)"
)
_CONSENT_WORD = re.compile(
    rf"\b(?:yes|yeah|yep|yup|sure|of course|fine|{_YES_PHRASE})\b",
)
_FIRST_CONSENT = re.compile(rf"(?:{_FILL} )*(?:{_YES_PHRASE})(?: {_FILL})*")
_YES = re.compile(rf"(?:{_FILL} )*(?:yes|yeah|yep|yup|sure|of course|fine|okay|ok|alright)(?: {_FILL})*")
_CONDITION = re.compile(
    r"(?:but |and |just |only |then |though )*(?:please|after|before|around|at|between|if|as long as|provided|on|in"
    r"|any ?time|from|until|make it|preferably|ideally|the sooner|when|once|tomorrow|tonight|why not)\b"
)
"""When and on what terms a yes holds: "yes, please, after six"."""
_REST = re.compile(rf"\b(?:{_YES_PHRASE}|{_FILL}|{_GOOD}|thats|that|is|it|tomorrow|anytime)\b")
_WHY_NOT = re.compile(r"(?i)\bwhy not\?")
"""A question about a refusal; "why not." is a yes."""
_OFFER_PRONOUN = re.compile(
    r"\b(?:that|this|it|one|which|when|what|so|either|them|those|those two|sound|help|okay|alright)\b"
)
_READ_BACK = re.compile(r"(?<!all )\b(?:right|correct|exactly)\b")

_HEARS_BADLY = re.compile(
    r"^(?:(?:im |i am |so )?sorry )?(?:what|huh|pardon|pardon me|excuse me|come again|sorry|i beg your pardon"
    r"|beg pardon"
    r"|what sorry|hello|say again|again please|once more|1 more time)$"
    r"|\b(?:cut out|cut off|cutting out|breaking up|broke up|line (?:is|was|just)? ?(?:dropped|bad|broke"
    r"|crackl\w+|noisy"
    r"|awful|terrible)|bad (?:line|connection|reception)|missed (?:that|it|what|the|your|you|some)|lost you"
    r"|what (?:did|was it|is it|do) (?:that )?you (?:need|want|ask|say|wanted|asked|needed"
    r"|mean)\w*\b(?! (?:that|it|this|my))"
    r"|what was (?:it|that|the question|your question)|what (?:is it|are you asking)"
    r"|(?:say|repeat|ask|run) (?:that|it|this|me)(?: \w+){0,2} (?:again|once more|1 more time|by me)"
    r"|repeat (?:that|it|the)"
    r"|speak (?:up|slower|more slowly|louder)|(?:didnt|did not|couldnt|could not|cant|cannot|can hardly|can barely)"
    r"(?: \w+)? (?:catch|hear|get|understand|make out|follow)|hear you|not sure (?:what|i follow|i understand)"
    r"|what do you mean|come again|which (?:number|one|name|day|date|code) (?:do|did) you)\b"
)
_EVADES = re.compile(
    r"\b(?:id rather not|rather not (?:say|give|tell|share|answer)|rather keep|prefer not|prefer to keep|(?:im"
    r"|i am) not"
    r" (?:telling|giving|saying|sharing|going to (?:tell|give|say|share))|(?:i )?(?:wont|will not|dont want to"
    r"|do not want"
    r" to|refuse to|cant|cannot|dont|do not) (?:\w+ )?(?:give|tell|say|share|answer)\b|thats private|that is private"
    r"|none of your business|(?:you |do you |you really )?(?:dont |do not )?need (?:to know|that)"
    r"|why do you (?:need|want|ask)"
    r"|why would you|what (?:do you|would you|for do you)(?: \w+)? (?:that|it|this|my \w+) for|whichever|(?:im"
    r"|i am) (?:easy|flexible)|dont care|no preference|all the same to me|you tell me|not comfortable"
    r"|does (?:that|it) matter|(?:it )?doesnt matter|(?:it )?does not matter|no matter|you (?:choose|decide|pick)"
    r"|(?:thats |its |that is )?(?:really )?up to you|your choice|whatever|skip that|lets skip|stay anonymous"
    r"|you (?:should|must|already) (?:already )?have (?:that|those|it|them)|on file)\b"
)

_LEAVES_OPEN = re.compile(
    r"\b(?:whichever|whatever|(?:im|i am) (?:easy|flexible|open|fine with (?:any|either|all|both)\w*)"
    r"|(?:dont|do not) (?:really )?(?:care|mind)"
    r"|(?:no|have no|dont have a|any) preferences?|not (?:picky|fussy|choosy)|all the same to me|you tell me"
    r"|you (?:can |may )?(?:choose|decide|pick)|(?:thats |its |that is )?(?:really |entirely |all )?(?:up to you"
    r"|your choice|your call)|(?:any|either)(?: 1| one| of them)? (?:is|will|would|works|does|suits)"
    r"|makes no difference|surprise me|makes no odds|dealers choice|any of (?:them|those)|pick (?:1|one|any|for me)"
    r"|what(?:ever)? do you (?:recommend|suggest|think)|what would you (?:recommend|suggest|choose))\b"
)
"""What leaves a choice to the other side."""
_REST_OF_OPEN = 3

_IDENTITY = (
    r"(?:(?:first|last|full) )?(?:and last )?name|number|code|date of birth|birthday|birth date|address|zip"
    r"|card|email"
    r"|account|chart|file|matter|order|policy|insurance|phone"
)
_WORK = (
    r"looked?|check(?:ed)?|pull(?:ed)?|found|located?|find|verif(?:y|ied)|opened?|search(?:ed)?|transfer(?:red)?"
    r"|connect(?:ed)?"
    r"|confirm(?:ed)?|set|booked|book|cancel+(?:ed)?|schedule[d]?|process(?:ed)?|updated?|noted?|filed?|issued?"
    r"|arranged?"
    r"|refund(?:ed)?|reserved?|moved?|credited|waived?|registered|sent"
)
_AS_COMPANY = re.compile(
    rf"\b(?:(?:can|could|may|might) (?:i|we|you) (?:please )?(?:have|get|take|confirm|verify|give me|tell me"
    rf"|spell|provide"
    rf"|ask (?:for|you for))(?: me)? your (?:\w+ ){{0,3}}(?:{_IDENTITY})"
    rf"|what(?:s| is| was) your (?:\w+ ){{0,2}}(?:{_IDENTITY})"
    r"|(?:for|with) (?:you|your \w+)(?: right away| now| today| then)? (?:one|1) (?:moment|second)"
    rf"|(?:ill|i will|let me|i can|well|we will|we can|im going to) (?:just |quickly |go ahead and "
    rf"|now )?(?:{_WORK})(?: \w+)?"
    r" (?:that|this|it|your \w+|you|the \w+)(?: \w+)? (?:for you|to you|right away|in (?:our|the) system)"
    r"|(?:ill|i will|let me|im|i am) (?:now |just )?(?:look\w*|pull\w*|check\w*|transferr?\w*|connect\w*|put\w*)"
    r" (?:that |it |you )?(?:up your|your|for you|into your|you|through you|over to)"
    rf"|(?:ive|i have|weve|we have) (?:now |just |already "
    rf"|gone ahead and )?(?:{_WORK}) (?:\w+ ){{0,4}}(?:for you|your)"
    r"|(?:ive|i have|weve|we have) (?:now |just )?(?:opened|cancel+ed|booked|refunded|processed|filed"
    r"|issued) (?:the|a|an)"
    r"|youll (?:get|receive) (?:\w+ ){1,3}(?:by|via|in|within) |your \w+(?: \w+)? (?:is|are|has|have|was"
    r"|were)(?: now| been)*"
    r" (?:booked|cancel+ed|confirmed|scheduled|processed|refunded|updated|filed|opened|reserved|transferred|moved)"
    r"|(?:we|our \w+) (?:dont|do not|cant|cannot|only|always|never|are (?:not )?able|arent able|require|allows?"
    r"|offers?"
    r"|requires?) |(?:our|company) (?:policy|policies|system|records|agents|office|team|terms|customers)"
    r"|how (?:can|may|could) (?:i|we) (?:help|assist|be of)|what can (?:i|we) do for you|what brings you"
    r"|what (?:kind|type|sort) of (?:matter|issue|order|visit|problem|appointment|request)"
    r"|who is the other (?:party|side)|(?:i am|im|this is) (?:\w+ ){0,2}(?:virtual|automated|digital) "
    r"|(?:thank you|thanks) for (?:calling|holding|contacting|choosing)|please (?:hold"
    r"|stay on the line)"
    r"|(?:is there )?anything else (?:i|we) can)"
)
_WISHES = re.compile(
    r"\b(?:can|could|would|will) you\b|\b(?:id|i would|i) (?:also )?(?:like|love|want|need|have (?:a"
    r"|another) (?:question|wish))"
    r"|\btell me\b|\bplease\b|\bone more thing\b|\b1 more thing\b|\balso\b|\bwhile (?:i|im|were|youre|we|you)\b"
    r"|\bsend me\b"
)
_SELF_CARE = re.compile(
    r"\b(?:we (?:dont|cant|never|only) (?:want|need|have|live|know|think|get|own|use"
    r"|remember))\b"
)


def clauses(text: str) -> list[str]:
    """Return the clauses of a text, normalised: its parts between punctuation marks, and from a "but" on."""
    return [words for part in _CLAUSE.split(text) if (words := normalise(part))]


def with_ordinals(words: str) -> str:
    """Return normalised words with their ordinals as figures: "the twenty fifth" as "the 25th"."""
    return _ORDINAL.sub(_as_figures, words)


def _as_figures(match: re.Match[str]) -> str:
    unit = int(match[2][:-2]) if match[2][0].isdigit() else ORDINALS[match[2]]
    tens = match[1] or "0"
    return f"{unit + (int(tens) if tens.isdigit() else TENS[tens])}th"


def refuses(clause: str) -> bool:
    """Whether a normalised clause denies or declines what it names; "I don't mind" does not."""
    return _REFUSED.search(_STILL_WILLING.sub(" ", clause)) is not None


def consents(text: str) -> bool:
    """Whether a caller agrees to what it was offered, in so many words or by leaving it to the other side.

    Wider than :func:`voicebench.language.dialogue_acts.agrees`, and only to be asked where there is an offer.
    """
    if agrees(text):
        return True
    text = _WHY_NOT.sub(" ", text)
    words = normalise(text)
    if any(map(refuses, clauses(text))) or _UNWILLING.search(_STILL_WILLING.sub(" ", words)):
        return False
    if _READ_BACK.search(words) or not _CONSENT_WORD.search(words):
        return False
    first = clauses(text)[0]
    if any(map(_FIRST_CONSENT.fullmatch, clauses(text))):
        return True  # and a reason, or a detail of it
    if _YES.fullmatch(first) and all(_CONDITION.match(clause) for clause in clauses(text)[1:]):
        return True
    rest = _REST.sub(" ", words).split()
    return len(rest) <= (1 if len(words.split()) > 2 else 0)


def offer_in(text: str) -> str:
    """Return the part of an agent's turn that a yes answers: its last question, or all if that names nothing."""
    questions = [sentence for sentence in sentences(text) if sentence.endswith("?")]
    if not questions:
        return text
    words = normalise(questions[-1])
    return text if len(words.split()) <= 3 or _OFFER_PRONOUN.search(words) else questions[-1]


def did_not_hear(text: str) -> bool:
    """Whether a caller asks to hear something once more, or says that the line dropped."""
    words = normalise(text)
    return _HEARS_BADLY.search(words) is not None or any(_HEARS_BADLY.search(clause) for clause in clauses(text))


def evades(text: str) -> bool:
    """Whether a caller withholds what it was asked for, or leaves the choice to the other side."""
    return _EVADES.search(normalise(text)) is not None or _LEAVES_OPEN.search(normalise(text)) is not None


def leaves_open(text: str) -> bool:
    """Whether a caller leaves a choice to the other side, and says no more than that."""
    words = normalise(text)
    return _LEAVES_OPEN.search(words) is not None and len(_LEAVES_OPEN.sub(" ", words).split()) <= _REST_OF_OPEN


def wishes(text: str) -> bool:
    """Whether a caller asks for something or about something."""
    return any(sentence.endswith("?") or _WISHES.search(normalise(sentence)) for sentence in sentences(text))


def sides_with_company(text: str) -> bool:
    """Whether a caller says what only the company's side would: asks for your number, has booked it for you."""
    words = normalise(text)
    return _AS_COMPANY.search(_SELF_CARE.sub(" ", words)) is not None and not did_not_hear(text)
