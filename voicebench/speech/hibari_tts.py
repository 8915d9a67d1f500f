"""hibari voices. The only module that imports ``hibari``."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voicebench.errors import ModelMissing

__all__ = ["HibariEngine", "load_hibari"]


@dataclass(frozen=True)
class HibariEngine:
    """One loaded hibari model, on one thread."""

    voice: Any

    def sentences(self, text: str, *, speed: float, seed: int) -> list[npt.NDArray[np.float32]]:
        """Synthesize each sentence of ``text``: float32 at 24 kHz. The seed is that of the voice's noise."""
        return [np.asarray(chunk, np.float32) for chunk in self.voice.stream(text, speed=speed, seed=seed)]


def load_hibari(files: dict[str, Path], engine_package: str) -> HibariEngine:
    """Load a voice from its ``.onnx``.

    Raises:
        ModelMissing: hibari is not installed.
    """
    if importlib.util.find_spec("hibari") is None:
        raise ModelMissing(f"hibari is not installed. Run: pip install {engine_package}")
    from hibari import Hibari

    model = next(path for name, path in files.items() if name.endswith(".onnx"))
    return HibariEngine(Hibari(model=str(model), threads=1))
