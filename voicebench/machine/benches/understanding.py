"""What the scripted caller understands of agents' turns, counted over turns that people have labelled.

Each turn is heard by a new caller (:mod:`.knowing_caller`), and what it did is compared with the labels that the pack
can express. A turn is *right* if all that it asks was understood and nothing else; *unasked* if something else was,
too; *partly* if only a part of it was; *waits* if the caller waited though it was asked. It is *not understood* if the
caller asked to say it again (*sorry*), or did something else instead: it answered what was not asked, or said what it
wants or has. A short acknowledgement counts as waiting.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from voicebench.language.labels import Act, Detail, Label
from voicebench.language.nearest import SentenceEncoder
from voicebench.machine.benches.knowing_caller import (
    CONFIRMS,
    CORRECTS,
    HAVE_NOT,
    REPEATS,
    SORRY,
    WAITS,
    WISH,
    KnowingCaller,
)
from voicebench.machine.benches.labelled_turns import LabelledTurn
from voicebench.packs import Pack
from voicebench.record.json_types import JsonObject

__all__ = ["Comprehension", "HeardTurn", "TurnOutcome", "comprehension", "hear_turns", "own_trade"]

TurnOutcome = Literal["right", "unasked", "partly", "waits", "sorry", "else"]
"""What came of a turn that calls for an answer or for silence; ``else``: only something else was answered."""

_NOT_MEASURED: frozenset[Label] = frozenset(
    {
        *("amount", "other", "done", "cannot", "offers_remedy", "fee", "goodbye", "small_talk"),
        *("read_back", "repeat_named"),
    }
)
"""Labels that call for no answer of their own, or for one that no pack can know."""
_SILENT: frozenset[Act] = frozenset({"hold", "working", "thanks", "apology"})
"""A turn that does nothing else calls for silence."""
_MUST_WAIT = "(must wait)"
_BESIDE: Mapping[Label, tuple[Label, ...]] = {
    "offers_person": ("proceed",),
    "offers_callback": ("proceed",),
    "offers_remedy": ("proceed",),
    "read_back": ("proceed",),
    "not_found": ("full_name", "order_number", "account_or_member_number", "postal_code", "card_last4"),
    "anything_else": ("what_help",),
    "what_help": ("anything_else",),
    "which_item": ("order_number",),
    "account_or_member_number": ("not_found",),
}
"""Beside a label, an answer to these is no mistake."""
_FREE: Mapping[Label, frozenset[str]] = {
    "read_back": frozenset({CONFIRMS, CORRECTS}),
    "repeat_named": frozenset({REPEATS}),
}
"""The same, of what the caller does that is no intent."""
_DETAILS = frozenset(get_args(Detail))

_OTHER_TRADES = re.compile(
    r"\b(?:user ?(?:id|name)|(?:account|member(?:ship)?|customer) ?(?:numbers?|id|level|status)"
    r"|(?:reservation|booking|ride|flight|confirmation) (?:ids?|number|confirmation number)"
    r"|symptoms?|fraud|pin|maiden|movie|theater|doctor|dr)\b",
    re.IGNORECASE,
)
"""Words that a shop has no use for; whoever calls one may well ask what is meant."""


@dataclass(frozen=True)
class HeardTurn:
    """A labelled turn and what the caller made of it.

    Attributes:
        turn: with its labels.
        words: what was heard of it.
        reaction: the intents understood, or what the caller did instead.
        needs: the measured labels, each with the intents that count as understood; of a turn that calls for silence
            none.
        missed: labels of these that were not understood.
        unasked: intents understood that no label covers.
        outcome: what came of it; None if it calls for nothing.
        silent: whether it calls for silence.
        read_backs: outcome by label of a read-back heard by callers who were asked for that fact.
    """

    turn: LabelledTurn
    words: str
    reaction: frozenset[str]
    needs: Mapping[str, frozenset[str]]
    missed: tuple[str, ...]
    unasked: frozenset[str]
    outcome: TurnOutcome | None
    silent: bool
    read_backs: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Comprehension:
    """Counts over turns.

    Attributes:
        measured: turns that call for something that the pack can answer, or for silence.
        outcomes: how many of these came out how.
        statements: the other turns: statements, refusals, goodbyes, questions beyond the pack.
        statements_sorry: those of them that the caller asked to hear again.
        silences: turns that call for silence.
        silences_answered: those of them at which the caller spoke.
        recall: by label, how many turns were understood, of how many.
        precision: by intent, how often it was heard rightly, and how often at all.
    """

    measured: int
    outcomes: Mapping[TurnOutcome, int]
    statements: int
    statements_sorry: int
    silences: int
    silences_answered: int
    recall: Mapping[str, tuple[int, int]]
    precision: Mapping[str, tuple[int, int]]

    @property
    def not_understood(self) -> int:
        """Turns that the caller asked to hear again, or to which it answered something else alone."""
        return self.outcomes["sorry"] + self.outcomes["else"]

    def to_json(self) -> JsonObject:
        """Return the counts as ``bench understanding --json`` prints them."""
        names: tuple[TurnOutcome, ...] = ("right", "unasked", "partly", "waits", "sorry")
        return {
            "measured": self.measured,
            **{name: self.outcomes[name] for name in names},
            "not_understood": self.not_understood,
            "statements": {"sorry": self.statements_sorry, "of": self.statements},
            "silences": {"answered": self.silences_answered, "of": self.silences},
            "recall": {label: list(counts) for label, counts in self.recall.items()},
            "precision": {intent: list(counts) for intent, counts in self.precision.items()},
        }


def hear_turns(
    pack: Pack,
    turns: Iterable[LabelledTurn],
    encoder: SentenceEncoder | None,
    words: Callable[[LabelledTurn], str] = lambda turn: turn.text,
) -> list[HeardTurn]:
    """Let a caller of a pack hear turns, each by itself.

    Args:
        pack: the company that the agent speaks for.
        turns: labelled.
        encoder: for the pack's example sentences; None for rules alone.
        words: what is heard of a turn; its text unless a line lies between.
    """
    caller = KnowingCaller(pack, encoder)
    own = frozenset(pack.spec.intents.details)
    return [_heard(pack.spec.intents.labels, own, caller, turn, words(turn)) for turn in turns]


def own_trade(heard: Iterable[HeardTurn]) -> list[HeardTurn]:
    """Leave out the turns that ask for something in words of other trades, as a hotel's "reservation number"."""
    return [one for one in heard if not (one.turn.asks and _OTHER_TRADES.search(one.turn.text))]


