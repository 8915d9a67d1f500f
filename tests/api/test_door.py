"""``import voicebench``: runs, calls and stored runs from Python."""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import soundfile

import voicebench as vb
from voicebench.record.spans import LlmSpan, ToolSpan
from voicebench.record.trace import TraceRecord

pytestmark = pytest.mark.unit


def fast_call(out: Path, task: str = "T2-H3", model: str = "reference") -> vb.Call:
    return vb.call(task, "fast", channel="text", model=model, out=out)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> vb.Run:
    """A run of two trials over text."""
    out = tmp_path_factory.mktemp("door") / "run"
    return vb.run("fast", tasks=["T2-H3"], trials=2, channel="text", model="reference", out=out)


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> vb.Run:
    """The same with a model that never passes."""
    out = tmp_path_factory.mktemp("door") / "refuses"
    return vb.run("fast", tasks=["T2-H3"], trials=2, channel="text", model="refuse", out=out)


def test_a_run_gives_its_calls_and_its_summary(run: vb.Run) -> None:
    assert [(one.record.task, one.record.trial, one.verdict) for one in run.calls] == [
        ("T2-H3", 1, "passed"),
        ("T2-H3", 2, "passed"),
    ]
    assert (run.summary.planned, run.summary.passed, run.summary.pass_rate, run.status) == (2, 2, 1.0, "complete")
    assert run.summary.ttft_ms.p50 == 300.0
    assert run.record.request.tasks == ("T2-H3",)
    assert repr(run) == f"<Run {run.run_id}: 2 of 2 passed>"


def test_a_call_gives_what_its_folder_has(run: vb.Run) -> None:
    call = run.calls[0]
    assert call.transcript[0].spoken == "Thank you for calling Kestrel Electronics. How can I help you today?"
    assert call.gates.tools.reasons[-1].startswith("escalate_to_human: reason_code enum")
    assert call.reason is None
    assert call.state is not None
    assert list(call.state.difference.tables) == ["escalations"]
    assert {line.name for line in call.spans("llm")} == {"llm"}
    assert [span.model for span in call.spans(LlmSpan)] == ["reference"] * len(call.spans("llm"))
    assert [span.tool for span in call.spans(ToolSpan)][-1] == "escalate_to_human"
    assert len(call.exchanges) == len(call.spans("llm"))
    assert repr(call) == "<Call customer_support/T2-H3 trial 1: passed>"


def test_a_stored_run_is_what_it_was_when_it_was_made(run: vb.Run) -> None:
    again = vb.load_run(str(run.dir))
    assert (again.run_id, again.summary, again.status) == (run.run_id, run.summary, "complete")
    assert [one.dir for one in again.calls] == [one.dir for one in run.calls]
    assert vb.load_call(run.calls[1].dir).record == run.calls[1].record


def test_the_same_run_goes_on_where_it_stopped(run: vb.Run) -> None:
    more = vb.run("fast", tasks=["T2-H3"], trials=2, channel="text", model="reference", out=str(run.dir))
    assert [one.record.call_id for one in more.calls] == [one.record.call_id for one in run.calls]


def test_runs_are_scored_compared_and_ranked(run: vb.Run, failed: vb.Run) -> None:
    assert [(one.before, one.call.verdict, one.changed) for one in vb.score(run.dir)] == [
        ("passed", "passed", False)
    ] * 2
    compared = vb.compare(failed.dir, run.dir).comparison
    assert (compared.before, compared.after) == (0.0, 1.0)
    [ranking] = vb.leaderboard([run.dir, failed.dir], profile="fast", rule="ttfat").rankings
    assert [row.pass_at_1 for row in ranking.rows] == [1.0, 0.0]


