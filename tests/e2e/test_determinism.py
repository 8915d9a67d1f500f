"""With fixed charges the same call is the same call, bit for bit, under any load; and the agent really hears."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hard.calls import hold, reference
from tests.processes import descendants, kill
from voicebench.config import data_dir
from voicebench.packs import load_pack

from .conftest import FAST_TASKS, Finished, voicebench

pytestmark = pytest.mark.e2e

EQUAL = ("trace.jsonl", "exchanges.jsonl", "recording.wav", "state.json")
RUNS_S, STOPPED_S = 0.02, 0.03


@pytest.fixture
def starved() -> Iterator[None]:
    """What this test starts runs for two fifths of the time, as on a busy machine: it is stopped again and again."""
    ended = threading.Event()

    def starve() -> None:
        while not ended.wait(RUNS_S):
            stopped = descendants(os.getpid())
            for pid in stopped:
                kill(pid, signal.SIGSTOP)
            ended.wait(STOPPED_S)
            for pid in stopped:
                kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=starve)
    thread.start()
    yield
    ended.set()
    thread.join()


def files(run: Finished, task: str) -> dict[str, bytes]:
    return {name: (run.dir(task) / name).read_bytes() for name in EQUAL}


def test_four_tasks_pass_with_the_deterministic_pipeline(fast_run: Finished) -> None:
    assert fast_run.code == 0, fast_run.err
    assert {call["task"]: call["verdict"] for call in fast_run.out["calls"]} == dict.fromkeys(FAST_TASKS, "passed")


@pytest.mark.usefixtures("starved")
def test_the_same_seed_gives_the_same_bytes_on_a_busy_machine(fast_run: Finished, tmp_path: Path) -> None:
    again = voicebench("run", "fast", "--task", "T2-H3", "--seed", "7", "--out", tmp_path / "run")
    assert again.call("T2-H3")["verdict"] == "passed"
    first, second = files(fast_run, "T2-H3"), files(again, "T2-H3")
    assert {name: first[name] == second[name] for name in EQUAL} == dict.fromkeys(EQUAL, True)


def test_another_seed_gives_another_recording(fast_run: Finished, tmp_path: Path) -> None:
    other = voicebench("run", "fast", "--task", "T2-H3", "--seed", "8", "--out", tmp_path / "run")
    assert files(other, "T2-H3")["recording.wav"] != files(fast_run, "T2-H3")["recording.wav"]


def test_stored_files_hold_nothing_of_the_machine(fast_run: Finished) -> None:
    folder = fast_run.dir("T2-H3")
    text = (folder / "trace.jsonl").read_text() + (folder / "exchanges.jsonl").read_text()
    for forbidden in ("127.0.0.1", "localhost", str(Path.home()), "chatcmpl", '"created"', "wall_s"):
        assert forbidden not in text


def test_the_agent_follows_the_number_that_is_spoken(tmp_path: Path) -> None:
    pack = tmp_path / "changed"
    shutil.copytree(data_dir("tasks") / "customer_support", pack)
    case = pack / "cases" / "T2-H3.yaml"
    head, order_number, rest = re.split(r"(    order_number:.*?)(?=    phone:)", case.read_text(), flags=re.DOTALL)
    spoken_differently, count = re.subn(r"\btwo\b", "five", order_number)
    assert count >= 3
    case.write_text(head + spoken_differently + rest)
    held = hold(reference(), "T2-H3", pack=load_pack(pack))
    spoken = [said["spoken"] for said in held.attributes("caller.speech")]
    looked_up = [
        used["gen_ai.tool.call.arguments"].get("order_number")
        for used in held.attributes("tool")
        if used["gen_ai.tool.name"] == "identify_customer"
    ]
    assert any(text.endswith("five.") for text in spoken)
    assert looked_up
    assert {value.replace("-", "") for value in looked_up} == {"KE4479005"}
    assert (held.call["verdict"], held.call["void_kind"]) == ("void", "script")
    assert "gave KE4479005 as order_number, where its script has KE-4479002" in held.call["reason"]


def test_scoring_again_from_the_files_gives_the_same(fast_run: Finished) -> None:
    before = {call["task"]: json.loads((Path(call["dir"]) / "call.json").read_text()) for call in fast_run.out["calls"]}
    again = voicebench("score", fast_run.out["run_dir"])
    assert again.code == 0, again.err
    after = {call["task"]: json.loads((Path(call["dir"]) / "call.json").read_text()) for call in fast_run.out["calls"]}
    assert after == before
