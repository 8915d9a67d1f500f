"""CUDA's part that CTranslate2 needs on a GPU, found in its package and loaded without an environment variable."""

from __future__ import annotations

import ctypes
import importlib.util
from pathlib import Path

__all__ = ["CUBLAS", "CUBLAS_PACKAGE", "cublas_folder", "preload_cublas"]

CUBLAS = "libcublas.so.12"
"""All that CTranslate2 4 looks for besides the driver: neither cuDNN nor the CUDA runtime."""

CUBLAS_PACKAGE = "nvidia-cublas-cu12>=12.4,<13"
_NEEDED_FIRST = "libcublasLt.so.12"


def cublas_folder() -> Path | None:
    """Return where an installed package keeps cuBLAS, None without one."""
    spec = importlib.util.find_spec("nvidia")
    places = (spec.submodule_search_locations or []) if spec is not None else []
    folders = [Path(place) / "cublas" / "lib" for place in places]
    return next((folder for folder in folders if (folder / CUBLAS).is_file()), None)


def preload_cublas() -> bool:
    """Load cuBLAS into this process, from its package or else from where the system looks; say whether that worked.

    CTranslate2 opens the library by its name, which is then the one that is loaded already.
    """
    folder = cublas_folder()
    try:
        for name in (_NEEDED_FIRST, CUBLAS):
            ctypes.CDLL(name if folder is None else str(folder / name), mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return False
    return True
