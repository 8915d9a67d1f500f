"""Request frames: the words after which an agent names what it asks for, and where the request ends."""

from __future__ import annotations

import re

__all__ = ["Region", "asked_again", "is_told", "regions_of", "stripped_of_fillers"]

Region = tuple[int, int]
"""From where to where a request reaches in the words of a sentence."""

_SOFT = (
    r"(?: (?:please|just|also|quickly|kindly|first|now|then|possibly|maybe|perhaps|still|really|only"
    r"|again|go ahead and|go ahead|at least|additionally|actually|next|to start))*"
)
_GIVE = (
    r"(?:provider?|give|tell|spell(?: out)?|confirm|verify|validate|read(?: out| off| back)?|share"
    r"|specify|repeat|say|state|enter|supply|send|submit"
    r"|(?:try to )?(?:remember|recall)"
    r"|clarify|indicate|describe|explain|remind|list|type(?: in)?|mention|double ?check|re ?check"
    r"|check|pass|find|dig out|grab|include|restate|resend"
    r"|dictate|advise|present|input|key in|identify|choose|select|pick|let (?:me|us) (?:know|have"
    r"|get)|help me with|update|note down|leave)"
)
_TO_ME = r"(?: (?:me|us|it|to me|with me|with us|for me|for us|once more|again|please|down|with|by|just|what|exactly))*"
_GIVING = (
    r"(?:giving|telling|sharing|spelling|confirming|repeating|saying|providing|reading|verifying"
    r"|stating|specifying|letting me know|entering|getting|having|taking)"
)
_FRAME = re.compile(
    rf"\b(?:(?:can|could|may|might|shall) (?:i|we){_SOFT} (?:have|get|take|ask(?: you)?(?: for)?"
    rf"|grab|know|trouble you for|bother you for|note(?: down)?"
    rf"|confirm|verify|double ?check|collect|please have|see|request|hear|start with|begin with){_TO_ME}"
    rf"|(?:can|could|would|will|may) (?:you|u|ya|i){_SOFT} {_GIVE}{_TO_ME}"
    rf"|you{_SOFT} (?:would|can|could|will|must|should|may|ll need to|will need to|need to"
    rf"|ll have to|have to|d need to){_SOFT} (?!check|find|choose|leave|update){_GIVE}{_TO_ME}"
    rf"|(?:please|kindly){_SOFT} (?!check|find|leave|update){_GIVE}{_TO_ME}"
    rf"|(?:(?:i|we|ill|well|id|wed|im|were|and|but|also|just|still|really|only|all i|what i|will"
    rf"|would|do|first|now|going to|both|always)) "
    rf"(?:(?:just|also|still|really|first|only|do|will|would|might|may|then) )*(?:need|require|want"
    rf"|like)(?: you)?(?: (?:to (?:know|have|get|ask(?: you)?(?: for)?|see"
    r"|confirm|verify|validate|collect|take|hear|give me|tell me|provide|start with)))?(?: (?:is|are|from you))*"
    r"|(?:i|we|ill|well)(?: \w+)? (?:have to|must|(?:m|am|are) required to) (?:have"
    r"|ask(?: you)?(?: for)?|get|know|confirm|verify)"
    rf"|(?:let|lets)(?: me| us)?{_SOFT} (?:get|have|take|start with|grab|begin with|know|(?:start"
    rf"|begin) by {_GIVING}){_TO_ME}"
    rf"|(?:start|begin) (?:by|with|off with)(?: {_GIVING})?"
    r"|(?:once|after|when|as soon as|until|unless|if) (?:you|youve|you ve|youll)(?: (?:have|can"
    r"|could|will|would|do|please|just))* (?:provided?|given?|tell|told|shared?|send|sent"
    r"|confirm(?:ed)?|verif(?:y|ied)|enter(?:ed)?|have|know|gave|let me know|remember)(?: (?:me|us|with))*"
    r"|(?:once|as soon as|when|until|before|unless) (?:i|we)(?: (?:have|get|receive|know|ve got"
    r"|ve)| have (?:got|received))|(?:once|until|unless) (?:ive|weve)(?: got| received)?"
    r"|(?<=\s)without(?= (?:your|the)\b)|^without(?= (?:your|the)\b)"
    rf"|by {_GIVING}{_TO_ME}"
    r"|do you(?: (?:happen to|by any chance|still|also|maybe|perhaps))* (?:have|know|remember"
    r"|recall)|have you(?: got)?|do you know|you wouldnt happen to (?:have|know)"
    r"|(?:any|is there any) chance (?:you(?: have| know| can give me| could give me| remember)?"
    r"|i (?:can|could) (?:get|have))|would you happen to (?:have|know)"
    rf"|mind(?: \w+)? {_GIVING}{_TO_ME}|would you like to (?:note(?: down)?|give|add|provide|leave"
    rf"|tell|share|specify)|is there(?= any (?:other|further|additional) )|is there (?:a|an|another)(?= (?!order|"
    rf"account|problem|issue|chance|way|possibility))"
    r"|(?:didnt|did not|dont|couldnt|could not|cant|cannot|wasnt able to|was not able to"
    r"|am not able to|not able to|unable to|missed|failed to)(?: (?:quite|fully|really|clearly"
    r"|properly|just"
    r"|seem to|able to|to))* (?:get|catch|hear|understand|make out|recogni[sz]e|read|got"
    r"|understood|catch all of)(?: all of)?|(?:i )?missed|(?:i|we) (?:dont"
    r"|do not)(?: seem to)? have(?= your)"
    r"|not a valid|invalid|what about|how about|(?:what|which)s?(?: (?:is|was|are|were|would be"
    r"|will be|re))?(?: again)?(?= (?:your|the|his|her|their|that|full|first|last|is)\b)"
    r"|(?:what|which)(?! (?:can|do|did|does|would|could|should|else|happens|i|we|you|if|about|is|are|an?))"
    rf"|if (?:i|we) (?:could|can|may){_SOFT} (?:get|have|take|ask(?: you)?(?: for)?|know)"
    r"|(?:and|then) (?:tell|give|read|send|spell)(?: (?:me|us|out|to me|for me))+"
    rf"|would you (?:rather|prefer to) (?:give|tell|provide|use|share){_TO_ME}"
    r"|(?:(?:is|was|would) there (?:be )?(?:any |a |some )?|\bany )(?:other )?(?:way|chance|possibility)(?: (?:that|"
    r"for))? (?:you|i)"
    r"(?: (?:can|could|might|may|would|will|are|be|able to|to|still|happen to))* (?:find|locate|get|have|look up|dig "
    r"out|check"
    r"|provide|give|tell|remember|recall|share|send|know|see|read|obtain|confirm|supply|retrieve)(?: (?:me|us|out|for "
    r"me))*"
    r"|(?<!how )(?<!where )(?<!who )\b(?:is|are)(?= (?:your|the) (?:\w+ ){0,3}\w+$)(?! the (?:only|problem|issue|"
    r"right|same"
    r"|correct|reason|case|point|best|first|last one|one)\b)"
    r"|(?:trouble|bother) you for|ask(?:ing)? (?:you )?for|(?:and|or) (?=(?:whats|what is) your))\b"
)
_IMPERATIVE = re.compile(
    rf"^(?:(?:okay|ok|great|thanks|sure|so|and|now|then|thank you|next|first|perfect"
    rf"|alright) ,? ?)*(?:{_GIVE}|go ahead with)(?: (?:me|us|out|to me))*(?= (?:the|your|a|with|both|what|which"
    rf"|when|why)\b)"
)
_REFUSED = re.compile(
    r"(?:\b(?:not|never|dont|wont|no|nobody|neither|cannot|without|doesnt|didnt|needn?t)(?: \w+)?|\bso (?:that )?)$"
)
_SKIPPED = re.compile(
    r"\b(?:or )?if (?:you (?:dont|do not|cant|cannot)(?: \w+){1,4}? (?:it|that|one|that handy"
    r"|it handy|it at hand|that at hand|with you|this)|(?:possible|available|not|you prefer"
    r"|you would rather|you have (?:it|one|that)"
    r"|you like|thats easier|it is easier|its easier|you dont mind|handy|any))\b(?: handy| at hand"
    r"| on hand| with you| available| nearby)?"
)
_OWN_WORK = (
    r"(?:look|pull|search|access|review|open|process|run|locate|bring|use|transfer|create|submit|go|pass|make|do"
    r"|update|reset|refer|escalate|consult|file|put|find|see (?:if|whether|what|how)|check (?:if|whether|with|on|the "
    r"(?:status"
    r"|availability|system|policy))|change|cancel|book|send|report|connect|issue|reach|move|start|set|correct|remove|"
    r"add)\b"
)
"""What the speaker needs to do himself: "I need to look up your account" asks for nothing."""
_CUT = re.compile(
    r"\b(?:so(?: that)? (?:i|we|it|the|they|you|a|your)\b|in order\b|in case\b"
    rf"|(?<=\bneed )to {_OWN_WORK}|(?<=\bwant )to {_OWN_WORK}|(?<=\blike )to {_OWN_WORK}|(?<=\bhave )to {_OWN_WORK}"
    r"|(?<!like )(?<!want )(?<!wish )(?<!need )(?<!have )(?<!number )(?<!way )(?<!contact )(?<!reason )"
    r"(?<!answer )(?<!answers )to (?!the\b|your\b|you\b|a\b|an\b|this\b|that\b|my\b|our\b|whom\b"
    r"|who\b|which\b|what\b|me\b|us\b|it\b|security\b|and\b|\d)\w+"
    r"|before (?:i|we)|because|since|if\b|whether\b|while\b|for (?:security|verification"
    r"|identification|safety)|as (?:an?|another|alternative|proof|part)|and (?:i|we|ill|well"
    r"|then)\b|otherwise"
    r"|that (?:the|your|this|it|my|our)\b|under (?:your|the|that)|using (?:your|the)|via"
    r"|such as (?!your\b)|matching|matches|associated|linked|belonging|belongs|on which|instead)\b"
)
_CLAUSE = re.compile(
    r"(?<!number )(?<!where )(?<!which )(?<!way )(?<!what )(?<!when )(?<!why )\b(?:you(?! (?:account"
    r"|user|phone|order|zip|email|full|last|first|name|date|pin|member|customer|booking)\b)|they"
    r"|he|she|it|i(?! d\b)|we|youre|youve|youd|ill|ive|im|weve|theyve)\b(?= \w)"
)
_RESUMED = re.compile(
    r"(?:, (?:and |or |as well as |along with |plus |also )?|\b(?:and|or|as well as|plus"
    r"|along with|together with) (?:also )?)(?=(?:your|the|an?|any|which|what|when|why|whether)\b)"
)
_RESUMED_AFTER_PAUSE = re.compile(r", (?:(?:and|or|as well as|along with|plus|also|please) )+|, (?=your\b)")
_AGAIN = re.compile(
    rf"(?:can|could|would|will|may) (?:you|i){_SOFT} (?:{_GIVE}|have|get)(?: (?:me|us|with))* (?:it"
    rf"|that(?! (?:\w+ ){{0,4}}(?:is|are|was|were|you|i|we)\b)|this|them|those|these|one)(?: (?:to|with|for) (?:me|us)"
    rf")?(?: (?:details|info\w*|number"
    rf"|again|please|,|once more|one more time|so))*"
    rf"|please{_SOFT} (?:provide|give|share|repeat|spell|confirm|say|read|tell|resend|enter"
    rf"|try)(?: (?:me|us))? (?:it|that(?! (?:\w+ ){{0,4}}(?:is|are|was|were"
    rf"|you|i|we)\b)|this|them|those|these)\b"
)
_FILLER = re.compile(
    r"\b(?:please|and|or|either|the|your|her|his|their|a|an|okay|ok|thanks|thank you|great|perfect|alright|all right"
    r"|so|now|then|also|again|first|next|sure|just|once more|one more time|sorry|what|"
    r"is|was|are|on file|on it|with it|for (?:the|your) (?:order|account)|on (?:the|your) (?:order"
    r"|account|card|file)|full|any|for me|for you|its|yes|no|good|got it|well|with|plus"
    r"|slowly|uh|um|hmm|correct|new|current|which|as well|too|maam|sir|of|associated|then|if any"
    r"|handy|would be|your other|both|at least|or else|number|if you (?:have|dont mind)|right|mr"
    r"|mrs|ms|(?:that |which )?we(?: should| do)? have(?: here)? (?:on file|on record|for you)(?: for you)?"
    r"|(?:that |which )?you (?:\w+ )?(?:paid|used?|ordered|booked|registered|signed up|called|have|gave)"
    r"(?: (?:with|from|for|to|on|in|it|us|here))*)\b|,"
)


