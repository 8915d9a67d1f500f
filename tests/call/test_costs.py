"""Who does which part of a pipeline's calls."""

from __future__ import annotations

from datetime import date

import pytest

from voicebench.call.costs import cost_of_request, services
from voicebench.config import load_pipeline
from voicebench.metrics.cost import Service
from voicebench.runner.estimate import estimate

pytestmark = pytest.mark.unit

DAY = date(2026, 11, 1)


def test_a_cascade_has_ears_and_a_voice_of_this_machine() -> None:
    parts = services(load_pipeline("fast", model="gpt-4.1"))
    assert parts["agent"] == Service("gpt-4.1")
    assert (parts["asr"].model, parts["asr"].local, parts["tts"].model) == ("tiny.en", True, "joe")


def test_a_service_is_paid_for_its_tokens_and_for_writing_down_what_it_heard() -> None:
    parts = services(load_pipeline("realtime-openai"))
    assert parts["agent"] == Service("gpt-realtime-2")
    assert parts["asr"] == Service("gpt-4o-mini-transcribe")
    assert (parts["tts"].model, parts["tts"].local) == ("within the agent", True)
    silent = services(load_pipeline("realtime-openai", ["agent.transcription=null"]))
    assert silent["asr"] == Service("none", local=True)


def test_the_local_server_costs_nothing_in_any_part() -> None:
    assert all(part.local for part in services(load_pipeline("realtime-local")).values())
    assert estimate(load_pipeline("realtime-local"), 3, 3, 1, []).usd == 0.0


def test_an_estimate_in_real_time_is_the_length_of_calls_and_has_sound_in_its_price() -> None:
    pipeline = load_pipeline("realtime-openai")
    found = estimate(pipeline, 4, 4, 2, [])
    assert found.wall_s == 2 * 75.0 + 5.0
    usage = {"input_tokens": 1_000.0, "output_tokens": 100.0}
    sound = {**usage, "input_audio_tokens": 1_000.0, "output_audio_tokens": 100.0}
    assert cost_of_request(pipeline, "agent", DAY, usage) == pytest.approx((1_000 * 4 + 100 * 24) / 1e6)
    assert cost_of_request(pipeline, "agent", DAY, sound) == pytest.approx((1_000 * 32 + 100 * 64) / 1e6)
