"""Calls made again from their exchanges: equal to the byte, or the first difference named."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from tests.agent.loopback import chunk, serving, sse
from voicebench.call import audio
from voicebench.config import data_dir, load_pipeline
from voicebench.errors import ConfigError, StoreError
from voicebench.runner import RunRequest, run
from voicebench.speech.tts import load_voice
from voicebench.stored import Replayed, replay_call

pytestmark = pytest.mark.audio

VOICES = ("heart", "joe-slow")
BYE = json.dumps({"reason": "done"})
MEASURED = ("clock.charges.asr=cpu", "clock.charges.llm=wall", "clock.charges.tts=cpu")
LONG = (
    "Please tell me your full name so that I can look for the order in our system here. "
    "Then I would like to hear the number of the order that it is about today. "
    "After that there are two more things that I have to ask you about the account."
)


def make_call(out: Path, task: str, *settings: str, packs: tuple[str, ...] = ()) -> Path:
    """Make a run of one call and return the folder of its first attempt."""
    pipeline = load_pipeline("fast", settings)
    run(RunRequest(pipeline, packs, [task], seed=7, out=out))
    return out / "calls" / "customer_support" / task / "1" / "attempt-1"


@pytest.fixture(scope="module")
def text_call(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_call(tmp_path_factory.mktemp("text") / "run", "T2-H3", "channel=text")


@pytest.fixture(scope="module")
def audio_call(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_call(tmp_path_factory.mktemp("audio") / "run", "T2-H3")


@pytest.fixture(scope="module")
def measured_call(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_call(tmp_path_factory.mktemp("measured") / "run", "T1-E1", *MEASURED, "limits.call_s=13")


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[Path], Path]:
    """Copies the run of a call, so that a test can change its files."""

    def copied(call_dir: Path) -> Path:
        root = call_dir.parents[4]
        shutil.copytree(root, tmp_path / "copy")
        return tmp_path / "copy" / call_dir.relative_to(root)

    return copied


Copy = Callable[[Path], Path]


@pytest.fixture(autouse=True)
def nothing_but_voices(request: pytest.FixtureRequest) -> Iterator[None]:
    """Once the calls are made neither recognizer nor endpoint nor network can be had."""
    needed = {"text_call", "audio_call", "measured_call"} & set(request.fixturenames)
    for name in needed:
        request.getfixturevalue(name)
    if not needed:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(audio, "load_recognizer", _forbidden)
        patch.setattr("httpx2.AsyncHTTPTransport", _forbidden)
        patch.setattr("subprocess.Popen", _tools_only)
        yield


def _forbidden(*_: Any, **__: Any) -> Any:
    raise AssertionError("a replay needs none")


def _tools_only(command: list[str], *_: Any, start: Any = subprocess.Popen, **settings: Any) -> Any:
    """Start the process of a pack's tools; their code is no model's, and runs again."""
    return start(command, **settings) if "voicebench.packs.tool_child" in command else _forbidden()


def read(call_dir: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (call_dir / name).read_text().splitlines()]


def write(call_dir: Path, name: str, lines: list[dict[str, Any]]) -> None:
    (call_dir / name).write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


@dataclass
class Found:
    """A difference, in whose values a test may look for anything."""

    file: str
    place: str
    recorded: Any
    replayed: Any
    at_ns: int | None
    lines: Any


def first_difference(call_dir: Path) -> Found:
    replayed = replay_call(call_dir)
    assert replayed.difference is not None
    return Found(**vars(replayed.difference))


# ---- equal ----------------------------------------------------------------------------------------------------------


def test_a_call_over_text_replays_equal(text_call: Path) -> None:
    replayed = replay_call(text_call)
    assert replayed.difference is None
    assert replayed.files == dict.fromkeys(("trace.jsonl", "exchanges.jsonl", "state.json", "call.json"), "equal")
    assert replayed.verdict == "passed"


def test_a_call_over_the_telephone_replays_equal(audio_call: Path) -> None:
    replayed = replay_call(audio_call)
    assert replayed.difference is None
    assert replayed.files["recording.wav"] == "equal"
    assert replayed.verdict == "passed"


def test_a_call_with_measured_charges_replays_equal(measured_call: Path) -> None:
    charges = [line["charge_ms"] for line in read(measured_call, "exchanges.jsonl") if "charge_ms" in line]
    assert len(set(charges)) > 3  # they were measured
    assert replay_call(measured_call).difference is None


def test_a_call_with_retries_and_an_interruption_replays_equal(tmp_path: Path) -> None:
    async def complete(request: Request) -> Response:
        said = [message["content"] for message in (await request.json())["messages"] if message["role"] == "user"]
        if len(said) != 1 or "camera" not in said[0]:
            call = {"index": 0, "id": "x", "type": "function", "function": {"name": "end_call", "arguments": BYE}}
            body = chunk(content="Thank you.") + chunk(tool_calls=[call]) + chunk("tool_calls") + sse("[DONE]")
        elif request.headers["x-stainless-retry-count"] == "0":
            return JSONResponse({"error": {"message": "slow down"}}, 503, {"retry-after-ms": "123"})
        else:
            body = chunk(content=LONG) + chunk("stop") + sse("[DONE]")
        return Response(body, media_type="text/event-stream")

    shutil.copytree(data_dir("tasks") / "customer_support", tmp_path / "pack")
    case = tmp_path / "pack" / "cases" / "T2-M1.yaml"
    rule = "    - {asked: full_name, give: [full_name]}"
    assert case.read_text().count(rule) == 1
    case.write_text(case.read_text().replace(rule, rule.replace("}", ", interrupt_after_words: 6}")))
    settings = ["caller.hears=text", *MEASURED[:2], "clock.charges.tts=fixed:2500", "limits.call_s=24"]
    with serving(complete) as url:
        call_dir = make_call(
            tmp_path / "run", "T2-M1", *settings, f"agent.llm.base_url={url}", packs=(str(tmp_path / "pack"),)
        )
    trace, exchanges = read(call_dir, "trace.jsonl"), read(call_dir, "exchanges.jsonl")
    assert "barge_in" in {line["name"] for line in trace}
    assert [line["attributes"]["retries"] for line in trace if line["name"] == "llm"][:2] == [0, 1]
    clauses = [line for line in exchanges if line["kind"] == "tts" and line["party"] == "agent"]
    interrupted, following = clauses[4], clauses[5]
    assert interrupted["text"] not in {line["attributes"].get("text") for line in trace}
    assert following["start_ns"] == interrupted["start_ns"] + 2_500_000_000  # it kept the voice busy
    assert [line["retry_after_ms"] for line in exchanges if line["kind"] == "llm"][:2] == [123.0, 0.0]
    replayed = replay_call(call_dir)  # finds the pack by its path in run.json
    assert replayed.difference is None


def test_a_call_whose_provider_broke_off_replays_equal(tmp_path: Path) -> None:
    async def complete(request: Request) -> Response:
        async def cut() -> Any:
            yield chunk(content="Hel")
            raise ConnectionResetError("the power went off")

        return StreamingResponse(cut(), media_type="text/event-stream")

    with serving(complete) as url:
        call_dir = make_call(tmp_path / "run", "T1-E1", "channel=text", *MEASURED[1:2], f"agent.llm.base_url={url}")
    [exchange] = [line for line in read(call_dir, "exchanges.jsonl") if line["kind"] == "llm"]
    assert exchange["error"].startswith("RemoteProtocolError: ")
    replayed = replay_call(call_dir)
    assert replayed.difference is None
    assert (replayed.verdict, "broke off" in str(replayed.reason) or "failed" in str(replayed.reason)) == (
        "error",
        True,
    )


# ---- different ------------------------------------------------------------------------------------------------------


def test_a_changed_word_is_named_where_the_agent_heard_it(audio_call: Path, copy: Copy) -> None:
    call_dir = copy(audio_call)
    exchanges = read(call_dir, "exchanges.jsonl")
    heard = next(line for line in exchanges if line["kind"] == "asr" and line["party"] == "agent")
    before = heard["text"]
    heard["text"] = before.replace(before.split()[0], "Banana")
    write(call_dir, "exchanges.jsonl", exchanges)
    replayed = replay_call(call_dir)
    difference = replayed.difference
    assert difference is not None
    assert (difference.file, difference.recorded, difference.replayed) == ("trace.jsonl", before, heard["text"])
    [number] = [n for n, line in enumerate(read(call_dir, "trace.jsonl"), 1) if line["span_id"] == heard["span_id"]]
    assert difference.place == f"line {number}, span asr {heard['span_id']}: attributes.text"
    assert replayed.files == {
        "trace.jsonl": "different",
        "exchanges.jsonl": "different",
        "state.json": "not compared",
        "recording.wav": "not compared",
        "call.json": "not compared",
    }


def test_a_changed_charge_is_named_where_it_is_felt(measured_call: Path, copy: Copy) -> None:
    call_dir = copy(measured_call)
    exchanges = read(call_dir, "exchanges.jsonl")
    first = next(line for line in exchanges if line["kind"] == "tts" and line["party"] == "agent")
    first["charge_ms"] += 1
    write(call_dir, "exchanges.jsonl", exchanges)
    difference = first_difference(call_dir)
    assert difference.place.endswith(": end_ns")
    assert difference.replayed - difference.recorded == 1_000_000


def test_a_changed_chunk_is_named_where_it_is_said(text_call: Path, copy: Copy) -> None:
    call_dir = copy(text_call)
    exchanges = read(call_dir, "exchanges.jsonl")
    spoken = next(line for line in read(call_dir, "trace.jsonl") if line["name"] == "agent.speech" and line["start_ns"])
    word = spoken["attributes"]["spoken"].split()[0]
    changed = next(part for line in exchanges for part in line["chunks"] if f'"{word}' in part["data"])
    changed["data"] = changed["data"].replace(f'"{word}', '"Banana', 1)
    write(call_dir, "exchanges.jsonl", exchanges)
    difference = first_difference(call_dir)
    assert (difference.file, difference.place.rpartition(": ")[2]) == ("trace.jsonl", "attributes.intended")
    assert difference.recorded == spoken["attributes"]["intended"]
    assert difference.replayed == difference.recorded.replace(word, "Banana", 1)


def test_another_request_is_shown_beside_the_recorded_one(text_call: Path, copy: Copy) -> None:
    call_dir = copy(text_call)
    exchanges = read(call_dir, "exchanges.jsonl")
    exchanges[2]["request"]["messages"][-1]["content"] = "something else"
    write(call_dir, "exchanges.jsonl", exchanges)
    difference = first_difference(call_dir)
    last = len(exchanges[2]["request"]["messages"]) - 1
    assert (difference.file, difference.recorded) == ("exchanges.jsonl", "something else")
    assert difference.place == f"line 3, llm of the agent: request.messages[{last}].content"
    recorded, replayed = difference.lines
    assert recorded["request"]["messages"][:-1] == replayed["request"]["messages"][:-1]
    assert replayed["request"]["messages"][-1]["content"] == difference.replayed


def test_exchanges_that_run_out_are_told(text_call: Path, copy: Copy) -> None:
    call_dir = copy(text_call)
    exchanges = read(call_dir, "exchanges.jsonl")
    write(call_dir, "exchanges.jsonl", exchanges[:4])
    difference = first_difference(call_dir)
    assert difference.place == "llm of the agent: the record holds no more of them"
    assert difference.recorded is None
    assert difference.replayed["request"] == exchanges[4]["request"]


def test_an_exchange_too_many_is_told(text_call: Path, copy: Copy) -> None:
    call_dir = copy(text_call)
    exchanges = read(call_dir, "exchanges.jsonl")
    write(call_dir, "exchanges.jsonl", [*exchanges, exchanges[-1]])
    difference = first_difference(call_dir)
    assert (difference.place, difference.replayed) == (f"line {len(exchanges) + 1}, llm of the agent", None)


def test_a_changed_row_is_named_by_table_row_and_column(text_call: Path, copy: Copy) -> None:
    call_dir = copy(text_call)
    state = json.loads((call_dir / "state.json").read_text())
    table = next(name for name in state["final"] if state["final"][name])
    column = next(iter(state["final"][table][0]))
    before, state["final"][table][0][column] = state["final"][table][0][column], "changed"
    (call_dir / "state.json").write_text(json.dumps(state))
    replayed = replay_call(call_dir)
    assert replayed.difference is not None
    assert replayed.difference.place == f"final database, table {table}, row 1, column {column}"
    assert (replayed.difference.recorded, replayed.difference.replayed) == ("changed", before)
    assert [name for name, status in replayed.files.items() if status != "equal"] == ["state.json"]


def test_a_flipped_sample_is_named_by_channel_and_second(measured_call: Path, copy: Copy) -> None:
    call_dir = copy(measured_call)
    samples, rate = soundfile.read(call_dir / "recording.wav", dtype="int16")
    samples[32_008, 1] = ~samples[32_008, 1]
    soundfile.write(call_dir / "recording.wav", samples, rate, subtype="PCM_16")
    difference = first_difference(call_dir)
    assert difference.file == "recording.wav"
    assert difference.place == ("right (the agent as the caller heard it), sample 32008, 2.0005 s into the recording")
    assert difference.recorded == int(np.int16(~difference.replayed))
    assert difference.at_ns == 2_000_500_000


def test_another_verdict_is_told(text_call: Path, copy: Copy) -> None:
    call_dir = copy(text_call)
    call = json.loads((call_dir / "call.json").read_text())
    (call_dir / "call.json").write_text(json.dumps({**call, "verdict": "failed"}))
    difference = first_difference(call_dir)
    assert (difference.file, difference.place) == ("call.json", "verdict")
    assert (difference.recorded, difference.replayed) == ("failed", "passed")


# ---- refused --------------------------------------------------------------------------------------------------------


def test_a_pack_that_was_changed_is_refused_and_the_change_named(text_call: Path, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    shutil.copytree(data_dir("tasks") / "customer_support", pack)
    with (pack / "cases" / "T1-E1.yaml").open("a") as file:
        file.write("# a comment changes the hash and nothing that is kept\n")
    with pytest.raises(ConfigError, match=r"is not what it was: hash .* Different: the code of its tools, or a file"):
        replay_call(text_call, str(pack))
    case = pack / "cases" / "T1-E1.yaml"
    title = next(line for line in case.read_text().splitlines() if line.startswith("title: "))
    case.write_text(case.read_text().replace(title, "title: Another"))
    with pytest.raises(ConfigError, match=r"Different: cases T1-E1\. Put it back") as refused:
        replay_call(text_call, str(pack))
    assert "--pack" in str(refused.value)


def test_a_pack_that_is_gone_is_told(text_call: Path, copy: Copy) -> None:
    call_dir = copy(text_call)
    path = call_dir.parents[4] / "run.json"
    record = json.loads(path.read_text())
    assert record["pack_paths"] == {}  # a shipped one is found by its name
    path.write_text(json.dumps({**record, "pack_paths": {"customer_support": "/no/such/pack"}}))
    with pytest.raises(ConfigError, match=r"cannot be loaded: .* Give its folder, as it was then, with --pack"):
        replay_call(call_dir)
    assert replay_call(call_dir, "customer_support").equal


def test_exchanges_of_an_older_version_are_refused(text_call: Path, copy: Copy) -> None:
    call_dir = copy(text_call)
    exchanges = read(call_dir, "exchanges.jsonl")
    del exchanges[1]["head_ns"]
    write(call_dir, "exchanges.jsonl", exchanges)
    with pytest.raises(StoreError, match=r"exchanges\.jsonl, line 2: head_ns: Field required"):
        replay_call(call_dir)


def test_half_a_line_is_a_corrupt_file(text_call: Path, copy: Copy) -> None:
    path = copy(text_call) / "exchanges.jsonl"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(StoreError, match="no JSON"):
        replay_call(path.parent)


def test_a_call_on_the_wall_s_clock_is_refused(text_call: Path, copy: Copy) -> None:
    call_dir = copy(text_call)
    path = call_dir.parents[4] / "run.json"
    record = json.loads(path.read_text())
    record["configuration"]["clock"]["mode"] = "real"
    path.write_text(json.dumps(record))
    with pytest.raises(ConfigError, match="only calls in mode charge and sessions of a service can be replayed"):
        replay_call(call_dir)


def test_a_call_that_did_not_take_place_is_refused(text_call: Path, copy: Copy) -> None:
    call_dir = copy(text_call)
    (call_dir / "trace.jsonl").unlink()
    with pytest.raises(StoreError, match="did not take place"):
        replay_call(call_dir)


def test_what_is_printed_is_json(text_call: Path) -> None:
    replayed: Replayed = replay_call(text_call)
    printed = json.loads(json.dumps(replayed.to_json()))
    assert printed["equal"] is True
    assert printed["verdict"] == {"recorded": "passed", "replayed": "passed"}
    assert printed["dir"] == str(text_call)


def test_a_caller_speaks_with_the_voice_that_its_task_names_and_so_does_its_replay(tmp_path: Path) -> None:
    pipeline = load_pipeline("fast", ["caller.voice=task", "caller.hears=text", "limits.call_s=14"])
    run(RunRequest(pipeline, tasks=["legal/L1-E1"], seed=7, out=tmp_path / "run"))
    call_dir = tmp_path / "run/calls/legal/L1-E1/1/attempt-1"
    assert json.loads((call_dir / "call.json").read_text())["caller_voice"] == "joe-slow"
    [opening, *_] = [line for line in read(call_dir, "trace.jsonl") if line["name"] == "caller.speech"]
    spoken_s = (opening["end_ns"] - opening["start_ns"]) / 1e9
    lasts_s = {name: len(load_voice(name).synthesize(opening["attributes"]["spoken"])) / 16_000 for name in VOICES}
    assert spoken_s == pytest.approx(lasts_s["joe-slow"], abs=0.2)
    assert abs(spoken_s - lasts_s["heart"]) > 0.4
    assert replay_call(call_dir).equal
