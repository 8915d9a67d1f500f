"""A voice's YAML is checked, and a variant takes what it does not say from its base."""

from __future__ import annotations

from pathlib import Path

import pytest

from voicebench.config import data_dir, environment
from voicebench.errors import ConfigError
from voicebench.speech import voices
from voicebench.speech.voices import voice_entries, voice_names, voice_spec

pytestmark = pytest.mark.unit


def test_the_shipped_voices() -> None:
    assert voice_names() == ["heart", "heart-low", "joe", "joe-high", "joe-slow"]
    assert [entry.name for entry in voice_entries()] == ["heart", "joe"]
    assert (voice_spec("joe").engine, voice_spec("joe").licence) == ("piper", "CC0-1.0")
    assert (voice_spec("heart").engine, voice_spec("heart").licence) == ("hibari", "Apache-2.0")


def test_a_variant_shares_weights_and_differs_in_pitch_pace_and_level() -> None:
    joe, high, slow = (voice_spec(name) for name in ("joe", "joe-high", "joe-slow"))
    assert high.entry == slow.entry == joe.entry
    assert (joe.pitch, joe.speed) == (1.0, 1.0)
    assert (high.pitch, high.speed) == (1.18, 0.9)
    assert (slow.pitch, slow.speed) == (1.0, 0.75)
    assert joe.active_level_dbov < min(high.active_level_dbov, slow.active_level_dbov)


def test_an_unknown_voice_suggests_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'joe-slow'"):
        voice_spec("joe-slwo")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("sample_rate: 22050", "sample_rate: fast", "sample_rate"),
        ("engine: piper", "engine: festival", "engine"),
        ("sha256: 58af", "sha256: nope", "files.0.sha256"),
        ("sample_rate:", "rate:", "sample_rate"),
        ("engine: piper", "[", "not YAML"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(
    old: str, new: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (data_dir("voices") / "joe.yaml").read_text(encoding="utf-8")
    (tmp_path / "broken.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    for module in (voices, environment):
        monkeypatch.setattr(module, "data_dir", lambda kind: tmp_path)
    voice_spec.cache_clear()
    with pytest.raises(ConfigError, match=rf"broken\.yaml: {said}"):
        voice_spec("broken")
    voice_spec.cache_clear()
