"""Presets and their changes are checked, and errors name what was meant."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from voicebench.errors import ConfigError
from voicebench.line import LegSettings, LineSettings, preset, presets
from voicebench.record.json_types import JsonObject

pytestmark = pytest.mark.unit


def test_presets_are_listed_with_a_description() -> None:
    assert [each.name for each in presets()] == [
        "clean", "pstn", "voip", "voip_wifi", "volte", "mobile", "mobile_poor", "webrtc", "speakerphone", "car",
        "background_noise", "bad_signal",
    ]  # fmt: skip
    assert all(each.description for each in presets())


def test_clean_does_nothing() -> None:
    assert preset("clean") == LineSettings(caller_to_agent=LegSettings(), agent_to_caller=LegSettings())
    assert preset("clean").caller_to_agent.codec == "none"


def test_pstn_has_the_noise_and_the_set_on_the_callers_leg_only() -> None:
    line = preset("pstn")
    assert line.caller_to_agent.model_dump(exclude_defaults=True) == {
        "send_filter": "irs", "line_noise_dbov": -65.0, "codec": "g711u", "delay_ms": 30.0, "buffer_ms": 20.0,
    }  # fmt: skip
    assert line.agent_to_caller.line_noise_dbov is None
    assert (line.agent_to_caller.send_filter, line.agent_to_caller.band_limit) == ("none", "telephone")
    assert (line.agent_to_caller.delay_ms, line.agent_to_caller.buffer_ms) == (30.0, 20.0)


def test_an_unknown_preset_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"'pstm' is unknown; did you mean 'pstn'\? valid: background_noise, bad"):
        preset("pstm")


def test_keys_of_one_leg_can_be_changed() -> None:
    before = preset("pstn")
    after = before.with_leg("caller_to_agent", {"line_noise_dbov": -50, "codec": "g711a"})
    assert after.caller_to_agent.line_noise_dbov == -50.0
    assert after.caller_to_agent.codec == "g711a"
    assert after.caller_to_agent.send_filter == "irs"
    assert after.agent_to_caller == before.agent_to_caller
    assert before.caller_to_agent.codec == "g711u"


@pytest.mark.parametrize(
    ("leg", "keys", "message"),
    [
        ("caller_to_agent", {"codek": "g711u"}, r"line\.caller_to_agent: unknown key 'codek'; did you mean 'codec'\?"),
        (
            "caller_to_agent",
            {"codec": "g711"},
            r"line\.caller_to_agent\.codec: .*'g711' is unknown; did you mean 'g711",
        ),
        ("agent_to_caller", {"delay_ms": -1}, r"line\.agent_to_caller\.delay_ms: .*greater than or equal to 0.*got -1"),
        ("agent_to_caller", {"delay_ms": float("nan")}, r"line\.agent_to_caller\.delay_ms: .*finite"),
        ("agent_to_caler", {}, r"'agent_to_caler' is no leg; did you mean 'agent_to_caller'\?"),
    ],
)
def test_wrong_changes_are_explained(leg: str, keys: JsonObject, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        preset("pstn").with_leg(leg, keys)


def test_settings_are_frozen() -> None:
    with pytest.raises(ValidationError):
        setattr(preset("pstn").caller_to_agent, "codec", "none")  # noqa: B010


def test_a_mapping_changes_the_keys_it_names_and_another_model_replaces_all() -> None:
    before = preset("voip_wifi")
    longer = before.with_leg("caller_to_agent", {"loss": {"r": 0.25}}).caller_to_agent.loss
    assert longer.model_dump() == {**before.caller_to_agent.loss.model_dump(), "r": 0.25}
    other = before.with_leg("caller_to_agent", {"loss": {"model": "bernoulli", "p": 0.2}}).caller_to_agent.loss
    assert other.model_dump() == {"model": "bernoulli", "p": 0.2}
    none = before.with_leg("caller_to_agent", {"loss": "none", "jitter": "none"}).caller_to_agent
    assert (none.loss.model, none.jitter.model) == ("none", "none")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"loss": {"model": "gilbert", "p": 2, "r": 0.5}},
            r"line\.caller_to_agent\.loss\.gilbert\.p: .*less than or equal",
        ),
        ({"loss": "gilbort"}, r"line\.caller_to_agent\.loss: .*'gilbert', 'gilbert_elliott'"),
        ({"noise": {"snr_db": 5}}, r"line\.caller_to_agent\.noise\.kind: Field required"),
        ({"echo": {"loss_db": 20, "delay": 3}}, r"line\.caller_to_agent\.echo\.delay: Extra inputs"),
        ({"buffer": "adaptive", "buffer_ms": 300}, "buffer_max_ms is under buffer_ms"),
    ],
)
def test_wrong_models_are_explained(keys: JsonObject, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        preset("pstn").with_leg("caller_to_agent", keys)
