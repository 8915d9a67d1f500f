"""Words that did not arrive: lost in a burst of packets, or misheard on an intact line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from voicebench.language.compare import compare_values
from voicebench.language.understanding import hear_facts
from voicebench.metrics.causes.finding import Finding
from voicebench.metrics.causes.record import Record
from voicebench.metrics.transcript import LEGS

__all__ = ["LOST_RATE", "fact_not_heard", "lost_turn", "misheard_turn"]

BURST_PACKETS = 3
"""Packets in a row, 60 ms, from which on no concealment brings back what was said (ITU-T G.711 Appendix I fades to
silence there)."""

BEFORE_S, AFTER_S = 0.1, 0.5
"""By how much speech may be heard before and after its place in the utterance: words are not spread evenly, and the
line delays them."""

LOST_RATE = 1 / 3
"""Share of word errors from which on an utterance has not arrived."""

_EMPTY_WORDS = ("hello", "sorry", "closing", "give_up")
"""Rules of the caller's whose words tell the agent nothing."""


# ---- facts --------------------------------------------------------------------------------------------------------


def fact_not_heard(record: Record, fact: str, *, used: Any = None, by_s: float = float("inf")) -> Finding | None:
    """Return why a fact did not reach the agent as it is; None if it did, or was never said.

    One that was misheard and then said again and heard right is no cause, unless the agent had acted on it before, or
    went by a later saying that was misheard again. Of several, the first is the cause.

    Args:
        record: of the call.
        fact: its name.
        used: the value that the agent gave to a tool; None if it gave none.
        by_s: when what it did could not be taken back any more.
    """
    said = [one for one in record.sayings_of(fact) if one["start_s"] < by_s]
    wrong = [one for one in said if _is_wrong(record, one)]
    if wrong and len(wrong) == len(said):
        return _not_heard(record, wrong[0], used)
    if wrong and wrong[-1] is said[-1] and _is_taken(wrong[-1], used):
        return _not_heard(record, wrong[-1], used)
    return None


def _is_wrong(record: Record, saying: Mapping[str, Any]) -> bool:
    """Whether a saying did not bring the fact across: nothing or something else was heard, or said."""
    unheard = record.is_heard and saying["heard"] is None
    return unheard or saying["right"] is False or _spoken_wrong(record, saying) is not None


def _is_taken(saying: Mapping[str, Any], used: Any) -> bool:
    """Whether the agent used what was understood of a saying."""
    return used is not None and saying["understood"] is not None and _same(saying, saying["understood"], used)


def _same(saying: Mapping[str, Any], one: Any, other: Any) -> bool:
    return compare_values(saying["type"], one, other).equal


def _spoken_wrong(record: Record, saying: Mapping[str, Any]) -> str | None:
    """Return the other value that the caller spoke in the place of its own, if it did."""
    turn = _turn_of(record, saying)
    together = [one for one in record.score["fact_mentions"] if one["span_ids"] == saying["span_ids"]]
    specs = {one["fact"]: record.snapshot.spec.facts[one["fact"]] for one in together}
    meant = {one["fact"]: one["value"] for one in together}
    spoken = hear_facts(specs, meant, turn["spoken"], today=record.today)[saying["fact"]]
    return None if spoken.right else spoken.value


def _not_heard(record: Record, saying: Mapping[str, Any], used: Any) -> Finding:
    fact, value = saying["fact"], saying["value"]
    told = {"fact": fact, "said": saying["said"], "heard": saying["heard"], "used": used}
    evidence = [*saying["span_ids"], *saying["heard_span_ids"]]
    spoken = _spoken_wrong(record, saying)
    if spoken is not None:
        sentence = f"The caller gave {spoken} as {fact}, where its script has {value}."
        return Finding("caller", sentence, saying["start_s"], evidence, **told)
    heard = f"{saying['understood'] or _quoted(saying['heard'])} was heard"
    lost = _burst(record, saying["leg"], *_window(record, saying))
    what = f"The caller said {fact} {value} (“{saying['said']}”)"
    if lost is not None:
        sentence = f"{what}, {_told_of(lost)} fell on these words, and {heard}."
        return Finding("line", sentence, saying["start_s"], evidence, **told)
    sentence = f"{what}, the line was intact, and {heard}."
    return Finding("asr", sentence, saying["start_s"], evidence, **told)


