"""Number words read as numbers: the one place that knows how people read numbers aloud.

Each token becomes a *tagged token*: a word, or one number as it was read. "forty four" and "double five" are one tagged
token each, "four four seven" is three. Joining them to values is left to the modules that know what is looked for
(:mod:`voicebench.language.itn`, :mod:`voicebench.language.extract`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from voicebench.language.tokens import Gap, Token, tokenize

__all__ = ["DIGITS", "NATO", "ORDINALS", "TENS", "TaggedToken", "tag_numbers"]


def _words(text: str) -> list[str]:
    return text.split()


DIGITS = {word: str(value) for value, word in enumerate(_words("zero one two three four five six seven eight nine"))}
DIGITS["niner"] = "9"
_TEENS = {
    word: value
    for value, word in enumerate(
        _words("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"), start=10
    )
}
TENS = {
    word: 10 * value
    for value, word in enumerate(_words("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
ORDINALS = {
    word: value
    for value, word in enumerate(
        _words(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
            "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
        ),
        start=1,
    )
}
ORDINALS["thirtieth"] = 30
_ORDINAL_DIGITS = 6
"""Of the longest written ordinal that is read as a number; Python refuses numerals of thousands of digits."""
_REPEATS = {"double": 2, "triple": 3, "treble": 3}

NATO = {
    word: word[0].upper()
    for word in _words(
        "alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar "
        "papa quebec romeo sierra tango uniform victor whiskey whisky yankee zulu"
    )
}
NATO["xray"] = "X"


@dataclass(frozen=True)
class TaggedToken:
    """A word, or one number as it was read.

    Attributes:
        text: the word in lower case, or the digits (with a decimal point when there was one).
        raw: as it stood.
        gap: what separates it from the token before.
        number: digits rather than a word.
        digitwise: read digit by digit: one digit, or "double five".
        spoken: came from number words rather than from a numeral.
        ordinal: the value of "third" or "3rd", which stays a word outside of dates.
    """

    text: str
    raw: str
    gap: Gap
    number: bool = False
    digitwise: bool = False
    spoken: bool = False
    ordinal: int | None = None


def tag_numbers(text: str) -> list[TaggedToken]:
    """Tag a text: number words become digits, "double five" 55, "double 793" 7793, "oh" 0 among digits.

    "one" is a number here; ``$ 44.99`` becomes the number and the word "dollars", ``%`` the word "percent".
    """
    stream = tokenize(text)
    found: list[TaggedToken] = []
    at = 0
    while at < len(stream):
        taken, tagged = _read(stream, at)
        at += taken
        if tagged is None:
            continue
        found.append(tagged)
        if taken and stream[at - taken].text == "$" and tagged.number:
            found.append(TaggedToken("dollars", "$", " "))
    return join_decimals(found)


def _read(stream: list[Token], at: int) -> tuple[int, TaggedToken | None]:
    """Return how many tokens the tagged token at ``at`` takes, and that token (None for a lone ``$``)."""
    token = stream[at]
    if token.text == "$":
        if at + 1 < len(stream) and stream[at + 1].text[0].isdigit():
            taken, tagged = _read(stream, at + 1)
            return taken + 1, replace(tagged, gap=token.gap or " ") if tagged else None
        return 1, None
    if token.text == "%":
        return 1, TaggedToken("percent", "%", " ")
    if token.text[0].isdigit():
        after = stream[at + 1] if at + 1 < len(stream) else None
        if after and after.gap == "" and after.text in {"st", "nd", "rd", "th"} and "." not in token.text:
            ordinal = int(token.text) if len(token.text) <= _ORDINAL_DIGITS else None
            return 2, TaggedToken(token.text + after.text, token.raw + after.raw, token.gap, ordinal=ordinal)
        return 1, TaggedToken(token.text, token.raw, token.gap, number=True, digitwise=len(token.text) == 1)
    # "twenty third" is tried before "twenty": the first rule that reads something is taken
    for rule in (read_repeat, read_zero, read_ordinal, read_cardinal):
        result = rule(stream, at)
        if result is not None:
            return result
    return 1, TaggedToken(token.text, token.raw, token.gap)


def _numberish(stream: list[Token], at: int, *, from_left: bool) -> bool:
    """Whether the token at ``at`` is part of a number; ``from_left``: the zero asked about stands to its right."""
    if not 0 <= at < len(stream) or (not from_left and stream[at].gap == "."):
        return False
    text = stream[at].text
    return text[0].isdigit() or text in DIGITS or text in _TEENS or text in TENS


def read_zero(stream: list[Token], at: int) -> tuple[int, TaggedToken] | None:
    """Read "oh" or "o" as zero between digits, before two of them, or after two of them."""
    token = stream[at]
    if token.text not in {"oh", "o"}:
        return None
    zeros = 1
    while at + zeros < len(stream) and stream[at + zeros].text in {"oh", "o"}:
        zeros += 1
    begin = at
    while begin and stream[begin - 1].text in {"oh", "o"}:
        begin -= 1
    broken = stream[begin].gap == "."
    left = 0 if broken else sum(_numberish(stream, begin - k, from_left=True) for k in (1, 2))
    if not _numberish(stream, begin - 1, from_left=True):
        left = 0
    right = int(_numberish(stream, at + zeros, from_left=False))
    right += int(bool(right) and _numberish(stream, at + zeros + 1, from_left=False))
    letter_before = begin > 0 and len(stream[begin - 1].text) == 1 and stream[begin - 1].text.isalpha() and not broken
    if (left and right) or left == 2 or (right == 2 and not (letter_before and token.text == "o")):
        return 1, TaggedToken("0", token.raw, token.gap, number=True, digitwise=True, spoken=True)
    return None


def read_repeat(stream: list[Token], at: int) -> tuple[int, TaggedToken] | None:
    """Read "double five", "triple oh" and "double 793"."""
    token = stream[at]
    times = _REPEATS.get(token.text)
    if times is None or at + 1 >= len(stream) or stream[at + 1].gap == ".":
        return None
    follower = stream[at + 1].text
    digit = "0" if follower in {"oh", "o"} else DIGITS.get(follower)
    if len(follower) == 1 and follower.isdigit():
        digit = follower
    raw = f"{token.raw} {stream[at + 1].raw}"
    if digit is None and follower.isdigit():
        return 2, TaggedToken(follower[0] * (times - 1) + follower, raw, token.gap, number=True)
    if digit is None:
        return None
    return 2, TaggedToken(digit * times, raw, token.gap, number=True, digitwise=True, spoken=True)


def read_ordinal(stream: list[Token], at: int) -> tuple[int, TaggedToken] | None:
    """Read "third" and "twenty third"."""
    token = stream[at]
    if token.text in ORDINALS:
        return 1, TaggedToken(token.text, token.raw, token.gap, ordinal=ORDINALS[token.text])
    tens = TENS.get(token.text)
    if tens is None or at + 1 >= len(stream) or stream[at + 1].gap not in {" ", "-"}:
        return None
    unit = ORDINALS.get(stream[at + 1].text, 10)
    if unit > 9:
        return None
    text = f"{token.text} {stream[at + 1].text}"
    return 2, TaggedToken(text, text, token.gap, ordinal=tens + unit)


def _below_hundred(stream: list[Token], at: int) -> tuple[int, int] | None:
    """Return (tokens taken, value) of "seven", "eighteen" or "forty four"."""
    if at >= len(stream):
        return None
    text = stream[at].text
    if text in DIGITS:
        return 1, int(DIGITS[text])
    if text in _TEENS:
        return 1, _TEENS[text]
    if text not in TENS:
        return None
    if at + 1 < len(stream) and stream[at + 1].gap in {" ", "-"}:
        unit = int(DIGITS.get(stream[at + 1].text, "0"))
        if unit:
            return 2, TENS[text] + unit
    return 1, TENS[text]


def _tail(stream: list[Token], at: int, *, hundreds: bool) -> tuple[int, int]:
    """Return (tokens taken, value) of what follows "hundred" or "thousand", an "and" included."""
    skip = 1 if at < len(stream) and stream[at].text == "and" else 0
    if at >= len(stream) or stream[at].gap not in {" ", "-"}:
        return 0, 0
    rest = _below_thousand(stream, at + skip) if hundreds else _below_hundred(stream, at + skip)
    return (rest[0] + skip, rest[1]) if rest and rest[1] else (0, 0)


def _below_thousand(stream: list[Token], at: int) -> tuple[int, int] | None:
    head = _below_hundred(stream, at)
    if head is None:
        return None
    taken, value = head
    if value and at + taken < len(stream) and stream[at + taken].text == "hundred":
        more, rest = _tail(stream, at + taken + 1, hundreds=False)
        return taken + 1 + more, value * 100 + rest
    return head


def read_cardinal(stream: list[Token], at: int) -> tuple[int, TaggedToken] | None:
    """Read "seven", "forty four", "a hundred and fifty" and "two thousand five hundred"."""
    token = stream[at]
    if token.text == "a" and at + 1 < len(stream) and stream[at + 1].text in {"hundred", "thousand"}:
        taken, value = 1, 1
        if stream[at + 1].text == "hundred":
            more, rest = _tail(stream, at + 2, hundreds=False)
            taken, value = 2 + more, 100 + rest
    else:
        head = _below_thousand(stream, at)
        if head is None:
            return None
        taken, value = head
    if value and at + taken < len(stream) and stream[at + taken].text == "thousand":
        more, rest = _tail(stream, at + taken + 1, hundreds=True)
        taken, value = taken + 1 + more, value * 1000 + rest
    raw = " ".join(part.raw for part in stream[at : at + taken])
    return taken, TaggedToken(str(value), raw, token.gap, number=True, digitwise=value < 10, spoken=True)


def join_decimals(stream: list[TaggedToken]) -> list[TaggedToken]:
    """Join "forty four point nine nine" to 44.99."""
    found: list[TaggedToken] = []
    at = 0
    while at < len(stream):
        tagged = stream[at]
        if tagged.text == "point" and found and found[-1].number and "." not in found[-1].text:
            end = at + 1
            while end < len(stream) and stream[end].number and stream[end].gap == " " and "." not in stream[end].text:
                end += 1
            if end > at + 1:
                fraction = "".join(part.text for part in stream[at + 1 : end])
                found[-1] = replace(found[-1], text=f"{found[-1].text}.{fraction}", digitwise=False)
                at = end
                continue
        found.append(tagged)
        at += 1
    return found
