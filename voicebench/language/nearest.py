"""The nearest of a pack's example sentences: which of its own questions a sentence asks, in whatever words.

The examples of an intent have one centre, the mean of their vectors; a sentence is as near to an intent as to that
centre. It competes with :data:`voicebench.language.general_sentences.GENERAL_SENTENCES` too: what is as near to a
question that any company asks, to consent above all, is none of the pack's own.

Measured on the shipped packs, each sentence left out of its own centre (688, written to differ): 65 % named rightly and
6 % wrongly at the limits below. Of questions about other things 1 % of those that the limits were chosen with were
taken for a pack's own, and 8 % of 25 others in each pack.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

from voicebench.language.general_sentences import GENERAL_SENTENCES
from voicebench.language.sentences import Sentence

if TYPE_CHECKING:  # packs are read without numpy
    import numpy as np
    import numpy.typing as npt

__all__ = ["NEAREST_LIMITS", "NearestExamples", "NearestLimits", "SentenceEncoder"]


class SentenceEncoder(Protocol):
    """Turns sentences into vectors; see :mod:`voicebench.speech.sentence_encoder`."""

    def encode(self, sentences: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return unit vectors, float32[n, dimensions]."""


class NearestLimits(NamedTuple):
    """How near is near enough; cosines.

    Attributes:
        similarity: at least, to the intent's centre. From .42 to .50 rights and wrongs fall alike, by a third.
        margin: at least, over the next intent: two that are as near are told apart by nothing.
        general: at least, over the nearest sentence that any company's agent may say.
    """

    similarity: float
    margin: float
    general: float


NEAREST_LIMITS = NearestLimits(similarity=0.45, margin=0.03, general=0.05)

_DIGITS = 3
"""To which similarities are rounded, so that the last bits of another processor decide nothing."""

# a sentence that asks without the form of a question
_REQUEST = re.compile(
    r"\b(tell me|let me know|describe|give me|read me|show me|walk me through|take me through|remind me|sum up"
    r"|(i|we)( (just|still|only|also))? (need|have|want|would like|must|d need|ll need)"
    r"|(id|ill|id just|ill just|wed|well) (need|have|like)|please)\b"
)


class NearestExamples:
    """Example sentences of a pack's intents, encoded when the first sentence is compared with them.

    Args:
        examples: sentences by intent.
        encoder: of these and of what is asked about.
    """

    def __init__(self, examples: Mapping[str, Sequence[str]], encoder: SentenceEncoder) -> None:
        self._examples = examples
        self._encoder = encoder

    def encode_examples(self) -> None:
        """Encode the examples now: some seconds the first time in a process, and nothing from then on."""
        assert self._centres
        assert len(self._general)

    def asked(self, sentences: Sequence[Sentence]) -> list[str]:
        """Return the intents that questions and requests among some sentences are near enough to, each once."""
        found = [self.nearest(one.text) for one in sentences if one.is_question or _REQUEST.search(one.words)]
        return list(dict.fromkeys(name for name in found if name is not None))

    def nearest(self, sentence: str) -> str | None:
        """Return the intent whose examples are nearest to a sentence; None where none is near enough."""
        vector = self._encoder.encode([sentence])[0]
        near = sorted(((round(float(centre @ vector), _DIGITS), name) for name, centre in self._centres), reverse=True)
        similarity, name = near[0]
        runner_up = near[1][0] if len(near) > 1 else -1.0
        general = round(float((self._general @ vector).max()), _DIGITS)
        near_enough = (
            similarity >= NEAREST_LIMITS.similarity
            and similarity - runner_up >= NEAREST_LIMITS.margin
            and similarity - general >= NEAREST_LIMITS.general
        )
        return name if near_enough else None

    @cached_property
    def _centres(self) -> list[tuple[str, npt.NDArray[np.float32]]]:
        """The mean direction of each intent's examples."""
        sums = [(name, self._encoder.encode(sentences).sum(axis=0)) for name, sentences in self._examples.items()]
        return [(name, total / (total @ total) ** 0.5) for name, total in sums]

    @cached_property
    def _general(self) -> npt.NDArray[np.float32]:
        return self._encoder.encode(GENERAL_SENTENCES)
