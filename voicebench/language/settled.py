"""What a turn states as settled: not asked, not offered or announced, not conditional, not denied."""

from __future__ import annotations

import re
from itertools import zip_longest

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
_PARTICIPLE = (
    r"(?:\w+ed|open|off|on|set|sent|put|made|done|paid|taken|written|left|given|told|in|in place"
    r"|complete|ready|through)"
)
# "nothing has been moved", "none of your visits is booked", "no return has been opened", "hardly has it been sent"
_NOTHING_IS = re.compile(
    r"\b(?:nothing(?! (?:else|more|further))|none|neither|"
    r"nobody|no one|hardly|scarcely|barely|not (?:a|one|any|all|every|both|even"
    r"|everything)|"
    r"no (?!more\b|longer\b|problem|worries|doubt|need|charge|fee|cost|extra|further|penalt|your\b|the\b"
    r"|it\b|its\b|i\b|"
    r"ive\b|we\b|weve\b|that\b|thats\b|you\b|this\b)\w+)(?: \w+){0,6}? (?:has|have|had|is|are|was|were|got"
    r"|went|gets)\b"
)
_NOT_SO = re.compile(
    r"\b(?:isnt|arent|aint|(?:is|are|its|thats|youre|theyre|still|and|but) not|never)(?: (?:yet|actually|quite|fully|"
    r"really|even|been|being|properly))* (?!charged|billed|needed|required|obliged|included|affected)"
    + _PARTICIPLE
    + r"\b"
    r"|\b(?:not|nt|never|hasnt|havent|hadnt|wasnt|isnt|arent|werent)(?: been)? able to\b|\b(?:didnt|did not|doesnt|"
    r"does not|wont|will not|wouldnt|refuses? to|refused to) (?:go through|work|let|open|save|send|say)\b|"
    r"\byet\b(?! another)|\bso far\b|\bstill (?:have to|has to|need|needs|must|waiting|pending|open request|working|"
    r"checking|trying)\b|\b(?:failed|bounced|reverted|rejected|undone|fell through|got stuck|timed out)\b"
)
# "I would have moved it", "it will have been opened by then", "I thought it was", "almost booked"
_IRREALIS = re.compile(
    r"\b(?:would|could|should|might|may|must|will|id|wed|itd|youd|hed|shed|theyd|ill|well|itll)(?: \w+){0,2} have "
    r"(?!received|gotten|got\b)(?:\w+ )?(?:been|had|"
    + _PARTICIPLE
    + r")\b|\b(?:would|could|should|might|may|must)ve\b|"
    r"\b(?:wish(?! you\b)|pretend|imagine|as if|as though|or so|"
    r"i (?:had )?(?:thought|assumed|believed|figured|hoped|hope)|"
    r"we (?:had )?(?:thought|assumed|believed|hoped|hope)|supposed to|meant to|tried to|attempted to|almost|nearly|"
    r"not quite|halfway|supposedly|allegedly)\b|\b(?:normally|usually|typically|generally|in general|ordinarily)\b"
)
# "as soon as the return is open", "once I've opened it", "assuming it is booked"
_CONDITIONAL = re.compile(
    r"\b(?:if|once|as soon as|as long as|the (?:moment|minute|second|day|instant)|when|whenever|unless|until|before|"
    r"after|by the time|provided(?: that)?|providing|assuming(?: that)?|supposing|suppose|in case|whether|only then) "
    r"(?:(?:ive|weve|its|thats|theyve|theyre)|(?!you\b|youre\b|youve\b|there\b|they\b)(?:\w+ ){1,5}?(?:is"
    r"|are|has|have|"
    r"was|were|gets|been|comes|goes))(?: (?:now|all|also|been|fully|finally|successfully))* " + _PARTICIPLE + r"\b"
)
# what was once so, or is so elsewhere
_ELSEWHERE = re.compile(
    r"\b(?:the )?last (?:time|year|month|week|summer|winter|spring|fall|january|february|march|april|may|june|july|"
    r"august|september|october|november|december)\b|\b(?:years?|months?|weeks?) ago\b|\b(?:back then|in the past|"
    r"previously|at one point|used to be)\b|\bfor (?:a |an |some )?(?:different|another|other|someone"
    r"|somebody|wrong)\b|"
    r"\b(?:different|another|other|wrong) (?:order|customer|patient|client|caller|person|account|matter"
    r"|chart|file)\b|"
    r"^(?:(?:so|well|okay|it seems|it looks like) )*only (?:the|your|a|one|half|part)\b"
)
_REPORTED = r"(?:said|says|saying|told me|claims?|claimed|shows?|showed|it looks like|looks|seems?|apparently|reads)"
_RETRACTED = re.compile(
    r"\b(?:but|though|although|however|except)\b.*\b(?:not|isnt|arent|wasnt|werent|hasnt|havent|didnt|doesnt|cant|"
    r"cannot|couldnt|dont see|do not see|none|nothing|no longer|again|back on|failed|bounced|expired|just got|"
    r"still (?:here|on|open|there|see|active|shows?|listed|says|stands|running|in place|booked|pending)"
    r"|different|wrong|"
    r"different|another (?:order|name|account)|mistake|error|older|gone)\b|\b"
    + _REPORTED
    + r"\b.*\b(?:but|though|although|"
    r"however|except|cant be|cannot be|strange|odd|wrong|funny)\b"
)
_TAKEN_BACK = re.compile(
    r"^(?:(?:oh|ah|hm+|well|and|so|okay|or) )*(?:but|however|wait|no|sorry|scratch that|strange|or (?:is"
    r"|was|not)|though|"
    r"except|actually|i (?:dont|do not|cant|cannot) see|thats (?:odd|strange|wrong|not)|that (?:is"
    r"|was) (?:not|wrong))\b"
)
_CONTRADICTS = re.compile(
    r"\b(?:not|isnt|arent|wasnt|hasnt|havent|didnt|doesnt|dont|cant|cannot|couldnt|nothing|none|still|again"
    r"|different|"
    r"another|wrong|failed|bounced|mistake|error|strange)\b"
)
_UNSETTLED = (_ON_CONDITION, _DENIED, _NOT_SO, _IRREALIS, _ELSEWHERE)


