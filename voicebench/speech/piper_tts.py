"""Piper voices. The only module that imports ``piper``, which is GPL-3.0-or-later: it comes with an extra."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voicebench.errors import ModelMissing

__all__ = ["PiperEngine", "load_piper"]


@dataclass(frozen=True)
class PiperEngine:
    """One loaded Piper model, on one thread and without noise, so that a text always gives the same samples."""

    voice: Any

    def sentences(self, text: str, *, speed: float, seed: int) -> list[npt.NDArray[np.float32]]:
        """Synthesize each sentence of ``text``: float32 at the voice's rate.

        The seed changes nothing: with both noise scales at 0 nothing is random.
        """
        from piper.config import SynthesisConfig

        config = SynthesisConfig(length_scale=1.0 / speed, noise_scale=0.0, noise_w_scale=0.0, normalize_audio=False)
        chunks = self.voice.synthesize(text, syn_config=config)
        return [np.asarray(chunk.audio_float_array, np.float32) for chunk in chunks]


def load_piper(files: dict[str, Path], engine_package: str) -> PiperEngine:
    """Load a voice from its ``.onnx`` and ``.onnx.json``.

    ``PiperVoice.load`` has no setting for threads, and their number changes the last bits: so the session is ours.

    Raises:
        ModelMissing: Piper is not installed.
    """
    if importlib.util.find_spec("piper") is None:
        raise ModelMissing(f"Piper is not installed. Run: pip install {engine_package}")
    import onnxruntime
    from piper import PiperVoice
    from piper.config import PiperConfig

    model = next(path for name, path in files.items() if name.endswith(".onnx"))
    config = next(path for name, path in files.items() if name.endswith(".onnx.json"))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), sess_options=options, providers=["CPUExecutionProvider"])
    settings = PiperConfig.from_dict(json.loads(config.read_text(encoding="utf-8")))
    return PiperEngine(PiperVoice(session=session, config=settings))
