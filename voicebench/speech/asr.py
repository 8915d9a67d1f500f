"""Recognition with Whisper on faster-whisper and CTranslate2: one utterance in, one transcript out."""

from __future__ import annotations

import ctypes
import importlib.util
import math
import threading
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from voicebench.errors import ConfigError, ModelMissing
from voicebench.speech.asr_hallucinations import compression_ratio, hallucination, is_breath, is_loop
from voicebench.speech.models import ModelFiles, locate

__all__ = [
    "CUBLAS",
    "CUBLAS_PACKAGE",
    "Recognizer",
    "Transcriber",
    "Transcript",
    "Window",
    "load_recognizer",
    "preload_cublas",
]

SAMPLE_RATE = 16_000
Window = Literal["fit", "30s"]

_HOP = 160
_WINDOW_S = 30.0
_TAIL_S = 1.0
_SHORTEST_S = 10.0
"""In a shorter window Whisper says a short sentence over and over: 33 of 100 at length + 1 s, 4 at 10 s (tiny.en)."""
_LONGEST_S = _WINDOW_S - _TAIL_S
_SEARCH_S = 10.0
_QUIET_S = 0.2
_SILENCE_DBOV = -62.0
"""The line noise of the preset ``pstn``, -65 dBov, lies under it: in that alone Whisper would find words."""
_TOKENS_SPARE, _TOKENS_A_SECOND, _MOST_TOKENS = 12, 8, 224
"""A second of ordinary speech has three or four tokens. 224 is half of Whisper's text context, its own limit."""
_WITHOUT_CUDA = "or go without: agent.asr.device=cpu; `voicebench doctor` says what is here"
CUBLAS = "libcublas.so.12"
"""All that CTranslate2 4 looks for besides the driver: neither cuDNN nor the CUDA runtime."""

CUBLAS_PACKAGE = "nvidia-cublas-cu12>=12.4,<13"
_NEEDED_FIRST = "libcublasLt.so.12"
_loading = threading.Lock()


@dataclass(frozen=True)
class Transcript:
    """The text of an utterance, and how sure the model is of it.

    Attributes:
        text: the words; empty when there were none, or when they were filtered.
        no_speech_prob: Whisper's probability that there is no speech, 0 to 1; the largest of all windows.
        avg_logprob: mean log-probability of a token (natural logarithm), over all windows.
        compression_ratio: length of the text over its length compressed by zlib; high when it repeats itself.
        language: code of the language that was asked for.
        filtered: why words were dropped as hallucinated (``silence``, ``no_speech``, ``repetition``, ``rate``)
    """

    text: str
    no_speech_prob: float
    avg_logprob: float
    compression_ratio: float
    language: str
    filtered: str | None = None


class Transcriber(Protocol):
    """What a call needs of a recognizer."""

    def transcribe(self, samples: npt.NDArray[np.int16]) -> Transcript:
        """Transcribe one utterance, int16[n] at 16 kHz."""
        ...


@dataclass(frozen=True)
class _Decoded:
    text: str
    no_speech_prob: float = 1.0
    logprob_sum: float = 0.0
    tokens: int = 0
    filtered: str | None = None

    def hallucination(self, seconds: float) -> str | None:
        """Say why the words, of so many seconds of audio, are most likely a hallucination, or None."""
        average = self.logprob_sum / max(self.tokens, 1)
        return hallucination(self.text, seconds=seconds, no_speech_prob=self.no_speech_prob, avg_logprob=average)


