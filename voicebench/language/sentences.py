"""Sentences of a turn, each with its words and whether it is a question, by its mark or by its form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from voicebench.language.itn import normalise

__all__ = ["Sentence", "split_sentences"]

_EVEN = str.maketrans(
    {
        "\u2019": "'",
        "\u2018": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2026": "...",
        "\u2013": "-",
        "\u2014": " - ",
        "`": "'",
    }
)
_EMAIL = re.compile(r"\be-mail", re.IGNORECASE)
# A full stop that ends no sentence: after a title, an initial, an abbreviation, the number of an item in a list.
_END = re.compile(
    r"""(?:(?<=[.!?])|(?<=[.!?]["')]))
        (?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bSt\.)(?<!\bNo\.)(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)
        (?<!\b[A-Za-z]\.[A-Za-z]\.)(?<!\s[B-HJ-Z]\.)(?<!^\d\.)(?<!\s\d\.)(?<!\bapprox\.)(?<!\bacct\.)(?<!\bext\.)
        \s+
        | (?<=\b[ap]\.m\.)\s+(?=[A-Z])
        | \s*\n\s*(?:[-*\u2022]\s+)?
        | (?<=[a-z?!:])\s+(?=\d\.\s+[A-Z])""",
    re.VERBOSE,
)
_PAUSE = re.compile(r"(?:[,;:()]|\s-+)(?=\s|$)|(?<=\s)\(|\.\.\.|(?<=[a-z]),(?=[a-z])|(?<=\s)-(?=\s)")
_LEAD = (
    r"(?:(?:and|so|now|okay|ok|thanks|thank you|great|alright|all right|well|then|sure|perfect|but"
    r"|also|sorry|please|just|yes"
    r"|no|oh|hi|hello|first|next|finally|lastly|got it|of course|certainly|absolutely|good|right|um|or|in that case) )*"
)
_HE = (
    r"(?:i|we|you|he|she|it|they|that|this|these|those|there|the|your|our|my|his|her|their|any|anyone"
    r"|anybody|everything|everyone)"
)
_INVERTED = (
    rf"(?:can|could|may|might|would|will|wont|wouldnt|do|does|did|dont|doesnt|didnt|is|are|was|were"
    rf"|isnt|arent|shall|should|have|has"
    rf"|am|can) {_HE}"
)
_WH = (
    r"(?:who|whos|whom|whose|whats|wheres|hows|whens|whys"
    r"|what(?! (?:i|we|a|an|you) (?!(?:mean|want|need)$))|which(?! (?:means|is why|i|we|you|will"
    r"|would|means|has|should))"
    r"|(?:when|where|why)(?! (?:i|we|you|the|your|it|that|they)\b)|how(?! (?:wonderful|lovely|nice|awful|frustrating)))"
)
_QUESTION_FORM = re.compile(
    rf"^{_LEAD}(?:(?:(?:at|on|in|for|by|from|to|until|before|with|under|about) )?{_WH}\b|{_INVERTED}\b"
    r"|any (?:chance|idea|way|other|more|preference|particular)\b|anything (?:else|wrong|more|i|we)\b"
    r"|something else\b|what else\b"
    r"|(?:you )?mind (?:if|giving|telling|spelling|sharing|repeating)\b|care to\b|(?:i was |just )?wondering if\b)"
)
# the same further in, where no pause is heard: "I see it here is that right"
_QUESTION_INSIDE = re.compile(
    r"\b(?:(?:can|could|may|shall|should) (?:i|we)|(?:can|could|would|will) you|do you (?:have"
    r"|want|know|need|mean|still)"
    r"|would you like|is (?:that|this|it|there)(?: all| still)? (?:right|correct|ok|okay|fine|all"
    r"|anything|alright)|what(?:s| is| are) your)\b"
)
_NO_QUESTION = re.compile(
    r"\b(?:if|whether|that|what|when|where|how|which|who|why|as|until|once|all|anything|everything"
    r"|things?|way|ways|than|because|before)"
    r"(?: \w+){0,3}$"
)
_TAG = re.compile(
    r", (?:right|correct|ok|okay|yes|no|is (?:that|this|it) (?:right|correct|ok|okay|fine|so|all)"
    r"|(?:isnt|wasnt|doesnt|arent) (?:it|that|they|you)"
    r"|please)$"
)

# ---- runs without marks ---------------------------------------------------------------------------------------------

_OPENER = re.compile(
    r"(?<= )(?:(?:can|could|may|might) (?:i|we|you)|(?:would|will|do|did|are|have) you|(?:shall|should) (?:i|we)"
    r"|whats (?:your|the)|what (?:is|are|was|were) (?:your|the)|how (?:can|may|could) (?:i|we)"
    r"|is there (?:anything|something|another|a)"
    r"|is (?:that|this|it) (?:right|correct|ok|okay|all)|who am i|please (?:provide|tell|give"
    r"|confirm|enter|spell|share|hold|wait|bear|stay|say)"
    r"|let me|let us|lets|i will|ill|i can|i cant|i cannot|i couldnt|i found|i have|i see|i need"
    r"|i m|im|we are|were now|one moment"
    r"|just a (?:moment|second|minute)|give me (?:a|one)|hold on|bear with me|thank you|thanks for"
    r"|sorry|unfortunately|goodbye|have a)\b"
)
_GOVERNED = re.compile(
    r"\b(?:if|once|when|before|after|until|unless|while|as|whether|(?<!for )that|because|since|so|what"
    r"|which|where|how|why|who|whom|than"
    r"|and|or|but|may|might|would|will|should|shall|do|did|dont|didnt|have|has|is|are|to|for|with"
    r"|of|the|a|an|your|my|our|i|we|you|they|he|she|it|not|please|can|could|let me know|know|see"
    r"|say|think|sure)$"
)
_OPEN_CLAUSE = re.compile(
    r"^(?:\w+ ){0,4}(?:if|once|when|before|after|until|unless|while|as soon as|whether|what|which"
    r"|where|how|why|who|everything|anything|all)\b"
)
_WORDS_OF_A_RUN = 8
"""A sentence without any comma that is this long may be several, of a recognizer that writes no marks."""


@dataclass(frozen=True)
class Sentence:
    """One sentence of a turn.

    Attributes:
        text: as it was said or recognised, with plain quotes.
        words: normalised (see :func:`voicebench.language.itn.normalise`).
        is_question: it ends with a question mark, or has the form of a question: recognizers drop one mark in four.
        paused: the words, with a comma standing apart at each pause.
    """

    text: str
    words: str
    is_question: bool
    paused: str = ""


@lru_cache(maxsize=1024)
def _sentences(text: str) -> tuple[Sentence, ...]:
    even = _EMAIL.sub("email", text.translate(_EVEN).strip())
    parts = [part.strip() for part in _END.split(even)]
    found = [_sentence(part, words) for part in parts if (words := normalise(part))]
    return tuple(piece for one in found for piece in _pieces(one))


def split_sentences(text: str) -> list[Sentence]:
    """Return the sentences of a turn, in order; none is empty."""
    return list(_sentences(text))


def _sentence(text: str, words: str) -> Sentence:
    paused = words
    if _PAUSE.search(text):
        clauses = [normalise(clause) for clause in _PAUSE.split(text)]
        paused = " , ".join(clause for clause in clauses if clause)
    return Sentence(text, words, text.rstrip("\"') ").endswith("?") or _asks(paused), paused)


def _asks(paused: str) -> bool:
    """Whether words have the form of a question, as a whole or in one clause."""
    clauses = paused.split(" , ")
    if any(
        _QUESTION_FORM.search(clause) for clause in clauses if not clause.startswith("which ") or clause is clauses[0]
    ):
        return True
    if _TAG.search(paused.replace(" ,", ",")):
        return True
    inside = _QUESTION_INSIDE.search(paused)
    return inside is not None and not _NO_QUESTION.search(paused[: inside.start()].rstrip())


def _pieces(sentence: Sentence) -> list[Sentence]:
    """Return a sentence, or the sentences that it is made of where it was recognised without any mark.

    Nothing is split off that a condition or a question word governs: "once I have your number I will transfer you" is
    no transfer, "what time would you like" one question.
    """
    words = sentence.words
    if "," in sentence.paused or words.count(" ") + 1 < _WORDS_OF_A_RUN:
        return [sentence]
    starts = [0]
    for opener in _OPENER.finditer(words):
        before = words[starts[-1] : opener.start()].strip()
        if before and not _GOVERNED.search(before) and not _OPEN_CLAUSE.search(before):
            starts.append(opener.start())
    if len(starts) == 1:
        return [sentence]
    ends = [*starts[1:], len(words)]
    marked = sentence.text.rstrip("\"') ").endswith("?")
    parts = [words[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    last = len(parts) - 1
    return [Sentence(part, part, _asks(part) or (marked and at == last), part) for at, part in enumerate(parts)]
