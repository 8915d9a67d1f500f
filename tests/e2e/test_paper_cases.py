"""The two paper cases over the telephone, end to end, with the models that ship."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from voicebench.language.itn import normalise
from voicebench.metrics import recording_activity
from voicebench.speech.asr import load_recognizer

from .conftest import Finished, lines

pytestmark = pytest.mark.e2e

TASKS = ("T2-H3", "T3-H4")


def channels(folder: Path) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    samples, rate = soundfile.read(folder / "recording.wav", dtype="int16")
    assert rate == 16_000
    return samples[:, 0], samples[:, 1]


def level_dbov(samples: npt.NDArray[np.int16]) -> float:
    power = float(np.mean(np.square(samples.astype(np.float64) / 32768.0)))
    return 10.0 * np.log10(power) if power else -100.0


def test_both_pass_and_the_run_is_complete(paper_run: Finished) -> None:
    assert paper_run.code == 0, paper_run.err
    assert [paper_run.call(task)["verdict"] for task in TASKS] == ["passed", "passed"]
    assert paper_run.out["summary"]["pass_rate"] == 1.0
    for task in TASKS:
        gates = paper_run.call(task)["gates"]
        assert {name: gate["reward"] for name, gate in gates.items()} == {"tools": 1, "handoffs": 1, "database": 1}


@pytest.mark.parametrize("task", TASKS)
def test_the_recording_is_as_long_as_the_call(paper_run: Finished, task: str) -> None:
    left, _ = channels(paper_run.dir(task))
    assert abs(len(left) / 16_000 - paper_run.call(task)["call_s"]) <= 0.05


@pytest.mark.parametrize("task", TASKS)
def test_each_channel_is_silent_while_only_the_other_side_speaks(paper_run: Finished, task: str) -> None:
    folder = paper_run.dir(task)
    left, right = channels(folder)
    caller, agent = recording_activity((folder / "recording.wav").read_bytes())
    for own, other, samples in ((caller, agent, left), (agent, caller, right)):
        alone = [
            (start, end)
            for start, end in other
            if not any(begin < end + 0.3 and start - 0.3 < finish for begin, finish in own)
        ]
        assert alone
        assert max(level_dbov(samples[int(a * 16_000) : int(b * 16_000)]) for a, b in alone) < -50.0


@pytest.mark.parametrize(
    ("task", "opening"),
    [
        ("T2-H3", "headphones that i ordered last week"),
        ("T3-H4", "book the first bench slot for it and then cancel it because i cannot come"),
    ],
)
def test_each_channel_carries_its_words(paper_run: Finished, task: str, opening: str) -> None:
    folder = paper_run.dir(task)
    caller, agent = recording_activity((folder / "recording.wav").read_bytes())
    recognizer = load_recognizer("base")
    left, right = channels(folder)
    begin_s = caller[0][0]
    answer_s = next(start for start, _ in agent if start > begin_s)
    heard = normalise(recognizer.transcribe(left[int((begin_s - 0.3) * 16_000) : int(answer_s * 16_000)]).text)
    assert normalise(opening) in heard
    greeting = normalise(recognizer.transcribe(right[: int(begin_s * 16_000)]).text)
    assert "how can i help you today" in greeting


@pytest.mark.parametrize("task", TASKS)
def test_the_lines_ticks_have_no_jitter_and_nothing_slept_unseen(paper_run: Finished, task: str) -> None:
    call = json.loads((paper_run.dir(task) / "call.json").read_text())
    assert call["ticks"]["n"] == round(call["call_s"] / 0.02)
    assert (call["ticks"]["late"], call["ticks"]["worst_ms"]) == (0, 0.0)
    assert call["line"]["caller_to_agent"]["sent"] == call["ticks"]["n"]


@pytest.mark.parametrize("task", TASKS)
def test_ttft_in_the_trace_is_what_the_endpoint_was_told_to_take(paper_run: Finished, task: str) -> None:
    spans = [line for line in lines(paper_run.dir(task) / "trace.jsonl") if line["name"] == "llm"]
    assert len(spans) >= 8
    assert all(span["attributes"]["ttft_ms"] >= 300.0 for span in spans)
    assert paper_run.call(task)["ttft_ms"]["n"] == len(spans)


def test_the_greeting_is_first_and_costs_no_request(paper_run: Finished) -> None:
    trace = lines(paper_run.dir("T2-H3") / "trace.jsonl")
    first_speech = next(line for line in trace if line["name"] == "agent.speech")
    first_request = next(line for line in trace if line["name"] == "llm")
    opening = next(line for line in trace if line["name"] == "caller.speech")
    assert first_speech["attributes"]["spoken"].startswith("Thank you for calling Kestrel Electronics")
    assert first_speech["end_ns"] < opening["start_ns"] < first_request["start_ns"]
    silence_s = (opening["start_ns"] - first_speech["end_ns"]) / 1e9
    assert 0.9 <= silence_s <= 1.2
