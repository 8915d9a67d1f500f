"""G.711 is the ITU's, bit for bit."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from voicebench.line.codecs import CodecOptions
from voicebench.line.codecs.g711 import ALAW_DECODE, G711A, G711U, ULAW_DECODE

pytestmark = pytest.mark.unit

USUAL = CodecOptions()

ALL_INPUTS = np.arange(-32768, 32768).astype(np.int16)


def ulaw_code(sample: int) -> int:
    """The µ-law rule written as a search of the segment, as a second opinion."""
    magnitude = min(((~sample if sample < 0 else sample) >> 2) + 33, 0x1FFF)
    segment = 0
    while magnitude >= 64 << segment:
        segment += 1
    step = (magnitude >> (segment + 1)) - 16
    return (0x80 if sample >= 0 else 0) | (7 - segment) << 4 | (15 - step)


def alaw_code(sample: int) -> int:
    """The A-law rule, likewise."""
    magnitude = (~sample if sample < 0 else sample) >> 4
    segment = 0
    while magnitude > 31:
        magnitude >>= 1
        segment += 1
    if magnitude > 15:
        magnitude += 16 * segment
    return (magnitude | (0x80 if sample >= 0 else 0)) ^ 0x55


@pytest.mark.parametrize(
    ("codec", "rule", "sha256"),
    [
        (G711U(USUAL), ulaw_code, "90c29de505fb68e766118303bd552a16005dcf810873698bee1d8f3b247ce28c"),
        (G711A(USUAL), alaw_code, "38488f6fd710f4686360edc4d38639f96c491595ef93f8eb8d62d5e07ca6ce7b"),
    ],
    ids=["ulaw", "alaw"],
)
def test_all_65536_inputs_have_the_code_of_the_rule(
    codec: G711U | G711A, rule: Callable[[int], int], sha256: str
) -> None:
    codes = codec.encode(ALL_INPUTS)
    assert codes == bytes(rule(int(sample)) for sample in ALL_INPUTS)
    assert hashlib.sha256(codes).hexdigest() == sha256


def test_ulaw_codes_survive_decoding_but_for_negative_zero() -> None:
    codes = bytes(range(256))
    again = G711U(USUAL).encode(G711U(USUAL).decode(codes))
    assert [code for code in codes if again[code] != code] == [0x7F]
    assert again[0x7F] == 0xFF


def test_alaw_codes_survive_decoding() -> None:
    codes = bytes(range(256))
    assert G711A(USUAL).encode(G711A(USUAL).decode(codes)) == codes


@pytest.mark.parametrize(
    ("table", "positive", "steps"),
    [(ULAW_DECODE, np.arange(255, 127, -1), 8), (ALAW_DECODE, np.arange(128, 256) ^ 0x55, 16)],
    ids=["ulaw", "alaw"],
)
def test_decode_tables_rise_in_steps_that_double_by_segment(
    table: NDArray[np.int16], positive: NDArray[np.int64], steps: int
) -> None:
    values = table[positive].astype(int)
    if steps == 16:
        values = np.sort(values)
    inside = np.diff(values.reshape(8, 16), axis=1)
    doubling = [steps * 2**k for k in range(8)] if steps == 8 else [16, 16, *(16 * 2**k for k in range(1, 7))]
    assert inside.tolist() == [[step] * 15 for step in doubling]
    assert np.array_equal(table[positive ^ 0x80], -table[positive])


def test_decode_tables_span_the_values_of_the_standard() -> None:
    assert (ULAW_DECODE[0xFF], ULAW_DECODE[0x80], ULAW_DECODE[0x00]) == (0, 32124, -32124)
    assert (ALAW_DECODE[0xD5], ALAW_DECODE[0x55], ALAW_DECODE[0xAA], ALAW_DECODE[0x2A]) == (8, -8, 32256, -32256)


@pytest.mark.parametrize(("table", "subtype"), [(ULAW_DECODE, "ULAW"), (ALAW_DECODE, "ALAW")])
def test_decode_tables_agree_with_libsndfile(table: NDArray[np.int16], subtype: str) -> None:
    """Libsndfile's encoders differ from the ITU's in places, its decoders do not."""
    raw = io.BytesIO(bytes(range(256)))
    decoded, _ = soundfile.read(raw, samplerate=8000, channels=1, format="RAW", subtype=subtype, dtype="int16")
    assert np.array_equal(table, decoded)


def test_ulaw_silence_stays_silence() -> None:
    silence = np.zeros(160, dtype=np.int16)
    assert G711U(USUAL).encode(silence) == b"\xff" * 160
    assert not G711U(USUAL).decode(b"\xff" * 160).any()
