"""Synthesis: text in, 16 kHz samples at one common speech level out."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from voicebench.speech.audio import SPEECH_LEVEL_DBOV, finish, join_chunks
from voicebench.speech.clauses import split_clauses
from voicebench.speech.hibari_tts import load_hibari
from voicebench.speech.models import ModelFiles, locate
from voicebench.speech.piper_tts import load_piper
from voicebench.speech.registry import ModelEntry
from voicebench.speech.voices import VoiceSpec, voice_names, voice_spec

__all__ = ["SynthesisEngine", "Voice", "load_voice", "split_clauses", "voice_names"]

_loading = threading.Lock()


class SynthesisEngine(Protocol):
    """Turns text into sound; the variants of a voice share one."""

    def sentences(self, text: str, *, speed: float, seed: int) -> list[npt.NDArray[np.float32]]:
        """Return float32 samples of each sentence, at the voice's own rate, full scale 1."""


@dataclass(frozen=True)
class Voice:
    """A voice that is ready to speak.

    Attributes:
        spec: its YAML.
        files: its weights and their hashes.
        engine: the loaded model.
    """

    spec: VoiceSpec
    files: ModelFiles
    engine: SynthesisEngine

    @property
    def name(self) -> str:
        """The name it was loaded by."""
        return self.spec.name

    def synthesize(self, text: str, *, seed: int = 0) -> npt.NDArray[np.int16]:
        """Speak ``text``: int16[n] at 16 kHz with an active speech level of about -26 dBov (ITU-T P.56).

        Equal text, voice and seed give equal samples. Silence at both ends is 30 ms at most. A text without anything
        to say gives an empty array.
        """
        return finish(
            self.unlevelled(text, seed=seed),
            self.spec.sample_rate,
            pitch=self.spec.pitch,
            gain_db=SPEECH_LEVEL_DBOV - self.spec.active_level_dbov,
        )

    def unlevelled(self, text: str, *, seed: int = 0) -> npt.NDArray[np.float32]:
        """Return float32 at the engine's rate before pitch and gain; what a voice's level is measured on."""
        if not any(character.isalnum() for character in text):
            return np.zeros(0, np.float32)
        chunks = self.engine.sentences(text, speed=self.spec.speed / self.spec.pitch, seed=seed)
        return join_chunks(chunks, self.spec.sample_rate)


_LOADERS: dict[str, Callable[[dict[str, Path], str], SynthesisEngine]] = {"piper": load_piper, "hibari": load_hibari}


def load_voice(name: str) -> Voice:
    """Load a voice by the name of its YAML; one loaded model a process, shared by the variants of a voice.

    Raises:
        ConfigError: no such voice, or its file is wrong.
        ModelMissing: weights or engine are absent, or the weights are not the pinned ones.
    """
    with _loading:
        return _load_voice(name)


@lru_cache
def _load_voice(name: str) -> Voice:
    spec = voice_spec(name)
    files, engine = _load_engine(spec.engine, spec.entry, spec.engine_package)
    return Voice(spec, files, engine)


@lru_cache
def _load_engine(engine: str, entry: ModelEntry, engine_package: str) -> tuple[ModelFiles, SynthesisEngine]:
    files = locate(entry)
    loaded = _LOADERS[engine](files.files, engine_package)
    loaded.sentences("Hello.", speed=1.0, seed=0)  # what loads at first use loads now: no call should pay for it
    return files, loaded
