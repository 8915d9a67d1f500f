"""Asked to repeat without a name after each fact, in each shipped pack; a name that is asked for the patient."""

from __future__ import annotations

import pytest

from voicebench.caller import ScriptedCaller
from voicebench.packs import load_pack

pytestmark = pytest.mark.unit

ASKED = {
    "customer_support/T1-E1": {"full_name": "May I have your name?", "postal_code": "And the zip code?"},
    "healthcare/H1-E1": {"full_name": "What is the patient's name?", "date_of_birth": "And the date of birth?"},
    "legal/L1-E1": {"full_name": "May I have your name?", "other_party": "Who is on the other side?"},
}


@pytest.mark.parametrize("task", ASKED)
def test_the_next_form_of_what_was_given_last_is_given(task: str) -> None:
    pack = load_pack(task.split("/")[0])
    script = pack.cases[task.split("/")[1]].caller
    caller = ScriptedCaller(script, pack.spec)
    caller.hear(pack.spec.greeting)
    for fact, question in ASKED[task].items():
        for form, turn in enumerate((question, "Sorry, once more?")):
            utterance = caller.hear(turn).utterance
            assert utterance is not None
            assert [(one.name, one.form) for one in utterance.facts] == [(fact, form)]
