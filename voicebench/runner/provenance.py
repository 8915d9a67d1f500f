"""What a run was made with: versions, revision, and how busy the machine was."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from voicebench import __version__

__all__ = ["git_revision", "host", "versions"]

_PACKAGES = (
    "av",
    "ctranslate2",
    "faster-whisper",
    "genai-prices",
    "hibari-tts",
    "jellyfish",
    "numpy",
    "onnxruntime",
    "openai",
    "pipecat-ai",
    "piper-tts",
    "soxr",
    "webrtcvad-wheels",
)


def versions() -> dict[str, str]:
    """Return the versions of voicebench, Python, and the packages that can change what a call sounds like or scores."""
    found = {"voicebench": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def git_revision() -> str | None:
    """Return the commit of the checkout that this is, ``+changes`` appended if it was edited; None elsewhere."""
    root = Path(__file__).resolve().parents[2]
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return None

    def ask(*arguments: str) -> str:
        asked = [git, "-C", str(root), *arguments]
        return subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True).stdout.strip()  # noqa: S603

    try:
        revision = ask("rev-parse", "HEAD")
        return f"{revision}+changes" if ask("status", "--porcelain", "--untracked-files=no") else revision
    except (OSError, subprocess.SubprocessError):
        return None


def host() -> dict[str, Any]:
    """Return the kind of machine, its cores, and its load averages over 1, 5 and 15 minutes."""
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "load": [round(value, 2) for value in os.getloadavg()],
    }
