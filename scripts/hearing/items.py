"""What is said to the recognizers: values drawn by a seed, each in several forms, each form by another voice."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from voicebench.config.seeds import derive_seed

__all__ = ["FORMS", "KINDS", "TODAY", "VOICES", "Utterance", "draw", "subset"]

SEED = 1
VOICES = ("joe", "heart", "joe-slow", "heart-low", "joe-high")
SAYINGS = 3
TODAY = dt.date(2026, 7, 31)
"""Places a date that is said without a year."""

COUNTS = {"id": 42, "digits": 40, "phone": 30, "name": 28, "date": 20, "amount": 20, "street": 20}
KINDS = tuple(COUNTS)

ID_FORMATS = (r"KE\d{7}", r"[A-Z]{3}\d{6}", r"\d{5}[A-Z]")
DIGIT_FORMATS = (r"\d{5}", r"\d{4}", r"\d{6}")
GROUPS = {4: (2, 2), 5: (3, 2), 6: (3, 3), 7: (3, 4), 10: (3, 3, 4)}


def _words(text: str, mark: str | None = None) -> list[str]:
    return text.split(mark)


ONES = _words("zero one two three four five six seven eight nine")
TEENS = _words("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
ORDINALS = _words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth "
    "twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
)
NATO = _words(
    "Alpha Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliet Kilo Lima Mike November Oscar Papa Quebec Romeo "
    "Sierra Tango Uniform Victor Whiskey X-ray Yankee Zulu"
)
MONTHS = _words("January February March April May June July August September October November December")

FIRST_NAMES = _words(
    "Tomas Dana Samuel Grace Priya Marcus Elena Victor Naomi Felix Teresa Omar Bridget Leon Ingrid Carlos Wanda Hugo "
    "Amara Steven Louise Dmitri Fiona Raymond Yasmin Gordon Celeste Patrick"
)
LAST_NAMES = _words(
    "Ferreira Whitfield Hartley Okonkwo Raman Delgado Petrov Lindqvist Adeyemi Novak Castellano Haddad Sullivan Meyer "
    "Bergstrom Vasquez Kowalski Fontaine Mensah Crawford Beaumont Sokolov Gallagher Thornton Rahimi Pemberton "
    "Marchetti Doyle"
)
STREETS = _words(
    "Maple Street, Harbor Drive, Juniper Lane, Ridgeway Avenue, Cedar Court, Old Mill Road, Foxglove Terrace, "
    "Lincoln Avenue, Prospect Street, Willow Creek Road, Sycamore Drive, Chestnut Street, Lakeview Terrace, "
    "Franklin Boulevard, Orchard Lane, Hillcrest Avenue, Mission Street, Pioneer Way, Beacon Street, Summit Road",
    ", ",
)


@dataclass(frozen=True)
class Utterance:
    """One value, said once.

    Attributes:
        id: kind, number of the value and of its saying: ``phone-07-2``.
        kind: one of ``KINDS``.
        format: regular expression of an id, empty for other kinds.
        value: what should be understood.
        form: how it is said, one of ``FORMS[kind]``.
        voice: who says it.
        spoken: the text that is synthesized.
    """

    id: str
    kind: str
    format: str
    value: str
    form: str
    voice: str
    spoken: str


# ---- numbers as words ---------------------------------------------------------------------------------------------


def below_hundred(number: int) -> str:
    """Return "seven", "eighteen" or "forty-four"."""
    if number < 10:
        return ONES[number]
    if number < 20:
        return TEENS[number - 10]
    return TENS[number // 10 - 2] + (f"-{ONES[number % 10]}" if number % 10 else "")


def cardinal(number: int) -> str:
    """Return "one thousand two hundred five"."""
    parts = [f"{ONES[number // 1000]} thousand"] if number >= 1000 else []
    number %= 1000
    parts += [f"{ONES[number // 100]} hundred"] if number >= 100 else []
    return " ".join([*parts, *([below_hundred(number % 100)] if number % 100 else [])])


def one_by_one(text: str, gap: str) -> str:
    """Return letters as they are and digits as words."""
    return gap.join(ONES[int(char)] if char.isdigit() else char for char in text)


def groups(digits: str) -> list[str]:
    """Cut digits the way people do: 541-555-0146, 447-1860, 941-10."""
    cut, at = [], 0
    for size in GROUPS[len(digits)]:
        cut.append(digits[at : at + size])
        at += size
    return cut


def paired(digits: str) -> str:
    """Return groups in pairs: "five forty-one, fifty-five five, zero one forty-six"."""
    said = []
    for group in groups(digits):
        head = [ONES[int(group[0])]] if len(group) % 2 else []
        rest = group[len(head) :]
        pairs = [rest[at : at + 2] for at in range(0, len(rest), 2)]
        said.append(" ".join([*head, *(below_hundred(int(p)) if p[0] != "0" else one_by_one(p, " ") for p in pairs)]))
    return ", ".join(said)


def colloquial(digits: str) -> str:
    """Return groups with "oh" for zero and "double" for a digit that comes twice."""
    said = []
    for group in groups(digits):
        words, at = [], 0
        while at < len(group):
            word = "oh" if group[at] == "0" else ONES[int(group[at])]
            twice = group[at : at + 2] == group[at] * 2
            words.append(f"double {word}" if twice else word)
            at += 1 + twice
        said.append(" ".join(words))
    return ", ".join(said)


def grouped(digits: str) -> str:
    """Return groups of digits with a comma between."""
    return ", ".join(one_by_one(group, " ") for group in groups(digits))


# ---- forms --------------------------------------------------------------------------------------------------------


def around(value: str, digits: Callable[[str], str], letters: Callable[[str], str], gap: str = ", ") -> str:
    """Say an id: its letters in one way, its digits in another, in their order."""
    number = "".join(char for char in value if char.isdigit())
    other = "".join(char for char in value if char.isalpha())
    parts = [letters(other), digits(number)] if other and value[0].isalpha() else [digits(number), letters(other)]
    return gap.join(part for part in parts if part)


def spelled(letters: str) -> str:
    """Return "K E"."""
    return " ".join(letters)


def nato(letters: str) -> str:
    """Return "Kilo, Echo"."""
    return ", ".join(NATO[ord(letter) - ord("A")] for letter in letters.upper())


def last_name(value: str) -> str:
    """Return the last word of a name."""
    return value.split()[-1]


def day(value: str) -> dt.date:
    """Return the date of a value."""
    return dt.date.fromisoformat(value)


def month(value: str) -> str:
    """Return the month's name."""
    return MONTHS[day(value).month - 1]


