"""Known secret values never reach a file: they are taken out where bytes leave for the disk."""

from __future__ import annotations

import json
from collections.abc import Mapping

from voicebench.config import known_secrets

__all__ = ["redact"]


def redact(data: bytes, secrets: Mapping[str, str] | None = None) -> bytes:
    """Return the bytes with every known secret value replaced by ``[redacted:VARIABLE]``.

    A value is found as it stands and as JSON writes it inside a string.

    Args:
        data: UTF-8 text of a file about to be written.
        secrets: variable name to value; by default :func:`voicebench.config.known_secrets`.
    """
    found = known_secrets() if secrets is None else secrets
    for name, value in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        for written in {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}:
            data = data.replace(written.encode(), f"[redacted:{name}]".encode())
    return data
