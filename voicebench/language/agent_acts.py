"""What an agent's turn does beside asking for details: holds, transfers, offers, requests to repeat, and the rest."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from voicebench.language.act_closing import CLOSING
from voicebench.language.act_hearing import HEARING
from voicebench.language.act_waiting import WAITING
from voicebench.language.handovers import handovers, moves_caller
from voicebench.language.labels import Act
from voicebench.language.requests import Requests, requested
from voicebench.language.sentences import Sentence

__all__ = ["acts_of", "needs_only_patience"]

_PATTERNS = (*HEARING, *WAITING, *CLOSING)
_ASKS_TO_WAIT = tuple(one for one in _PATTERNS if one.act == "hold")
_PATIENCE: frozenset[Act] = frozenset({"hold", "working", "thanks", "apology"})
_WANTS_ANSWER: frozenset[Act] = frozenset(
    {
        "repeat_unnamed",
        "repeat_named",
        "read_back",
        "not_found",
        "proceed",
        "anything_else",
        "what_help",
        "offers_person",
        "transfers_now",
        "offers_callback",
        "offers_remedy",
        "still_there",
    }
)
_ACKNOWLEDGES = re.compile(
    r"\b(?:thank you|thanks|thank|okay|ok|great|perfect|got it|sure(?: thing)?|alright|all right|all righty|"
    r"alrighty|right|of course|certainly|absolutely|likewise|i see|understood|i understand|very good|wonderful|"
    r"excellent|no (?:problem|worries)|noted|good|i hear you|so much|very much|a lot|fine|for (?:that|this|waiting|"
    r"holding|your (?:patience|time|help|understanding|cooperation)|confirming(?: that)?|the (?:\w+ "
    r")?(?:information|info|details|clarification|number|confirmation)|letting me know|providing (?:that|this|the "
    r"\w+)|being patient|verifying(?: \w+)*|sharing(?: that)?)|(?:youre|you are|your) (?:very |most |more than "
    r")?welcome|my pleasure|(?:its |it is )?(?:a |my )?pleasure|anytime|mhm|uh huh|yes|yeah|yep|no|oh|well|and|"
    r"then|now|too|cool|awesome|fantastic|lovely|nice|definitely|mr|mrs|ms|miss|mister|sir|madam|maam|exactly|"
    r"correct|i appreciate (?:it|that|your \w+)|happy to help|glad to help|that (?:is|was) (?:great|fine|good|"
    r"perfect|helpful)|thats (?:great|fine|good|perfect|helpful|all right|okay)|(?:(?:i|we) (?:can|will|am able to|"
    r"would be happy to)|ill|id be happy to|happy to|glad to) (?:certainly |gladly |definitely |absolutely )?(?:do|"
    r"help(?: you)?(?: with)?|assist(?: you)?(?: with)?|take care of) (?:that|this|it|you)?(?: for you| today)?|i "
    r"(?:now |think i )?(?:have|got) (?:all|everything)(?: of)?(?: the| that)?(?: \w+)?(?: i| we)?(?: need| "
    r"needed)?|i have (?:it|that)(?: here| now)?|that (?:works|helps|makes sense)|it|that|there|you|for you)\b"
)
_OPENS_THANKS = re.compile(
    r"^(?:(?:oh|and|great|okay|ok|perfect|alright|yes) )*(?:thank|thanks|okay|ok|got it|great|perfect|sure|noted|"
    r"alright|youre welcome|no problem|understood|right|of course|excellent)\b"
)
_APOLOGISES = re.compile(r"\b(?:sorry|apologi[sz]e|apologies|regret|pardon (?:me|us)|my (?:bad|mistake)|forgive)\b")
_MORE_THAN_SORRY = re.compile(
    r"\b(?:but|cannot|cant|unable|not|dont|didnt|couldnt|wasnt|need|let me|ill|i will|however|unavailable|system|"
    r"please|goodbye|bye|hold)\b"
)
_POINTS_BACK = re.compile(
    r"\b(?:(?:do|like|try|have|want|prefer|accept) (?:that|this|it|so)|is (?:that|this|it) (?:okay|ok|all right|"
    r"alright|fine|good)|(?:would|does|will) (?:that|this|it) (?:be|work|help|suit|do)\b.*|(?:go ahead|proceed)|"
    r"shall i|should i|would you like (?:that|me to)|okay|ok|alright|all right)(?: (?:for you|with you|then|now|"
    r"with that|and do that|please|to do so|you|fine|good|okay|ok))*$"
)
_IF_YOU_NEED = re.compile(r"\b(?:if|should|in case|feel free|let me know|whenever|here)\b")
_NEXT_QUESTION = re.compile(
    r" (?=(?:or )?(?:(?:would|do|did) you (?:also |still |rather )?(?:like|want|prefer|need|wish|agree|consent)\b|"
    r"is there (?:any|some)thing\b|(?:shall|should|may|can) i (?:help|assist|get|have|go|book|do|try)\b|how (?:can|"
    r"may|could) (?:i|we)\b|what (?:day|days|time|date|else)\b|is (?:this|that) (?:the|your)\b|is (?:that|this|it) "
    r"(?:it|all|correct|right|okay|ok|all right|alright|fine|acceptable)\b|(?:would|does) that work\b|(?:can|could|"
    r"may) you (?:please )?(?:repeat|confirm|say|tell|give|provide|spell|hold|wait)\b|are you (?:still )?there\b)|"
    r"or (?:would|do|did|are) you (?!not\b)|or (?:shall|should|can|may) (?:i|we) |or is there |or would (?:it|"
    r"that) )"
)
"""Where another question begins in what a recognizer left without marks, or after an "or"."""
_ASKS_ALREADY = re.compile(
    r"\b(?:what|which(?! (?:is|are|was|were|has|have|had|will|costs?|leaves|arrives|starts|departs|goes|takes|includes|"
    r"makes|means|comes|runs)\b)|when|where|who|how|why|if|whether|once|until|so)(?: \w+){0,5}$|\b(?:and|or|that|as)$"
)
_FORM = re.compile(r"^(?:who|what|which|when|where|why|how|can|could|may|would|will|do|does|did|is|are|shall|should)\b")
_HELLO = re.compile(r"(?:(?:um|uh|hello|hi|hey|anyone|anybody|there) ?)+")
_SMALL = re.compile(
    r"\b(?:weather|cloudy|sunny|rain\w*|warm|cold|hope|love|lovely|fun|haha|interesting|sounds|he (?:would|likely)|"
    r"she (?:would|likely)|enjoy|beautiful|exciting|congratulations|happy birthday|funny|great time|people can|"
    r"rated|know that|lucky|frustrating|must be)\b"
)


def acts_of(sentences: Sequence[Sentence], requests: Requests) -> frozenset[Act]:
    """Return what a turn does.

    Args:
        sentences: of the turn.
        requests: the details that it asks for.
    """
    asks = bool(requests.details or requests.own)
    alternatives = [_parts(sentence) for sentence in sentences]
    sentences = [part for parts in alternatives for part in parts]
    by_sentence = [{one.act for one in _PATTERNS if one.fits(sentence)} for sentence in sentences]
    _settle_alternatives(alternatives, by_sentence)
    on = handovers(sentences, requests)
    _settle_consent(sentences, by_sentence)
    found: set[Act] = set().union(*by_sentence, on) if by_sentence else set()
    _settle_between(sentences, by_sentence, found, on, asks)
    if sentences and not found and not asks:
        found |= _whole_turn(sentences)
    return frozenset(found)


def needs_only_patience(sentences: Sequence[Sentence], requests: Requests, acts: frozenset[Act]) -> bool:
    """Whether a turn needs no answer: its speaker is at work, asks to wait, thanks or is sorry, and asks nothing.

    Args:
        sentences: of the turn.
        requests: the details that it asks for.
        acts: what it does beside.
    """
    if requests.details or requests.own or not acts & _PATIENCE or acts & _WANTS_ANSWER:
        return False
    questions = [one for one in sentences if one.is_question]  # "Could you hold on for a moment?" is none
    return all(any(pattern.fits(one) for pattern in _ASKS_TO_WAIT) for one in questions)


def _parts(sentence: Sentence) -> list[Sentence]:
    """Return a sentence cut where another question begins.

    "Shall I book it, or would you rather talk to a person?"; "your ride is booked is there anything else".
    """
    cuts, last = [0], 0
    for match in _NEXT_QUESTION.finditer(sentence.words):
        before = sentence.words[last : match.start()]
        if before and (sentence.words.startswith("or ", match.end()) or not _ASKS_ALREADY.search(before)):
            last = match.end()
            cuts.append(last)
    if len(cuts) == 1:
        return [sentence]
    pieces = [sentence.words[start:end].strip() for start, end in zip(cuts, [*cuts[1:], None], strict=True)]
    first = Sentence(sentence.text, pieces[0], _FORM.search(pieces[0]) is not None)
    return [first, *(Sentence(sentence.text, piece.removeprefix("or "), True) for piece in pieces[1:])]


def _settle_alternatives(alternatives: Sequence[Sequence[Sentence]], by_sentence: Sequence[set[Act]]) -> None:
    """Take from "shall I book it, or do you have any other requests?" what is only the other to a yes."""
    at = 0
    for parts in alternatives:
        acts = by_sentence[at : at + len(parts)]
        at += len(parts)
        for before, after in itertools.pairwise(acts):
            if "proceed" in before and "proceed" not in after:
                after.discard("anything_else")


def _settle_consent(sentences: Sequence[Sentence], by_sentence: list[set[Act]]) -> None:
    """Take from questions of consent those that ask something else: for a person, or whether that was right."""
    for at, sentence in enumerate(sentences):
        acts = by_sentence[at]
        if "proceed" not in acts:
            continue
        before = " ".join(one.words for one in sentences[max(0, at - 1) : at])
        if moves_caller(sentence.words) or (_POINTS_BACK.search(sentence.words) and moves_caller(before)):
            acts.discard("proceed")
            if moves_caller(before) and not moves_caller(sentence.words):
                acts.add("offers_person")
        elif acts & {"anything_else", "what_help", "hold"} or requested((sentence,), {}).details:
            acts.discard("proceed")


def _settle_between(
    sentences: Sequence[Sentence],
    by_sentence: Sequence[set[Act]],
    found: set[Act],
    on: frozenset[Act],
    asks: bool,
) -> None:
    """Take away what another act of the turn explains."""
    if "transfers_now" in on:
        found -= {"offers_person", "working"}
    if "repeat_unnamed" in found and asks:
        found.discard("repeat_unnamed")
        found.add("repeat_named")
    if "anything_else" in found:
        found.discard("what_help")
        conditional = all(
            one.is_question is False and _IF_YOU_NEED.search(one.words)
            for one, acts in zip(sentences, by_sentence, strict=True)
            if "anything_else" in acts
        )
        if conditional and found & {"goodbye", "offers_person", "transfers_now"}:
            found.discard("anything_else")
    if "still_there" in found:
        found -= {"repeat_unnamed", "proceed"}
    if found & {"proceed", "offers_callback"}:
        found.discard("working")
    if "what_help" in found or asks:
        found -= {"goodbye"}
    if "repeat_unnamed" in found or "not_found" in found or asks:
        found.discard("cannot")


def _whole_turn(sentences: Sequence[Sentence]) -> set[Act]:
    """Return whether all of a turn is a hello, thanks, an apology or small talk."""
    words = " ".join(one.words for one in sentences)
    if _HELLO.fullmatch(words):
        return {"still_there"}
    if any(one.is_question for one in sentences):
        return set()
    rest = _ACKNOWLEDGES.sub(" ", words).split()
    if not rest or (len(rest) <= 2 and _OPENS_THANKS.search(words)):
        return {"thanks"}
    if _APOLOGISES.search(words) and not _MORE_THAN_SORRY.search(words):
        return {"apology"}
    if _SMALL.search(words):
        return {"small_talk"}
    return set()
