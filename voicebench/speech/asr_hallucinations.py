"""Words that Whisper writes where there was no speech: on silence, noise and babble."""

from __future__ import annotations

import re
import zlib

__all__ = ["compression_ratio", "hallucination", "is_loop"]

# The first is Whisper's own limit, above which its transcribe() takes a text for failed. The others are measured, as
# the docstring of hallucination says.
_MOST_COMPRESSION = 2.4
_MOST_WORDS_A_SECOND = 6.5
_NO_SPEECH, _SURELY_NO_SPEECH = 0.6, 0.75
_UNSURE_LOGPROB = -0.8
_DOUBTFUL_NO_SPEECH, _DOUBTFUL_LOGPROB, _DOUBTFUL_WORDS = 0.35, -1.0, 5
_GUESS_LOGPROB = -2.5


def compression_ratio(text: str) -> float:
    """Return bytes of ``text`` over bytes compressed by zlib; 0 for an empty text."""
    data = text.encode()
    return len(data) / len(zlib.compress(data)) if data else 0.0


def hallucination(text: str, *, seconds: float, no_speech_prob: float, avg_logprob: float) -> str | None:
    """Say why ``text``, recognized in ``seconds`` of audio, is most likely a hallucination, or None.

    ``no_speech``: the model itself doubts that there was speech. Noise gives 0.66 to 0.98, a short answer in noise up
    to 0.62 but with words it is sure of; babble gives whole sentences that it is not sure of, from 0.38 on,
    and engines a single guess, from 0.55 on, of which it is far less sure than of any word that was spoken.
    ``repetition``: one phrase over and over, of which the model is always sure. ``rate``: more words than can be said.
    """
    if not text:
        return None
    words = len(text.split())
    silent = no_speech_prob > (_NO_SPEECH if avg_logprob < _UNSURE_LOGPROB else _SURELY_NO_SPEECH)
    unsure = avg_logprob < _GUESS_LOGPROB or (avg_logprob < _DOUBTFUL_LOGPROB and words >= _DOUBTFUL_WORDS)
    if silent or (unsure and no_speech_prob > _DOUBTFUL_NO_SPEECH):
        return "no_speech"
    if compression_ratio(text) > _MOST_COMPRESSION:
        return "repetition"
    if words > _MOST_WORDS_A_SECOND * seconds + 1:
        return "rate"
    return None


def is_loop(text: str) -> bool:
    """Say whether a text ends by saying its last words, or its only word, over again.

    Two last words count when they come twice in a row, three when they came anywhere before: a decoder that missed
    its end starts the sentence over and may be cut in the middle.
    """
    words = re.findall(r"[\w']+", text.lower())
    if len(words) == 2 and words[0] == words[1]:
        return True
    doubled = any(words[-n:] == words[-2 * n : -n] for n in range(2, len(words) // 2 + 1))
    tail = words[-3:]
    restarted = len(tail) == 3 and any(words[at : at + 3] == tail for at in range(len(words) - 3))
    return doubled or restarted or compression_ratio(text) > _MOST_COMPRESSION
