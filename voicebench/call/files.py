"""What a call leaves behind: its files, and the verdict computed from them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

__all__ = ["CallFiles"]


@dataclass(frozen=True)
class CallFiles:
    """The files of one call, ready to be committed together. ``files`` maps file names to bytes."""

    files: dict[str, bytes]

    @property
    def call(self) -> dict[str, Any]:
        """The content of ``call.json``."""
        call: dict[str, Any] = json.loads(self.files["call.json"])
        return call