def test_what_is_shown_of_boards_and_comparisons_is_short(run: vb.Run, failed: vb.Run) -> None:
    board = vb.leaderboard(str(run.dir), profile="fast")
    assert repr(board) == "<Board fast: 1 row>"
    assert repr(vb.compare(failed.dir, run.dir)) == (
        f"<RunComparison {failed.run_id} to {run.run_id}: +1.000 over 2 trials>"
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"trials": 0}, "trials: 0 is not possible"),
        ({"trials": "2"}, "trials: '2' is not possible"),
        ({"workers": 0}, "workers: 0 is not possible"),
        ({"limit": 0}, "limit: 0 is not possible"),
        ({"settings": None}, "settings: None is not possible; give a list of strings"),
        ({"settings": {"limits.max_turns": object()}}, "limits.max_turns: a object is no value of a setting"),
        ({"line": object()}, "line.preset: a object is no value"),
        ({"tasks": [3]}, "tasks: .* is not possible"),
        ({"packs": 3}, "packs: 3 is not possible"),
    ],
)
def test_wrong_arguments_are_errors_of_the_configuration(wrong: dict[str, Any], message: str) -> None:
    for made in (vb.run, vb.dry_run):
        with pytest.raises(vb.ConfigError, match=message):
            made("fast", **{"tasks": ["T2-H3"], **wrong})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"max_cost": -1}, "max_cost: -1 is not possible"),
        ({"engine": "slurm"}, "engine: 'slurm' is not possible; give 'local' or 'ray'"),
        ({"engine": "ray", "on_step": print}, "on_step: steps are given of calls in this process only"),
        ({"on_step": 3}, "on_step: 3 cannot be called"),
    ],
)
def test_wrong_arguments_of_a_run_alone_are_too(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(vb.ConfigError, match=message):
        vb.run("fast", tasks=["T2-H3"], **wrong)


@pytest.mark.parametrize("wrong", [{"rule": "x"}, {"k": 0}, {"max_ttft": "1"}, {"runs": 3}])
def test_wrong_arguments_of_a_board_are_too(run: vb.Run, wrong: dict[str, Any]) -> None:
    with pytest.raises(vb.ConfigError, match=f"{next(iter(wrong))}: .* is not possible"):
        vb.leaderboard(**{"runs": [run.dir], **wrong})


def test_a_name_alone_stands_for_a_list_of_it() -> None:
    estimate = vb.dry_run("fast", tasks="T2-H3", packs="customer_support", settings="agent.llm.ttft_ms=450")
    assert estimate.trials == 1


def test_spans_of_an_unknown_name_are_refused(run: vb.Run) -> None:
    with pytest.raises(vb.ConfigError, match=r"no span or event is called 'agent_speech'; did you mean 'agent.speech'"):
        run.calls[0].spans("agent_speech")
    assert run.calls[0].spans("packet_loss") == []


@pytest.mark.parametrize("error", [ZeroDivisionError("mine"), vb.AgentError("mine")])
def test_what_the_steps_function_raises_is_raised(tmp_path: Path, error: Exception) -> None:
    steps: list[TraceRecord] = []

    def broken(step: TraceRecord) -> None:
        steps.append(step)
        raise error

    with pytest.raises(type(error), match="mine"):
        vb.call("T2-H3", "fast", channel="text", out=tmp_path / "run", on_step=broken)
    assert len(steps) == 1
    assert not list((tmp_path / "run").rglob("call.json"))


def test_what_a_test_puts_in_the_place_of_a_function_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    door: Any = vb
    real = door.call
    with monkeypatch.context() as patched:
        patched.setattr(door, "call", len)
        door.call = importlib.import_module("voicebench.call")  # as an import does
        assert door.call is len
    with mock.patch.object(door, "leaderboard") as put:
        assert door.leaderboard is put
    assert door.call is real
    assert door.leaderboard.__module__ == "voicebench.api.verbs"


def test_a_run_is_a_data_frame_with_a_row_a_call(failed: vb.Run) -> None:
    frame = failed.to_dataframe()
    assert list(frame["verdict"]) == ["failed", "failed"]
    assert list(frame["trial"]) == [1, 2]
    assert not frame["tools"].any()
    assert list(frame["cause"]) == ["model", "model"]
    assert frame["ttft_ms"].dtype == float


def test_without_pandas_it_says_what_to_install(run: vb.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(vb.ConfigError, match=r"pip install 'voicebench-sim\[pandas\]'"):
        run.to_dataframe()


def test_progress_is_given_at_the_start_and_after_each_call(tmp_path: Path) -> None:
    seen: list[vb.Progress] = []
    vb.run("fast", tasks=["T1-E1", "T2-H3"], channel="text", out=tmp_path / "run", on_progress=seen.append)
    assert [(one.done, one.trials) for one in seen] == [(0, 2), (1, 2), (2, 2)]
    assert seen[-1].verdicts == {"passed": 2}


def test_a_call_gives_its_steps_as_they_happen(tmp_path: Path) -> None:
    steps: list[TraceRecord] = []
    call = vb.call("T2-H3", "fast", channel="text", out=tmp_path / "run", on_step=steps.append)
    assert sorted(step.name for step in steps) == sorted(line.name for line in call.trace)
    assert steps[0].name == "agent.speech"


def test_settings_are_a_mapping_or_pairs(tmp_path: Path) -> None:
    one = vb.call("T1-E1", "fast", channel="text", settings={"agent.llm.ttft_ms": 450}, out=tmp_path / "a")
    other = vb.call("T1-E1", "fast", channel="text", settings=["agent.llm.ttft_ms=450"], out=tmp_path / "b")
    assert vb.load_run(tmp_path / "a").record.configuration == vb.load_run(tmp_path / "b").record.configuration
    assert one.record.config_hash == other.record.config_hash


def test_a_dry_run_makes_nothing(tmp_path: Path) -> None:
    estimate = vb.dry_run("fast", tasks=["T2-H3"], trials=3, channel="text", out=tmp_path / "run")
    assert (estimate.trials, estimate.due, estimate.usd) == (3, 3, 0.0)
    assert not (tmp_path / "run").exists()


def test_a_recording_is_stereo_and_a_call_over_text_has_none(run: vb.Run, tmp_path: Path) -> None:
    with pytest.raises(vb.StoreError, match="calls on the text channel have no recording"):
        run.calls[0].recording()
    sound = np.stack([np.arange(1_600), -np.arange(1_600)], axis=1).astype(np.int16)
    call = fast_call(tmp_path / "run")
    soundfile.write(call.dir / "recording.wav", sound, 16_000, subtype="PCM_16")
    samples, rate = call.recording()
    assert (samples.shape, rate) == ((1_600, 2), 16_000)
    assert samples.dtype == np.int16
    assert np.array_equal(samples, sound)
    (call.dir / "recording.wav").write_bytes(b"RIFF")
    with pytest.raises(vb.CorruptFile, match="the file is corrupt"):
        call.recording()


def test_errors_are_those_of_voicebench(tmp_path: Path) -> None:
    with pytest.raises(vb.ConfigError, match="T2-H3"):
        vb.run("fast", tasks=["T2-H33"])
    with pytest.raises(vb.ConfigError, match="fast"):
        vb.call("T2-H3", "fsat")
    with pytest.raises(vb.ConfigError, match="--address is for --engine ray"):
        vb.run("fast", address="auto")
    for read in (vb.load_run, vb.load_call, vb.score):
        with pytest.raises(vb.StoreError):
            read(tmp_path)
    with pytest.raises(vb.ConfigError, match="no run there"):
        vb.leaderboard([tmp_path])


def test_a_call_that_cannot_be_read_is_not_made_and_is_the_problem(tmp_path: Path) -> None:
    made = fast_call(tmp_path / "run")
    (made.dir / "state.json").write_bytes(b"{")
    run = vb.load_run(tmp_path / "run")
    assert (run.calls, run.status, run.summary.planned) == ([], "incomplete", 1)
    assert run.problem is not None
    assert "state.json" in run.problem


def test_in_a_running_loop_as_in_a_notebook_a_run_works_and_waits(tmp_path: Path) -> None:
    async def cell() -> vb.Call:
        return fast_call(tmp_path / "run")

    assert asyncio.run(cell()).verdict == "passed"


def test_a_coroutine_goes_on_meanwhile_with_a_thread(tmp_path: Path) -> None:
    turns = 0

    async def both() -> vb.Call:
        nonlocal turns
        made = asyncio.create_task(asyncio.to_thread(fast_call, tmp_path / "run"))
        while not made.done():
            turns += 1
            await asyncio.wait([made], timeout=0.01)
        return await made

    assert asyncio.run(both()).verdict == "passed"
    assert turns > 1


def test_ctrl_c_in_a_running_loop_lets_the_call_in_flight_finish(tmp_path: Path) -> None:
    def stop(progress: vb.Progress) -> None:
        if progress.done == 1:
            os.kill(os.getpid(), signal.SIGINT)

    async def cell() -> vb.Run:
        return vb.run("fast", tasks=["T2-H3"], trials=9, channel="text", out=tmp_path / "run", on_progress=stop)

    loop = asyncio.new_event_loop()
    try:
        run = loop.run_until_complete(cell())
    finally:
        loop.close()
    assert run.status == "interrupted"
    assert 1 <= len(run.calls) < 9
    assert {one.verdict for one in run.calls} == {"passed"}


def test_tasks_of_a_pack_are_found_by_their_ids() -> None:
    tasks = vb.load_pack("customer_support").tasks
    assert tasks["T2-H3"].caller.opening.startswith("Hello, I want to send back")


def test_a_line_is_the_one_of_voicebench_line() -> None:
    line = vb.Line(vb.preset("clean").caller_to_agent, leg="caller_to_agent", seed=1)
    assert np.array_equal(line.push(np.full(320, 7, dtype=np.int16)), np.full(320, 7))


FRESH = """
import sys
import voicebench as vb
assert not {"numpy", "pydantic", "voicebench.api"} & set(sys.modules), "import voicebench has to stay light"
import voicebench.call.scoring, voicebench.leaderboard
import voicebench.call.run as made
import voicebench.leaderboard as boards
assert made.run_call_unit is voicebench.call.run.run_call_unit
assert boards.load_runs and vb.call.scoring.score_call
from voicebench.call import run_call_unit
assert callable(vb.call) and callable(vb.leaderboard)
assert vb.call.__module__ == vb.leaderboard.__module__ == "voicebench.api.verbs"
assert set(vb.__all__) <= set(dir(vb))
for name in vb.__all__:
    getattr(vb, name)
try:
    vb.nothing
except AttributeError as error:
    assert "nothing" in str(error)
"""


def test_the_door_is_light_and_no_package_hides_a_function() -> None:
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
