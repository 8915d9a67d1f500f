"""Dialogue acts: what a turn does, whatever the task: consent, denial, a request to repeat."""

from __future__ import annotations

import re

from voicebench.language.itn import normalise

__all__ = [
    "affirmed",
    "agrees",
    "asks_again",
    "asks_for_repeat",
    "is_empty_answer",
    "plays_agent",
    "proposed",
    "sentences",
    "settles",
]

_EMPTY = re.compile(
    r"\b(?:okay|ok|sure|thanks|thank you|alright|all right|fine|great|perfect|good|got it|i see|i understand|understood"
    r"|right|no problem|of course|certainly|absolutely|sounds good|very well|cool|wonderful|so much|very much|then|well"
    r"|oh|and|thats|um|uh|mm|hmm|mhm)\b"
)
_AGAIN = re.compile(
    r"\b(?:(?:say|repeat) (?:that|it|the question|what you said)|(?:that|it) again|pardon|come again|what was that"
    r"|(?:did not|didnt|could not|couldnt|cant|cannot) (?:quite )?(?:catch|hear|understand|get|make out)"
    r"|what did you say|what do you mean)\b"
)
_REPEAT_REQUEST = re.compile(
    r"\b(say|repeat|tell me) (that|it|this)( one more time)?$|\b(say|repeat|tell me) (that|it|this) (again|once more)\b"
    r"|\b(did not|didnt|could not|couldnt) (catch|hear|get|understand) (that|you|it)\b|\bwhat did you say\b|\bpardon\b"
)
_HELLO = re.compile(r"((um|uh|hello|hi|hey|anyone|anybody|there|are you( still)?|is) ?)+")
_CLAUSE = re.compile(r"(?<=[.,;!?])\s+|\s+(?=but\b)")
_DENIED = re.compile(
    r"\b(?:do not|dont|did not|didnt|doesnt|wont|wouldnt|not|never|neither|nor|no need|no use|no good|no help"
    r"|without|instead of|rather than)"
    r"\b"
)
"""A denial; who cannot come says something, and so does who has no time."""
_SETTLED = re.compile(
    r"^(?:yes|yeah|yep|no|nope|correct|right|exactly|thats (?:right|correct|wrong|not right)|it is)\b"
)
_FINE = r"(?:fine|good|great|ok|okay|perfect|all right|alright|wonderful|lovely|excellent|nice|kind)"
_YES = re.compile(
    r"\b(?:yes|yeah|yep|sure|of course|certainly|absolutely|definitely|gladly|go ahead|i agree|works for me"
    r"|(?:please )?do (?:that|so|it)|please do|(?:that|it|this)(?: will| would)? (?:works?|suits me|helps|do)"
    rf"|(?:(?:thats|that is|that would be|thatd be|(?:that |it )?sounds) (?:really |very )?{_FINE})"
    r"|(?:i|ill|i will|id|i would)(?: gladly| happily)? (?:accept|agree to|take|like|love)(?: (?:that|it|this))?)\b"
)
"""Words that say yes to whatever was offered."""
_FILLING = re.compile(rf"\b(?:please|now|really|(?:for|with|by|to) me|of you|do|{_FINE})\b")
_READ_BACK = re.compile(r"(?<!all )\bright\b")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_ASKS_CONSENT = re.compile(
    r"^(?:(?:and|so|now) )?(?:okay|all right"
    r"|(?:is|would|will|does|do|are|how (?:does|about)|shall|should|can|may) (?:that|this|it|you|we|i)"
    r"(?: (?:be|is|sounds?|works?|suit|do|like|want|accept|agree|take|go|ahead|proceed|that|this|it|to|for|with|by|you"
    r"|me|then|okay|ok|alright|all|right|fine|good|acceptable|help))*)$"
)
"""A question that asks for no more than a yes to what was said before it."""

