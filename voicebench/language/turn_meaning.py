"""What an agent's turn asks and does, in the labels that hold for any company."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from voicebench.language.agent_acts import acts_of, needs_only_patience
from voicebench.language.labels import Act
from voicebench.language.request_frames import regions_of
from voicebench.language.requests import Requests, requested
from voicebench.language.sentences import Sentence, split_sentences

__all__ = ["TurnMeaning", "turn_meaning"]

_DEMAND = re.compile(
    r"^(?:(?:and|so|now|okay|ok|then|thanks|thank you|right|great|first|next|also) )*(?:please |kindly )(?:now |just |"
    r"also |first "
    r")*(?:confirm|tell (?:me|us)|say|specify|choose|select|pick|describe|indicate|name|state|explain|clarify|provide|"
    r"answer"
    r"|share|let (?:me|us) know(?! (?:if|when|once|how) (?:you|there|i|we)\b))\b"
)


@dataclass(frozen=True)
class TurnMeaning:
    """What a turn asks and does.

    Attributes:
        sentences: of the turn.
        requests: the details that it asks for.
        acts: what else it does.
    """

    sentences: tuple[Sentence, ...]
    requests: Requests
    acts: frozenset[Act]

    @property
    def is_statement(self) -> bool:
        """Whether it neither has a question nor asks for anything."""
        asks = bool(self.requests.details or self.requests.own) or any(one.is_question for one in self.sentences)
        return not asks

    @property
    def requests_nothing(self) -> bool:
        """Whether it is a statement, and none that requests something in words that nothing here knows."""
        return self.is_statement and not any(
            end > start for one in self.sentences for start, end in regions_of(one.paused)
        )

    @property
    def demands(self) -> bool:
        """Whether it tells the listener to say something, without the form of a question: "please state which"."""
        return any(_DEMAND.search(one.words) for one in self.sentences)

    @property
    def needs_only_patience(self) -> bool:
        """Whether it needs no answer: the speaker is at work, asks to wait, thanks or is sorry, and asks nothing."""
        return needs_only_patience(self.sentences, self.requests, self.acts)


def turn_meaning(text: str, own: Mapping[str, Sequence[str]]) -> TurnMeaning:
    """Return what a turn asks and does.

    Args:
        text: the turn, as meant or as recognised.
        own: the nouns of the pack's own details (see :func:`voicebench.language.requests.requested`).
    """
    return _turn_meaning(text, tuple((name, tuple(nouns)) for name, nouns in own.items()))


@lru_cache(maxsize=1024)  # a turn is looked at by the caller, its shadow and the metrics
def _turn_meaning(text: str, own: tuple[tuple[str, tuple[str, ...]], ...]) -> TurnMeaning:
    sentences = tuple(split_sentences(text))
    requests = requested(sentences, dict(own))
    return TurnMeaning(sentences, requests, acts_of(sentences, requests))
