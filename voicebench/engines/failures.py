"""What prevented a call, as the files of an attempt."""

from __future__ import annotations

import traceback
from typing import Any

from voicebench.call import CallArtifacts, WorkUnit
from voicebench.errors import ConfigError, ModelMissing, ProviderError, VoicebenchError
from voicebench.metrics.causes import broken_off
from voicebench.store import SCHEMA_VERSION, to_json

__all__ = ["failed_call", "stops_the_run"]


def stops_the_run(error: Exception) -> bool:
    """Return whether every other call would meet the same: a wrong configuration, absent weights, a refused key."""
    refused = isinstance(error, ProviderError) and error.status in (401, 403, 404)
    return refused or isinstance(error, ConfigError | ModelMissing)


def failed_call(unit: WorkUnit, error: Exception) -> CallArtifacts:
    """Return the files of an attempt that came to nothing: its ``call.json``, verdict ``error``."""
    reason = f"{type(error).__name__}: {error}"
    call: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "pack": unit.pack,
        "task": unit.task,
        "trial": unit.trial,
        "attempt": unit.attempt,
        "seed": unit.seed,
        "call_id": unit.call_id,
        "verdict": "error",
        "reason": reason,
        "attribution": broken_off(reason, []),
    }
    if not isinstance(error, VoicebenchError):
        call["traceback"] = traceback.format_exception(error)
    return CallArtifacts({"call.json": to_json(call)})
