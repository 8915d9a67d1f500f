"""Spoken English: how the words of callers and agents are read, said or recognised.

Text is read in one direction; each module uses only those before it:

1. :mod:`.tokens`: words, numerals and the gaps between them.
2. :mod:`.number_words`: number words, "double five" and ordinals become numbers as they were read.
3. :mod:`.itn`: inverse text normalization, the written form in which intents are matched.
4. :mod:`.slots` and :mod:`.values`: kinds of facts and the canonical form of a value; :mod:`.compare`: comparing two.
5. :mod:`.alphanumerics`, :mod:`.value_mentions`, :mod:`.names`: letters and digits, dates, numbers, choices and names
   in running text.
6. :mod:`.extract`: slot filling, the values of a company's facts in a text; :mod:`.understanding`: whether the right
   one is taken; :mod:`.grounding`: values that nothing said before accounts for.
7. :mod:`.intents`, :mod:`.dialogue_acts`, :mod:`.claims`: what a turn asks, says or does.
8. :mod:`.readback`: which facts a turn repeats, rightly or wrongly.

:mod:`.verbalize` goes the other way, from values to the words in which they are spoken.
"""

from __future__ import annotations

from voicebench.language.claims import HANDOVER, Claim, claims_in
from voicebench.language.compare import ValueComparison, compare_values
from voicebench.language.dialogue_acts import (
    affirmed,
    agrees,
    asks_again,
    asks_for_repeat,
    is_empty_answer,
    plays_agent,
    proposed,
    settles,
)
from voicebench.language.extract import extract, extract_all, spoken_ids
from voicebench.language.grounding import Sources
from voicebench.language.intents import IntentKind, Intents
from voicebench.language.itn import normalise
from voicebench.language.number_words import tag_numbers
from voicebench.language.readback import facts_in, read_backs
from voicebench.language.slots import YAML, Fact, FactSpec, FactType, IntentsSpec, StrList
from voicebench.language.understanding import Understood, hear_facts, readable
from voicebench.language.values import (
    canonical_bool,
    canonical_date,
    canonical_id,
    canonical_number,
    canonical_phone,
    compact,
    phonetic_key,
    same_date,
    same_enum,
    same_id,
    same_name,
    same_number,
    same_phone,
)
from voicebench.language.verbalize import spoken_date, spoken_day, spoken_list, spoken_money, spoken_number, spoken_when

__all__ = [
    "HANDOVER",
    "YAML",
    "Claim",
    "Fact",
    "FactSpec",
    "FactType",
    "IntentKind",
    "Intents",
    "IntentsSpec",
    "Sources",
    "StrList",
    "Understood",
    "ValueComparison",
    "affirmed",
    "agrees",
    "asks_again",
    "asks_for_repeat",
    "canonical_bool",
    "canonical_date",
    "canonical_id",
    "canonical_number",
    "canonical_phone",
    "claims_in",
    "compact",
    "compare_values",
    "extract",
    "extract_all",
    "facts_in",
    "hear_facts",
    "is_empty_answer",
    "normalise",
    "phonetic_key",
    "plays_agent",
    "proposed",
    "read_backs",
    "readable",
    "same_date",
    "same_enum",
    "same_id",
    "same_name",
    "same_number",
    "same_phone",
    "settles",
    "spoken_date",
    "spoken_day",
    "spoken_ids",
    "spoken_list",
    "spoken_money",
    "spoken_number",
    "spoken_when",
    "tag_numbers",
]
