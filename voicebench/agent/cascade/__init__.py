"""The cascade on pipecat. Importing it imports pipecat, so the clock is patched and pipecat's log silenced first."""

from __future__ import annotations

from loguru import logger

from voicebench.clock import patch_time

logger.disable("pipecat")
patch_time()

from voicebench.agent.cascade.cascade import Cascade, CascadeParts  # noqa: E402

__all__ = ["Cascade", "CascadeParts"]
