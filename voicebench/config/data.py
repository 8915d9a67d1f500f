"""Where the data that voicebench ships with lies: pipelines, voices, tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

__all__ = ["DataKind", "data_dir", "voice_names"]

DataKind = Literal["pipelines", "voices", "tasks"]

_PACKAGE = Path(__file__).resolve().parent.parent


def data_dir(kind: DataKind) -> Path:
    """Return the folder of one kind of shipped data.

    In a checkout, and so in an editable install, that is a folder of the repository's root; in an installed wheel it is
    package data.
    """
    packaged = _PACKAGE / "_data" / kind
    return packaged if packaged.is_dir() else _PACKAGE.parent / kind


def voice_names() -> list[str]:
    """Return the names of all voices, in order."""
    return sorted(path.stem for path in data_dir("voices").glob("*.yaml"))
