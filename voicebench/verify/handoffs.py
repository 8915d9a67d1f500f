"""The handoffs gate: the expected path is a subsequence of the actual one, and nothing else but allowed detours."""

from __future__ import annotations

from dataclasses import dataclass

from voicebench.packs.models import Expect

__all__ = ["HandoffsResult", "check_handoffs"]


@dataclass(frozen=True)
class HandoffsResult:
    """Outcome of the handoffs gate. ``reward`` is the longest common subsequence over the longer path."""

    passed: bool
    reward: float
    reasons: list[str]
    missing: list[str]
    extra: list[str]


def check_handoffs(expect: Expect, actual: list[str]) -> HandoffsResult:
    """Compare the path of handoff tools that were called with the expected one."""
    expected = expect.handoffs
    missing, others = _align(expected, actual)
    extra = others if expect.exact_path else [hop for hop in others if hop not in expect.allow_hops]
    passed = not missing and not extra
    counted = actual if expect.exact_path else _without(actual, expect.allow_hops, expected)
    longest = max(len(expected), len(counted))
    reward = 1.0 if passed else _common(expected, counted) / longest
    reasons = [f"{hop}: never taken in its place" for hop in missing] + [f"{hop}: not on the path" for hop in extra]
    return HandoffsResult(passed, reward, reasons or [_path(actual)], missing, extra)


def _align(expected: list[str], actual: list[str]) -> tuple[list[str], list[str]]:
    """Return the expected hops that are missing and the actual ones that are over, along a longest common path."""
    table = _table(expected, actual)
    i, j = len(expected), len(actual)
    missing: list[str] = []
    others: list[str] = []
    while i or j:
        if i and j and expected[i - 1] == actual[j - 1]:
            i, j = i - 1, j - 1
        elif j and (not i or table[i][j - 1] >= table[i - 1][j]):
            j -= 1
            others.append(actual[j])
        else:
            i -= 1
            missing.append(expected[i])
    return missing[::-1], others[::-1]


def _table(left: list[str], right: list[str]) -> list[list[int]]:
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, a in enumerate(left, 1):
        for j, b in enumerate(right, 1):
            table[i][j] = table[i - 1][j - 1] + 1 if a == b else max(table[i - 1][j], table[i][j - 1])
    return table


def _common(left: list[str], right: list[str]) -> int:
    return _table(left, right)[-1][-1]


def _without(actual: list[str], allowed: list[str], expected: list[str]) -> list[str]:
    return [hop for hop in actual if hop in expected or hop not in allowed]


def _path(path: list[str]) -> str:
    return "path: " + (" > ".join(path) if path else "no handoff")