def states_settled(sentence: Sentence) -> bool:
    """Whether a sentence states something as a fact: who hangs up at "it is cancelled" stays at "shall I cancel it?".

    "It has not been cancelled", "I can cancel it", "I'll cancel it" and "it will be cancelled once you confirm" state
    nothing as settled; "You will get no more calls" does. Nor do "nothing has been cancelled so far", "I would have
    cancelled it", "as soon as it is cancelled", "I thought it was cancelled", "it says it is cancelled, but it isn't".
    """
    words = sentence.words
    if _QUESTION.search(words) or (sentence.text.rstrip().endswith("?") and not _TAG.search(words)):
        return False
    if any(kind.search(words) for kind in _UNSETTLED):
        return False
    # across a pause another clause begins: "none, it is cancelled" says that it is
    if _NOTHING_IS.search(sentence.paused) or _RETRACTED.search(words) or _is_conditional(sentence):
        return False
    return not _UNREAL.search(words) or _DONE.search(words) is not None


def settled_words(text: str) -> str:
    """Return the normalised words of a turn's sentences that state something as settled, and are not taken back."""
    sentences = split_sentences(text)
    return " ".join(
        one.words
        for one, after in zip_longest(sentences, sentences[1:])
        # "Oh wait, that is not your order." takes back what was said before it
        if states_settled(one) and not (after and _TAKEN_BACK.search(after.words) and _CONTRADICTS.search(after.words))
    )


def _is_conditional(sentence: Sentence) -> bool:
    """Whether a sentence speaks of what is not yet done, unless a clause before has said what is.

    "It has been asked, and we'll call you when it has answered" says that it has been asked.
    """
    before, pause, _ = sentence.paused.partition(" , ")
    if pause and _DONE.search(before) and not _CONDITIONAL.search(before):
        return False
    return _CONDITIONAL.search(sentence.words) is not None
