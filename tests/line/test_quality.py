"""What ITU-T P.862 (PESQ) makes of codecs, losses and concealments, against pinned scores."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pesq import pesq

from voicebench.line import Line, sample_speech
from voicebench.line.resample import convert
from voicebench.line.settings import LegSettings
from voicebench.line.stage import RATE, to_pcm

pytestmark = pytest.mark.audio

# Mean opinion scores of P.862.1, of the sample of speech, here.
SCORES = {
    ("g711u", None): 4.34,
    ("g711a", None): 4.33,
    ("amr_nb", 12.2): 4.19,
    ("amr_nb", 7.4): 3.93,
    ("gsm", None): 3.75,
    ("amr_nb", 5.9): 3.59,
    ("amr_nb", 4.75): 3.32,
}


def narrow(samples: NDArray[np.int16]) -> NDArray[np.int16]:
    return to_pcm(convert(samples.astype(np.float64), RATE, 8_000))


@cache
def reference() -> NDArray[np.int16]:
    return narrow(sample_speech())


def score(seed: int = 1, **keys: Any) -> float:
    line = Line(LegSettings.model_validate(keys), leg="caller_to_agent", seed=seed)
    tail = np.zeros(line.delay_samples, dtype=np.int16)
    heard = np.concatenate([line.process(sample_speech()), line.process(tail), line.flush()])
    return float(pesq(8_000, reference(), narrow(heard[line.delay_samples :]), "nb"))


@pytest.mark.parametrize(("codec", "kbps"), SCORES)
def test_codecs_have_their_pinned_scores(codec: str, kbps: float | None) -> None:
    assert score(codec=codec, kbps=kbps) == pytest.approx(SCORES[codec, kbps], abs=0.03)


def test_codecs_are_in_their_order() -> None:
    order = [("g711u", None), *(("amr_nb", kbps) for kbps in (12.2, 7.4, 5.9, 4.75))]
    scores = [score(codec=codec, kbps=kbps) for codec, kbps in order]
    assert scores == sorted(scores, reverse=True)


def lossy(concealment: str, rate: float) -> float:
    """The mean of four seeds: of one, too few packets fall on speech."""
    loss = {"model": "bernoulli", "p": rate}
    return float(np.mean([score(seed, codec="g711u", loss=loss, concealment=concealment) for seed in (1, 2, 3, 4)]))


def test_pitch_beats_silence_by_a_fifth_of_a_point_at_3_percent() -> None:
    zero, repeat, pitch = (lossy(concealment, 0.03) for concealment in ("zero", "repeat", "pitch"))
    assert pitch >= zero + 0.2
    assert pitch >= repeat >= zero
    assert (zero, repeat, pitch) == pytest.approx((ZERO, REPEAT, PITCH), abs=0.05)


ZERO, REPEAT, PITCH = 3.44, 3.57, 3.71


def test_scores_fall_as_loss_grows() -> None:
    scores = [lossy("pitch", rate) for rate in (0.0, 0.01, 0.05, 0.1)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] - scores[-1] > 1.0


def test_the_codecs_own_concealment_beats_silence() -> None:
    loss = {"model": "bernoulli", "p": 0.05}
    zero, native = (score(codec="amr_nb", loss=loss, concealment=kind) for kind in ("zero", "native"))
    assert native > zero + 0.1
