"""Words that Whisper writes where there was no speech: on silence, noise and babble."""

from __future__ import annotations

import re
import zlib

import numpy as np
import numpy.typing as npt

__all__ = ["compression_ratio", "hallucination", "is_breath", "is_loop", "voiced_s"]

# The first is Whisper's own limit, above which its transcribe() takes a text for failed. The others are measured, as
# the docstring of hallucination says.
_MOST_COMPRESSION = 2.4
_MOST_WORDS_A_SECOND = 6.5
_NO_SPEECH, _SURELY_NO_SPEECH = 0.6, 0.75
_UNSURE_LOGPROB = -0.8
_DOUBTFUL_NO_SPEECH, _DOUBTFUL_LOGPROB, _DOUBTFUL_WORDS = 0.35, -1.0, 5
_GUESS_LOGPROB = -2.5

_SAMPLE_RATE = 16_000
_HOP, _FRAME = 320, 640
_LONGEST_LAG, _SHORTEST_LAG = _SAMPLE_RATE // 70, _SAMPLE_RATE // 400
_FFT = 2048  # holds two frames, so that the correlation does not wrap around
_PERIODIC, _AUDIBLE_DBOV = 0.6, -50.0
_LEAST_VOICED_S, _BREATH_NO_SPEECH = 0.06, 0.25


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


def is_breath(samples: npt.NDArray[np.int16], *, no_speech_prob: float) -> bool:
    """Say whether int16[n] at 16 kHz, of which the model doubts that it is speech, has no voice in it.

    On breaths and puffs of 0.2 to 1.5 s tiny.en writes "you", "Ahh!" or "Thank you." with a probability of no speech of
    0.36 and more, and not more than two frames of them are voiced. The shortest words have three or more on the worst
    line (AMR-NB 5.9, 8 % of the packets lost), and ten on a good one.
    """
    return no_speech_prob > _BREATH_NO_SPEECH and voiced_s(samples) < _LEAST_VOICED_S


def voiced_s(samples: npt.NDArray[np.int16]) -> float:
    """Return for how long int16[n] at 16 kHz is voiced, seconds.

    A frame of 40 ms, one each 20 ms, is voiced when it is like itself one period of a voice later (70 to 400 Hz): when
    its normalised autocorrelation, over the parts that overlap, exceeds 0.6.
    """
    if len(samples) < _FRAME:
        return 0.0
    frames = np.lib.stride_tricks.sliding_window_view(samples, _FRAME)[::_HOP].astype(np.float64) / 32768.0
    frames = frames[np.mean(np.square(frames), axis=1) > 10.0 ** (_AUDIBLE_DBOV / 10.0)]
    frames = frames - frames.mean(axis=1, keepdims=True)
    lags = np.arange(_SHORTEST_LAG, _LONGEST_LAG + 1)
    products = np.fft.irfft(np.abs(np.fft.rfft(frames, _FFT)) ** 2)[:, lags]
    energy = np.cumsum(np.square(frames), axis=1)
    whole = energy[:, -1:]
    likeness = products / np.sqrt(energy[:, _FRAME - 1 - lags] * (whole - energy[:, lags - 1]) + 1e-12)
    return float(np.count_nonzero(likeness.max(axis=1, initial=0.0) > _PERIODIC)) * _HOP / _SAMPLE_RATE


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
