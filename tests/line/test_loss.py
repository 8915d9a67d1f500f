"""Losses come at the rate, and in the bursts, that the model asks for."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

import numpy as np
import pytest

from voicebench.errors import ConfigError
from voicebench.line import LineSettings
from voicebench.line.data import PinnedFile
from voicebench.line.loss import Bernoulli, FourState, Gilbert, GilbertElliott, Loss, NoLoss, ReplayLoss
from voicebench.line.streams import Stream
from voicebench.record.json_types import JsonObject

pytestmark = pytest.mark.unit

PACKETS = 1_000_000


def stream(seed: int = 1) -> Stream:
    return Stream(seed, "caller_to_agent", "loss")


def rate_and_burst(loss: Loss) -> tuple[float, float]:
    lost = np.array([loss.lost(index) for index in range(PACKETS)])
    starts = int(np.count_nonzero(lost[1:] & ~lost[:-1])) + int(lost[0])
    return float(lost.mean()), float(lost.sum() / starts)


def four_sigma(rate: float, correlation: float) -> float:
    return 4.0 * math.sqrt(rate * (1.0 - rate) / PACKETS * (1.0 + correlation) / (1.0 - correlation))


def four_sigma_of_burst(rate: float, burst: float, variance: float) -> float:
    return 4.0 * math.sqrt(variance / (PACKETS * rate / burst))


def test_none_loses_nothing() -> None:
    assert not any(NoLoss().build(stream()).lost(index) for index in range(100))


def test_bernoulli_is_within_four_sigma() -> None:
    rate, burst = rate_and_burst(Bernoulli(p=0.03).build(stream()))
    assert rate == pytest.approx(0.03, abs=four_sigma(0.03, 0.0))
    expected = 1.0 / 0.97
    assert burst == pytest.approx(expected, abs=four_sigma_of_burst(0.03, expected, 0.03 / 0.97**2))


@pytest.mark.parametrize(("wanted", "mean"), [(0.01, 1.5), (0.08, 3.0)])
def test_gilbert_is_within_four_sigma(wanted: float, mean: float) -> None:
    model = Gilbert.of(wanted, mean)
    rate, burst = rate_and_burst(model.build(stream()))
    assert rate == pytest.approx(wanted, abs=four_sigma(wanted, 1.0 - model.p - model.r))
    assert burst == pytest.approx(mean, abs=four_sigma_of_burst(wanted, mean, (1.0 - model.r) / model.r**2))


def test_gilbert_elliott_loses_in_good_and_bad_stretches() -> None:
    model = GilbertElliott(p=0.02, r=0.2, h=0.4, k=0.995)
    bad = model.p / (model.p + model.r)
    wanted = bad * (1.0 - model.h) + (1.0 - bad) * (1.0 - model.k)
    rate, _ = rate_and_burst(model.build(stream()))
    assert rate == pytest.approx(wanted, abs=four_sigma(wanted, 1.0 - model.p - model.r))


def test_four_states_have_their_stationary_rate() -> None:
    model = FourState(p13=0.01, p31=0.3, p32=0.2, p23=0.5, p14=0.005)
    chain = np.array(
        [
            [1.0 - model.p13 - model.p14, 0.0, model.p13, model.p14],
            [0.0, 1.0 - model.p23, model.p23, 0.0],
            [model.p31, model.p32, 1.0 - model.p31 - model.p32, 0.0],
            [1.0, 0.0, 0.0, 0.0],
        ]
    )
    stationary = np.linalg.matrix_power(chain, 4096)[0]
    wanted = float(stationary[2] + stationary[3])
    slowest = float(sorted(np.abs(np.linalg.eigvals(chain)))[-2])
    rate, burst = rate_and_burst(model.build(stream()))
    assert rate == pytest.approx(wanted, abs=four_sigma(wanted, slowest))
    ends = stationary[2] * (model.p31 + model.p32) + stationary[3]
    assert burst == pytest.approx(wanted / float(ends), rel=0.02)


def test_the_same_seed_loses_the_same_packets_and_another_others() -> None:
    first, again, other = (
        [model.lost(index) for index in range(2000)]
        for model in (Gilbert.of(0.1, 2.0).build(stream(seed)) for seed in (1, 1, 2))
    )
    assert first == again != other


def pinned(path: Path, text: str) -> PinnedFile:
    path.write_text(text, encoding="utf-8")
    return PinnedFile(path=path, sha256=hashlib.sha256(text.encode()).hexdigest())


def test_a_list_of_lost_packets_is_replayed_once(tmp_path: Path) -> None:
    loss = ReplayLoss(file=pinned(tmp_path / "lost.csv", "sequence\n3\n4\n9\n")).build(stream())
    assert [index for index in range(30) if loss.lost(index)] == [3, 4, 9]


def test_a_capture_of_all_packets_is_replayed_again_and_again(tmp_path: Path) -> None:
    text = "sequence,lost,delay_ms\n0,0,20.5\n1,1,\n2,0,30\n3,0,20\n"
    loss = ReplayLoss(file=pinned(tmp_path / "all.csv", text)).build(stream())
    assert [index for index in range(10) if loss.lost(index)] == [1, 5, 9]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("number\n1\n", "header with the column 'sequence'"),
        ("sequence\n", "at least one row"),
        ("sequence\n1\nx\n", "line 3 is not understood"),
        ("sequence\n-1\n", "line 2 .*counts from 0"),
        ("sequence,delay_ms\n0,-3\n", "line 2 .*0 to 60000"),
    ],
)
def test_files_that_are_no_captures_are_explained(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        ReplayLoss(file=pinned(tmp_path / "a.csv", text)).build(stream())


def test_a_capture_that_has_changed_is_refused_before_any_call(tmp_path: Path) -> None:
    file = pinned(tmp_path / "a.csv", "sequence\n1\n")
    keys: JsonObject = {"loss": {"model": "replay", "file": file.model_dump()}}
    settings = LineSettings().with_leg("caller_to_agent", keys)
    settings.require()
    file.path.write_text("sequence\n2\n")
    with pytest.raises(ConfigError, match=r"line\.caller_to_agent: .*a\.csv: has the SHA-256 [0-9a-f]{64}, not"):
        settings.require()
    file.path.unlink()
    with pytest.raises(ConfigError, match="cannot be read"):
        settings.require()
