"""The command line: one module a verb, which parses, calls and prints, and holds no logic.

A verb's module imports what it needs inside its function: ``voicebench --help`` loads no model library.
"""

from __future__ import annotations

from voicebench.cli.app import main

__all__ = ["main"]
