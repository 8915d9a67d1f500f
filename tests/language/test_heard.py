"""What recognizers wrote for speech over a telephone line, and the values that are in it.

Each text is a recognition by Whisper base or tiny.en of a synthesized voice over the line ``pstn`` or ``clean``
(``docs/asr.md`` says how). What stands in the text must be found; what does not must not be guessed.
"""

from __future__ import annotations

import datetime as dt

import pytest

from voicebench.language.extract import extract
from voicebench.language.slots import FactSpec, FactType

pytestmark = pytest.mark.unit

ORDER = r"KE\d{7}"
MEMBER = r"[A-Z]{3}\d{6}"
CLAIM = r"\d{5}[A-Z]"


def first(type: FactType, heard: str, format: str | None = None) -> str | None:
    """Return the best candidate, or None."""
    spec = FactSpec(type=type, question="?", format=format)
    return next(iter(extract(spec, heard, today=dt.date(2026, 7, 31))), None)


@pytest.mark.parametrize(
    ("format", "heard", "value"),
    [
        (ORDER, "K-E-9-8-1-1031.", "KE9811031"),
        (ORDER, "K-E981, 1031.", "KE9811031"),
        (ORDER, "K e 981 1031", "KE9811031"),
        (ORDER, "KEE 821 7793.", "KE8217793"),
        (ORDER, "Hello Echo 933-1665.", "KE9331665"),
        (ORDER, "Kilo Echo 882-942-5", "KE8829425"),
        (ORDER, "My reference number is KE882-9425.", "KE8829425"),
        (MEMBER, "IyG108291.", "IYG108291"),
        (CLAIM, "4 4 8 3 6 B", "44836B"),
    ],
)
def test_an_identifier_is_found_in_the_shapes_that_recognizers_write(format: str, heard: str, value: str) -> None:
    assert first("id", heard, format) == value


@pytest.mark.parametrize(
    ("format", "heard", "value"),
    [
        (MEMBER, "NHC, double 333-570.", "NHC333570"),
        (MEMBER, "NHC, Double-33, 570.", "NHC333570"),
        (r"\d{6}", "Double 76 384", "776384"),
        (r"\d{4}", "Double 76 384", None),
    ],
)
def test_double_before_written_digits_repeats_the_first(format: str, heard: str, value: str | None) -> None:
    assert first("id", heard, format) == value


@pytest.mark.parametrize(
    ("format", "heard", "value"),
    [
        (MEMBER, "Yankie Bravo Quebec 155 802", "YBQ155802"),
        (MEMBER, "Julieette, Foxtrot, Charlie 156880", "JFC156880"),
        (MEMBER, "X-ray Bravo Quebec 155802.", "XBQ155802"),
        (MEMBER, "Kilo X-Ray Quebec 155 802", "KXQ155802"),
        (CLAIM, "974-03-GALF", "97403G"),
        (CLAIM, "66813 Wiski.", None),
        (MEMBER, "Dulliett, Foxtryt, Charlie 156 880", None),
    ],
)
def test_the_names_of_letters_are_known_by_their_sound(format: str, heard: str, value: str | None) -> None:
    assert first("id", heard, format) == value


@pytest.mark.parametrize(
    ("format", "heard", "value"),
    [
        (r"\d{5}", "For 2938.", "42938"),
        (r"\d{5}", "for 29 38", "42938"),
        (r"\d{4}", "For 2938.", "2938"),
        (r"\d{5}", "The code for 2938 is gone", None),
    ],
)
def test_for_is_a_digit_only_where_a_number_begins_or_goes_on(format: str, heard: str, value: str | None) -> None:
    assert first("id", heard, format) == value


@pytest.mark.parametrize(
    ("type", "format", "heard"),
    [
        ("id", ORDER, "K-E-999-883-85"),
        ("id", ORDER, "Ke882-945"),
        ("id", ORDER, "K-E-W-1-3-4145."),
        ("id", ORDER, "TE113-4145"),
        ("id", MEMBER, "NHC free free free free 570."),
        ("id", r"\d{6}", "A A 3 2 0 0"),
        ("id", r"\d{5}", "2-9-1-1"),
        ("id", r"\d{4}", "118P."),
        ("phone", None, "Double 2-0, double 5-5, a 1-8-2."),
        ("phone", None, "206550-190"),
        ("phone", None, "8, 2, 3, 5, 5, 5, 5, 0, 1, 5, 7."),
    ],
)
def test_digits_that_were_lost_or_heard_as_something_else_are_not_guessed(
    type: FactType, format: str | None, heard: str
) -> None:
    assert first(type, heard, format) is None


@pytest.mark.parametrize(
    ("type", "format", "heard", "value"),
    [
        ("id", ORDER, "8, 8, 8, 8, 9, 4, 5.", "KE8888945"),
        ("id", MEMBER, "My reference number is KBJ003-644.", "KBJ003644"),
        ("id", r"\d{6}", "888-200", "888200"),
        ("phone", None, "My phone number is 574-555-0155.", "574-555-0155"),
        ("date", None, "Sunday September 30.", "2026-09-30"),
    ],
)
def test_another_value_that_was_heard_is_followed(type: FactType, format: str | None, heard: str, value: str) -> None:
    assert first(type, heard, format) == value


@pytest.mark.parametrize(
    ("heard", "value"),
    [
        ("They charged me $1,757, and 26 cents.", "1757.26"),
        ("$1,299, $3.", "1299"),
    ],
)
def test_a_comma_after_an_amount_is_no_part_of_it(heard: str, value: str) -> None:
    assert first("number", heard) == value


@pytest.mark.parametrize(
    ("heard", "name"),
    [
        ("Samuel Hartley H-A-R-T-L-E-Y", "Samuel Hartley"),
        ("First name Wanda, last main kowalski.", "Wanda Kowalski"),
        ("Fiona Gallagher GAL-L-A-G-H-E-R", "Fiona Gallagher"),
        ("Bridget Sullivan, SU-L-L-I-D-A-N", "Bridget Sullivan"),
        ("Stephen Crawford, C-R-A-W-F-L-R-D.", "Stephen Crawford"),
        ("Ingrid Bergstrom, V-C-R-G-S-T-R-L-M.", "Ingrid Bergstrom"),
        ("Victor Lindquist L-I-N-D-Q-V-I-S-T.", "Victor Lindqvist"),
        ("Tomas Vera, Foxtrot, Echo Romeo, Romeo, Echo India, Romeo Alpha.", "Tomas Ferreira"),
        ("Hugo Fontaine, Foxtrat Oscar, November Tango Alpha, India, November Echo.", "Hugo Fontaine"),
        ("Dmitri Sacola, Sierra, Oscar, Kilo, Oscar, Lena, Oscar, Victor.", "Dmitri Sokolov"),
        ("Wanda Kolski Kilo Oscar Whiskey Alpha Lima Sierra Kilo India.", "Wanda Kowalski"),
    ],
)
def test_a_name_survives_what_a_telephone_makes_of_its_letters(heard: str, name: str) -> None:
    assert first("name", heard) == name
