"""voicebench: phone a voice agent over a simulated line, and score the call."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