_TOLD = re.compile(
    r"\b(?:if|that is|thats|understand|explain|see|know|tell you|show you|depends on|regardless of|like|check|find out"
    r"|figure out|look up|look into|note(?: down)?|(?:let|letting) you know)(?: (?:in|by|on|at|for|until))?$"
)
_INQUIRED = re.compile(
    r"\b(?:you(?: \w+)? explain|please explain|(?:(?:may|can|could) (?:i|we)|need to|like to|(?<!you )want to|have to"
    r"|do you|if you|(?<!letting )me|let us) know)"
    r"(?: (?:in|by|on|at|for|until))?$"
)


def is_told(before: str) -> bool:
    """Whether a question word after these words asks nothing: "let me see what …", but not "I need to know what …"."""
    return _TOLD.search(before) is not None and not _INQUIRED.search(before)


def regions_of(paused: str) -> list[Region]:
    """Return where requests reach in a sentence: from each frame to its purpose, its condition or the end."""
    starts = [
        match.end()
        for pattern in (_FRAME, _IMPERATIVE)
        for match in pattern.finditer(paused)
        if not _REFUSED.search(paused[max(0, match.start() - 20) : match.start()].rstrip())
        or match.group().startswith("without")
        if not (match.group().startswith(("what", "which")) and is_told(paused[: match.start()].rstrip()))
    ]
    return [region for start in starts for region in _reach(paused, start)]


