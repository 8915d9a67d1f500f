"""Calls in real time that say something of the machine or of the service, and nothing of the agent."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from tests.hard.calls import shop, unit
from voicebench.call import CallModels, CallSetup, prepare, run_call_unit
from voicebench.config import Pipeline, load_pipeline
from voicebench.engines.endpoints import model_under_test
from voicebench.llm import LlmTarget
from voicebench.record.call import CallRecord
from voicebench.speech.asr import Transcript

pytestmark = [pytest.mark.audio, pytest.mark.alone]

TASK = "T1-E1"


class Starved:
    """A recognizer on a machine that has no time for it."""

    def transcribe(self, samples: npt.NDArray[np.int16]) -> Transcript:
        time.sleep(1.5 * max(1.0, len(samples) / 16_000))
        return Transcript("Good afternoon.", 0.1, -0.2, 1.0, "en")


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    short = ["limits.agent_silence_s=5", "agent.timeout_s=3", "agent.local.asr.model=tiny.en"]
    return load_pipeline("realtime-local", [*short, "agent.local.fault=stall"])


@pytest.fixture(scope="module")
def service(pipeline: Pipeline) -> Iterator[LlmTarget]:
    """A service that stalls once it has taken the caller's first turn."""
    with model_under_test(pipeline.agent, 7) as (target, _):
        yield target


@pytest.fixture(scope="module")
def models(pipeline: Pipeline) -> CallModels:
    return prepare(pipeline, [pipeline.caller.voice_for(shop().cases[TASK].caller.voice)])


def held(pipeline: Pipeline, service: LlmTarget, models: CallModels) -> CallRecord:
    return run_call_unit(unit(TASK), CallSetup(pipeline, shop(), shop().cases[TASK], service, models=models)).call


def test_a_caller_that_is_starved_of_its_recognizer_makes_no_verdict(
    pipeline: Pipeline, service: LlmTarget, models: CallModels
) -> None:
    call = held(pipeline, service, dataclasses.replace(models, caller_asr=Starved()))
    assert (call.verdict, call.end_reason) == ("error", "error")
    assert str(call.reason).startswith("timing: the caller's recognition took ")
    assert call.attribution is not None
    assert call.attribution.cause == "harness"


def test_a_service_that_stalls_with_an_answer_owed_is_an_error_and_not_a_silent_agent(
    pipeline: Pipeline, service: LlmTarget, models: CallModels
) -> None:
    call = held(pipeline, service, models)
    assert (call.verdict, call.end_reason) == ("error", "error")
    assert call.reason == "the service has sent nothing of the response that it owes for 3 s"
    assert call.turns is not None
    assert call.turns.caller == 1
