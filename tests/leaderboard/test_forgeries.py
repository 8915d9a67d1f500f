"""Forged runs: made of honest calls, written and scored again so that their own files agree with each other."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voicebench.config import hash_of, load_pipeline
from voicebench.leaderboard.submit import make_submission, verify_submission
from voicebench.runner import RunRequest, run
from voicebench.store import to_json, to_jsonl
from voicebench.stored.score import rescore_run

pytestmark = pytest.mark.unit

FOLDER = "calls/customer_support/T1-E1"
FIRST = f"{FOLDER}/1/attempt-1"
Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two calls over the text channel: one of the line reference, and one of an agent that only says no."""
    out = tmp_path_factory.mktemp("made")
    for model in ("reference", "refuse"):
        pipeline = load_pipeline("fast", ["channel=text", f"agent.llm.model={model}"])
        run(RunRequest(pipeline, tasks=["T1-E1"], trials=2, out=out / model))
    return out


@pytest.fixture
def stored(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "reference", tmp_path / "run"))


def verified(root: Path) -> list[str]:
    """Let every file agree with the others as well as a forger can, and return what the check says of the archive."""
    for folder in root.glob("calls/*/*/*/attempt-*"):
        call = json.loads((folder / "call.json").read_text())
        call["files"] = {name: (folder / name).stat().st_size for name in call["files"]}
        (folder / "call.json").write_bytes(to_json(call))
    rescore_run(root)
    make_submission(root, root.with_suffix(".zip"))
    return verify_submission(root.with_suffix(".zip")).problems


def rewritten(path: Path, change: Callable[[Lines], object]) -> None:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    path.write_bytes(to_jsonl(lines))


def attributes(lines: Lines, name: str) -> Lines:
    return [line["attributes"] for line in lines if line["name"] == name]


def faster(ms: float) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        for one in attributes(lines, "llm"):
            one["ttft_ms"] = one["ttfat_ms"] = ms

    return change


def fewer_tokens(lines: Lines) -> None:
    attributes(lines, "llm")[0]["gen_ai.usage.input_tokens"] = 5


def other_words(lines: Lines) -> None:
    attributes(lines, "agent.speech")[-1]["intended"] = "All is settled, and here is what you asked for."


def another_result(lines: Lines) -> None:
    attributes(lines, "tool")[0]["gen_ai.tool.call.result"]["data"] = {"free": True}


def another_tool(lines: Lines) -> None:
    attributes(lines, "tool")[-1]["gen_ai.tool.name"] = "cancel_order"


def other_arguments(lines: Lines) -> None:
    attributes(lines, "tool")[0]["gen_ai.tool.call.arguments"]["order_number"] = "KE-0000000"


def one_request_less(lines: Lines) -> None:
    lines.remove(next(line for line in lines if line["name"] == "llm"))


def a_request_before_the_call(lines: Lines) -> None:
    next(line for line in lines if line["name"] == "llm")["start_ns"] = -900_000_000


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (faster(12.0), "TTFT is 12.000 ms in the trace, and 300.000 ms by its chunks"),
        (faster(-500.0), "TTFT is -500.000 ms in the trace"),
        (fewer_tokens, "tokens in the trace"),
        (other_words, "are in no answer of the model: 'All is settled"),
        (another_result, "the model was told another result"),
        (another_tool, "was called in no answer of the model"),
        (other_arguments, "its arguments are not those of the model's answer"),
        (one_request_less, "not in the trace"),
        (a_request_before_the_call, "impossible times: llm from -0.900 s"),
    ],
)
def test_a_trace_that_its_exchanges_do_not_bear_out_is_found(
    stored: Path, change: Callable[[Lines], object], told: str
) -> None:
    rewritten(stored / FIRST / "trace.jsonl", change)
    [problem] = [one for one in verified(stored) if one.startswith(f"{FIRST}: ")]
    assert told in problem


def chunks_earlier(lines: Lines) -> None:
    for line in lines:
        for chunk in line["chunks"]:
            chunk["offset_ns"] -= 500_000_000


def chunks_out_of_order(lines: Lines) -> None:
    lines[1]["chunks"][0]["offset_ns"] = lines[1]["chunks"][-1]["offset_ns"] + 1


def another_model(lines: Lines) -> None:
    for line in lines:
        line["request"]["model"] = "a-cheaper-model"


def one_exchange_less(lines: Lines) -> None:
    lines.pop()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (chunks_earlier, "impossible times: chunks of the request at 0.000 s come before it"),
        (chunks_out_of_order, "come before it, or each other"),
        (another_model, "for the model 'a-cheaper-model', and the configuration names 'reference'"),
        (one_exchange_less, "in the trace has no exchange"),
    ],
)
def test_exchanges_that_do_not_fit_are_found(stored: Path, change: Callable[[Lines], object], told: str) -> None:
    rewritten(stored / FIRST / "exchanges.jsonl", change)
    assert any(told in problem for problem in verified(stored)), verified(stored)


