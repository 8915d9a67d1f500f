"""Versions of a run's files: older ones are read as if they were of today, newer ones are refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from voicebench.errors import StoreError
from voicebench.record.json_types import JsonObject, JsonValue

__all__ = ["SCHEMA_VERSION", "SCORING_VERSION", "changed_since", "check_version", "upgrade_call"]

SCHEMA_VERSION = 6
"""Of ``run.json`` and ``call.json``: which fields there are."""

SCORING_VERSION = 2
"""Of the rules that make a verdict and figures of a call's files; calls of two versions are never compared."""

_CHANGED = {
    2: frozenset(
        {
            *("attribution", "caller_reaction_ms", "claim_checks", "fact_mentions", "fidelity", "first_audio_ms"),
            *("talk_over_s", "transcript", "word_errors", "yield_ms"),
        }
    ),
    3: frozenset({"latencies_ms", "missed_turns", "tool_calls", "v2v_parts"}),
    5: frozenset({"attribution", "comprehension", "void_kind"}),
    6: frozenset({"error_by", "said", "scoring_version", "service_began_s"}),
}
"""Version to the keys of ``call.json`` that are new in it or say more than before; ``voicebench score`` makes them."""

_RENAMED = {"facts": "fact_mentions", "said_and_done": "claim_checks"}
"""Keys of ``call.json`` before version 4 to those of today."""


def check_version(stored: Mapping[str, JsonValue], path: Path) -> None:
    """Refuse what a later version wrote.

    Raises:
        StoreError: the file is of a later version.
    """
    version = stored.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise StoreError(f"{path}: of schema version {version}, which a newer voicebench wrote; update it")


def upgrade_call(call: JsonObject) -> JsonObject:
    """Return the content of a ``call.json`` with today's key names; missing keys stay missing.

    ``schema_version`` stays, since it says what was computed: see :func:`changed_since`.
    """
    version = call.get("schema_version")
    if isinstance(version, int) and version >= 4:
        return call
    # Keys keep their places, so that a rewritten file differs from the old one in names alone.
    renamed = {_RENAMED.get(key, key): value for key, value in call.items()}
    attribution = renamed.get("attribution")
    if isinstance(attribution, dict) and attribution.get("cause") == "gold":
        renamed["attribution"] = {**attribution, "cause": "task"}
    return renamed


def changed_since(version: int | None) -> frozenset[str]:
    """Return the keys of ``call.json`` that a call of an older version has not, or not as they are now."""
    later = [keys for number, keys in _CHANGED.items() if version is not None and number > version]
    return frozenset().union(*later)
