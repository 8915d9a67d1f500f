"""The caller's recognizer in a process of its own."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from tests.agent.phone import speak
from voicebench.clock.priority import LINE, SERVER, ahead_of_others
from voicebench.errors import ConfigError, VoicebenchError
from voicebench.speech.asr import load_recognizer
from voicebench.speech.subprocess_asr import RecognizerApart, recognizer_apart

pytestmark = pytest.mark.audio


def _grants_real_time() -> bool:
    with ahead_of_others(SERVER):
        return os.sched_getscheduler(0) == os.SCHED_RR


def test_it_hears_what_a_recognizer_here_hears_and_goes_before_what_is_no_part_of_the_call() -> None:
    samples = speak("heart", "Where is my parcel?")
    apart = recognizer_apart("tiny.en")
    assert apart.transcribe(samples) == load_recognizer("tiny.en").transcribe(samples)
    if _grants_real_time():
        assert os.sched_getscheduler(apart.process.pid) == os.SCHED_RR
        assert os.sched_getparam(apart.process.pid).sched_priority == SERVER < LINE
    assert os.getpriority(os.PRIO_PROCESS, apart.process.pid) == os.getpriority(os.PRIO_PROCESS, 0)
    assert recognizer_apart("tiny.en") is apart


def test_one_that_is_gone_is_told_and_the_next_call_has_another() -> None:
    apart = recognizer_apart("tiny.en")
    apart.process.send_signal(signal.SIGKILL)
    apart.process.wait()
    with pytest.raises(VoicebenchError, match=f"process {apart.process.pid}, is gone"):
        apart.transcribe(np.zeros(16_000, np.int16))
    another = recognizer_apart("tiny.en")
    assert another is not apart
    assert another.transcribe(np.zeros(16_000, np.int16)).text == ""
    another.close()
    recognizer_apart.cache_clear()


def test_an_unknown_model_is_refused_here() -> None:
    with pytest.raises(ConfigError):
        RecognizerApart("nobody")