def test_tools_and_state_of_a_passing_call_in_a_failing_one_are_found(made: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(made / "refuse", tmp_path / "run"))
    source = made / "reference" / FIRST
    passing = [json.loads(line) for line in (source / "trace.jsonl").read_text().splitlines()]
    tools = [line for line in passing if line["name"] in ("tool", "handoff")]
    rewritten(root / FIRST / "trace.jsonl", lambda lines: lines.extend(tools))
    shutil.copy(source / "state.json", root / FIRST / "state.json")
    [problem] = [one for one in verified(root) if one.startswith(f"{FIRST}: ")]
    assert "was called in no answer of the model" in problem


def test_a_state_that_the_tools_do_not_leave_is_found(made: Path, stored: Path) -> None:
    shutil.copy(made / "refuse" / FIRST / "state.json", stored / FIRST / "state.json")
    [problem] = [one for one in verified(stored) if one.startswith(f"{FIRST}: ")]
    assert "the final database is not what its tools leave: orders" in problem


def reconfigured(root: Path, change: Callable[[dict[str, Any]], object], pipeline: str = "fast") -> None:
    record = json.loads((root / "run.json").read_text())
    change(record["configuration"])
    record.update({"pipeline": pipeline, "config_hash": hash_of(record["configuration"])})
    (root / "run.json").write_bytes(to_json(record))


def test_a_renamed_model_is_found(stored: Path) -> None:
    reconfigured(stored, lambda settings: settings["agent"]["llm"].update(model="the-best-model"))
    assert any(
        "for the model 'reference', and the configuration names 'the-best-model'" in one for one in verified(stored)
    )


def test_a_text_run_that_is_called_an_audio_one_is_found(stored: Path) -> None:
    reconfigured(stored, lambda settings: settings.update(channel="audio"))
    assert any("the channel is audio, and the caller's voice has no exchange" in one for one in verified(stored))


def test_a_text_run_under_the_name_of_a_benchmark_is_found(stored: Path) -> None:
    callm = load_pipeline("callm").model_dump(mode="json")
    reconfigured(stored, lambda settings: settings.update(callm), "callm")
    problems = verified(stored)
    assert any("the caller's voice has no exchange" in one or "the caller is of kind" in one for one in problems)
    assert "run.json: 'unranked' is not what the charges say" in problems


def test_a_scripted_run_that_is_called_one_with_a_played_caller_is_found(stored: Path) -> None:
    reconfigured(stored, lambda settings: settings["caller"].update(kind="llm"))
    told = "the caller is of kind llm, and there is no request to a model that plays it"
    assert any(told in one for one in verified(stored))


def test_a_trial_that_was_put_in_the_place_of_another_is_found(stored: Path) -> None:
    shutil.rmtree(stored / FOLDER / "1")
    (stored / FOLDER / "2").rename(stored / FOLDER / "1")
    path = stored / FIRST / "call.json"
    path.write_bytes(to_json({**json.loads(path.read_text()), "trial": 1}))
    assert any("its seed is not that of the run" in one for one in verified(stored))


def test_attempts_that_were_left_out_or_tried_again_for_nothing_are_found(stored: Path) -> None:
    folder = stored / FOLDER / "1"
    shutil.copytree(folder / "attempt-1", folder / "attempt-3")
    path = folder / "attempt-3" / "call.json"
    path.write_bytes(to_json({**json.loads(path.read_text()), "attempt": 3}))
    problems = verified(stored)
    assert f"{FOLDER}/1: its attempts are not numbered from 1 to 2" in problems
    assert f"{FOLDER}/1: an attempt had a verdict, and another was made" in problems


def test_an_honest_run_holds_and_so_does_one_that_failed(made: Path, stored: Path, tmp_path: Path) -> None:
    assert verified(stored) == []
    assert verified(Path(shutil.copytree(made / "refuse", tmp_path / "failed"))) == []


def test_what_only_a_replay_shows_is_found_by_one(stored: Path) -> None:
    assert verified(stored) == []
    honest = verify_submission(stored.with_suffix(".zip"), replay=True)
    assert (honest.problems, honest.notes) == ([], ["2 calls were made again from their exchanges"])
    rewritten(
        stored / FIRST / "trace.jsonl", lambda lines: attributes(lines, "agent.speech")[-1].update(interrupted=True)
    )
    assert verified(stored) == []
    [problem] = verify_submission(stored.with_suffix(".zip"), replay=True).problems
    assert problem.startswith(f"{FIRST}: made again, something else comes of it: trace.jsonl")
