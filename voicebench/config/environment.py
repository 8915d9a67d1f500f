"""What surrounds the program: ``VOICEBENCH_*`` variables, keys named by variable, ``.env``, and the shipped data."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal

from dotenv import dotenv_values

__all__ = ["PREFIX", "DataKind", "data_dir", "known_secrets", "read_key", "settings_layers", "voice_names"]

PREFIX = "VOICEBENCH_"

_FOLDERS = {"VOICEBENCH_CACHE", "VOICEBENCH_MODELS"}
"""Variables that name the folders of weights, and are no settings of a run."""

_SECRET_NAME = re.compile(r"(^|_)(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$", re.IGNORECASE)
_SHORTEST_SECRET = 8

# A pipeline may name any variable for its key, so that the name alone does not show that its value is a secret.
_asked: set[str] = set()


def _dotenv() -> dict[str, str]:
    path = Path.cwd() / ".env"
    if not path.is_file():
        return {}
    return {name: value for name, value in dotenv_values(path).items() if value is not None}


def read_key(name: str) -> str | None:
    """Return the key in a variable of the environment, else of ``.env`` in the working directory, else None.

    From then on its value is a known secret, whatever the variable is called.
    """
    _asked.add(name)
    return os.environ.get(name) or _dotenv().get(name) or None


def settings_layers() -> list[tuple[str, dict[str, str]]]:
    """Return where settings come from and what they are, weakest first: ``.env``, then the process's environment."""
    layers = [(".env", _dotenv()), ("environment", dict(os.environ))]
    return [
        (source, {name: value for name, value in values.items() if name.startswith(PREFIX) and name not in _FOLDERS})
        for source, values in layers
    ]


def known_secrets() -> dict[str, str]:
    """Return variable name to value of every variable that holds a key: by its name, or because it was read as one.

    Values under eight characters are not taken for keys: redacting them would damage ordinary text.
    """
    values = {**_dotenv(), **os.environ}
    return {
        name: value
        for name, value in values.items()
        if (name in _asked or _SECRET_NAME.search(name)) and len(value) >= _SHORTEST_SECRET
    }


# ---- shipped data ---------------------------------------------------------------------------------------------------

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