def comprehension(heard: Sequence[HeardTurn]) -> Comprehension:
    """Count what was understood of turns."""
    found, labelled, right, said = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for one in heard:
        for label in one.needs:
            labelled[label] += 1
            found[label] += label not in one.missed
        for label, understood in one.read_backs.items():
            labelled[label] += 1
            found[label] += understood
        if one.silent:
            labelled[_MUST_WAIT] += 1
            found[_MUST_WAIT] += one.outcome == "right"
        for intent in one.reaction - {SORRY, REPEATS, WISH, HAVE_NOT}:
            said[intent] += 1
            # Waiting is right at what calls for silence or for nothing, and wrong at a question.
            right[intent] += not one.needs if intent == WAITS else intent not in one.unasked
    outcomes = Counter(one.outcome for one in heard if one.outcome)
    silent = [one for one in heard if one.silent]
    rest = [one for one in heard if one.outcome is None]
    return Comprehension(
        measured=sum(outcomes.values()),
        outcomes=outcomes,
        statements=len(rest),
        statements_sorry=sum(SORRY in one.reaction for one in rest),
        silences=len(silent),
        silences_answered=sum(one.outcome != "right" for one in silent),
        recall={label: (found[label], labelled[label]) for label in sorted(labelled)},
        precision={intent: (right[intent], said[intent]) for intent in sorted(said)},
    )


def _heard(
    labels: Mapping[Label, Sequence[str]], own: frozenset[str], caller: KnowingCaller, turn: LabelledTurn, words: str
) -> HeardTurn:
    repeating = "repeat_unnamed" in turn.acts
    got = caller.reaction(words, repeating=repeating)
    silent = bool(turn.acts) and set(turn.acts) <= _SILENT and not turn.asks
    needs = {} if silent else _needs(labels, turn)
    # What may be heard beside, and is not missed
    said: tuple[Label, ...] = (*turn.asks, *turn.acts)
    beside = {other for label in said for other in (label, *_BESIDE.get(label, ()))}
    allowed = {intent for intents in needs.values() for intent in intents}
    allowed |= {intent for label in beside for intent in labels.get(label, ())}
    allowed |= {intent for label in said for intent in _FREE.get(label, frozenset())}
    if "other" in turn.asks:
        allowed |= own  # a detail that no label names may be the pack's own: a PIN is a firm's phone code
    unasked = got - allowed - {SORRY, WAITS}
    if not repeating:
        unasked -= {REPEATS}
    missed = tuple(label for label, intents in needs.items() if not got & intents)
    return HeardTurn(
        turn=turn,
        words=words,
        reaction=got,
        needs=needs,
        missed=missed,
        unasked=unasked,
        outcome=_outcome(got, silent, needs, missed, unasked),
        silent=silent,
        read_backs=(caller.read_back(turn, words) or {}) if "read_back" in turn.acts else {},
    )


def _needs(labels: Mapping[Label, Sequence[str]], turn: LabelledTurn) -> dict[str, frozenset[str]]:
    """Return the measured labels of a turn and the intents that count as understood."""
    needs: dict[str, frozenset[str]] = {}
    for label in (*turn.asks, *turn.acts):
        if label == "repeat_unnamed":
            needs[label] = frozenset({REPEATS})
        elif label == "not_found" and turn.asks:
            continue  # whoever answers what is asked has answered that as well
        elif label in labels and label not in _NOT_MEASURED:
            # Details are printed apart from acts.
            needs[f"asks:{label}" if label in _DETAILS else label] = frozenset(labels[label])
    return needs


def _outcome(
    got: frozenset[str], silent: bool, needs: Mapping[str, object], missed: Sequence[str], unasked: frozenset[str]
) -> TurnOutcome | None:
    if silent:
        return "right" if got == {WAITS} else "sorry" if got == {SORRY} else "else"
    if not needs:
        return None
    if got == {SORRY}:
        return "sorry"
    if got == {WAITS}:
        return "waits"
    if missed:
        return "else" if unasked else "partly"
    return "unasked" if unasked else "right"
