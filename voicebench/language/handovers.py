"""Who goes on with the call: a transfer under way, the offer of a person, a call back later.

The caller may hang up at a transfer and refuses a call back, so that each is guarded: it has to be what the speaker
does or lets happen to *you* or to this call (not the refund), now (not tomorrow), on no condition ("once I have your
number"), not denied, and not asked. Expressions search normalised words (see :mod:`voicebench.language.itn`), where
"I'll" is ill, "we'll" is well and "we're" is were.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from voicebench.language.labels import Act
from voicebench.language.requests import Requests
from voicebench.language.sentences import Sentence

__all__ = ["handovers", "moves_caller"]

_PERSON = (
    r"(?:(?:real |live |human )?(?:person|people|human|humans|somebody|someone|colleagues?|co workers?|agents?|"
    r"representatives?|reps?|specialists?|managers?|supervisors?|operators?|advisors?|advisers?|associates?|"
    r"teammates?|receptionists?|experts?|consultants?|coordinators?|members? of|staff|team member|service person))"
)
"""Who may talk to the caller instead."""
_ANY_PERSON = (
    rf"(?:{_PERSON}|nurses?|doctors?|clinicians?|pharmacists?|lawyers?|attorneys?|paralegals?|front (?:desk|office)"
    r"|reception|departments?|teams?|desk|billing|sales|support|customer (?:service|care)|help ?desk|service "
    r"center)"
)
_ADVERBS = (
    r"(?: (?:now|just|also|quickly|gladly|happily|directly|currently|going to|about to|please|go ahead and|"
    r"straight|right away|right now|immediately|personally|briefly|simply|be|being|in the process of|start|try to|try "
    r"and|trying to|attempt to|attempting to|have "
    r"to|having to|need to))*"
)
_SUBJECT = (
    r"(?:im|i am|we are|were|ill|i will|i shall|we will|well|we shall|let me|lets|let us|allow me to|while (?:i|"
    r"we)|(?:i|we) (?:need|have|must)(?: to)?|while (?:im|i am|were|we are)|so (?:i|we) can|and (?:ill|i will))"
)
_YOU = r"(?:you|your call|the call|this call|the caller|your chat|this chat|the chat|this conversation|the line)\b"
_CASE = r"(?:this|it|things|matters|the matter|you|your call|the call|this call)"
_THE = r"(?:(?! (?:you|i|we|that|who|if|and)\b) \w+){0,6}"
_GOES_ON = (
    r"(?=$| (?:who|for you|now|right|on the line|on the phone|to (?:help|assist|take|talk|speak|join|you|answer|"
    r"handle)|that can|here|in|and|please|immediately)\b)"
)
_MOVE = (
    rf"(?:(?:transfer|connect|redirect|reconnect|patch|rout|forward|escalat)(?:r?ing|e)? {_YOU}|"
    rf"put(?:ting)? {_YOU} (?:straight |right |directly |back )?(?:through|over|on (?:to|with)|onto|in touch)|"
    rf"put(?:ting)? through (?:to )?{_YOU}|(?:pass|hand)(?:ing)? {_YOU} (?:straight |right |directly )?(?:over|"
    rf"through|across|on|off|back|along|to)|(?:send|direct|get|gett|bring|tak|take|mov|move|switch)(?:ing)? {_YOU} "
    rf"(?:straight |right |directly )?(?:over |through |across |back |along )?(?:to|with|through "
    rf"to){_THE} {_ANY_PERSON}\b|(?:hand|pass|turn)(?:ing)? (?:{_CASE} )?over to{_THE} {_ANY_PERSON}\b|escalat(?:e|"
    rf"ing) (?:{_CASE} )?to{_THE} {_PERSON}\b|(?:get|gett|bring)(?:ing)?(?: you)?(?: in)?{_THE} {_ANY_PERSON} "
    rf"(?:on the (?:line|phone)|to (?:help|assist|talk|speak|join))\b|(?:get|gett|bring|find|call|fetch|grab|"
    rf"add)(?:ing)?(?: you)?(?: in)?{_THE} {_PERSON}\b{_GOES_ON}|(?:hav|have|ask|gett|get|lett|"
    rf"let)(?:ing)?{_THE} {_ANY_PERSON} (?:to )?(?:take over|take it from here|join|pick up"
    r"|take (?:this|the|your) call)|transfer(?:ring)?(?: over)? to (?:a|an|our|the|my)\b|connect(?:ing)? to (?:a|"
    r"an|our) (?:live |human )?(?:agent|person))"
)
_GREETS = re.compile(
    r"\b(?:how|what) (?:can|may|could|might|shall) (?:i|we) (?:help|assist|do for|be of|direct|get)\b(?!.*\b(?:while|"
    r"meantime|until)\b)"
)
"""Whoever asks what he can do has just taken the call, and passes it to nobody: "You are connected to …"."""
_NOT_A_DESK = re.compile(
    r"^(?: \w+){0,5} (?:website|web|page|link|form|portal|app|article|faq|money|refund|dollars|account|balance|"
    r"hold music)\b(?! "
    rf"(?:\w+ )?{_ANY_PERSON})"
)
_UNDER_WAY = re.compile(rf"\b{_SUBJECT}{_ADVERBS} {_MOVE}")
_BARE = re.compile(rf"(?:(?P<before>\b\w+) )?\b(?=\w+ing )(?!getting|calling|having|asking|letting|finding){_MOVE}")
_NO_STATEMENT = re.compile(
    r"^(?:before|after|by|for|of|without|recommends?|suggests?|about|from|than|when|while|if|to|is|avoid|like|mind|"
    r"consider(?:ing)?|not|be|through|start|stop|keep|try|help|never|instead|would|and|or)$"
)
"""A word before "transferring you" that makes it no statement."""
_MOVED = re.compile(
    r"\b(?:(?:you (?:are|will)|youre|youll|(?:your|the|this) call (?:is|will)|call is) (?:now |just |then |shortly "
    r")?(?:being |be |now being |going to be |about to be )|(?:you have|youve|(?:your|the|this) call has) (?:now |"
    r"just |already )?been |(?:you are|youre|call is) now |(?:i have|ive|we have|weve) (?:now |just |already "
    r")?(?=\w+ (?:you|your call|the call)\b))(?:transferred|connected|put through|put you through|passed (?:over|"
    r"on|to|you (?:over|on|to))|handed (?:over|you over|to)|forwarded|routed|redirected|escalated|directed)(?: "
    r"(?:you|your call|the call)\b)?"
)
_SOON = (
    r"(?:shortly|soon|right (?:with you|away|now|over)|momentarily|immediately|in (?:just )?(?:a|1|one|a few|2|"
    r"two) ?(?:moments?|minutes?|seconds?|sec|short while|little while)|now|in no time|directly)"
)
_IN_PROGRESS = re.compile(
    rf"\b(?:transfer(?: to{_THE} {_ANY_PERSON})? (?:is )?(?:in progress|under ?way|initiated|has been initiated|"
    rf"started)|(?:initiating|starting|beginning)(?: (?:a|the|your))? transfer|(?:transfer|connect)(?:ring|ing) "
    rf"(?:now|the call|your call)|(?:your|the) call (?:will|is going to) be (?:answered|taken|picked up) by|"
    rf"you(?:ll| will) be (?:speaking|talking) (?:to|with){_THE} {_ANY_PERSON} {_SOON}|(?:calling|getting|bringing "
    rf"in|paging|ringing)(?! you){_THE} {_PERSON} (?:for you|now|to help|on the line))\b"
)
_TAKES_OVER = re.compile(
    rf"(?P<who>\b(?:\w+ ){{0,2}}(?:{_ANY_PERSON}|they|he|she|who)\b)(?: (?!(?:not|never|no|if|once|cannot|cant|"
    rf"wont)\b)\w+){{0,9}}? (?:(?:takes|is taking|are taking|will take|will be taking|can take|taking|take) (?:it |"
    rf"this |things )?over(?=$| (?:this|the|your) (?:call|conversation|chat)\b| (?:from (?:here|me|now)|now|for me|"
    rf"here|right|shortly|and|in a|so)\b)|(?:takes|is taking|will take|will be taking|can take|taking) (?:it|this|"
    rf"things|the call|your call|this call)(?: from here| now|$)|(?:will|ll) be (?:right )?(?:with you|on the line|"
    rf"on the phone|there|speaking (?:to|with) you|helping you|assisting you)(?:$| {_SOON})|will be right with you|"
    rf"will (?:pick up|join you|join us|answer|assist you|help you|speak (?:to|with) you)(?: you)? (?:{_SOON}|now)|"
    rf"is (?:now )?(?:on the line|joining (?:us|the call|you)|coming (?:on|to the phone)|picking up)|comes on the "
    rf"line)"
)
_STAY_FOR = re.compile(
    rf"\b(?:(?:hold|wait|stay|remain)(?: on)?(?: the)?(?: line)?|hold the line|stay connected)(?: please)? (?:for|"
    rf"while|until)(?! \d| a (?:few|moment|minute|second|while|bit|sec)){_THE} {_ANY_PERSON}\b|\b(?:hold|stay on|"
    rf"remain on|wait on)(?: the line)?(?: please)? and{_THE} {_PERSON} (?:will|is going to)"
)
_CONDITION = re.compile(
    r"\b(?:if|unless|once|until|till|before|whether|when|whenever|in case|as soon as|provided|otherwise|"
    r"afterwards?|and then|first|after (?:that|this|i|we|you|your|they)|instead of|rather than|see|i (?:can|could|"
    r"might|may|would) (?:then )?)\b"
)
_CONDITION_AFTER = re.compile(
    r"\b(?:if|unless|once|as soon as|when|whenever|provided|until|but (?:first|before|i|we)|only|after (?:you|i|we|"
    r"that|this)|assuming|so long as)\b"
)
_HARMLESS_CONDITION = re.compile(
    r"\b(?:(?:as soon as|when|once|until) (?:one|he|she|they|somebody|someone|an? \w+|the \w+|the next \w+)(?: "
    r"\w+)? (?:is|are|becomes?|gets?) (?:available|free|ready|with you|on the line|connected)|if (?:we|you|the "
    r"(?:call|line)|for any reason|anything)(?: \w+){0,2} (?:cut|disconnected|dropped|drops|lost|lose|disconnect)|"
    r"if you (?:have|need) (?:any|anything|more|further)|only (?:be|take) a)"
)
_LATER = re.compile(
    r"^(?: \w+){0,8} (?:tomorrow|later|tonight|next (?:week|month|year)|(?:in|within) (?:an?|\d+|one|two|three|a "
    r"few|the next few) (?:\w+ )?(?:hours?|days?|weeks?)|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|this "
    r"(?:afternoon|evening)|by email|in the (?:morning|afternoon)|(?:call|contact|phone|write|email|reach out|get "
    r"back)(?: to)? you)\b"
)
_DENIED = re.compile(r"\b(?:not|no|nobody|never|neither|none|nor|without|dont|cannot|cant|wont|isnt|arent|no longer)\b")
_ASKED_PERSON = re.compile(
    r"^(?:(?:and|so|okay|ok|but) )?(?:will|would|can|could|has|have|did|does|do|is|are|should|shall|which|who|when|"
    r"why|was)\b"
)
_CONSENT_TAIL = re.compile(
    r"\b(?:okay|ok|all right|alright|right|is (?:that|this|it) (?:okay|ok|all right|alright|fine|good)|sounds? "
    r"(?:good|okay|fine)|(?:does|would|will) that (?:work|help|be|suit|do)|agreed|do you agree|would you like "
    r"(?:that|me|this)|shall i)\b"
)

_OFFER = (
    r"(?:would you(?: also| still)? (?:like|prefer|rather|want|care|mind)|(?:do|did) you (?:want|need|wish)|you "
    r"(?:want|like)|want (?:me|us) to|like (?:me|us) to|(?:shall|should|may|can|could|might|would) (?:i|we)|(?:i|"
    r"we) (?:can|could|may|might)|able to|(?:happy|glad|pleased|willing) to|ready to|you (?:can|could|may)|(?:i|we|"
    r"id|we would|i would) (?:recommend|suggest|advise)|best to|better to|would (?:it|that) (?:help|be)|is it "
    r"(?:ok|okay|all right|alright|fine)|(?:are|would) you (?:be )?(?:ok|okay|open|happy|comfortable|fine)|how "
    r"about|what about|or rather|prefer(?: to)?|wish to|option (?:is|to|of)|offer to|offer you)"
)
_OFFER_GAP = (
    r"(?: (?!(?:not|never|cannot|cant|dont|wont|unable|while|ill|im|am|let|will|well|without|before|hold|would|"
    r"shall|should|want|unfortunately)\b)\w+){0,10}?"
)
_SPEAK = (
    rf"(?:(?:speak|speaking|talk|talking|chat|chatting|be connected|be transferred|be put through|connected|"
    rf"transferred) (?:directly )?(?:to|with){_THE} {_ANY_PERSON}\b|(?:have|get|ask|bring|find|fetch)(?: you)?(?: "
    rf"in)?{_THE} (?:{_PERSON}|nurse|lawyer)\b(?:{_GOES_ON}|(?= (?:from|with|instead|help|assist|speak|talk|join|"
    rf"take over)\b))|escalate(?: \w+)? to{_THE} {_ANY_PERSON}\b)"
)
_OFFERED = re.compile(rf"\b{_OFFER}{_OFFER_GAP} (?:{_MOVE}|{_SPEAK})")
_WANTS_PERSON = re.compile(
    rf"\b(?:(?:do you want|would you (?:like|prefer|rather have)|do you need|shall i get(?: you)?|should i get(?: "
    rf"you)?|you want)(?: to (?:have|get))?(?: an?| one of our| our| the| some)?(?: real| live| human)* (?:person|"
    rf"human|human being|colleague|agent|representative|manager|supervisor|operator|advisor|somebody|someone)\b(?! "
    rf"(?:to )?(?:call|contact|phone|ring|reach|get back|email|write|visit|come|look)\b)|(?:let me know|tell me|"
    rf"say so) (?:if|when|whether) you (?:would |d )?(?:like|want|prefer|wish|need) (?:to )?(?:{_SPEAK}|"
    rf"an? {_PERSON}\b)|if you (?:would |d )?(?:like|want|prefer|wish|need)(?: to)? {_SPEAK}|id(?: be)? (?:happy|"
    rf"glad) to {_MOVE}|(?:press|say) \w+ (?:to|for) {_SPEAK})"
)
_ASKS_FOR_SOMEBODY = re.compile(
    r"\b(?:may|can|could) i (?:please )?(?:speak|talk)\b|\b(?:did|have|has|had) you (?:already )?(?:spoken|talked|"
    r"speak|talk)\b"
)
_WHILE_I_DO = re.compile(
    r"\bwhile (?:i|we|im|i am|were|we are) (?:do|doing|get|getting|arrange|arranging|set up|make|making|start|starting|"
    r"complete|completing|initiate|initiating|process|processing|transfer|transferring|connect|connecting|route|"
    r"routing|pass|passing)(?: \w+)? "
    r"(?:that|so|this|it|the transfer|(?:your|the|this) (?:request|case|inquiry|enquiry|question|issue|call|chat|"
    r"conversation|matter|concern))\b"
)
"""Said after the offer of a person, this makes it a transfer; of a request alone it would be none."""
_GOES_AHEAD = re.compile(
    r"\b(?:ill|i will|im|i am|let me|were|we are|well|we will|im going to|i am going to)(?: (?:now|just|then|also|"
    r"immediately|going to|gladly))* (?:proceed|go(?:ing)? ahead|proceeding|start|starting|begin|beginning|"
    r"initiat(?:e|ing)|"
    r"mak(?:e|ing)|arrang(?:e|ing)|process(?:ing)?|complet(?:e|ing)|do(?:ing)?|set(?:ting)? up)(?: (?:with|and (?:do|"
    r"start|make|"
    r"initiate)|on|by))* (?:the|this|that|your) (?:call )?(?:transfer|hand ?over|hand ?off|connection)\b(?! (?:of|fee|"
    r"to your|"
    r"from|form|amount))|\b(?:ill|i will|let me) (?:now |just |go ahead and |gladly )*(?:do|arrange) (?:that|so|this) "
    r"(?:now|"
    r"right (?:now|away)|for you now|immediately)$"
)
"""The same, of a transfer named by its noun: "I'll proceed with the transfer now" may mean money."""
_IF_YOU_LIKE = re.compile(
    r"\bif (?:you(?:d| would)?(?: really)?|youd) (?:like|want|prefer|wish|need|think|believe|agree|rather|still)|"
    r"\bif (?:thats|that is|its|that) "
)

_CALL = (
    r"(?:call you (?:back|again)|(?:call|phone|ring|contact|reach|telephone) you\b|(?:reach out|get in touch|get "
    r"in contact|be in touch|be in contact)(?: (?:to|with) you\b|(?! (?:to|with) (?!you\b)))|give you (?:a|"
    r"another) (?:quick |short )?(?:call|ring|buzz)|follow up with you|phone back|call back|ring (?:you )?back|"
    r"return your call|be (?:calling|contacting|phoning|reaching out to) you)"
)
_CALLS = re.compile(
    rf"\b(?P<who>(?:\w+ ){{1,3}})?(?:will|ll|ill|well|theyll|shell|hell|can|could|shall|would|going to|gonna|"
    rf"should|so (?:that )?they can)(?: (?:then|also|just|try to|be able to|personally|gladly|happily|definitely|"
    rf"soon|shortly|i|we|he|she|they|somebody|someone|please|need to|have to))* {_CALL}"
)
_HAS_CALL = re.compile(
    rf"\b(?:have|having|ask|asking|get|getting|let|tell|request|arrange for|like|want|need|for|me|us)(?: (?!(?:you|"
    rf"not|no|nobody|number|did|why)\b)\w+){{1,6}}? (?:to )?{_CALL}|\b(?:like|want|need|prefer|for|have) (?:me|us|"
    rf"them|him|her|somebody|someone) to {_CALL}"
)
_A_CALL = re.compile(
    r"\b(?:arrange|schedul\w+|set up|offer|request\w*|book|log|leave|get|give you|offer you|like|want|prefer|need|"
    r"place|put in|have|expect|receive|registered|thanks? (?:you )?for)(?: (?!(?:not|no|number)\b)\w+){0,4} "
    r"(?:callback|call back)\b(?! number)|\b(?:your|a|the) (?:callback|call back) (?:is|has been|will|within|"
    r"request|tomorrow|at|on|later)|\bexpect (?:a|our|their|his|her) (?:phone )?call\b|\b(?:receive|get) a "
    r"(?:phone )?call (?:from|back)\b"
    rf"|\bhear (?:back )?from (?:us|{_ANY_PERSON})\b"
    r"|\b(?:ill|i will|well|we will|theyll|they will) (?:call|phone|ring) (?:and|to|with|as soon as) (?:let|tell|"
    r"give|the|inform|update|i|we|they)\b"
)
_GET_BACK = re.compile(r"\bget(?:s|ting)? back (?:to|with) you\b")
_ON_HOLD = re.compile(
    r"\b(?:moments?|minutes?|seconds?|sec|hold|wait|bear with|shortly|right back|hang on|let me|lets|while i|allow "
    r"me|quickly)\b"
)
_DATED = re.compile(
    r"\b(?:within|by|tomorrow|days?|hours?|week|later|email|e mail|phone|monday|tuesday|wednesday|thursday|friday|"
    r"today)\b"
)
_NO_CALL_BACK = re.compile(
    r"\b(?:not|never|nobody|no one|none|cannot|cant|wont|unable|dont|without|no|neither|nor|did|didnt|free|who|why|"
    r"if|what should|what can|what shall|what may|number|where|how|driver|courier|carrier|technician|installer|"
    r"engineer|delivery)\b"
)
_NO_CALL_AFTER = re.compile(
    r"^ (?:by (?:your|the)|mister|mr|mrs|miss|ms|dr|ahead|\d+ minutes|(?:\w+ ){0,4}(?:before (?:they|he|she|arriv|"
    r"deliver|com)|minutes before)|a (?:name|liar|taxi|cab)|your|for (?:codes?|passwords?|your))"
)
_CALL_YOU_NAME = re.compile(
    r"\b(?:may|can|shall|should|could) (?:i|we) (?:please )?call you(?! (?:back|at|on|tomorrow|later|in|again|when|"
    r"if|once|about|today|this|under)\b) \w+"
)


def handovers(sentences: Sequence[Sentence], requests: Requests) -> frozenset[Act]:
    """Return which of ``transfers_now``, ``offers_person`` and ``offers_callback`` a turn does.

    Args:
        sentences: of the turn.
        requests: the details that it asks for: a transfer that is only announced waits for them.
    """
    found: set[Act] = set()
    for at, one in enumerate(sentences):
        later = sentences[at + 1 :]
        if _transfers(one, requests):
            asks_consent = any(
                other.is_question and _CONSENT_TAIL.search(other.words) and "anything" not in other.words
                for other in later[:1]
            )
            found.add("offers_person" if asks_consent else "transfers_now")
        elif _offers_person(one):
            found.add("transfers_now" if not one.is_question and _goes_ahead(sentences[at:]) else "offers_person")
        if _calls_back(one, sentences):
            found.add("offers_callback")
    if any(_GREETS.search(one.words) for one in sentences):
        found.discard("transfers_now")
    return frozenset(found)


def _goes_ahead(sentences: Sequence[Sentence]) -> bool:
    """Whether the transfer that the first of some sentences offers is under way by the others."""
    return any(_WHILE_I_DO.search(one.words) for one in sentences) or any(
        not one.is_question and _holds(one, match) for one in sentences[1:] for match in _GOES_AHEAD.finditer(one.words)
    )


def moves_caller(words: str) -> bool:
    """Whether normalised words speak of passing the caller on, be it offered, denied or done."""
    return re.search(rf"\b(?:{_MOVE}|{_SPEAK})", words) is not None


def _transfers(sentence: Sentence, requests: Requests) -> bool:
    words = sentence.words
    for pattern in (_UNDER_WAY, _MOVED, _IN_PROGRESS, _STAY_FOR):
        for match in pattern.finditer(words):
            announced = pattern is _UNDER_WAY and not re.match(r"(?:im|i am|we are|were|while)\b", match[0])
            if announced and (requests.details or requests.own):
                continue
            if pattern is _STAY_FOR and re.search(
                r"\b(?:can|could|may|might|to|would|prefer|like) $", words[: match.start()]
            ):
                continue
            if _holds(sentence, match):
                return True
    for match in _BARE.finditer(words):
        if not _NO_STATEMENT.search(match["before"] or "") and _holds(sentence, match):
            return True
    for match in _TAKES_OVER.finditer(words):
        asked = _ASKED_PERSON.search(words) and not _stays(sentence, match)
        if not asked and not _DENIED.search(match["who"]) and _holds(sentence, match):
            return True
    return False


def _holds(sentence: Sentence, match: re.Match[str]) -> bool:
    """Whether what is said of a transfer is unconditional, not denied, not asked, and about this call."""
    before, after = sentence.words[: match.start()], sentence.words[match.end() :]
    near = " ".join(before.split()[-3:])
    if _CONDITION.search(" ".join(before.split()[-14:])) or _DENIED.search(near) or near.endswith((" or", "need to")):
        return False
    rest = _HARMLESS_CONDITION.sub(" ", after)
    if _CONDITION_AFTER.search(" ".join(rest.split()[:14])) or _LATER.search(after) or _NOT_A_DESK.search(after):
        return False
    return _stays(sentence, match) or not sentence.text.rstrip().endswith("?")


def _stays(sentence: Sentence, match: re.Match[str]) -> bool:
    """Whether the question of a sentence comes after its statement and is no mere "okay?"."""
    after = sentence.words[match.end() :]
    return sentence.is_question and len(after.split()) > 3 and not _CONSENT_TAIL.search(after)


def _offers_person(sentence: Sentence) -> bool:
    words = sentence.words
    if _ASKS_FOR_SOMEBODY.search(words):
        return False
    for match in _OFFERED.finditer(words):
        near = " ".join(words[: match.start()].split()[-2:])
        if (
            not _DENIED.search(near)
            and not near.endswith(("if", "whether"))
            and not _NOT_A_DESK.search(words[match.end() :])
        ):
            return True
    if _WANTS_PERSON.search(words):
        return True
    for match in _UNDER_WAY.finditer(words):
        if _IF_YOU_LIKE.search(words) or (sentence.is_question and _CONSENT_TAIL.search(words[match.end() :])):
            return not _DENIED.search(match[0])
    return False


def _calls_back(sentence: Sentence, sentences: Sequence[Sentence]) -> bool:
    words = sentence.words
    if _GET_BACK.search(words):
        turn = " ".join(one.words for one in sentences)
        held = _ON_HOLD.search(turn) and not _DATED.search(words[_GET_BACK.search(words).end() :])  # type: ignore[union-attr]
        if not held and not _NO_CALL_BACK.search(words):
            return True
    if _CALL_YOU_NAME.search(words):
        return False
    for pattern in (_CALLS, _HAS_CALL, _A_CALL):
        for match in pattern.finditer(words):
            before = " ".join(words[: match.start()].rpartition(" but ")[2].split()[-5:])
            denied = _NO_CALL_BACK.search(f"{before} {match[0]}")
            if not denied and not _NO_CALL_AFTER.search(words[match.end() :]):
                return True
    return False
