"""The handoffs gate: the expected path is a subsequence of the actual one, and nothing else but allowed detours."""

from __future__ import annotations

from dataclasses import dataclass

from voicebench.packs.models import Expect

__all__ = ["HandoffsResult", "check_handoffs", "common_path"]


@dataclass(frozen=True)
class HandoffsResult:
    """Outcome of the handoffs gate.

    Attributes:
        passed: the expected path was taken, and nothing else but allowed detours.
        reward: the longest common subsequence over the longer of the expected and the actual path, allowed detours not
            counted; 1 if both are empty.
        reasons: the path, or what is wrong with it.
        missing: expected hops that were not taken in their place.
        extra: hops that are neither on the path nor allowed.
    """

    passed: bool
    reward: float
    reasons: list[str]
    missing: list[str]
    extra: list[str]


def check_handoffs(expect: Expect, actual: list[str]) -> HandoffsResult:
    """Compare the path of handoff tools that were called with the expected one."""
    pairs = common_path(expect.handoffs, actual)
    allowed = [] if expect.exact_path else expect.allow_hops
    missing = [hop for i, hop in enumerate(expect.handoffs) if i not in pairs]
    extra = [hop for j, hop in enumerate(actual) if j not in pairs.values() and hop not in allowed]
    longest = max(len(expect.handoffs), len(pairs) + len(extra))
    reasons = [f"{hop}: never taken in its place" for hop in missing] + [f"{hop}: not on the path" for hop in extra]
    return HandoffsResult(
        passed=not missing and not extra,
        reward=len(pairs) / longest if longest else 1.0,
        reasons=reasons or ["path: " + (" > ".join(actual) or "no handoff")],
        missing=missing,
        extra=extra,
    )


def common_path(expected: list[str], actual: list[str]) -> dict[int, int]:
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
