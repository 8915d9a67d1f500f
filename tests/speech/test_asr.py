"""Recognition: the right words, in a short window as in a long one, and none where nobody spoke."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from voicebench.errors import ConfigError, ModelMissing
from voicebench.speech import asr
from voicebench.speech.asr import load_recognizer
from voicebench.speech.tts import load_voice

pytestmark = pytest.mark.audio

Samples = npt.NDArray[np.int16]
SENTENCES = (
    "Thanks for calling, how can I help you today?",
    "I would like to move my appointment to Thursday afternoon.",
    "Could you read that back to me, please?",
)
MORE = (
    "We will send a new one to you by the end of the week.",
    "The doctor can see you on Monday morning.",
    "Please tell me which of the two bills you have a question about.",
    "My sister picked it up at the store on Main Street.",
    "I would rather speak with somebody in the billing department.",
    "Let me see what I can find for you.",
    "There is no charge for that at all.",
    "Have a good day, and thank you very much for your help.",
)


def turn(text: str, voice: str = "joe") -> Samples:
    """A turn as a detector cuts it: a little silence before, more after."""
    return np.concatenate([np.zeros(3200, np.int16), load_voice(voice).synthesize(text), np.zeros(9600, np.int16)])


def words(text: str) -> str:
    return " ".join(re.sub(r"[^a-z0-9 ]", "", text.lower()).split())


def noise(seconds: float, dbov: float) -> Samples:
    samples = np.random.default_rng(5).standard_normal(int(seconds * 16_000)) * 32768.0 * 10.0 ** (dbov / 20.0)
    clipped: Samples = np.clip(np.rint(samples), -32768, 32767).astype(np.int16)
    return clipped


@pytest.mark.parametrize("voice", ["joe", "heart"])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_short_window_gives_the_words_that_were_said_as_a_whole_one_does(sentence: str, voice: str) -> None:
    samples = turn(sentence, voice)
    short = load_recognizer("tiny.en").transcribe(samples)
    long = load_recognizer("tiny.en", window="30s").transcribe(samples)
    assert words(short.text) == words(long.text) == words(sentence)
    assert short.filtered is None
    assert (short.language, short.no_speech_prob < 0.3) == ("en", True)


@pytest.mark.parametrize("word", ["Yes.", "No.", "Okay.", "Nine.", "Bye."])
def test_a_single_word_is_heard_once(word: str) -> None:
    for voice in ("joe", "heart"):
        text = words(load_recognizer("tiny.en").transcribe(turn(word, voice)).text)
        assert len(text.split()) == 1, text


def test_equal_samples_give_equal_transcripts() -> None:
    recognizer = load_recognizer("tiny.en")
    samples = turn(SENTENCES[1])
    first = recognizer.transcribe(samples)
    recognizer.transcribe(turn(SENTENCES[0]))
    assert recognizer.transcribe(samples) == first


@pytest.mark.parametrize("seconds", [0.0, 0.01, 0.5, 4.0])
def test_silence_has_no_words_and_is_not_even_decoded(seconds: float) -> None:
    heard = load_recognizer("tiny.en").transcribe(np.zeros(int(seconds * 16_000), np.int16))
    assert (heard.text, heard.filtered, heard.no_speech_prob) == ("", "silence", 1.0)
    assert load_recognizer("tiny.en").transcribe(noise(seconds, -70.0)).filtered == "silence"


@pytest.mark.parametrize("seconds", [0.6, 2.0, 6.0])
def test_words_invented_on_noise_are_filtered(seconds: float) -> None:
    heard = load_recognizer("tiny.en").transcribe(noise(seconds, -40.0))
    assert (heard.text, heard.filtered) == ("", "no_speech")


def test_an_utterance_beyond_the_window_is_cut_in_pauses_and_joined() -> None:
    said = (*SENTENCES, *MORE)
    samples = np.concatenate([turn(sentence) for sentence in said])
    assert len(samples) > 31 * 16_000
    parts = asr._cut(samples)
    assert len(parts) == 2
    assert sum(len(part) for part in parts) == len(samples)
    assert max(len(part) for part in parts) <= 29 * 16_000
    assert np.abs(parts[0][-1600:]).max() < 200
    assert words(load_recognizer("base").transcribe(samples).text) == words(" ".join(said))


def test_one_loaded_model_a_process() -> None:
    recognizer = load_recognizer("tiny.en")
    assert load_recognizer("tiny.en", device="cpu") is recognizer
    assert load_recognizer("tiny.en", window="30s")._whisper is recognizer._whisper
    assert (recognizer.device, recognizer.compute_type) == ("cpu", "int8")


def test_the_base_model_reads_letters_and_digits() -> None:
    heard = load_recognizer("base").transcribe(turn("My order is K E, four four seven, nine zero zero two.", "heart"))
    assert words(heard.text).replace(" ", "").endswith("ke4479002")


def test_wrong_settings_say_what_is_right() -> None:
    with pytest.raises(ConfigError, match="fit, 30s"):
        load_recognizer("tiny.en", window="60s")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="auto, cpu, cuda"):
        load_recognizer("tiny.en", device="tpu")
    with pytest.raises(ConfigError, match="compute_type 'float99' does not work on cpu"):
        load_recognizer("tiny.en", compute_type="float99")
    with pytest.raises(ConfigError, match="did you mean 'base'"):
        load_recognizer("bse")


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"nothing")
    with pytest.raises(ModelMissing, match="cannot be loaded"):
        load_recognizer(f"{tmp_path}/")


def test_a_decoder_that_finds_no_end_is_given_a_whole_window(monkeypatch: pytest.MonkeyPatch) -> None:
    recognizer = load_recognizer("tiny.en")
    windows: list[float] = []

    def decode(samples: Samples, window_s: float, most_tokens: int) -> asr._Decoded:
        windows.append(window_s)
        return replace(asr._Decoded("yes", 0.0, -1.0), tokens=most_tokens if window_s < 30.0 else 2)

    monkeypatch.setattr(recognizer, "_decode", decode)
    heard = recognizer.transcribe(turn("Yes."))
    assert windows == [10.0, 30.0]
    assert (heard.text, heard.avg_logprob) == ("yes", -0.5)