def _quoted(text: str | None) -> str:
    return f"“{text}”" if text else "nothing"


def _turn_of(record: Record, saying: Mapping[str, Any]) -> dict[str, Any]:
    return next(turn for turn in record.turns if turn["span_ids"] == saying["span_ids"])


def _window(record: Record, saying: Mapping[str, Any]) -> tuple[float, float]:
    """Return when a saying is on the line: the part of the turn in which its words stand, by their letters."""
    spoken = str(_turn_of(record, saying)["spoken"])
    words = str(saying["said"]).rstrip(".,;!?")
    begin = spoken.find(words)
    first, last = (begin / len(spoken), (begin + len(words)) / len(spoken)) if begin >= 0 else (0.0, 1.0)
    start_s, length_s = saying["start_s"], saying["end_s"] - saying["start_s"]
    return start_s + first * length_s, start_s + last * length_s


# ---- other words --------------------------------------------------------------------------------------------------


def lost_turn(record: Record, by_s: float) -> Finding | None:
    """Return the first turn of the caller's that did not arrive before a time, and whose words it did not say again.

    A turn has not arrived when nothing of it was recognised, or a third of its words were heard otherwise. One whose
    facts were all heard right has, however the rest came out.
    """
    if not record.is_heard:
        return None
    for turn in record.caller_turns:
        if turn["start_s"] < by_s and _is_lost(record, turn) and not _said_again(record, turn):
            return misheard_turn(record, turn, "The caller said")
    return None


def _is_lost(record: Record, turn: Mapping[str, Any]) -> bool:
    if turn["interrupted"] or record.rule(turn) in _EMPTY_WORDS:
        return False
    facts = [one for one in record.score["fact_mentions"] if one["span_ids"] == turn["span_ids"]]
    if facts and all(one["right"] for one in facts):
        return False
    errors = turn["word_errors"]
    return errors is None or (errors["rate"] is not None and errors["rate"] >= LOST_RATE)


def _said_again(record: Record, turn: Mapping[str, Any]) -> bool:
    later = [one for one in record.caller_turns if one["start_s"] > turn["start_s"]]
    return any(record.rule(one) == record.rule(turn) and not _is_lost(record, one) for one in later)


def misheard_turn(record: Record, turn: Mapping[str, Any], who_said: str) -> Finding:
    """Return a turn that did not arrive as a finding."""
    evidence = [*turn["span_ids"], *turn["heard_span_ids"]]
    told: dict[str, Any] = {"said": turn["spoken"], "heard": turn["heard"]}
    heard = f"{_quoted(turn['heard'])} was heard"
    lost = _burst(record, LEGS[turn["speaker"]], turn["start_s"], turn["end_s"])
    what = f"{who_said} “{turn['spoken']}”"
    if lost is not None:
        return Finding("line", f"{what}, {_told_of(lost)} fell on it, and {heard}.", turn["start_s"], evidence, **told)
    return Finding("asr", f"{what}, the line was intact, and {heard}.", turn["start_s"], evidence, **told)


# ---- the line -----------------------------------------------------------------------------------------------------


def _burst(record: Record, leg: str, begin_s: float, end_s: float) -> Mapping[str, Any] | None:
    """Return the longest burst of a leg that falls into a stretch of speech."""
    found = [
        event
        for event in record.events("packet_loss")
        if event["attributes"]["leg"] == leg
        and event["attributes"]["packets"] >= BURST_PACKETS
        and event["time_ns"] / 1e9 < end_s + AFTER_S
        and event["time_ns"] / 1e9 + event["attributes"]["packets"] * 0.02 > begin_s - BEFORE_S
    ]
    return max(found, key=lambda event: int(event["attributes"]["packets"]), default=None)


def _told_of(burst: Mapping[str, Any]) -> str:
    packets = burst["attributes"]["packets"]
    return f"a burst of {packets} lost packets ({packets * 0.02:.2g} s) at {burst['time_ns'] / 1e9:.1f} s"
