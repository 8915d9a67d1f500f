"""What a turn states as settled: not asked, not offered or announced, not conditional, not denied."""

from __future__ import annotations

import re

from voicebench.language.sentences import Sentence, split_sentences

__all__ = ["settled_words", "states_settled"]

_QUESTION = re.compile(
    r"^(?:(?:and|so|now|okay|ok|then|but) )*(?:who|what|whats|which|when|where|why|how|can|could|may|would|will|do|"
    r"does|did|shall|should|is|are|am|have|has|want me|like me)\b"
)
_TAG = re.compile(r"\w+ \w+ (?:okay|ok|all right|alright)$")
_ON_CONDITION = re.compile(
    r"\b(?:if|once|as soon as|when|unless|until|before|after|provided(?: that)?) (?:you|i|we|that|its|its) (?:\w+ "
    r")?(?:confirm\w*|agree\w*|say|give|gave|provide|want|like|accept|approve|tell|pay|verify|verified|okay|"
    r"consent|wish|have (?:your|the|that|it)|get (?:your|the)|need (?:it|that|me)|okay|fine|go ahead|do that|can "
    r"do that|do it|(?:move|cancel|book|send|place|open|change)(?: it| that)?)\b"
)
_DENIED = re.compile(
    r"\b(?:(?:has|have|had)(?:nt| not| never)(?: yet| actually| really| been| gotten)* \w+|(?:was|were)(?:nt| not| "
    r"never)(?: yet| actually)* (?:\w+ed|sent|made|set|put|done|written|paid)|ive (?:not|never)|not yet|(?:cannot|"
    r"cant|couldnt|could not|unable to|not able to) (?:be )?(?:book|cancel|move|open|file|send|place|set|put|"
    r"transfer|schedule|record|change|note|confirm)\w*|failed to|still (?:needs|has) to|yet to be)\b"
)
_UNREAL = re.compile(
    r"\b(?:i|we|you|it|that|he|she|they) (?:can|could|may|might|would|must|should)\b|\b(?:can|could|may|might|"
    r"would|must|should|to|needs to|has to) (?:only |also |then |still )?be \w+|\b(?:shall|should) (?:i|we)\b|"
    r"\b(?:like|want) (?:me|us) to\b|\bwould you\b|\bdo you want\b|\b(?:ill|i will|let me|lets|im going to|i am "
    r"going to|were going to|we are going to|id|i would) (?:\w+ )?(?:\w+)\b|\b(?:happy|glad|able|ready|about|"
    r"trying) to\b"
)
_DONE = re.compile(
    r"\b(?:ive|weve|i have|we have|i|we) (?:now |just |also |already |gone ahead and |successfully |went ahead and "
    r")*(?:\w+ed|made|sent|set|put|written|taken|left|paid|done|got|given|told)\b|\b(?:has|have|is|are|was|were|"
    r"its|thats|youre|theyre|been)(?: (?:now|just|also|already|all|both|successfully|officially))* (?:been |being "
    r")?(?:\w+ed|set|sent|put|made|done|off|on|open|in|out|through|with|paid|taken|written|left|given|complete|"
    r"ready)\b|^(?:(?:okay|ok|great|all) )*(?:done|all set|booked|cancell?ed|noted|filed|confirmed|it is|its)\b|"
    r"\bis now\b|\byou are (?:now )?(?:on|in|a)\b"
)


def states_settled(sentence: Sentence) -> bool:
    """Whether a sentence states something as a fact: who hangs up at "it is cancelled" stays at "shall I cancel it?".

    "It has not been cancelled", "I can cancel it", "I'll cancel it" and "it will be cancelled once you confirm" state
    nothing as settled; "You will get no more calls" does.
    """
    words = sentence.words
    if _QUESTION.search(words) or (sentence.text.rstrip().endswith("?") and not _TAG.search(words)):
        return False
    if _ON_CONDITION.search(words) or _DENIED.search(words):
        return False
    return not _UNREAL.search(words) or _DONE.search(words) is not None


def settled_words(text: str) -> str:
    """Return the normalised words of a turn's sentences that state something as settled."""
    return " ".join(one.words for one in split_sentences(text) if states_settled(one))