def ordinal(value: str) -> str:
    """Return the day as people say it."""
    return ORDINALS[day(value).day - 1]


def year(value: str) -> str:
    """Return "nineteen eighty-eight"."""
    head, tail = divmod(day(value).year, 100)
    return f"{below_hundred(head)} {'oh ' if tail < 10 else ''}{below_hundred(tail)}"


def dollars(value: str) -> str:
    """Return "forty-four dollars and ninety-nine cents"."""
    whole, _, cents = value.partition(".")
    return f"{cardinal(int(whole))} dollars" + (f" and {below_hundred(int(cents))} cents" if cents else "")


def short_price(value: str) -> str:
    """Return "forty-four ninety-nine"."""
    whole, _, cents = value.partition(".")
    return f"{cardinal(int(whole))} " + (below_hundred(int(cents)) if cents else "dollars")


def house(value: str, said: Callable[[str], str]) -> str:
    """Return a street with its number said in one way."""
    number, _, street = value.partition(" ")
    return f"{said(number)} {street}"


def house_pair(number: str) -> str:
    """Return "four eighteen", "twenty-five oh six"."""
    head, tail = number[:-2], number[-2:]
    return f"{cardinal(int(head))} {'oh ' if tail[0] == '0' else ''}{below_hundred(int(tail))}"


Form = Callable[[str], str]

_NUMBER_FORMS: dict[str, Form] = {
    "grouped": lambda v: around(v, grouped, spelled),
    "one by one": lambda v: around(v, lambda d: one_by_one(d, ", "), lambda a: ", ".join(a)),
    "run on": lambda v: around(v, lambda d: one_by_one(d, " "), spelled, " "),
    "paired": lambda v: around(v, paired, spelled),
    "oh, double": lambda v: around(v, colloquial, spelled),
}
FORMS: dict[str, dict[str, Form]] = {
    "id": {
        **_NUMBER_FORMS,
        "nato": lambda v: around(v, grouped, nato),
        "sentence": lambda v: f"My reference number is {around(v, grouped, spelled)}.",
    },
    "digits": {**_NUMBER_FORMS, "sentence": lambda v: f"The code is {grouped(v)}."},
    "phone": {**_NUMBER_FORMS, "sentence": lambda v: f"My phone number is {grouped(v)}."},
    "name": {
        "plain": lambda v: v,
        "labelled": lambda v: f"First name {v.split()[0]}, last name {last_name(v)}.",
        "spelled": lambda v: f"{v}, {', '.join(last_name(v).upper())}.",
        "nato": lambda v: f"{v}, {nato(last_name(v))}.",
        "sentence": lambda v: f"My name is {v}.",
    },
    "date": {
        "month first": lambda v: f"{month(v)} {ordinal(v)}",
        "day first": lambda v: f"The {ordinal(v)} of {month(v)}.",
        "weekday": lambda v: f"{day(v):%A}, {month(v)} {ordinal(v)}.",
        "year": lambda v: f"{month(v)} {ordinal(v)}, {year(v)}.",
        "sentence": lambda v: f"I would like {month(v)} {ordinal(v)}, please.",
    },
    "amount": {
        "dollars": dollars,
        "short": short_price,
        "sentence": lambda v: f"They charged me {dollars(v)}.",
    },
    "street": {
        "one by one": lambda v: house(v, lambda n: one_by_one(n, " ")),
        "paired": lambda v: house(v, house_pair),
        "full": lambda v: house(v, lambda n: cardinal(int(n))),
        "sentence": lambda v: f"I live at {house(v, house_pair)}.",
    },
}


