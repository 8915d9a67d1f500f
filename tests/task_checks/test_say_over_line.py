"""The forms of facts, really said over the line to the default recognizer."""

from __future__ import annotations

import pytest

from voicebench.packs import Pack
from voicebench.task_checks.spoken import caller_voices, each_spoken_form
from voicebench.task_checks.spoken_forms import say_over_line

pytestmark = pytest.mark.audio


@pytest.mark.parametrize("voice", caller_voices())
def test_the_recognizer_gets_a_pin_right_over_the_line(library: Pack, voice: str) -> None:
    spoken = next(one for one in each_spoken_form(library, library.cases["F1-E1"], [voice]) if one.fact == "pin")
    heard = say_over_line(spoken)
    assert spoken.right(heard), heard
    assert not spoken.right(heard.replace("7", "1"))
