"""What the environment says: settings in ``VOICEBENCH_*`` variables, keys named by variable, and ``.env``."""

from __future__ import annotations

import os
import re
from pathlib import Path

from dotenv import dotenv_values

__all__ = ["PREFIX", "known_secrets", "read_key", "settings_layers"]

PREFIX = "VOICEBENCH_"

_PLACES = {"VOICEBENCH_CACHE", "VOICEBENCH_MODELS"}
"""Variables that say where weights are; no settings of a run."""

_SECRET_NAME = re.compile(r"(^|_)(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$", re.IGNORECASE)
_SHORTEST_SECRET = 8

_asked: set[str] = set()


def _dotenv() -> dict[str, str]:
    path = Path.cwd() / ".env"
    if not path.is_file():
        return {}
    return {name: value for name, value in dotenv_values(path).items() if value is not None}


def read_key(name: str) -> str | None:
    """Return the key in a variable of the environment, else of ``.env`` in the working directory, else None.

    What was asked for here is a known secret from then on, whatever the variable is called.
    """
    _asked.add(name)
    return os.environ.get(name) or _dotenv().get(name) or None


def settings_layers() -> list[tuple[str, dict[str, str]]]:
    """Return where settings come from and what they are, weakest first: ``.env``, then the process's environment."""
    layers = [(".env", _dotenv()), ("environment", dict(os.environ))]
    return [(source, {k: v for k, v in values.items() if _is_setting(k)}) for source, values in layers]


def _is_setting(name: str) -> bool:
    return name.startswith(PREFIX) and name not in _PLACES


def known_secrets() -> dict[str, str]:
    """Return variable name to value of every variable that holds a key: by its name, or because it was read as one.

    Values under eight characters are not taken for keys: removing them would tear up ordinary text.
    """
    values = {**_dotenv(), **os.environ}
    return {
        name: value
        for name, value in values.items()
        if (name in _asked or _SECRET_NAME.search(name)) and len(value) >= _SHORTEST_SECRET
    }