class Recognizer:
    """A loaded Whisper model, on one thread: the same samples give the same transcript.

    Made by :func:`load_recognizer`.

    Attributes:
        files: the weights and their hashes.
        window: ``fit`` encodes the utterance and one second, at least 10 s, and again in Whisper's full window if
            the words came out as a loop; ``30s`` pads to the full window always.
        device: ``cpu`` or ``cuda``, after ``auto`` was resolved.
        compute_type: CTranslate2's type of the weights in use.
    """

    def __init__(self, files: ModelFiles, whisper: Any, *, window: Window, device: str, compute_type: str) -> None:
        from faster_whisper.tokenizer import Tokenizer

        self.files = files
        self.window = window
        self.device = device
        self.compute_type = compute_type
        self._whisper = whisper
        self._tokenizer = Tokenizer(
            whisper.hf_tokenizer, whisper.model.is_multilingual, task="transcribe", language="en"
        )
        self._prompt = [*self._tokenizer.sot_sequence, self._tokenizer.no_timestamps]

    def transcribe(self, samples: npt.NDArray[np.int16]) -> Transcript:
        """Transcribe one utterance, int16[n] at 16 kHz, in English: greedy, without timestamps or earlier text.

        An utterance of more than 29 s is cut at its quietest places and the pieces' texts are joined.
        """
        pieces = [self._recognize(piece) for piece in _cut(samples)]
        text = " ".join(piece.text for piece in pieces if piece.text)
        return Transcript(
            text=text,
            no_speech_prob=max(piece.no_speech_prob for piece in pieces),
            avg_logprob=sum(piece.logprob_sum for piece in pieces) / max(sum(piece.tokens for piece in pieces), 1),
            compression_ratio=compression_ratio(text),
            language=self._tokenizer.language_code,
            filtered=next((piece.filtered for piece in pieces if piece.filtered), None),
        )

    def _recognize(self, samples: npt.NDArray[np.int16]) -> _Decoded:
        """Recognize one piece; a voice that a short window takes for no speech is decoded again in a full one."""
        if _loudest_dbov(samples) < _SILENCE_DBOV:
            return _Decoded("", filtered="silence")
        seconds = len(samples) / SAMPLE_RATE
        decoded = self._decode_fitted(samples) if self.window == "fit" else self._decode_full(samples)
        reason = decoded.hallucination(seconds)
        if decoded.text and is_breath(samples, no_speech_prob=decoded.no_speech_prob):
            return replace(decoded, text="", filtered="no_speech")
        if reason == "no_speech" and self.window == "fit":
            decoded = self._decode_full(samples)
            reason = decoded.hallucination(seconds)
        return replace(decoded, text="", filtered=reason) if reason else decoded

    def _decode_fitted(self, samples: npt.NDArray[np.int16]) -> _Decoded:
        """Decode in a window no longer than needed, and in a whole one if the decoder did not find its end there.

        Whisper has learned from windows of 30 s only, and in a short one it sometimes repeats itself without end.
        """
        seconds = len(samples) / SAMPLE_RATE
        most = _TOKENS_SPARE + int(_TOKENS_A_SECOND * seconds)
        decoded = self._decode(samples, max(seconds + _TAIL_S, _SHORTEST_S), most)
        if decoded.tokens < most and not is_loop(decoded.text):
            return decoded
        return self._decode_full(samples)

    def _decode_full(self, samples: npt.NDArray[np.int16]) -> _Decoded:
        return self._decode(samples, _WINDOW_S, _MOST_TOKENS)

    def _decode(self, samples: npt.NDArray[np.int16], window_s: float, most_tokens: int) -> _Decoded:
        # The log-mel of the window, float32[mels, n]: n counts frames of 10 ms and is even for the encoder.
        frames = min(math.ceil(window_s * SAMPLE_RATE / (2 * _HOP)) * 2, int(_WINDOW_S * SAMPLE_RATE) // _HOP)
        padded = np.zeros(frames * _HOP, np.float32)
        padded[: len(samples)] = samples.astype(np.float32) / 32768.0
        features: npt.NDArray[np.float32] = self._whisper.feature_extractor(padded, padding=0)[:, :frames]
        result = self._whisper.model.generate(
            self._whisper.encode(features),
            [self._prompt],
            beam_size=1,
            max_length=2 * most_tokens,  # CTranslate2 generates at most half of it
            return_scores=True,
            return_no_speech_prob=True,
            suppress_blank=True,
            suppress_tokens=[-1],
        )[0]
        ids = result.sequences_ids[0]
        return _Decoded(
            text=self._tokenizer.decode(ids).strip(),
            no_speech_prob=float(result.no_speech_prob),
            logprob_sum=float(result.scores[0]) * len(ids),
            tokens=len(ids),
        )


def load_recognizer(
    model: str, *, window: Window = "fit", device: str = "auto", compute_type: str = "int8"
) -> Recognizer:
    """Load a recognizer; equal arguments give the same object, so a process holds each model once.

    Args:
        model: a known name (``voicebench models list``) or the path of a CTranslate2 Whisper folder.
        window: ``fit`` or ``30s``.
        device: ``auto`` (a GPU where there is one, with its driver and cuBLAS), ``cpu`` or ``cuda``.
        compute_type: CTranslate2's type, such as ``int8`` or ``float16``.

    Raises:
        ConfigError: a name is wrong, or the device cannot do this.
        ModelMissing: weights or library are absent, or the weights are not the pinned ones.
    """
    if window not in ("fit", "30s"):
        raise ConfigError(f"asr window {window!r} is not one of fit, 30s")
    if device not in ("auto", "cpu", "cuda"):
        raise ConfigError(f"asr device {device!r} is not one of auto, cpu, cuda")
    if importlib.util.find_spec("faster_whisper") is None:
        raise ModelMissing("faster-whisper is not installed. Run: pip install faster-whisper==1.2.1")
    if device == "auto":
        import ctranslate2

        device = "cuda" if ctranslate2.get_cuda_device_count() > 0 and preload_cublas() else "cpu"
    with _loading:
        return _load(model, window, device, compute_type)


@lru_cache
def _load(model: str, window: Window, device: str, compute_type: str) -> Recognizer:
    files, whisper = _load_whisper(model, device, compute_type)
    return Recognizer(files, whisper, window=window, device=device, compute_type=compute_type)


@lru_cache
def _load_whisper(model: str, device: str, compute_type: str) -> tuple[ModelFiles, Any]:
    import ctranslate2
    from faster_whisper import WhisperModel

    files = locate(model)
    try:
        if device == "cuda":
            _require_cuda(ctranslate2.get_cuda_device_count())
        supported = ctranslate2.get_supported_compute_types(device)
        if compute_type not in supported:
            raise ConfigError(
                f"asr compute_type {compute_type!r} does not work on {device}; it can do {', '.join(sorted(supported))}"
            )
        whisper = WhisperModel(str(files.folder), device=device, compute_type=compute_type, cpu_threads=1)
        # Run once: CUDA's libraries load at first use and must fail here, and no call should pay for it.
        features = np.zeros((whisper.feature_extractor.mel_filters.shape[0], 100), np.float32)
        prompt = [whisper.hf_tokenizer.token_to_id("<|startoftranscript|>")]
        whisper.model.generate(whisper.encode(features), [prompt], beam_size=1, max_length=4)
    except (RuntimeError, ValueError) as error:
        if device == "cuda":
            raise ConfigError(f"asr device cuda cannot be used: {str(error).strip()}; {_WITHOUT_CUDA}") from error
        raise ModelMissing(
            f"model {model} cannot be loaded: {str(error).strip()}. It must be a Whisper model in CTranslate2 form"
        ) from error
    return files, whisper


def _require_cuda(devices: int) -> None:
    """Load what CTranslate2 needs on a GPU, or say what is missing.

    Raises:
        ConfigError: there is no device, or no cuBLAS.
    """
    if devices == 0:
        raise ConfigError(
            "asr device cuda cannot be used: no NVIDIA GPU, or a driver older than CUDA 12 (in a container: was it "
            f"started with --gpus all?); {_WITHOUT_CUDA}"
        )
    if not preload_cublas():
        raise ConfigError(
            f"asr device cuda cannot be used: {CUBLAS} is not installed. Run: pip install '{CUBLAS_PACKAGE}'; "
            f"{_WITHOUT_CUDA}"
        )


def _loudest_dbov(samples: npt.NDArray[np.int16]) -> float:
    """Level of the loudest 20 ms, dBov."""
    frame = SAMPLE_RATE // 50
    count = len(samples) // frame
    if count == 0:
        return -100.0
    blocks = samples[: count * frame].astype(np.float64).reshape(count, frame) / 32768.0
    power = float(np.mean(np.square(blocks), axis=1).max())
    return 10.0 * float(np.log10(power)) if power > 0.0 else -100.0


def _cut(samples: npt.NDArray[np.int16]) -> list[npt.NDArray[np.int16]]:
    """Cut at the quietest 200 ms in the last 10 s of each 29 s until what is left fits a window."""
    longest, search, quiet = (int(seconds * SAMPLE_RATE) for seconds in (_LONGEST_S, _SEARCH_S, _QUIET_S))
    parts = []
    while len(samples) > longest:
        tail = samples[longest - search : longest].astype(np.float64)
        energy = np.concatenate(([0.0], np.cumsum(np.square(tail))))
        quietest = int(np.argmin(energy[quiet:] - energy[:-quiet]))
        at = longest - search + quietest + quiet // 2
        parts.append(samples[:at])
        samples = samples[at:]
    return [*parts, samples]


def cublas_folder() -> Path | None:
    """Return where an installed package keeps cuBLAS, the part of CUDA that CTranslate2 needs; None without one."""
    spec = importlib.util.find_spec("nvidia")
    places = (spec.submodule_search_locations or []) if spec is not None else []
    folders = [Path(place) / "cublas" / "lib" for place in places]
    return next((folder for folder in folders if (folder / CUBLAS).is_file()), None)


def preload_cublas() -> bool:
    """Load cuBLAS into this process, from its package or else from where the system looks; say whether that worked.

    CTranslate2 opens the library by its name, which is then the one that is loaded already.
    """
    folder = cublas_folder()
    try:
        for name in (_NEEDED_FIRST, CUBLAS):
            ctypes.CDLL(name if folder is None else str(folder / name), mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return False
    return True
