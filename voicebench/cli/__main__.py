"""``python -m voicebench.cli``, for where the console script is not on the path."""

from __future__ import annotations

from voicebench.cli import main

main()
