"""Voices: one YAML file each in ``voices/``, read into a checked description."""

from __future__ import annotations

import difflib
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from voicebench.config import data_dir, voice_names
from voicebench.errors import ConfigError
from voicebench.speech.registry import ModelEntry, ModelFile

__all__ = ["VoiceFile", "VoiceSpec", "voice_entries", "voice_names", "voice_spec"]

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class VoiceFile(BaseModel):
    """One weights file of a voice: its name, its hash, and where the package has it (``import_name/folder/file``)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    sha256: Sha256
    package_path: str


class VoiceSpec(BaseModel):
    """One voice.

    Attributes:
        name: the YAML file's stem.
        based_on: the voice whose weights a variant uses, or None.
        engine: which module synthesizes it.
        description: for people.
        licence: of the weights.
        package: requirement that carries the weights.
        engine_package: requirement that carries the engine.
        hub_repo: repository on the Hugging Face hub with the same files, or None.
        hub_folder: their folder in it.
        files: weights.
        sample_rate: of the engine's output, Hz.
        active_level_dbov: ITU-T P.56 active speech level of the voice before any gain, at 16 kHz, in dBov.
        pitch: factor on the fundamental (and the formants), made by resampling.
        speed: factor on the pace; 1 is the engine's own.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    based_on: str | None = None
    engine: Literal["piper", "hibari"]
    description: str
    licence: str
    package: str
    engine_package: str
    hub_repo: str | None = None
    hub_folder: str = ""
    files: tuple[VoiceFile, ...]
    sample_rate: int
    active_level_dbov: float
    pitch: Annotated[float, Field(ge=0.5, le=2.0)] = 1.0
    speed: Annotated[float, Field(ge=0.5, le=2.0)] = 1.0

    @property
    def entry(self) -> ModelEntry:
        """The weights, as :mod:`voicebench.speech.models` locates them."""
        return ModelEntry(
            name=self.based_on or self.name,
            kind="tts",
            licence=self.licence,
            packages=(self.package,),
            hub_repo=self.hub_repo,
            hub_folder=self.hub_folder,
            files=tuple(ModelFile(file.name, file.sha256, (file.package_path,)) for file in self.files),
        )


def voice_entries() -> list[ModelEntry]:
    """Return the weights of every voice that is not a variant of another."""
    specs = [voice_spec(name) for name in voice_names()]
    return [spec.entry for spec in specs if spec.based_on is None]


@lru_cache
def voice_spec(name: str) -> VoiceSpec:
    """Read ``voices/<name>.yaml``; a variant takes what it does not set from the voice it is ``based_on``.

    Raises:
        ConfigError: no such voice, or its file is wrong.
    """
    path = _voice_path(name)
    values = _read(path)
    if "based_on" in values:
        base = _read(_voice_path(str(values["based_on"])))
        values = {**base, **values}
    try:
        return VoiceSpec(name=name, **values)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{path}: {key}: {first['msg']}") from error


def _voice_path(name: str) -> Path:
    names = voice_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise ConfigError(f"voice {name!r} is not known{hint} Voices: {', '.join(names)}")
    return data_dir("voices") / f"{name}.yaml"


def _read(path: Path) -> dict[str, Any]:
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not YAML: {error}") from error
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: a mapping is expected")
    return values