# ---- values -------------------------------------------------------------------------------------------------------


def _drawn(rng: np.random.Generator, pattern: str) -> str:
    """Draw a value of one of the formats above; in every second one a digit comes twice in a row."""
    shapes = {"KE": "", "[A-Z]{3}": "AAA"}
    head = next((shape for start, shape in shapes.items() if pattern.startswith(start)), "")
    fixed = "KE" if pattern.startswith("KE") else ""
    count = int(pattern[pattern.index("{", pattern.index("d")) + 1])
    letters = "".join(chr(ord("A") + int(rng.integers(26))) for _ in head or ("A" if pattern.endswith("]") else ""))
    digits = [str(rng.integers(10)) for _ in range(count)]
    at = int(rng.integers(count - 1))
    if rng.random() < 0.5:
        digits[at + 1] = digits[at]
    number = "".join(digits)
    return f"{number}{letters}" if pattern.endswith("]") else f"{fixed}{letters}{number}"


def _value(kind: str, number: int, rng: np.random.Generator) -> tuple[str, str]:
    """Draw the value of one item and its format."""
    match kind:
        case "id" | "digits":
            formats = ID_FORMATS if kind == "id" else DIGIT_FORMATS
            pattern = formats[number // len(FORMS[kind]) % len(formats)]
            return _drawn(rng, pattern), pattern
        case "phone":
            area, line = int(rng.integers(201, 990)), int(rng.integers(100, 200))
            return f"{area}-555-{line:04d}", ""
        case "name":
            return f"{FIRST_NAMES[number]} {LAST_NAMES[number]}", ""
        case "date":
            return (TODAY + dt.timedelta(days=int(rng.integers(-150, 150)))).isoformat(), ""
        case "amount":
            whole = int(rng.integers(5, 130)) if number % 2 else int(rng.integers(130, 2000))
            return (f"{whole}.{int(rng.integers(10, 100))}" if number % 4 < 2 else str(whole)), ""
        case _:
            return f"{int(rng.integers(101, 4000))} {STREETS[number]}", ""


def _forms_of(kind: str, value: str) -> list[str]:
    """Return the forms in which a value differs from the others."""
    forms = list(FORMS[kind])
    if kind == "amount" and ("." not in value or float(value) >= 1000):
        forms.remove("short")
    if kind == "street" and value.split()[0].endswith("00"):
        forms = ["one by one", "full"]
    return forms


def draw() -> list[Utterance]:
    """Return everything that is said: each value in up to three forms, each by another voice.

    Forms and voices go round among the values of a kind, so that each voice speaks each kind and each form comes
    about equally often.
    """
    found: list[Utterance] = []
    for kind, count in COUNTS.items():
        for number in range(count):
            value, pattern = _value(kind, number, np.random.default_rng(derive_seed("hear", SEED, kind, number)))
            forms = _forms_of(kind, value)
            for saying in range(min(SAYINGS, len(forms))):
                form = forms[(number + saying) % len(forms)]
                spoken = FORMS[kind][form](value.replace("-", "") if kind == "phone" else value)
                voice = VOICES[(number + number // len(VOICES) + saying) % len(VOICES)]
                found.append(Utterance(f"{kind}-{number:02d}-{saying + 1}", kind, pattern, value, form, voice, spoken))
    return found


def subset(utterances: list[Utterance], count: int) -> list[Utterance]:
    """Return some of the utterances, of each kind in proportion, the same ones always."""
    kept: list[Utterance] = []
    for kind in KINDS:
        own = sorted((one for one in utterances if one.kind == kind), key=lambda one: derive_seed("subset", one.id))
        kept += own[: round(count * len(own) / len(utterances))]
    return kept
