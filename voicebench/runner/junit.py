"""A run as a JUnit file, for the pages of a continuous integration."""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from voicebench.stored.results import RunResult

__all__ = ["to_junit"]

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(result: RunResult) -> bytes:
    """Return one test suite with one test case a trial: ``failure`` is the agent's, ``error`` nobody's verdict.

    Void calls are errors too: they say nothing of the agent. A trial without any attempt has no test case.
    """
    summary = result.summary
    suite = Element(
        "testsuite",
        name=result.run_id,
        tests=str(len(result.calls)),
        failures=str(summary["failed"]),
        errors=str(summary["void"] + summary["error"]),
        time=f"{sum(call['wall_s'] or 0.0 for call in result.calls):.3f}",
    )
    for call in result.calls:
        _add_case(suite, call)
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    text: str = tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _add_case(suite: Element, call: dict[str, Any]) -> None:
    name = f"{call['task']} trial {call['trial']}"
    case = SubElement(suite, "testcase", classname=call["pack"], name=name, time=f"{call['wall_s'] or 0.0:.3f}")
    if call["verdict"] == "passed":
        return
    outcome = SubElement(
        case,
        "failure" if call["verdict"] == "failed" else "error",
        type=call["verdict"],
        message=_plain(str(call["reason"] or call["verdict"])),
    )
    gates: dict[str, Any] = call["gates"] or {}
    failed = [f"{gate}: {reason}" for gate, one in gates.items() if not one["passed"] for reason in one["reasons"]]
    outcome.text = _plain("\n".join([*failed, call["dir"]]))


def _plain(text: str) -> str:
    """Leave out what no XML file can hold."""
    return _NO_XML.sub("", text)
