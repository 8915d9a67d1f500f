"""The sentence encoder: sentences as vectors whose products say how near they are in meaning.

all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0; Wang et al. 2020, "MiniLM") with int8 weights in ONNX form. The
model dequantises its weights and computes in float32, so that no integer kernel of the processor matters; with one
thread and one sentence at a time, equal sentences give equal bits on one type of machine.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voicebench.errors import ModelMissing
from voicebench.speech.models import locate
from voicebench.speech.registry import ENCODER, RUNTIME_OF_ENCODER

__all__ = ["MiniLmEncoder", "load_sentence_encoder"]

_MOST_TOKENS = 128
_KEPT = 4096
"""Vectors that are kept: one turn is compared by the caller, its shadow and the scores."""

_loading = threading.Lock()


class MiniLmEncoder:
    """The loaded model.

    Args:
        model: the ONNX file.
        tokenizer: the tokenizer's JSON.
    """

    def __init__(self, model: Path, tokenizer: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MOST_TOKENS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._vector = lru_cache(_KEPT)(self._encoded)

    def encode(self, sentences: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return unit vectors, float32[n, 384]."""
        return np.stack([self._vector(sentence) for sentence in sentences])

    def _encoded(self, sentence: str) -> npt.NDArray[np.float32]:
        tokens = self._tokenizer.encode(sentence)
        fed = {
            "input_ids": np.array([tokens.ids], np.int64),
            "attention_mask": np.array([tokens.attention_mask], np.int64),
            "token_type_ids": np.array([tokens.type_ids], np.int64),
        }
        (states,) = self._session.run(None, fed)
        mean: npt.NDArray[np.float32] = states[0].mean(axis=0)  # one sentence alone has no padding to leave out
        return mean / np.float32(np.linalg.norm(mean))


def load_sentence_encoder() -> MiniLmEncoder:
    """Load the encoder, once a process.

    Raises:
        ModelMissing: its weights or its libraries are absent; the message has the command that brings them, and how
            to do without.
    """
    with _loading:
        return _load()


@lru_cache(1)
def _load() -> MiniLmEncoder:
    without = "; or do without it: --set caller.understanding=rules"
    absent = [each for each in RUNTIME_OF_ENCODER if importlib.util.find_spec(each) is None]
    if absent:
        raise ModelMissing(
            f"callers understand meaning with {' and '.join(absent)}, not installed. "
            f"Run: pip install {' '.join(absent)}{without}"
        )
    try:
        files = locate(ENCODER).files
    except ModelMissing as error:
        raise ModelMissing(f"{error}{without}") from error
    return MiniLmEncoder(files["model.onnx"], files["tokenizer.json"])
