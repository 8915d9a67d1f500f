"""A stored call made again: its models answer from the record, and the result is compared with the stored files."""

from __future__ import annotations

from voicebench.stored.replay.call import replay_call
from voicebench.stored.replay.compare import Replayed

__all__ = ["Replayed", "replay_call"]
