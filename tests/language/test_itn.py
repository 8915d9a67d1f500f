"""The plain form of speech that intents are matched against."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicebench.language.itn import normalise

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("spoken", "plain"),
    [
        ("four four seven one eight six zero", "4471860"),
        ("Four, four, seven. Thanks!", "447 thanks"),
        ("double five", "55"),
        ("triple oh seven", "0007"),
        ("double check", "double check"),
        ("five oh one", "501"),
        ("two two oh eight", "2208"),
        ("Oh, one moment", "oh one moment"),
        ("forty four seventy eighteen", "447018"),
        ("forty-four", "44"),
        ("nineteen ninety", "1990"),
        ("two thousand and twenty six", "2026"),
        ("four hundred and seven", "407"),
        ("twelve hundred fifty", "1250"),
        ("1,250", "1250"),
        ("4 4 7 1", "4471"),
        ("447 1860", "447 1860"),
        ("541-5550-146", "5415550146"),
        ("541.555.0146", "5415550146"),
        ("K-E-447-1860", "k e 4471860"),
        ("KE4471860", "ke 4471860"),
    ],
)
def test_numbers_become_digits_the_way_people_read_them(spoken: str, plain: str) -> None:
    assert normalise(spoken) == plain


@pytest.mark.parametrize(
    ("spoken", "plain"),
    [
        ("One moment please, I'm looking for it.", "one moment please im looking for it"),
        ("number one", "number one"),
        ("one business day", "1 business day"),
        ("one two three", "123"),
        ("Is it for two to five days?", "is it for 2 to 5 days"),
        ("the first available slot", "the first available slot"),
        ("a second opinion, a third time", "a second opinion a third time"),
        ("You may go; march on", "you may go march on"),
        ("That's Tomás\u2019s", "thats tomass"),
        ("first-available, e-mail", "first available e mail"),
        ("", ""),
    ],
)
def test_ordinary_words_stay_words(spoken: str, plain: str) -> None:
    assert normalise(spoken) == plain


@pytest.mark.parametrize(
    ("spoken", "plain"),
    [
        ("one hundred and fifty dollars", "150 dollars"),
        ("$44.99", "44.99 dollars"),
        ("forty-four dollars and ninety-nine cents", "44.99 dollars"),
        ("forty four dollars five cents", "44.05 dollars"),
        ("forty four point nine nine", "44.99"),
        ("$25.00 or 25 dollars", "25 dollars or 25 dollars"),
        ("a hundred dollars", "100 dollars"),
        ("a 15% fee", "a 15 percent fee"),
        ("covered at zero", "covered at 0"),
    ],
)
def test_money_has_one_form(spoken: str, plain: str) -> None:
    assert normalise(spoken) == plain


@pytest.mark.parametrize(
    ("spoken", "plain"),
    [
        ("August third", "august 3"),
        ("the third of August, twenty twenty six", "august 3 2026"),
        ("Monday, Aug. 3rd at 10:30 a.m.", "monday august 3 at 10 30 am"),
        ("2026-08-03", "august 3 2026"),
        ("8/3/2026", "august 3 2026"),
        ("8/3", "august 3"),
        ("24/7", "247"),
        ("July twenty seventh", "july 27"),
        ("July twenty twenty six", "july 2026"),
        ("August twenty, twenty twenty six", "august 20 2026"),
        ("December 31, 1999", "december 31 1999"),
        ("June fifth nineteen eighty eight", "june 5 1988"),
        ("at ten thirty", "at 10 30"),
        ("10:00 AM", "10 am"),
        ("ten AM", "10 am"),
    ],
)
def test_dates_and_times_have_one_form(spoken: str, plain: str) -> None:
    assert normalise(spoken) == plain


@given(st.text())
def test_the_plain_form_is_lower_case_words_and_numbers(text: str) -> None:
    plain = normalise(text)
    assert plain == plain.lower()
    assert not set(plain) - set("abcdefghijklmnopqrstuvwxyz0123456789. ")


@given(st.from_regex(r"[a-z ]{0,40}", fullmatch=True))
def test_words_that_are_no_numbers_are_kept(text: str) -> None:
    words = [word for word in text.split() if len(word) > 2]
    if not any(normalise(f"x {word} x") != f"x {word} x" for word in words):
        assert [word for word in normalise(text).split() if len(word) > 2] == words
