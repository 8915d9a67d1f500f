from __future__ import annotations

import numpy as np
import pytest

from voicebench.caller.speech_jobs import CallerJobs, shorten_pauses

pytestmark = pytest.mark.unit

LOUD = np.full(1_600, 3_000, np.int16)


def quiet(ms: int) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    return np.full(16 * ms, 3, np.int16)


def test_long_pauses_become_200_ms_and_nothing_else_changes() -> None:
    said = np.concatenate([LOUD, quiet(410), LOUD, quiet(150), LOUD, quiet(200), LOUD])

    expected = np.concatenate([LOUD, quiet(200), LOUD, quiet(150), LOUD, quiet(200), LOUD])
    assert np.array_equal(shorten_pauses(said), expected)


def test_nothing_stays_nothing() -> None:
    assert len(shorten_pauses(np.zeros(0, np.int16))) == 0


def took(seconds: float, audio_s: float, *, closed: bool = False) -> str | None:
    """What is said of a job that took so long for so much speech."""
    now = [0]
    jobs = CallerJobs(lambda: now[0])
    with jobs.running("recognition", audio_s):
        pending = jobs.is_pending
        if closed:
            jobs.close()
        now[0] = round(seconds * 1e9)
    assert (pending, jobs.is_pending) == (True, False)
    return jobs.slow


def test_a_job_may_take_a_second_or_as_long_as_its_speech() -> None:
    assert took(1.0, 0.4) is None
    assert took(4.0, 4.0) is None
    assert took(1.01, 0.4) == "timing: the caller's recognition took 1.0 s for 0.4 s of speech; 1.0 s are allowed"
    assert took(4.2, 4.0) == "timing: the caller's recognition took 4.2 s for 4.0 s of speech; 4.0 s are allowed"


def test_a_job_that_hangs_is_found_while_it_does_and_after_the_hang_up_none_counts() -> None:
    now = [0]
    jobs = CallerJobs(lambda: now[0])
    with jobs.running("recognition", 2.0):
        assert jobs.check() is None
        now[0] = 2_100_000_000
        assert "took 2.1 s" in str(jobs.check())
    assert took(30.0, 1.0, closed=True) is None
