"""Codecs give the bits they always gave, at the delay they name, and say what they lack."""

from __future__ import annotations

import hashlib
from io import BytesIO

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from tests.line.installed import installed
from voicebench.errors import ConfigError
from voicebench.line import CODECS, Line, LineSettings, preset, sample_speech
from voicebench.line.codecs import Codec, CodecOptions, amrwb, ffmpeg, opus
from voicebench.line.codecs.gsm import GsmFullRate
from voicebench.line.resample import convert
from voicebench.line.settings import LegSettings
from voicebench.line.stage import RATE, to_pcm
from voicebench.machine.benches.dtmf import KEYS, heard_keys, tones
from voicebench.record.json_types import JsonObject

pytestmark = pytest.mark.unit

GOLDEN: dict[tuple[str, float | None], tuple[str, str]] = {
    ("none", None): ("e7d04861e8bfe2cf", "e7d04861e8bfe2cf"),
    ("g711u", None): ("a8b31e0d11946e8f", "514606b8fbb69203"),
    ("g711a", None): ("772ff4a902bd4ec8", "6ca72c50dc696c31"),
    ("g722", None): ("66305b284141dd92", "334e4c40e917ace2"),
    ("gsm", None): ("76a002f37412250e", "a8e3038cee53efe3"),
    ("amr_nb", 4.75): ("e678bbeb8b232505", "5dfa8929461fb50d"),
    ("amr_nb", 5.15): ("724b427c726124cb", "72f43a7d80012635"),
    ("amr_nb", 5.9): ("d71c07a228f7a055", "245d3728822c33e9"),
    ("amr_nb", 6.7): ("fc6dc3bf89525eac", "9fff70531bb1c572"),
    ("amr_nb", 7.4): ("0521e058af73e432", "5d9a2085522915ca"),
    ("amr_nb", 7.95): ("4e0520cd7168a11b", "d2416932927eb1c8"),
    ("amr_nb", 10.2): ("d849991ec8eadb1f", "7a81bab780610391"),
    ("amr_nb", 12.2): ("417927bca0b71926", "a68859483d779a26"),
    ("amr_wb", 6.6): ("17d61cab9ac3e787", "35d3266d49c4f9fc"),
    ("amr_wb", 8.85): ("53a89e2bbb5086c9", "f5bf2c879b575f7f"),
    ("amr_wb", 12.65): ("b0b4ed955aa416e2", "9082110747ad82a8"),
    ("amr_wb", 14.25): ("8410419bafc20220", "db7a962b527ce175"),
    ("amr_wb", 15.85): ("b93ff4864695fb9d", "824c43ad8f2543c7"),
    ("amr_wb", 18.25): ("894e88be61b14019", "d063dade50b1cfaf"),
    ("amr_wb", 19.85): ("a06e8135f71a238c", "d6b8d152b6997eec"),
    ("amr_wb", 23.05): ("b1c595eb471c3a2d", "b0f76c2b2837b809"),
    ("amr_wb", 23.85): ("bf2f2d215deb269e", "a36f6a961a5f6e00"),
    ("opus_nb", 8.0): ("02bf0b868e265687", "0cdf0fe9d920d111"),
    ("opus_nb", 10.0): ("f19ff965cd1d54c0", "841785fb313e75e7"),
    ("opus_nb", 12.0): ("758b97c77645c9ac", "47530bf87895c3a4"),
    ("opus_nb", 16.0): ("19e5de5179ac10ec", "ccea86e851351941"),
    ("opus_nb", 20.0): ("77822a5e4399327e", "4a52a3a30e4133c0"),
    ("opus_wb", 16.0): ("2f73d61a913c5952", "6124fa0d3f69d818"),
    ("opus_wb", 20.0): ("9f36ddd7a9c409a8", "03366b2262d19fe7"),
    ("opus_wb", 24.0): ("0b87966f164cb4df", "6e1841d1aab785a9"),
    ("opus_wb", 28.0): ("f73e3fa6a4192f30", "a2c31b9f7b49c175"),
    ("opus_wb", 32.0): ("ce8651973fe61785", "e76891424185ad5b"),
    ("opus_wb", 40.0): ("2b249dd22b66095f", "43246f64b35dbefb"),
}
"""SHA-256 of all payloads, and of all decoded samples, of the first 4 s of the sample of speech; 16 digits each."""

ALL = [(name, kbps) for name, kind in CODECS.items() for kbps in sorted(kind.kbps) or (None,)]


def made(name: str, kbps: float | None = None, fec: bool = False) -> Codec:
    return CODECS[name].make(CodecOptions(kbps, fec))


def speech_at(rate_hz: int) -> NDArray[np.int16]:
    speech = sample_speech()[: 4 * RATE]
    return speech if rate_hz == RATE else to_pcm(convert(speech.astype(np.float64), RATE, rate_hz))


