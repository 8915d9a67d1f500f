"""Codecs by name. A new one is one module here and one line in ``CODECS``."""

from __future__ import annotations

from collections.abc import Callable

from voicebench.line.codecs.base import Codec, Linear
from voicebench.line.codecs.g711 import G711A, G711U

__all__ = ["CODECS", "Codec"]

CODECS: dict[str, Callable[[], Codec]] = {
    "none": Linear,
    "g711u": G711U,
    "g711a": G711A,
}
