from __future__ import annotations

import numpy as np
import pytest

from voicebench.caller.speech_jobs import shorten_pauses

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