def coded(codec: Codec, speech: NDArray[np.int16]) -> tuple[list[bytes], NDArray[np.int16]]:
    size = codec.rate_hz // 50
    payloads = [codec.encode(frame) for frame in speech[: speech.size // size * size].reshape(-1, size)]
    return payloads, np.concatenate([codec.decode(payload) for payload in payloads])


@pytest.mark.parametrize(("name", "kbps"), ALL)
def test_codecs_give_their_golden_bits_at_their_delay_and_rate(name: str, kbps: float | None) -> None:
    if not installed(name):
        return
    codec = made(name, kbps)
    speech = speech_at(codec.rate_hz)
    payloads, heard = coded(codec, speech)
    digests = tuple(
        hashlib.sha256(data).hexdigest()[:16] for data in (b"".join(payloads), heard.astype("<i2").tobytes())
    )
    assert digests == GOLDEN[name, kbps]
    lags = range(200)
    said, got = speech[2000:-2000].astype(float), heard.astype(float)
    alike = [float(np.dot(said, got[2000 + lag : 2000 + lag + said.size])) for lag in lags]
    assert int(np.argmax(alike)) == pytest.approx(codec.delay_samples, abs=1)
    if name.startswith("amr"):
        assert kbps is not None
        bits = sum(map(len, payloads)) * 8 / len(payloads)
        assert kbps * 20 <= bits <= kbps * 20 + 16


def test_gsm_streams_the_bytes_of_one_shot() -> None:
    speech = speech_at(8000)
    payloads, _ = coded(GsmFullRate(CodecOptions()), speech)
    whole = BytesIO()
    soundfile.write(whole, speech, 8000, format="RAW", subtype="GSM610")
    assert {len(payload) for payload in payloads} == {33}
    assert b"".join(payloads) == whole.getvalue()


def test_g722_keeps_what_a_telephone_cuts_off() -> None:
    time = np.arange(RATE) / RATE
    sound = np.rint(4000.0 * np.sin(2.0 * np.pi * 6000.0 * time)).astype(np.int16)
    line = Line(LegSettings(codec="g722"), leg="caller_to_agent", seed=0)
    assert np.std(line.process(sound)[3200:]) == pytest.approx(np.std(sound), rel=0.05)


def test_error_correction_makes_packets_that_carry_two() -> None:
    plain, correcting = (coded(made("opus_wb", 24.0, fec), speech_at(RATE))[0] for fec in (False, True))
    assert plain != correcting


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"codec": "amr_nb", "kbps": 5}, r"codec amr_nb has no bit rate of 5 kbit/s; valid: 4\.75, 5\.15, 5\.9, 6\.7"),
        ({"codec": "g711a", "kbps": 64}, "it has only one; leave kbps out"),
        ({"codec": "amr_nb", "fec": True, "concealment": "native"}, "no forward error correction"),
    ],
)
def test_what_a_codec_has_not_is_refused(keys: JsonObject, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        LineSettings().with_leg("caller_to_agent", keys)


def test_a_missing_encoder_is_an_error_of_the_configuration_that_names_its_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    amrwb._library.cache_clear()
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    with pytest.raises(ConfigError, match=r"line\.caller_to_agent: AMR-WB .* apt-get install libvo-amrwbenc0"):
        preset("volte").require()
    with pytest.raises(ConfigError, match="libvo-amrwbenc0"):
        Line(preset("volte").caller_to_agent, leg="caller_to_agent", seed=0)
    amrwb._library.cache_clear()


def test_without_pyav_the_codecs_that_need_it_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "av", None)
    for require in (ffmpeg.require, CODECS["gsm"].require, CODECS["amr_nb"].require):
        with pytest.raises(ConfigError, match=r"PyAV, which is not installed; pip install 'voicebench-sim\[local\]'"):
            require()
    CODECS["g711u"].require()
    preset("pstn").require()


def test_without_any_libopus_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    opus._library.cache_clear()
    monkeypatch.setattr("pathlib.Path.glob", lambda self, pattern: iter(()))
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    with pytest.raises(ConfigError, match="apt-get install libopus0"):
        opus.require()
    monkeypatch.undo()
    opus._library.cache_clear()
    opus.require()


@pytest.mark.parametrize(("name", "kbps"), ALL)
def test_keys_of_100_ms_survive(name: str, kbps: float | None) -> None:
    """Every key is heard; the lowest AMR modes let some be heard twice, and the lowest wide-band one loses some."""
    if not installed(name):
        return
    line = Line(LegSettings(codec=name, kbps=kbps), leg="caller_to_agent", seed=0)
    heard = heard_keys(line.process(np.concatenate([tones(KEYS), np.zeros(3200, dtype=np.int16)])))
    if (name, kbps) == ("amr_wb", 6.6):
        assert len(set(heard)) >= 14
    elif name == "amr_nb" and kbps is not None and kbps < 5.9:
        assert "".join(key for key, before in zip(heard, " " + heard, strict=False) if key != before) == KEYS
    else:
        assert heard == KEYS


def test_a_receiver_hears_no_keys_in_speech() -> None:
    assert heard_keys(sample_speech()) == ""
    assert heard_keys(tones("159D", tone_ms=50)) == "159D"
    assert heard_keys(tones("1", tone_ms=10)) == ""
