"""What a model wrote as a caller: the words to be spoken, and what is done with the line."""

from __future__ import annotations

import pytest

from voicebench.caller.reply import Reply, read_reply

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("written", "words", "act"),
    [
        ("My name is Tomas.", "My name is Tomas.", "speak"),
        ("Okay, thank you. [HANG UP]", "Okay, thank you.", "hang_up"),
        ("Okay, thank you.\n\n[hang_up]", "Okay, thank you.", "hang_up"),
        ("Okay, thank you. <HANG UP/>", "Okay, thank you.", "hang_up"),
        ("**Okay**, thank you. (hangs up)", "Okay, thank you.", "hang_up"),
        ("Okay, thank you. *hangs up*", "Okay, thank you.", "hang_up"),
        ("Okay, thank you. HANG UP", "Okay, thank you.", "hang_up"),
        ("Okay, thank you. [ends the call]", "Okay, thank you.", "hang_up"),
        ("[HANG UP]", "", "hang_up"),
        ("[WAIT]", "", "wait"),
        ("(waits)", "", "wait"),
        ("WAIT", "", "wait"),
        ("Okay. [WAIT]", "", "wait"),
        ("", "", "wait"),
        ("[sighs]", "", "wait"),
        ("I will wait for the seller to hang up.", "I will wait for the seller to hang up.", "speak"),
        ("It is (541) 555-0146.", "It is (541) 555-0146.", "speak"),
        ('Caller: "The first slot, please."', "The first slot, please.", "speak"),
        ("\u201cThe first slot, please.\u201d", "The first slot, please.", "speak"),
        ("<think>They ask for the name.</think>Tomas Ferreira.", "Tomas Ferreira.", "speak"),
        ("<think>They have not", "", "wait"),
        ("Well, [sighs] the *first* slot.", "Well, the first slot.", "speak"),
    ],
)
def test_a_reply_is_taken_apart(written: str, words: str, act: str) -> None:
    assert read_reply(written) == Reply(words, act)  # type: ignore[arg-type]
