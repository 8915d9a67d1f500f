"""The command line: quick, told apart by exit codes, and one JSON object where one is asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import soundfile

from tests.scripted import ScriptedEngine
from voicebench.config import load_pipeline
from voicebench.errors import AgentError
from voicebench.runner import RunRequest, run

pytestmark = pytest.mark.unit

HEAVY = (
    "av",
    "ctranslate2",
    "datasette",
    "faster_whisper",
    "hibari",
    "numpy",
    "onnxruntime",
    "openai",
    "pipecat",
    "piper",
    "ray",
    "scipy",
)

VERBS = [
    ("run",),
    ("call",),
    ("show",),
    ("score",),
    ("replay",),
    ("view",),
    ("leaderboard",),
    ("compare",),
    ("submit",),
    ("submit", "make"),
    ("submit", "verify"),
    ("index",),
    ("export",),
    ("schema",),
    ("tasks",),
    ("tasks", "check"),
    ("tasks", "list"),
    ("tasks", "new"),
    ("tasks", "show"),
    ("line",),
    ("line", "list"),
    ("line", "apply"),
    ("bench", "line"),
    ("line", "report"),
    ("voices",),
    ("voices", "list"),
    ("voices", "say"),
    ("models",),
    ("models", "list"),
    ("models", "pull"),
    ("doctor",),
    ("serve",),
    ("serve", "agent"),
    ("serve", "realtime"),
    ("bench",),
    ("bench", "call"),
    ("bench", "gpu"),
    ("bench", "load"),
    ("bench", "pages"),
    ("bench", "understanding"),
]

LOADED_BY_HELP = """
import sys
from voicebench.cli import main
for arguments in (["--help"], ["run", "--help"], ["call", "--help"], ["models", "--help"], ["--version"]):
    try:
        main(arguments)
    except SystemExit as end:
        assert end.code == 0, end.code
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def voicebench(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "voicebench.cli", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


def stored_run(out: Path, *script: str | Exception) -> None:
    tasks = ["T1-E1", "T2-H3"]
    run(RunRequest(load_pipeline("fast"), tasks=tasks, out=out), make_engine=ScriptedEngine(*script))


def rerun(out: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    return voicebench("run", "fast", "--task", "T1-E1", "--task", "T2-H3", "--out", str(out), *flags)


def test_help_loads_no_model_library() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED_BY_HELP], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stderr.split())
    assert "typer" in loaded
    assert loaded & set(HEAVY) == set()


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_each_verb_explains_itself(verb: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    from voicebench.cli import main

    with pytest.raises(SystemExit) as ended:
        main([*verb, "--help"])
    assert ended.value.code == 0
    assert f"Usage: voicebench {' '.join(verb)} " in capsys.readouterr().out


def test_every_verb_is_in_the_list_above() -> None:
    from voicebench.cli.app import app

    names: set[tuple[str, ...]] = {(str(command.name),) for command in app.registered_commands}
    for group in app.registered_groups:
        assert group.typer_instance is not None
        names |= {
            (str(group.name),),
            *((str(group.name), str(c.name)) for c in group.typer_instance.registered_commands),
        }
    assert names == set(VERBS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "quux"], "error: pipeline 'quux': no such pipeline; shipped are callm, fast, local-cpu"),
        (["run", "fast", "--task", "T9-H9"], "error: no task 'T9-H9'"),
        (["run", "fast", "--pack", "no/such"], "error: pack no/such:"),
        (["run", "fast", "--line", "nope"], "error: line preset 'nope' is unknown"),
        (["run", "fast", "--set", "agent.llm.ttft=1"], "error: --set agent.llm.ttft=1: unknown key 'agent.llm.ttft'"),
        *(
            ([*verb, "--task", "T2-H3", "--set", f"{key}={value}"], f"error: {message}")
            for verb in (["run", "fast", "--channel", "text"], ["run", "fast", "--dry-run"])
            for key, value, message in (
                ("line.preset", "pstm", "line preset 'pstm' is unknown; did you mean 'pstn'?"),
                (
                    "line.caller_to_agent.lossy",
                    "0.1",
                    "line.caller_to_agent: unknown key 'lossy'; did you mean 'loss'?",
                ),
                ("agent.tts.voice", "jo", "voice 'jo' is not known"),
                ("caller.voice", "jo", "caller.voice: no voice 'jo'"),
                ("caller.asr.model", "xyz", "model 'xyz' is not known"),
            )
        ),
        (["run", "fast", "--channel", "video"], "error: Invalid value for '--channel'"),
        (["run", "fast", "--model", "gpt-4.1", "--task", "T2-H3"], "error: model gpt-4.1: the variable OPENAI_API_KEY"),
        (["run"], "error: Missing argument 'PIPELINE'"),
        (["run", "fast", "--trials", "0"], "error: Invalid value for '--trials'"),
        (["show", "."], "error: call.json: not there"),
        (["score", "."], "error: "),
        (["line", "apply", "no.wav", "out.wav", "--preset", "pstn"], "error: no.wav: no such file"),
        (["voices", "say", "nobody", "hello", "out.wav"], "error: voice 'nobody' is not known"),
        (["models", "pull", "nothing"], "error: model 'nothing' is not known"),
        (["serve", "agent", "--model", "nobody"], "error: serve agent: no model 'nobody'"),
        (
            ["serve", "realtime", "--fault", "slow"],
            "error: serve realtime: no fault 'slow'; did you mean 'slow-audio'?",
        ),
        (["index"], "error: runs: no run in it"),
        (["tasks", "show", "T9-H9"], "error: no task 'T9-H9'"),
        (["doctor", "local-cpu", "--nonsense"], "error: No such option"),
        (["nonsense"], "error: No such command 'nonsense'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_use_is_exit_2_and_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from voicebench.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert printed.out == ""
    assert printed.err.splitlines()[-1].startswith(message)
    assert "Traceback" not in printed.err
    assert not (tmp_path / "runs").exists()


def test_a_traceback_comes_with_debug_only() -> None:
    assert "Traceback" in voicebench("run", "nope", "--debug").stderr
    assert "Traceback" not in voicebench("run", "nope").stderr


def test_a_folder_that_cannot_be_written_is_exit_2(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = rerun(tmp_path / "file" / "run")
    assert done.returncode == 2
    assert "file/run: cannot be written (Not a directory)" in done.stderr


def test_run_prints_one_json_object(tmp_path: Path) -> None:
    stored_run(tmp_path / "run", "passed", "failed")
    done = rerun(tmp_path / "run", "--json")
    printed = json.loads(done.stdout)
    assert done.returncode == 0
    assert printed["run_dir"] == str(tmp_path / "run")
    assert [(call["task"], call["verdict"]) for call in printed["calls"]] == [("T1-E1", "passed"), ("T2-H3", "failed")]
    assert printed["calls"][0]["gates"]["tools"] == {"passed": True, "reward": 1.0, "reasons": []}
    assert printed["summary"]["pass_rate"] == 0.5
    assert "2 of them done before" in done.stderr


def test_run_prints_a_table_and_where_each_call_is(tmp_path: Path) -> None:
    stored_run(tmp_path / "run", "passed", "failed")
    lines = rerun(tmp_path / "run").stdout.splitlines()
    [row] = [line.split() for line in lines if line.strip().startswith("T2-H3") and "trial" not in line]
    assert row[:6] == ["T2-H3", "1", "failed", "FAIL", "FAIL", "FAIL"]
    assert f"T2-H3 trial 1: {tmp_path}/run/calls/customer_support/T2-H3/1/attempt-1" in lines
    assert "1 passed, 1 failed, 0 void, 0 error of 2; pass rate 50%" in lines


def test_scores_are_no_failure_and_fail_under_is_exit_4(tmp_path: Path) -> None:
    stored_run(tmp_path / "run", "failed", "passed")
    assert rerun(tmp_path / "run").returncode == 0
    assert rerun(tmp_path / "run", "--fail-under", "0.5").returncode == 0
    done = rerun(tmp_path / "run", "--fail-under", "0.51")
    assert done.returncode == 4
    assert "pass rate 0.5 is under --fail-under 0.51" in done.stderr


def test_too_many_errors_are_exit_3(tmp_path: Path) -> None:
    stored_run(tmp_path / "run", *(AgentError("broken") for _ in range(3)))
    done = rerun(tmp_path / "run")
    assert done.returncode == 3
    assert "incomplete: 1 of 2 calls have no verdict on the agent" in done.stderr


def test_the_index_is_rebuilt_on_demand(tmp_path: Path) -> None:
    stored_run(tmp_path / "one")
    stored_run(tmp_path / "two")
    assert voicebench("index", str(tmp_path)).stdout == f"{tmp_path}/index.db: 2 runs, 4 calls\n"
    assert "--rebuild builds it again" in voicebench("index", str(tmp_path)).stdout
    assert "2 runs, 4 calls" in voicebench("index", str(tmp_path), "--rebuild").stdout


@pytest.mark.parametrize(
    ("arguments", "key", "name"),
    [
        (["line", "list"], "presets", "pstn"),
        (["voices", "list"], "voices", "heart"),
        (["models", "list"], "models", "tiny.en"),
        (["tasks", "list"], "tasks", "T2-H3"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_lists_are_tables_or_one_json_object(
    arguments: list[str], key: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert name in printed_by(capsys, *arguments)
    listed = json.loads(printed_by(capsys, *arguments, "--json"))
    assert name in {row.get("name") or row.get("id") for row in listed[key]}


def test_a_task_is_shown_with_its_caller_and_its_solution(capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(printed_by(capsys, "tasks", "show", "T2-H3", "--json"))
    assert (shown["pack"], shown["id"], shown["difficulty"]) == ("customer_support", "T2-H3", "hard")
    assert {"hand_off": "transfer_to_verification"} in shown["solution"]
    assert shown["title"] in printed_by(capsys, "tasks", "show", "customer_support/T2-H3")
    assert "voice" not in shown["caller"]
    assert json.loads(printed_by(capsys, "tasks", "show", "L1-E1", "--json"))["caller"]["voice"] == "joe-slow"
    assert "caller (voice joe-slow): Hello, I need a lawyer" in printed_by(capsys, "tasks", "show", "L1-E1")


def test_a_recording_goes_over_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import numpy as np

    tone = (8_000 * np.sin(np.arange(16_000) * 0.3)).astype(np.int16)
    soundfile.write(tmp_path / "in.wav", tone, 16_000)
    arguments = [str(tmp_path / "in.wav"), str(tmp_path / "out.wav"), "--preset", "pstn", "--report"]
    assert "over pstn" in printed_by(capsys, "line", "apply", *arguments, str(tmp_path / "report.json"))
    heard, rate = soundfile.read(tmp_path / "out.wav")
    report: dict[str, Any] = json.loads((tmp_path / "report.json").read_text())
    assert rate == 16_000
    assert len(heard) > len(tone)
    assert report["seed"] == 0


def printed_by(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    from voicebench.cli import main

    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_a_call_is_shown_for_people_and_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored_run(tmp_path / "run", "passed", "failed")
    call_dir = str(tmp_path / "run/calls/customer_support/T2-H3/1/attempt-1")
    assert "customer_support/T2-H3 trial 1: failed (failed)" in printed_by(capsys, "show", call_dir)
    shown = json.loads(printed_by(capsys, "show", call_dir, "--json"))
    assert (shown["task"], shown["verdict"], shown["dir"], shown["transcript"]) == ("T2-H3", "failed", call_dir, [])
    file = Path(call_dir, "call.json")
    file.write_text(json.dumps({**json.loads(file.read_text()), "caller_voice": "heart-low"}))
    assert "the caller's voice: heart-low\n" in printed_by(capsys, "show", call_dir)
