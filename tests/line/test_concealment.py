"""What is heard in place of missing packets."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.line.installed import installed
from voicebench.errors import ConfigError
from voicebench.line import FRAME, Line, LineSettings, sample_speech
from voicebench.line.codecs import CODECS, CodecOptions
from voicebench.line.codecs.g711 import G711U
from voicebench.line.concealment import Native, Pitch, Repeat, ZeroFill
from voicebench.line.loss import Bernoulli
from voicebench.line.settings import LegSettings

pytestmark = pytest.mark.unit

CODEC = G711U(CodecOptions())


def tone(hertz: float, packets: int, first: int = 0) -> NDArray[np.int16]:
    time = np.arange(first * 160, (first + packets) * 160) / 8000
    return np.rint(8000.0 * np.sin(2.0 * np.pi * hertz * time)).astype(np.int16)


def rms(samples: NDArray[np.int16]) -> float:
    return float(np.sqrt(np.mean(samples.astype(float) ** 2)))


def test_zero_is_silence() -> None:
    zero = ZeroFill(CODEC)
    assert np.array_equal(zero.received(tone(200, 1)), tone(200, 1))
    assert not zero.conceal(None).any()


def test_repeat_is_the_last_packet_and_gone_after_60_ms() -> None:
    repeat = Repeat(CODEC)
    repeat.received(np.full(160, 9000, dtype=np.int16))
    first, second, third, fourth = (repeat.conceal(None) for _ in range(4))
    assert (first[0], second[0], third[0]) == (9000, 6000, 3000)
    assert (np.diff(np.concatenate([first, second, third]).astype(int)) <= 0).all()
    assert not fourth.any()
    assert repeat.received(tone(200, 1)).any()
    assert repeat.conceal(None)[10] == pytest.approx(tone(200, 1)[10], rel=0.03)


def test_pitch_goes_on_with_a_tone_in_phase() -> None:
    pitch = Pitch(CODEC)
    for packet in tone(200, 5).reshape(-1, 160):
        pitch.received(packet)
    made = pitch.conceal(None)
    expected = tone(200, 1, first=5)
    assert np.corrcoef(made, expected)[0, 1] > 0.99
    after = pitch.received(tone(200, 1, first=6))
    joined = np.concatenate([made, after]).astype(int)
    assert np.abs(np.diff(joined)).max() < 1.15 * np.abs(np.diff(tone(200, 5).astype(int))).max()


def test_pitch_fades_to_nothing_in_60_ms() -> None:
    pitch = Pitch(CODEC)
    for packet in tone(125, 5).reshape(-1, 160):
        pitch.received(packet)
    levels = [rms(pitch.conceal(None)) for _ in range(5)]
    assert levels[0] > 0.8 * rms(tone(125, 5))
    assert levels[0] > levels[1] > levels[2] > 0.0
    assert levels[3:] == [0.0, 0.0]


def test_pitch_after_silence_is_silence() -> None:
    pitch = Pitch(CODEC)
    pitch.received(np.zeros(160, dtype=np.int16))
    assert not pitch.conceal(None).any()


@pytest.mark.parametrize("name", ["amr_nb", "opus_nb", "opus_wb"])
def test_native_goes_on_with_speech_and_fades(name: str) -> None:
    codec = CODECS[name].make(CodecOptions())
    native = Native(codec)
    speech = sample_speech()[16_000:32_000]
    speech = speech if codec.rate_hz == 16_000 else speech[::2]
    size = codec.rate_hz // 50
    heard = [native.received(codec.decode(codec.encode(speech[at : at + size]))) for at in range(0, 40 * size, size)]
    missing = [native.conceal(None) for _ in range(25)]
    assert missing[0].shape == (size,)
    assert rms(missing[0]) > 0.2 * rms(np.concatenate(heard[-3:]))
    assert rms(np.concatenate(missing[-3:])) < 0.2 * rms(np.concatenate(heard[-3:]))


def test_opus_restores_a_lost_packet_from_the_next_if_that_is_there() -> None:
    """The second copy is near the original, what the decoder makes up is not; too small a buffer has no copy yet."""
    speech = sample_speech()[: 8 * 16_000]

    def error_db(fec: bool, buffer_ms: float) -> float:
        whole, lossy = (
            Line(
                LegSettings(codec="opus_wb", fec=fec, concealment="native", buffer_ms=buffer_ms, loss=loss),
                leg="caller_to_agent",
                seed=3,
            ).process(speech)
            for loss in (Bernoulli(p=0.0), Bernoulli(p=0.1))
        )
        error = whole.astype(float) - lossy
        return float(10.0 * np.log10(np.mean(error**2) / np.mean(whole.astype(float) ** 2)))

    without, restored, too_soon = error_db(False, 60.0), error_db(True, 60.0), error_db(True, 0.0)
    assert restored < without - 3.0
    assert restored < too_soon - 3.0


def test_concealment_that_the_codec_has_not_is_refused() -> None:
    with pytest.raises(ConfigError, match="g711u conceals nothing itself; native goes with amr_nb, amr_wb, opus_nb"):
        LineSettings().with_leg("caller_to_agent", {"codec": "g711u", "concealment": "native"})
    with pytest.raises(ConfigError, match="set concealment to native"):
        LineSettings().with_leg("caller_to_agent", {"codec": "opus_wb", "fec": True})


@pytest.mark.parametrize(("codec", "concealment"), list(itertools.product(CODECS, ["zero", "repeat", "pitch"])))
def test_every_codec_takes_every_concealment_of_the_receiver(codec: str, concealment: str) -> None:
    if not installed(codec):
        return
    settings = LegSettings(codec=codec, concealment=concealment, loss=Bernoulli(p=0.3))
    line = Line(settings, leg="caller_to_agent", seed=1)
    heard = line.process(sample_speech()[16_000 : 16_000 + 40 * FRAME])
    assert rms(heard) > 100.0
    assert line.measured().concealed > 3
