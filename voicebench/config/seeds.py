"""Seeds: every random choice of a call follows from these, and from nothing else."""

from __future__ import annotations

import hashlib

__all__ = ["derive_seed", "unit_seed"]


def derive_seed(*parts: object) -> int:
    """Return a 63-bit seed: the first bytes of SHA-256 over the parts, joined by an unlikely separator.

    Unlike ``hash()`` it is the same in every process, and unlike a sum it has no collisions by order.
    """
    # 63 bits, since SQLite's and numpy's integers are signed. The separator (ASCII's unit separator) is in no name, so
    # that ("a", "bc") and ("ab", "c") differ.
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def unit_seed(run_seed: int, pack: str, task: str, trial: int, attempt: int) -> int:
    """Return the seed of one work unit.

    Neither the model nor the pipeline takes part, so that two models meet the same line and the same caller.
    """
    return derive_seed("unit", run_seed, pack, task, trial, attempt)
