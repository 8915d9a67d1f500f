from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicebench.packs.models import Expect
from voicebench.verify.handoffs import check_handoffs, common_path

pytestmark = pytest.mark.unit

paths = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=6)


def expect(path: list[str], *, allow: list[str] | None = None, exact: bool = False) -> Expect:
    return Expect(handoffs=path, allow_hops=allow or [], exact_path=exact)


@given(paths, paths, paths, st.booleans())
def test_reward_is_one_exactly_when_the_gate_passes(
    path: list[str], allow: list[str], actual: list[str], exact: bool
) -> None:
    result = check_handoffs(expect(path, allow=allow, exact=exact), actual)
    assert (result.reward == 1.0) == result.passed
    assert 0.0 <= result.reward <= 1.0


@given(paths, paths, paths)
def test_passing_is_being_a_subsequence_with_allowed_handoffs_between(
    path: list[str], allow: list[str], actual: list[str]
) -> None:
    left = iter(actual)
    is_subsequence = all(handoff in left for handoff in path)
    others = list(actual)
    for handoff in path:
        if handoff in others:
            others.remove(handoff)
    expected = is_subsequence and all(handoff in allow for handoff in others)
    assert check_handoffs(expect(path, allow=allow), actual).passed == expected


@given(paths, paths)
def test_an_exact_path_is_equality(path: list[str], actual: list[str]) -> None:
    assert check_handoffs(expect(path, allow=["a", "b"], exact=True), actual).passed == (path == actual)


def test_an_empty_path_means_no_handoff() -> None:
    assert check_handoffs(expect([]), []).passed
    wrong = check_handoffs(expect([]), ["a"])
    assert (wrong.passed, wrong.reward, wrong.reasons) == (False, 0.0, ("a: not on the path",))


def test_a_path_that_stops_half_way_has_half_the_reward() -> None:
    result = check_handoffs(expect(["a", "b"]), ["a"])
    assert (result.reward, result.reasons) == (0.5, ("b: never taken in its place",))


def test_two_handoffs_in_the_wrong_order_are_one_missing_and_one_extra() -> None:
    result = check_handoffs(expect(["a", "b"]), ["b", "a"])
    assert (result.passed, result.reward) == (False, 0.5)
    assert [reason.partition(": ")[2] for reason in result.reasons] == ["never taken in its place", "not on the path"]


def test_allowed_detours_do_not_lower_the_reward() -> None:
    result = check_handoffs(expect(["a", "b"], allow=["c"]), ["a", "c", "c", "c"])
    assert result.reward == 0.5
    assert check_handoffs(expect(["a", "b"], allow=["a"]), ["a", "a", "a", "b", "d"]).reward == pytest.approx(2 / 3)


def test_a_detour_that_is_not_allowed_counts_against_the_path() -> None:
    result = check_handoffs(expect(["a", "b"]), ["a", "c", "b"])
    assert (result.passed, result.reasons) == (False, ("c: not on the path",))
    assert result.reward == pytest.approx(2 / 3)


@pytest.mark.parametrize(("path", "reason"), [([], "path: no handoff"), (["a", "b"], "path: a > b")])
def test_a_path_that_was_taken_is_the_reason(path: list[str], reason: str) -> None:
    assert check_handoffs(expect(path), path).reasons == (reason,)


def is_common(names: Sequence[str], path: list[str]) -> bool:
    left = iter(path)
    return all(name in left for name in names)


@given(paths, paths)
def test_the_common_path_is_as_long_as_the_longest_that_there_is(path: list[str], actual: list[str]) -> None:
    pairs = common_path(path, actual)
    assert all(path[i] == actual[j] for i, j in pairs.items())
    assert sorted(pairs.values()) == [pairs[i] for i in sorted(pairs)]
    tried = itertools.chain.from_iterable(itertools.combinations(path, size) for size in range(len(path) + 1))
    assert len(pairs) == max(len(names) for names in tried if is_common(names, actual))


@pytest.mark.parametrize(
    ("path", "actual"),
    [("abc", "cab"), ("cab", "abc"), ("aba", "ba"), ("aaba", "ba"), ("abca", "ca"), ("aa", "baa"), ("aa", "aba")],
)
def test_handoffs_are_found_behind_those_that_are_out_of_place(path: str, actual: str) -> None:
    assert len(common_path(path, actual)) == 2


def test_the_common_path_keeps_order_on_both_sides() -> None:
    assert common_path(["a", "b", "c"], ["b", "a", "c"]) in ({0: 1, 2: 2}, {1: 0, 2: 2})
    assert common_path(["a"], ["b"]) == {}
