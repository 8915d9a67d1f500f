"""Whether an utterance was heard right after normalization, and in what way it was not."""

from __future__ import annotations

import re

from items import TODAY, Utterance
from measure import Hearing

from voicebench.language.itn import normalise
from voicebench.language.number_words import tag_numbers
from voicebench.language.slots import FactSpec
from voicebench.language.understanding import Understood, hear_facts
from voicebench.language.values import canonical_id, phonetic_key

__all__ = ["error", "is_right", "understood"]

_SPECS: dict[str, FactSpec] = {
    "phone": FactSpec(type="phone", question="?", format=r"\d{10}"),
    "name": FactSpec(type="name", question="?"),
    "date": FactSpec(type="date", question="?"),
    "amount": FactSpec(type="number", question="?"),
}
_SHORT = {
    "st": "street",
    "dr": "drive",
    "ln": "lane",
    "ave": "avenue",
    "ct": "court",
    "rd": "road",
    "blvd": "boulevard",
}


def understood(utterance: Utterance, text: str) -> str:
    """Return the value that an agent would take from a text, by the best candidate; empty if there is none."""
    return _street(utterance.value, text) if utterance.kind == "street" else _heard(utterance, text).value or ""


def is_right(utterance: Utterance, text: str) -> bool:
    """Say whether the value understood is the one meant, by the rule of its type; a street by number and sound."""
    if utterance.kind == "street":
        return _sound(_street(utterance.value, text)) == _sound(utterance.value)
    return _heard(utterance, text).right


def _heard(utterance: Utterance, text: str) -> Understood:
    spec = _SPECS.get(utterance.kind) or FactSpec(type="id", question="?", format=utterance.format)
    return hear_facts({"fact": spec}, {"fact": utterance.value}, text, today=TODAY)["fact"]


def _street(value: str, text: str) -> str:
    """Return the number in a text and the words that follow it, one more than the street has at most ("Fox Glove")."""
    words = " ".join(_SHORT.get(word, word) for word in normalise(text).split())
    count = len(value.split())
    found = re.search(rf"(\d+(?: \d+)*)((?: [a-z]+){{1,{count}}})", words)
    return f"{found[1].replace(' ', '')}{found[2]}" if found else ""


def _sound(street: str) -> tuple[str, str]:
    number, _, words = street.partition(" ")
    return number, phonetic_key(words)


def error(utterance: Utterance, hearing: Hearing) -> str:
    """Name what went wrong in a hearing that is not right."""
    text = hearing.text
    if hearing.filtered:
        return "dropped as hallucinated"
    if utterance.kind == "name":
        return "another name" if understood(utterance, text) else "no name found"
    if utterance.kind == "street":
        number = understood(utterance, text).split(" ")[0]
        return "street's name" if number == utterance.value.split()[0] else "house number"
    if utterance.kind in {"date", "amount"}:
        return f"another {utterance.kind}" if understood(utterance, text) else f"no {utterance.kind} found"
    return _error_in_digits(utterance, text)


def _error_in_digits(utterance: Utterance, text: str) -> str:
    meant = re.sub(r"\D", "", utterance.value)
    heard = re.sub(r"\D", "", "".join(token.text for token in tag_numbers(text) if token.number))
    if meant == heard:
        return "letters" if utterance.kind == "id" and not _holds(utterance.value, text) else "not found in the text"
    if len(heard) == len(meant):
        return "digits replaced"
    if _is_part(heard, meant):
        return "digits lost"
    return "digits added" if _is_part(meant, heard) else "digits lost or added, and replaced"


def _holds(value: str, text: str) -> bool:
    """Say whether a text, letters and digits run together, holds an id as it is."""
    return value in canonical_id(f"{text} ")


def _is_part(some: str, whole: str) -> bool:
    rest = iter(whole)
    return all(char in rest for char in some)
