"""What of a server's address may be a secret is neither shown nor stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from voicebench.cli import main
from voicebench.config import load_pipeline
from voicebench.config.addresses import secrets_in, shown_address
from voicebench.llm import LlmTarget
from voicebench.serve import AgentServerOptions, start_endpoint

pytestmark = pytest.mark.unit

CANARY = "canary-p%40ss-77x"
DECODED = "canary-p@ss-77x"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://models.example/v1", "https://models.example/v1"),
        ("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1/"),
        ("https://[::1]:8000/v1", "https://[::1]:8000/v1"),
        (f"https://me:{CANARY}@models.example/v1", "https://[redacted]@models.example/v1"),
        (f"https://{CANARY}@models.example/v1", "https://[redacted]@models.example/v1"),
        (f"https://a/v1?key={CANARY}&api-version=3", "https://a/v1?key=[redacted]&api-version=[redacted]"),
        (f"https://a/v1?{CANARY}#{CANARY}", "https://a/v1?[redacted]#[redacted]"),
        (f"wss://me:{CANARY}@a?x={CANARY}", "wss://[redacted]@a?x=[redacted]"),
        (f"me:{CANARY}@models.example/v1", "[redacted]@models.example/v1"),
    ],
)
def test_an_address_is_shown_without_what_may_be_a_key(url: str, shown: str) -> None:
    assert shown_address(url) == shown
    assert shown_address(shown) == shown


def test_secrets_of_an_address_are_found_as_they_stand_and_decoded() -> None:
    assert {CANARY, DECODED} <= set(secrets_in(f"https://me:{CANARY}@a/v1"))
    assert {CANARY, DECODED} <= set(secrets_in(f"https://a/v1?key={CANARY}"))
    assert secrets_in("https://a/v1") == secrets_in(None) == ()


def test_a_server_that_repeats_a_secret_of_its_address_does_not_bring_it_into_a_message() -> None:
    target = LlmTarget("m", f"https://me:{CANARY}@a/v1?key=second-canary", "sk-x")
    told = target.without_key(f"{target.where}: no user {DECODED} ({CANARY}), nor second-canary")
    assert "canary" not in told


@pytest.mark.parametrize("key", ["agent.llm.base_url", "caller.llm.base_url"])
def test_a_configuration_is_stored_and_hashed_without_them(key: str) -> None:
    one, other = (load_pipeline("fast", [f"{key}=https://me:{word}-8chars@a/v1"]) for word in ("canary", "sparrow"))
    assert "canary" not in one.model_dump_json()
    assert one.config_hash == other.config_hash
    assert "canary" in str(one.model_dump()), "who connects needs it"


def test_planted_secrets_of_an_address_reach_no_file_and_no_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with start_endpoint(AgentServerOptions(model="silent")) as endpoint:
        url = endpoint.url.replace("://", f"://me:{CANARY}@")
        ask = ["--model", "silent", "--base-url", url, "--channel", "text", "--task", "T1-E1"]
        with pytest.raises(SystemExit):
            main(["run", "fast", *ask, "--out", str(tmp_path / "answered")])
    with pytest.raises(SystemExit):
        main(["run", "fast", *ask, "--out", str(tmp_path / "refused")])
    told = capsys.readouterr()
    assert "[redacted]@127.0.0.1" in told.out + told.err
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"[redacted]@127.0.0.1" in stored
    for secret in (CANARY, DECODED):
        assert secret not in told.out + told.err
        assert secret.encode() not in stored