def _reach(paused: str, start: int) -> list[Region]:
    """Return the parts of what follows a frame that name what is asked for."""
    found: list[Region] = []
    at = start
    while at < len(paused):
        cut, clause = _first_cut(paused, at), _CLAUSE.search(paused, at)
        end = min(cut, clause.start() if clause else len(paused))
        found.append((at, end))
        if end == len(paused):
            break
        # the list goes on after a clause that only describes ("the day you prefer and your name"), after a purpose
        # only where a pause is heard
        resumed = (_RESUMED if end != cut else _RESUMED_AFTER_PAUSE).search(paused, end)
        if resumed is None or paused.startswith(("if ", "whether "), end):
            break
        at = resumed.end()
    return found


def _first_cut(paused: str, start: int) -> int:
    skipped = [match.span() for match in _SKIPPED.finditer(paused, start)]
    for match in _CUT.finditer(paused, start):
        if not any(first <= match.start() < last for first, last in skipped):
            return match.start()
    return len(paused)


def asked_again(paused: str) -> bool:
    """Whether a sentence asks for something that the sentence before names: "Could you provide it again?"."""
    return _AGAIN.search(paused) is not None


def stripped_of_fillers(clause: str) -> str:
    """Return the words of a clause without those that a bare request may hold beside its noun."""
    return " ".join(_FILLER.sub(" ", clause).split())
