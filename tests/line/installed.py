"""AMR-WB is a part of the line where its encoder is installed; elsewhere its error has to name the package."""

from __future__ import annotations

from voicebench.errors import ConfigError
from voicebench.line.codecs import CODECS

__all__ = ["installed"]


def installed(codec: str) -> bool:
    """Say whether a codec can be used here; one that cannot must be AMR-WB, and must say what to install."""
    try:
        CODECS[codec].require()
    except ConfigError as error:
        if codec != "amr_wb" or "apt-get install libvo-amrwbenc0" not in str(error):
            raise
        return False
    return True
