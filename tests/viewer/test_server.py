"""The server of the pages: whom it answers, what it hands out, and that it only reads."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.scripted import ScriptedEngine
from tests.viewer.browser import serving
from voicebench.config import load_pipeline
from voicebench.errors import AgentError
from voicebench.record.transcript import FactMention
from voicebench.runner import RunRequest, run
from voicebench.viewer.guard import is_allowed
from voicebench.viewer.render import page_path

pytestmark = pytest.mark.unit

CALL = page_path("call", "one", "customer_support", "T2-H3", 1, 1)
OTHER = page_path("call", "one", "customer_support", "T1-E1", 1, 1)
SOUND = bytes(range(256)) * 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run, and beside both a file that is nobody's business."""
    parent = tmp_path_factory.mktemp("served")
    (parent / "secret.json").write_text("{}")
    out = parent / "runs" / "one"
    played = ScriptedEngine("failed", "passed", *(AgentError("the service is away") for _ in range(3)))
    run(RunRequest(load_pipeline("fast"), tasks=["T2-H3", "T1-E1", "T2-M1"], out=out), make_engine=played)
    call = out / "calls/customer_support/T2-H3/1/attempt-1"
    (call / "recording.wav").write_bytes(SOUND)
    (call / "state.json").symlink_to(parent / "secret.json")
    (call / "notes.txt").write_text("not a file of a call")
    other = out / "calls/customer_support/T1-E1/1/attempt-1/call.json"
    taken = {"missed_turns": 2, "talk_over_s": 1.5, "yield_ms": {"p50": 350.0, "p95": 900.0, "n": 3}}
    other.write_text(json.dumps({**json.loads(other.read_text()), **taken}))
    return parent / "runs"


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    yield from serving(folder)


def ask(address: str, path: str, method: str = "GET", **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    """Ask for a path exactly as it is written."""
    where = urlsplit(address)
    connection = http.client.HTTPConnection(where.hostname or "", where.port or 0)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers=named)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def test_a_calls_page_says_how_turns_were_taken_where_that_was_measured(address: str) -> None:
    shown, unmeasured = (ask(address, f"/{path}")[1].decode() for path in (OTHER, CALL))
    assert "<dt>Turns of the caller without an answer</dt><dd>2</dd>" in shown
    assert "<dt>Both spoke at once</dt><dd>1.5 s</dd>" in shown
    assert "<dt>Time to yield, median / 95 %</dt><dd>350 ms / 900 ms</dd>" in shown
    assert "without an answer</dt>" not in unmeasured
    assert "Both spoke" not in unmeasured


@pytest.mark.parametrize("path", ["", "run/one/", CALL, "task/customer_support/T2-H3/", "pack/customer_support/"])
def test_each_page_is_served_under_a_strict_policy(address: str, path: str) -> None:
    answer, body = ask(address, f"/{path}")
    assert answer.status == 200
    rules = (answer.getheader("Content-Security-Policy") or "").split("; ")
    assert rules[0] == "default-src 'none'"
    assert "script-src 'self'" in rules
    assert "unsafe" not in " ".join(rules)
    assert answer.getheader("X-Content-Type-Options") == "nosniff"
    assert b" style=" not in body
    assert b" onclick=" not in body
    scripts = [part.partition(b">")[0] for part in body.split(b"<script")[1:]]
    assert all(b"src=" in script or b"application/json" in script for script in scripts)
    assert b"http://" not in body.replace(b"http://www.w3.org/", b"")
    assert b"https://" not in body


def test_two_answers_have_different_nonces(address: str) -> None:
    policies = {ask(address, "/")[0].getheader("Content-Security-Policy") for _ in range(2)}
    assert len(policies) == 2


def test_the_server_says_that_it_is_well(address: str) -> None:
    answer, body = ask(address, "/healthz")
    assert (answer.status, json.loads(body)["status"]) == (200, "ok")


def test_a_recording_comes_in_ranges(address: str) -> None:
    answer, body = ask(address, f"/{CALL}recording.wav", Range="bytes=100-199")
    assert (answer.status, answer.getheader("Content-Type")) == (206, "audio/wav")
    assert answer.getheader("Content-Range") == f"bytes 100-199/{len(SOUND)}"
    assert body == SOUND[100:200]
    assert ask(address, f"/{CALL}recording.wav", Range="bytes=99999-")[0].status == 416


@pytest.mark.parametrize(
    "path",
    [
        f"{CALL}notes.txt",
        f"{CALL}state.json",
        f"{CALL}..%2f..%2f..%2f..%2f..%2frun.json",
        f"{CALL}../call.json/../../../../../../run.json",
        "call/%2e%2e/customer_support/T2-H3/1/1/call.json",
        "call/one/%2e%2e/%2e%2e/1/1/",
        "call/one/..%2f..%2f..%2f/x/1/1/call.json",
        "call/one/customer_support/T2-H3/9/1/",
        "call/one/customer_support/T2-H3/1/7/",
        "run/two/",
        "run/%2e%2e/",
        "task/customer_support/%2e%2e/",
        "pack/%2e%2e/",
        "static/../app.py",
        "static/%2e%2e/app.py",
        "secret.json",
    ],
)
def test_nothing_else_is_there(address: str, path: str) -> None:
    answer, body = ask(address, f"/{path}")
    assert answer.status == 404
    assert b"def " not in body
    assert b"schema_version" not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_it_only_reads(address: str, folder: Path, method: str) -> None:
    before = sorted((path, path.lstat().st_mtime_ns) for path in folder.rglob("*"))
    assert ask(address, f"/{CALL}", method)[0].status == 405
    assert ask(address, f"/{CALL}")[0].status == 200
    assert sorted((path, path.lstat().st_mtime_ns) for path in folder.rglob("*")) == before


