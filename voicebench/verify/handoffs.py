"""The handoffs gate: the expected path is a subsequence of the actual one, and nothing else but allowed detours."""

from __future__ import annotations

from collections.abc import Sequence

from voicebench.packs.models import Expect
from voicebench.record.verdict import GateResult

__all__ = ["check_handoffs", "common_path"]


def check_handoffs(expect: Expect, actual: Sequence[str]) -> GateResult:
    """Compare the path of handoff tools that were called with the expected one.

    The reward is the longest common subsequence over the longer of the two paths, allowed detours not counted; 1 if
    both are empty. The reasons are the path, or each handoff that is missing or neither expected nor allowed.
    """
    pairs = common_path(expect.handoffs, actual)
    allowed = [] if expect.exact_path else expect.allow_hops
    missing = [name for i, name in enumerate(expect.handoffs) if i not in pairs]
    extra = [name for j, name in enumerate(actual) if j not in pairs.values() and name not in allowed]
    longest = max(len(expect.handoffs), len(pairs) + len(extra))
    reasons = [f"{name}: never taken in its place" for name in missing] + [f"{name}: not on the path" for name in extra]
    return GateResult(
        passed=not missing and not extra,
        reward=len(pairs) / longest if longest else 1.0,
        reasons=tuple(reasons or ["path: " + (" > ".join(actual) or "no handoff")]),
    )


def common_path(expected: Sequence[str], actual: Sequence[str]) -> dict[int, int]:
    """Return a longest common subsequence, as index in ``expected`` → index in ``actual``."""
    longest = [[0] * (len(actual) + 1) for _ in range(len(expected) + 1)]
    for i in reversed(range(len(expected))):
        for j in reversed(range(len(actual))):
            same = expected[i] == actual[j]
            longest[i][j] = longest[i + 1][j + 1] + 1 if same else max(longest[i + 1][j], longest[i][j + 1])
    pairs: dict[int, int] = {}
    i = j = 0
    while i < len(expected) and j < len(actual):
        if expected[i] == actual[j]:
            pairs[i] = j
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs
