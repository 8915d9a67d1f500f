"""Versions of a run's files, and what changed from one to the next: older runs can be read, newer ones are refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voicebench.errors import StoreError

__all__ = ["SCHEMA_VERSION", "changed_since", "check_version"]

SCHEMA_VERSION = 3
"""Of ``run.json`` and ``call.json``."""

_CHANGED = {
    2: frozenset(
        {
            *("attribution", "caller_reaction_ms", "facts", "fidelity", "first_audio_ms", "said_and_done"),
            *("talk_over_s", "transcript", "word_errors", "yield_ms"),
        }
    ),
    3: frozenset({"latencies_ms", "missed_turns", "tool_calls", "v2v_parts"}),
}
"""Version to the keys of ``call.json`` that are new in it or say more than before; ``voicebench score`` makes them."""


def check_version(stored: Mapping[str, Any], path: Path) -> None:
    """Refuse what a later version wrote.

    Raises:
        StoreError: the file is of a later version.
    """
    version = stored.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise StoreError(f"{path}: of schema version {version}, which a newer voicebench wrote; update it")


def changed_since(call: dict[str, Any]) -> frozenset[str]:
    """Return the keys of ``call.json`` that a call of an older version has not, or not as they are now."""
    version = call.get("schema_version")
    later = [keys for number, keys in _CHANGED.items() if isinstance(version, int) and number > version]
    return frozenset().union(*later)
