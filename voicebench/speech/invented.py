"""Words that Whisper writes where nobody spoke: on silence, noise and babble."""

from __future__ import annotations

import re
import zlib

__all__ = ["compression_ratio", "invented", "is_loop"]

_MOST_COMPRESSION = 2.4
_MOST_WORDS_A_SECOND = 6.5
_NO_SPEECH = 0.6


def compression_ratio(text: str) -> float:
    """Return bytes of ``text`` over bytes compressed by zlib; 0 for an empty text."""
    data = text.encode()
    return len(data) / len(zlib.compress(data)) if data else 0.0


def repeats_itself(text: str) -> bool:
    """Say whether ``text`` is one phrase over and over."""
    return compression_ratio(text) > _MOST_COMPRESSION


def invented(text: str, *, seconds: float, no_speech_prob: float) -> str | None:
    """Say why ``text``, recognized in ``seconds`` of audio, was hardly spoken, or None.

    A threshold on the log-probability does not catch text invented on babble, which the model is sure of.
    """
    if not text:
        return None
    if no_speech_prob > _NO_SPEECH:
        return "no_speech"
    if repeats_itself(text):
        return "repetition"
    if len(text.split()) > _MOST_WORDS_A_SECOND * seconds + 1:
        return "rate"
    return None


def is_loop(text: str) -> bool:
    """Whether a text ends by saying at least two words, or its only word, over again."""
    words = re.findall(r"[\w']+", text.lower())
    for length in range(1, len(words) // 2 + 1):
        if words[-length:] == words[-2 * length : -length] and (length > 1 or 2 * length == len(words)):
            return True
    return compression_ratio(text) > _MOST_COMPRESSION
