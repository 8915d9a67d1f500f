"""Tools of a pack that is not shipped: what they can reach, and what comes of whatever they do."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.processes import descendants
from voicebench.errors import ConfigError, PackError
from voicebench.packs import Pack, Tool, ToolContext, load_pack
from voicebench.packs.tool_process import KEPT, ToolProcess

pytestmark = pytest.mark.unit

MINIMAL = Path(__file__).parent / "minimal_pack"

MISBEHAVING = '''
import os, signal, socket, sys

print("noise while the tools are imported")
CALLS = []


@tool(writes=True)
def misbehave(desk: Desk, how: Annotated[str, Prose()]) -> Result:
    """Do something that no tool should.

    Args:
        how: what.
    """
    desk.insert("requests", request_id=desk.new_id("R"), loan_id="LN-4471", reason=how, made_at="")
    CALLS.append(how)
    return WAYS[how]() or ok({"calls": CALLS})


def raises():
    raise ZeroDivisionError("a bug")


def hangs():
    while True:
        pass


def into_the_pipe(line):
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        try:
            socket.socket(fileno=os.dup(descriptor)).sendall(line)
        except OSError:
            pass


WAYS = {
    "raise": raises,
    "sys.exit": lambda: sys.exit(3),
    "os._exit": lambda: os._exit(3),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "kill the original": lambda: os.kill(os.getppid(), signal.SIGKILL) or hangs(),
    "hang": hangs,
    "print": lambda: print("noise", flush=True),
    "no result": lambda: "done",
    "no JSON": lambda: ok({"set": {1}}),
    "too much": lambda: ok({"text": "x" * 20_000_000}),
    "garbage": lambda: into_the_pipe(b"noise\\n"),
    "another's answer": lambda: into_the_pipe(b'{"id": 99, "result": {}}\\n'),
    "no envelope": lambda: into_the_pipe(b'{"id": 1, "result": {"ok": "yes"}}\\n'),
    "environment": lambda: ok({"environment": {**os.environ}, "folder": os.getcwd()}),
}
'''


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    root = tmp_path_factory.mktemp("packs") / "misbehaving"
    shutil.copytree(MINIMAL, root, ignore=shutil.ignore_patterns("__pycache__"))
    with (root / "tools.py").open("a") as file:
        file.write(MISBEHAVING)
    return load_pack(root)


def misbehave(pack: Pack, how: str, desk: ToolContext | None = None) -> dict[str, Any]:
    return pack.tools["misbehave"].invoke(desk or pack.open_context(), {"how": how})


def test_a_tool_sees_no_key_no_setting_and_no_home(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "VOICEBENCH_AGENT__LLM__MODEL", "AWS_SECRET_ACCESS_KEY", "HOME", "CANARY"):
        monkeypatch.setenv(name, "sk-canary-0123456789")
    process = ToolProcess(pack.name, pack.root)
    seen = misbehave(replace(pack, process=process), "environment")["data"]
    assert seen["environment"].keys() >= {"PATH", "PYTHONPATH"}
    assert seen["environment"].keys() <= {*KEPT, "PYTHONPATH", "PYTHONHASHSEED", "LC_CTYPE"}
    assert "canary" not in str(seen["environment"])
    assert seen["folder"] == "/"
    given = Path(f"/proc/{process._running.process.pid}/environ").read_text()
    assert "canary" not in given
    process.end()


def test_the_code_is_imported_in_the_other_process_only(pack: Pack) -> None:
    shipped = load_pack("customer_support")

    def modules(root: Path) -> list[str]:
        files = {name: str(getattr(module, "__file__", None)) for name, module in list(sys.modules.items())}
        return [name for name, file in files.items() if file.startswith(f"{root}/")]

    assert modules(pack.root) == []
    assert modules(shipped.root) != []
    assert (pack.process is None, shipped.process is None) == (False, True)


def test_specifications_and_answers_are_those_of_a_pack_in_this_process(pack: Pack) -> None:
    here = {name: tool for name, tool in vars(_code_of(MINIMAL)).items() if isinstance(tool, Tool)}
    assert {name: pack.tools[name].spec for name in here} == {name: tool.spec for name, tool in here.items()}
    far, near = pack.open_context(), ToolContext(pack.open_database(), pack.today)
    calls: list[tuple[str, Any]] = [
        ("renew_loan", {}),
        ("find_loan", {"loan_id": "L N four four seven two"}),
        ("renew_loan", {"until": "August 9", "reason": "é, “quoted”"}),
        ("renew_loan", {"no": 1}),
        ("find_loan", None),
    ]
    for name, arguments in calls:
        assert pack.tools[name].invoke(far, arguments) == here[name].invoke(near, arguments)
        assert far.dump(pack.spec) == near.dump(pack.spec)
    assert far.dump(pack.spec)["requests"][0]["reason"] == "é, “quoted”"


def _code_of(root: Path) -> Any:
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("minimal_pack_tools", root / "tools.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FAILURES = {
    "raise": r"tool 'misbehave' failed on \{'how': 'raise'\}: ZeroDivisionError: a bug",
    "no result": r"tool 'misbehave' failed on .*: TypeError: returned str, not ok\(...\) or refuse\(...\)",
    "no JSON": r"tool 'misbehave' failed on .*: TypeError: Object of type set is not JSON serializable",
    "sys.exit": r"tool 'misbehave': SystemExit: 3",
    "os._exit": r"tool 'misbehave' ended its process",
    "kill": r"tool 'misbehave' ended its process",
    "kill the original": r"tool 'misbehave' ended its process",
    "garbage": r"tool 'misbehave' wrote into the pipe of its process what is no answer: b'noise'",
    "another's answer": r"tool 'misbehave' wrote into the pipe of its process what is no answer: \{'id': 99",
    "no envelope": r"tool 'misbehave' answers with what is no envelope: \{'ok': 'yes'\}",
    "too much": r"tool 'misbehave' answers with more than 16 MiB",
}


@pytest.mark.parametrize("how", FAILURES)
def test_what_a_tool_does_wrong_is_an_error_that_says_what(pack: Pack, how: str) -> None:
    with pytest.raises(PackError, match=rf"^pack corner_library: {FAILURES[how]}"):
        misbehave(pack, how)
    assert misbehave(pack, "print")["data"] == {"calls": ["print"]}


def test_a_tool_that_hangs_is_ended(pack: Pack) -> None:
    assert pack.process is not None
    hasty = replace(pack, process=ToolProcess(pack.name, pack.root, limit_s=0.5))
    desk = hasty.open_context()
    with pytest.raises(PackError, match=r"^pack corner_library: tool 'misbehave' has not answered within 0.5 s"):
        misbehave(hasty, "hang", desk)
    with pytest.raises(PackError, match=r"has not answered within 0\.5 s"):
        desk.dump(hasty.spec)


def test_what_a_failed_tool_wrote_is_taken_back_and_the_call_can_go_on(pack: Pack) -> None:
    desk = pack.open_context()
    for how in ("raise", "no JSON"):
        with pytest.raises(PackError):
            misbehave(pack, how, desk)
    assert desk.dump(pack.spec)["requests"] == []
    misbehave(pack, "print", desk)
    assert [row["reason"] for row in desk.dump(pack.spec)["requests"]] == ["print"]


def test_what_tools_print_goes_to_standard_error(pack: Pack, capfd: pytest.CaptureFixture[str]) -> None:
    assert pack.process is not None
    process = ToolProcess(pack.name, pack.root)
    misbehave(replace(pack, process=process), "print")
    process.end()
    told = capfd.readouterr()
    assert (told.out, told.err) == ("", "noise while the tools are imported\nnoise\n")


def test_what_a_tool_keeps_in_its_module_reaches_no_other_call(pack: Pack) -> None:
    first, second = pack.open_context(), pack.open_context()
    assert misbehave(pack, "print", first)["data"] == {"calls": ["print"]}
    assert misbehave(pack, "print", first)["data"] == {"calls": ["print", "print"]}
    assert misbehave(pack, "print", second)["data"] == {"calls": ["print"]}


def test_a_closed_desk_leaves_no_process(pack: Pack) -> None:
    process = ToolProcess(pack.name, pack.root)
    alone = replace(pack, process=process)
    desk = alone.open_context()
    misbehave(alone, "print", desk)
    [child] = descendants(process._running.process.pid)
    watched = os.pidfd_open(child)
    desk.close()
    ended, _, _ = select.select([watched], [], [], 60)
    assert ended == [watched]
    with pytest.raises(PackError, match=r"^pack corner_library: the database ended its process"):
        desk.dump(pack.spec)
    os.close(watched)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import os; os._exit(3)", "what imports the pack's tools ended its process"),
        ("raise SystemExit(3)", "what imports the pack's tools ended its process"),
        ("import no_such_module", r"tools.py, line 1: ModuleNotFoundError: No module named 'no_such_module'"),
    ],
)
def test_tools_that_cannot_be_imported_are_refused(tmp_path: Path, code: str, message: str) -> None:
    root = Path(shutil.copytree(MINIMAL, tmp_path / "copy"))
    (root / "tools.py").write_text(code)
    with pytest.raises(ConfigError, match=message):
        load_pack(root)


CHILD_OF_A_KILLED_PROCESS = """
import sys
from voicebench.packs import load_pack
pack = load_pack(sys.argv[1])
desk = pack.open_context()
print("opened", flush=True)
pack.tools["misbehave"].invoke(desk, {"how": "hang"})
"""


def test_nothing_is_left_when_the_process_is_killed_while_a_tool_hangs(pack: Pack) -> None:
    """Whatever is left would hold the pipe of standard error open."""
    code = CHILD_OF_A_KILLED_PROCESS.replace('print("opened"', 'sys.stdout.write("opened\\n"); print(""')
    command = [sys.executable, "-c", code, str(pack.root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "opened\n"
        tools = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.kill()
        process.communicate(timeout=60)
    assert len(tools) == 1
    assert not os.path.exists(f"/proc/{tools[0]}/exe")
