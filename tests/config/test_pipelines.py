"""Pipelines: what is shipped, what wins over what, and what a mistake is told."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from voicebench.config import (
    Charge,
    Pipeline,
    data_dir,
    default_trials,
    load_pipeline,
    pipeline_names,
    voice_names,
)
from voicebench.config.models import RealtimeAgent, stored_model, stored_pipeline, stored_served
from voicebench.errors import ConfigError

pytestmark = pytest.mark.unit


def message_of(name: str | Path, *overrides: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load_pipeline(name, overrides)
    return str(caught.value)


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text)
    return path


def test_the_defaults_are_local_cpu() -> None:
    assert load_pipeline("local-cpu").config_hash == Pipeline().config_hash


def test_every_shipped_pipeline_spells_out_every_key() -> None:
    def keys(values: object, prefix: str = "") -> set[str]:
        if not isinstance(values, dict):
            return {prefix}
        return {prefix}.union(*(keys(value, f"{prefix}.{key}") for key, value in values.items()))

    optional = {".line.caller_to_agent", ".line.agent_to_caller"}
    for name in pipeline_names():
        complete = keys(load_pipeline(name).model_dump()) - optional
        assert keys(yaml.safe_load((data_dir("pipelines") / f"{name}.yaml").read_text())) == complete, name


def test_fast_has_fixed_charges_and_no_wait_at_the_endpoint() -> None:
    fast = load_pipeline("fast")
    assert fast.name == "fast"
    assert fast.clock.charges.asr == Charge("fixed", 400.0)
    assert fast.clock.charges.llm == Charge("fixed", 300.0, 20.0)
    assert fast.cascade.llm.ttft_ms == 0
    assert fast.cascade.asr.model == fast.caller.asr.model == "tiny.en"


def test_a_pipeline_leaves_the_voice_to_the_task_or_names_one_for_all() -> None:
    by_task = load_pipeline("local-cpu").caller
    assert (by_task.voice_for("joe-slow"), by_task.voice_for(None)) == ("joe-slow", "heart")
    one = load_pipeline("local-cpu", ["caller.voice=joe-high"]).caller
    assert (one.voice_for("joe-slow"), one.voice_for(None)) == ("joe-high", "joe-high")
    assert "task" not in voice_names()
    with pytest.raises(ConfigError, match=r"caller\.voice: no voice 'taks'; write task, or one of heart, "):
        load_pipeline("local-cpu", ["caller.voice=taks"]).caller.voice_for("joe-slow")
    by_name = {name: load_pipeline(name).caller.voice for name in pipeline_names()}
    assert by_name.pop("fast") == "heart"
    assert set(by_name.values()) == {"task"}


def test_the_hash_follows_values_and_not_their_spelling() -> None:
    plain = load_pipeline("local-cpu").config_hash
    assert load_pipeline("local-cpu", ["agent.turn_end_ms=600.0"]).config_hash == plain
    assert load_pipeline("local-cpu", ["agent.turn_end_ms=601"]).config_hash != plain


def test_a_flag_beats_a_variable_beats_dotenv_beats_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, "agent: {llm: {model: from-file, ttft_ms: 1, timeout_s: 1}, turn_end_ms: 1}")
    (tmp_path / ".env").write_text(
        "VOICEBENCH_MODEL=from-dotenv\nVOICEBENCH_AGENT__LLM__TTFT_MS=2\nVOICEBENCH_AGENT__LLM__TIMEOUT_S=2\n"
    )
    monkeypatch.setenv("VOICEBENCH_AGENT__LLM__TTFT_MS", "3")
    monkeypatch.setenv("VOICEBENCH_AGENT__LLM__TIMEOUT_S", "3")
    pipeline = load_pipeline(path, ["agent.llm.timeout_s=4"])
    llm = pipeline.cascade.llm
    assert (pipeline.cascade.turn_end_ms, llm.model, llm.ttft_ms, llm.timeout_s) == (1, "from-dotenv", 3, 4)


def test_an_override_adds_to_open_mappings() -> None:
    params = load_pipeline("local-cpu", ["agent.llm.params.max_tokens=64"]).cascade.llm.params
    assert params == {"temperature": 0, "max_tokens": 64}


def test_an_unknown_pipeline_is_told_with_the_nearest_name() -> None:
    assert "did you mean 'local-cpu'" in message_of("local-cp")
    assert "callm, fast, local-cpu" in message_of("quux")


def test_a_missing_file_is_told() -> None:
    assert message_of("no/such.yaml").startswith("pipeline no/such.yaml: no such file")


def test_an_unknown_key_is_told_with_file_key_and_nearest(tmp_path: Path) -> None:
    path = written(tmp_path, "agent: {llm: {modell: gpt-4.1}}")
    assert message_of(path) == f"{path}: unknown key 'agent.llm.modell'; the nearest valid key is 'agent.llm.model'"


def test_a_key_at_the_wrong_depth_is_told_where_it_belongs() -> None:
    assert "'aggressiveness'; the nearest valid key is 'agent.vad.aggressiveness'" in message_of(
        "fast", "aggressiveness=1"
    )


def test_an_unknown_variable_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEBENCH_AGENT__LLM__TTFT", "3")
    assert message_of("fast").startswith("VOICEBENCH_AGENT__LLM__TTFT in environment: unknown key 'agent.llm.ttft'")


def test_a_wrong_value_is_told_with_the_source_that_set_it(tmp_path: Path) -> None:
    path = written(tmp_path, "limits: {turns: many}\n")
    assert message_of(path).startswith(f"{path}: 'limits.turns' is 'many':")
    assert message_of("fast", "agent.turn_end_ms=-1").startswith(
        "--set agent.turn_end_ms=-1: 'agent.turn_end_ms' is -1"
    )


@pytest.mark.parametrize(
    ("override", "reason"),
    [
        ("clock.charges.llm=cpu", "'cpu' cannot charge the language model"),
        ("clock.charges.asr=recorded", "only where a call is replayed"),
        ("clock.charges.tts=fixed:x", "charge 'fixed:x' is not understood"),
        ("clock.charges.asr=fixed:-5", "charge 'fixed:-5' is not understood"),
    ],
)
def test_a_bad_charge_is_refused(override: str, reason: str) -> None:
    message = message_of("fast", override)
    assert message.startswith(f"--set {override}: '{override.partition('=')[0]}' is")
    assert reason in message


@pytest.mark.parametrize("text", ["agent: {llm: [}", "- a\n- b\n", "\ttab"])
def test_a_file_that_is_no_mapping_is_told(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    assert message_of(path).startswith(f"pipeline {path}: ")


def test_an_override_without_a_value_is_told() -> None:
    assert message_of("fast", "agent.turn_end_ms").startswith(
        "--set agent.turn_end_ms: not understood; write KEY=VALUE"
    )


def test_an_empty_file_is_the_defaults(tmp_path: Path) -> None:
    assert load_pipeline(written(tmp_path, "")).config_hash == Pipeline().config_hash


@pytest.mark.parametrize(
    ("name", "mode", "harness"), [("callm", "charge", "cascade"), ("mivas", "real", "openai-realtime")]
)
def test_a_profile_pins_its_caller_its_line_and_five_trials(name: str, mode: str, harness: str) -> None:
    profile, fast = load_pipeline(name), load_pipeline("fast")
    assert (profile.clock.mode, profile.agent.harness, profile.line.preset) == (mode, harness, "pstn")
    caller = profile.caller
    assert (caller.kind, caller.profile, caller.llm.model) == ("llm", "locked", "gpt-4.1-mini-2025-04-14")
    assert caller.llm.prompt == 3
    assert (default_trials(profile), default_trials(fast)) == (5, 1)
    assert load_pipeline(name, ["caller.llm.params={temperature: 1}"]).config_hash != profile.config_hash


def test_a_realtime_harness_has_keys_of_its_own() -> None:
    agent = load_pipeline("realtime-local").agent
    assert isinstance(agent, RealtimeAgent)
    assert (agent.served.model, agent.voice, agent.local.asr.model) == ("reference", "joe", "base")
    assert "unknown key 'agent.modell'; the nearest valid key is 'agent.model'" in message_of(
        "realtime-local", "agent.modell=x"
    )
    assert message_of("realtime-local", "agent.turn_detection.threshold=2").startswith(
        "--set agent.turn_detection.threshold=2: 'agent.turn_detection.threshold' is 2:"
    )


def test_the_model_under_test_is_set_where_the_harness_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEBENCH_BASE_URL", "http://127.0.0.1:9/v1")
    for name in ("fast", "realtime-local"):
        served = load_pipeline(name, model="mine").agent.served
        assert (served.model, served.base_url) == ("mine", "http://127.0.0.1:9/v1")


def test_an_unknown_harness_is_told_with_those_there_are() -> None:
    message = message_of("fast", "agent.harness=gemini")
    assert message == (
        "--set agent.harness=gemini: 'agent.harness' is 'gemini': there is no such harness; "
        "there are cascade, openai-realtime"
    )


def test_a_realtime_harness_is_refused_on_any_clock_but_the_wall() -> None:
    assert "set clock.mode=real and channel=audio" in message_of("realtime-local", "clock.mode=charge")
    assert "set clock.mode=real and channel=audio" in message_of("realtime-local", "channel=text")


def test_in_real_time_a_service_that_stalls_must_be_found_before_the_silence_is_too_long() -> None:
    assert load_pipeline("realtime-openai").agent.served.timeout_s == 15
    too_long = message_of("realtime-local", "agent.timeout_s=20")
    assert "agent.timeout_s (20) must be below limits.agent_silence_s (20)" in too_long
    assert too_long.endswith("set agent.timeout_s=15")
    assert message_of("realtime-local", "limits.agent_silence_s=8").endswith("set agent.timeout_s=6")
    assert message_of("fast", "clock.mode=real").endswith("set agent.llm.timeout_s=15")
    assert load_pipeline("fast", ["clock.mode=real", "agent.llm.timeout_s=15"]).clock.mode == "real"
    assert load_pipeline("fast").agent.served.timeout_s == 30


def test_a_run_that_was_made_with_a_longer_time_is_still_read() -> None:
    stored = dict(load_pipeline("realtime-local").model_dump(mode="json"))
    assert stored_pipeline({**stored, "agent": {**stored["agent"], "timeout_s": 30}}).agent.served.timeout_s == 30


def test_the_model_of_a_stored_configuration_is_found_whatever_the_harness() -> None:
    for name in ("fast", "realtime-openai"):
        configuration = load_pipeline(name, model="mine").model_dump(mode="json")
        assert stored_model(configuration) == "mine"
        assert stored_served(configuration)["api_key_env"] == "OPENAI_API_KEY"
    with pytest.raises(KeyError):
        stored_model({"agent": {"harness": "cascade"}})