def test_another_host_name_is_refused(address: str) -> None:
    answer, body = ask(address, f"/{CALL}", Host="evil.example")
    assert answer.status == 421
    assert b"T2-H3" not in body
    assert ask(address, "/", Host="localhost:99")[0].status == 200


@pytest.mark.parametrize(
    ("header", "bound", "allowed"),
    [
        ("localhost", "127.0.0.1", True),
        ("localhost:8765", "127.0.0.1", True),
        ("127.0.0.1:8765", "127.0.0.1", True),
        ("[::1]:8765", "::1", True),
        ("10.0.0.7:8765", "127.0.0.1", False),
        ("localhost.evil.example", "127.0.0.1", False),
        ("evil.example:8765", "0.0.0.0", False),
        ("10.0.0.7:8765", "0.0.0.0", True),
        ("desk.example:8765", "desk.example", True),
        ("", "127.0.0.1", False),
    ],
)
def test_which_host_names_are_answered(header: str, bound: str, allowed: bool) -> None:
    assert is_allowed(header, bound) is allowed


def test_a_call_that_is_not_made_yet_has_a_page_and_no_files(folder: Path, address: str) -> None:
    path = page_path("call", "one", "customer_support", "T1-E1", 1, 2)
    assert ask(address, f"/{path}")[0].status == 404
    (folder / "one/calls/customer_support/T1-E1/1/attempt-1").rename(folder / "one/gone")
    try:
        unfinished = path.replace("/2/", "/1/")
        answer, body = ask(address, f"/{unfinished}")
        assert answer.status == 200
        assert b"unfinished" in body
        assert ask(address, f"/{unfinished}call.json")[0].status == 404
    finally:
        (folder / "one/gone").rename(folder / "one/calls/customer_support/T1-E1/1/attempt-1")


def test_what_was_found_out_about_a_call_is_shown_where_it_is_there(folder: Path, address: str) -> None:
    path = folder / "one/calls/customer_support/T1-E1/1/attempt-1/call.json"
    before = path.read_text()
    words = {"words": 8, "substitutions": 1, "deletions": 1, "insertions": 0, "rate": 0.25}
    saying = FactMention(
        fact="order_number",
        type="id",
        value="KE-44",
        speaker="caller",
        leg="caller_to_agent",
        start_s=4.0,
        end_s=5.0,
        form=0,
        said="four four",
        heard="four five",
        understood="45",
        right=False,
        rule="id: 45 = 44",
        used="KE-45",
        span_ids=("abc1",),
        heard_span_ids=(),
    )
    found = {
        "attribution": {
            "cause": "asr",
            "sentence": "The order number was heard as 5.",
            "evidence": ["abc1"],
            "at_s": 4.0,
        },
        "fidelity": [{"rule": "forbidden", "what": "named a date", "span_id": "abc1"}],
        "fact_mentions": [saying.to_json()],
        "word_errors": {"caller_to_agent": {"utterances": 1, **words}, "agent_to_caller": None},
    }
    assert b'id="heard"' not in ask(address, f"/{OTHER}")[1]
    path.write_text(json.dumps({**json.loads(before), **found}))
    page = " ".join(ask(address, f"/{OTHER}")[1].decode().split())
    path.write_text(before)
    assert "The order number was heard as 5." in page
    assert '<a href="#span=abc1">evidence 1</a>' in page
    assert "The caller named a date." in page
    assert "2 of 8 words (25 %)" in page
    assert "<td>four four</td><td>45</td><td>✗ wrong</td><td>KE-45</td>" in page


def test_a_call_that_could_not_be_held_says_why_and_links_its_attempts(address: str) -> None:
    path = page_path("call", "one", "customer_support", "T2-M1", 1, 3)
    answer, body = ask(address, f"/{path}")
    page = " ".join(body.decode().split())
    assert answer.status == 200
    assert "The call could not be held, which says nothing about the agent:" in page
    assert "the service is away" in page
    assert all(f"/customer_support/T2-M1/1/{attempt}/" in page for attempt in (1, 2))
    assert "<audio" not in page
    assert ask(address, f"/{path.replace('/3/', '/4/')}")[0].status == 404


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("gates", [], "call.json: gates: Input should be a valid dictionary"),
        ("call_s", "long", "call.json: call_s: Input should be a valid number"),
        ("state_diff", [{"kind": "extra"}], "call.json: state_diff.0.table: Field required"),
        ("tool_calls", {"rows": [5]}, "call.json: tool_calls.rows.0: "),
        ("cost", 5, "call.json: cost: "),
    ],
)
def test_json_of_another_kind_is_corrupt_too_and_spoils_no_other_page(
    folder: Path, address: str, key: str, value: object, told: str
) -> None:
    path = folder / "one/calls/customer_support/T1-E1/1/attempt-1/call.json"
    before = path.read_text()
    path.write_text(json.dumps({**json.loads(before), key: value}))
    answers = [ask(address, f"/{page}") for page in (OTHER, "run/one/", "")]
    path.write_text(before)
    assert [answer.status for answer, _ in answers] == [200, 200, 200]
    assert told in answers[0][1].decode()
    assert "corrupt" in answers[1][1].decode()
