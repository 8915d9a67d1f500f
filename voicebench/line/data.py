"""The recordings that the line ships with, each pinned to its SHA-256, and recordings of the user's own.

All were made by ``scripts/make_line_data``. ``speech`` and ``babble`` are synthetic, spoken by the voices ``joe``
(CC0-1.0) and ``heart`` (Apache-2.0); ``room`` is computed. They are part of the project and under its licence.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Annotated

import numpy as np
import soundfile
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from voicebench.errors import ConfigError
from voicebench.line.resample import convert
from voicebench.line.stage import RATE, Samples

__all__ = ["PinnedFile", "at_rate", "sample_speech", "shipped"]

_FOLDER = Path(__file__).parent / "data"
_SHA256 = {
    "speech": "b998c343832aa3567ca10438599116e12b5296973431c0680edd035a96137829",
    "babble": "9b02a345cec3414b2f394475ca6abf2009a61c40baf5692c2e91615738cdd557",
    "room": "3b2e9c453475afbf43971b757d9f724038c230ea7ac7dffd5795dcff01857c3b",
}


class PinnedFile(BaseModel):
    """A file of the user's own, named with its hash, so that a line stays the same line.

    Attributes:
        path: where it lies.
        sha256: of its bytes, 64 hexadecimal digits.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]

    def read(self) -> bytes:
        """Return the file's bytes.

        Raises:
            ConfigError: it is missing, or is another file than it was.
        """
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be read ({error}); the line's settings name it") from error
        found = hashlib.sha256(data).hexdigest()
        if found != self.sha256:
            raise ConfigError(f"{self.path}: has the SHA-256 {found}, not {self.sha256}; put the right file there")
        return data


@lru_cache(maxsize=8)
def shipped(name: str, rate_hz: int) -> Samples:
    """Return a shipped recording as float64[n] at a rate, on the scale of int16.

    Raises:
        ConfigError: the installation is damaged.
    """
    path = _FOLDER / f"{name}.flac"
    data = PinnedFile(path=path, sha256=_SHA256[name]).read()
    samples, rate = soundfile.read(BytesIO(data), dtype="float64")
    return at_rate(samples * 32768.0, rate, rate_hz)


def sample_speech() -> NDArray[np.int16]:
    """Return 17.8 s of speech of two voices at -26 dBov, int16[n] at 16 kHz."""
    return shipped("speech", RATE).astype(np.int16)


def at_rate(samples: Samples, from_hz: int, to_hz: int) -> Samples:
    """Convert a whole recording, by way of 16 kHz, to a rate of the line; nothing is delayed."""
    for before, after in ((from_hz, RATE), (RATE, to_hz)):
        if before != after:
            samples = convert(samples, before, after)
    return samples