_THING = r"(?:appointment|order|return|request|account|booking|claim|refund|membership|case|ticket|record|file|details)"
_PROOF = (
    r"(?:name|order number|account number|phone|phone number|date of birth|birthday|address|zip|postal|card|member"
    r"|email)"
)
_DONE = (
    r"(?:booked|cancelled|canceled|confirmed|scheduled|processed|refunded|updated|found|verified|filed|placed|opened"
    r"|closed|registered|transferred)"
)
_AGENT = (
    r"(?:thank you|thanks) for (?:calling|holding|contacting)",
    r"how (?:may|can|could) i (?:help|assist)",
    r"(?:what|anything|something) else i (?:can|may|could) (?:help|assist|do)|anything else (?:for you|you need)",
    rf"(?:may|can|could) i (?:please )?(?:have|get|take|ask for) your (?:\w+ ){{0,3}}{_PROOF}",
    rf"what(?:s| is) your (?!name)(?:\w+ ){{0,2}}{_PROOF}",
    r"(?:let me|ill|i will|i can|im going to|i am going to) (?:\w+ ){0,2}(?:pull up|look up|check|find|verify|update)"
    rf" your {_THING}",
    rf"(?:i have|ive|we have|weve|i) (?:now |just |also )?{_DONE} your {_THING}",
    rf"your {_THING} (?:is|has been|was|will be) (?:now )?{_DONE}",
    r"(?:ill|i will|i am|im|let me|we will|well) (?:now |just )?(?:transfer|connect|put|pass)(?:ring|ing|ting)? you",
    r"as an ai|(?:i am|im) an? (?:ai|assistant|virtual|automated|language)\w*|language model",
    r"i (?:can|could|would be happy to|am happy to|am here to|will) (?:help|assist) you|happy to (?:help|assist)",
    r"our (?:policy|policies|system|records|records show)|for security (?:reasons|purposes)",
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a turn."""
    return [sentence for sentence in _SENTENCE_END.split(text.strip()) if sentence]


def affirmed(text: str) -> str:
    """Return a text without the clauses that deny something: who does not want to cancel does not ask to cancel."""
    return " ".join(clause for clause in _CLAUSE.split(text) if not _DENIED.search(normalise(clause)))


def agrees(text: str) -> bool:
    """Whether a caller says yes to something and no more: "Perfect, that works for me", but not "Yes, that's right"."""
    words = normalise(text)
    if not _YES.search(words) or _READ_BACK.search(words):
        return False
    return not _EMPTY.sub(" ", _FILLING.sub(" ", _YES.sub(" ", words))).split()


def proposed(text: str) -> str:
    """Return the part of a turn that a bare yes answers: its last question, or all of it.

    All of it, if it asks nothing, or no more than whether that is all right.
    """
    questions = [sentence for sentence in sentences(text) if sentence.endswith("?")]
    return text if not questions or _ASKS_CONSENT.search(normalise(questions[-1])) else questions[-1]


def is_empty_answer(text: str) -> bool:
    """Whether nothing is left of a text without its okays, sures and thanks."""
    return not _EMPTY.sub(" ", normalise(text)).split()


def asks_again(text: str) -> bool:
    """Whether a caller asks, in whatever words and among others, to hear something once more."""
    return _AGAIN.search(normalise(text)) is not None


def asks_for_repeat(text: str) -> bool:
    """Whether a turn only asks to hear the last thing again, or whether anyone is there ("hello?").

    This is narrower than :func:`asks_again`: an agent that takes a turn for such a request says its own last words
    again, so that a question with content of its own must not be taken for one.
    """
    words = normalise(text)
    return bool(_REPEAT_REQUEST.search(words) or _HELLO.fullmatch(words))


def settles(text: str) -> bool:
    """Whether a caller begins with yes or no, as one does after a read-back."""
    return _SETTLED.search(normalise(text)) is not None


def plays_agent(text: str, company: str) -> bool:
    """Whether a caller speaks as the company's side.

    Args:
        text: what it says.
        company: the company's name.
    """
    words = normalise(text)
    named = rf"(?:this is|youve reached|you have reached|welcome to) (?:\w+ ){{0,4}}{re.escape(normalise(company))}"
    return any(re.search(rf"\b(?:{pattern})\b", words) for pattern in (*_AGENT, named))
