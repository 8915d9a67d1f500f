"""A GPU that is none: CTranslate2 counts one, and a model that is asked for there is a CPU's that says so."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import ctranslate2
import faster_whisper
import pytest

from voicebench.speech import asr

__all__ = ["FakeCuda", "fake_cuda"]

_TYPES = {"float32", "float16", "int8", "int8_float16", "int8_float32"}


class FakeCuda:
    """What the product did with the device: the models it loaded there, and how often it looked for cuBLAS."""

    def __init__(self, cublas: bool) -> None:
        self.cublas = cublas
        self.preloads = 0
        self.loaded: list[tuple[str, str]] = []

    def preload(self) -> bool:
        """Stand in for the loading of cuBLAS."""
        self.preloads += 1
        return self.cublas


@contextlib.contextmanager
def fake_cuda(*, devices: int = 1, cublas: bool = True) -> Iterator[FakeCuda]:
    """Put the fake in the place of CTranslate2's devices; models that are loaded meanwhile are forgotten afterwards."""
    fake = FakeCuda(cublas)
    real, supported = faster_whisper.WhisperModel, ctranslate2.get_supported_compute_types

    def model(path: str, *, device: str, compute_type: str, **options: Any) -> Any:
        if device == "cuda":
            assert fake.preloads > 0, "CTranslate2 would not find cuBLAS"
            fake.loaded.append((device, compute_type))
        return real(path, device="cpu", compute_type="int8" if device == "cuda" else compute_type, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ctranslate2, "get_cuda_device_count", lambda: devices)
        patch.setattr(
            ctranslate2, "get_supported_compute_types", lambda device: _TYPES if device == "cuda" else supported(device)
        )
        patch.setattr(faster_whisper, "WhisperModel", model)
        patch.setattr(asr, "preload_cublas", fake.preload)
        _forget()
        yield fake
    _forget()


def _forget() -> None:
    for cached in (asr._load, asr._load_whisper):
        cached.cache_clear()
