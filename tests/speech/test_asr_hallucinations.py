"""Invented words go, short true answers stay. The figures are those of base and tiny.en on telephone speech."""

from __future__ import annotations

import pytest

from voicebench.speech.asr_hallucinations import compression_ratio, hallucination, is_loop

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "seconds", "no_speech", "logprob", "reason"),
    [
        ("Yes, please.", 1.4, 0.03, -0.2, None),
        ("4 7 1 8", 2.6, 0.62, -0.71, None),
        ("It's five.", 1.6, 0.42, -0.41, None),
        ("9", 1.4, 0.42, -1.91, None),
        ("228", 2.4, 0.22, -3.22, None),
        ("The", 5.0, 0.55, -6.28, "no_speech"),
        ("you", 3.4, 0.6, -3.16, "no_speech"),
        ("you", 2.0, 0.96, -2.4, "no_speech"),
        ("I'm going to go to the beach.", 6.0, 0.66, -1.9, "no_speech"),
        ("Thank you for watching.", 2.0, 0.8, -0.3, "no_speech"),
        ("I'm not saying I'm a lady for a bar.", 6.0, 0.59, -1.72, "no_speech"),
        (" ".join(["I'm gonna make it through."] * 32), 30.0, 0.4, -0.16, "repetition"),
        ("and so they all went home before the rain came down on them again that night", 1.0, 0.1, -0.3, "rate"),
        ("", 3.0, 0.9, -1.0, None),
    ],
)
def test_table(text: str, seconds: float, no_speech: float, logprob: float, reason: str | None) -> None:
    assert hallucination(text, seconds=seconds, no_speech_prob=no_speech, avg_logprob=logprob) == reason


@pytest.mark.parametrize(
    ("text", "loops"),
    [
        ("Yes? Yes?", True),
        ("Yes, please. Yes, please.", True),
        ("The order number is K-E-413-0083. The order number is K-E", True),
        ("9 9 9 9 9 9 9", True),
        ("The order number is K-E-447-9002.", False),
        ("No, no, that is not it.", False),
        ("", False),
        ("Yes.", False),
    ],
)
def test_loops(text: str, loops: bool) -> None:
    assert is_loop(text) is loops


def test_compression_ratio_of_nothing_is_zero_and_rises_with_repetition() -> None:
    assert compression_ratio("") == 0.0
    assert compression_ratio("ab") < 1.0 < 5.0 < compression_ratio("ab " * 200)
