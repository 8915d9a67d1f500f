"""The JUnit file."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from tests.scripted import ScriptedEngine
from voicebench.errors import AgentError
from voicebench.runner import RunRequest, run
from voicebench.stored.export import to_junit

pytestmark = pytest.mark.unit


def test_failures_are_the_agent_s_and_errors_nobody_s(asked: Callable[..., RunRequest]) -> None:
    broken = [AgentError("broke \x00 \x1b[31m here <&>")] * 3
    result = run(asked(trials=2), make_engine=ScriptedEngine("passed", "failed", "void", "void", "void", *broken))
    [suite] = ElementTree.fromstring(to_junit(result))
    assert {key: suite.get(key) for key in ("name", "tests", "failures", "errors", "time")} == {
        "name": "run",
        "tests": "4",
        "failures": "1",
        "errors": "2",
        "time": "60.000",
    }
    cases = {case.get("name"): case for case in suite}
    assert list(cases) == ["T1-E1 trial 1", "T2-H3 trial 1", "T1-E1 trial 2", "T2-H3 trial 2"]
    assert len(cases["T1-E1 trial 1"]) == 0
    [failure] = cases["T2-H3 trial 1"]
    assert (failure.tag, failure.get("type")) == ("failure", "failed")
    assert cases["T1-E1 trial 2"].find("error[@type='void']") is not None
    [error] = cases["T2-H3 trial 2"]
    assert error.get("message") == "AgentError: broke  [31m here <&>"
    assert str(error.text).endswith("T2-H3/2/attempt-3")
