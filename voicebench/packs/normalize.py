"""What recognised speech says: in one plain form for intents, and as values of a company's facts."""

from __future__ import annotations

from .extract import extract, extract_all, spoken_ids
from .plain import normalise

__all__ = ["extract", "extract_all", "normalise", "spoken_ids"]
