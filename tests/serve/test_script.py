from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from voicebench.errors import ConfigError
from voicebench.record.json_types import JsonObject
from voicebench.serve.chat import Action, BadRequest, ChatRequest, ToolUse
from voicebench.serve.script import load_script

pytestmark = pytest.mark.unit

BOOKED_TWICE = """
- {call: book, with: {date: first available, fee: 25}}
- {call: book, with: {issue: "0225"}}
- {say: "Booked as $result.book.data.id.", then: continue}
- calls:
    - {call: cancel, with: {appointment_id: $result.book.data.id}}
    - {call: cancel, with: {appointment_id: apt_1}}
- {say: Both are gone.}
- {wait: true}
- {say: Still here.}
"""

BOOK: JsonObject = {
    "type": "function",
    "function": {
        "name": "book",
        "parameters": {"properties": {"fee": {"type": "number"}, "issue": {"type": "string"}}},
    },
}


class Player:
    """A chat with a script; tools answer at once with what ``results`` holds."""

    def __init__(self, path: Path, text: str) -> None:
        path.write_text(text)
        self._script = load_script(path)
        self.messages: list[dict[str, Any]] = [{"role": "assistant", "content": "Hello, who is this?"}]

    def hear(self, text: str) -> Action:
        self.messages.append({"role": "user", "content": text})
        return self.due()

    def answer(self, *results: dict[str, Any]) -> Action:
        for use, result in zip(self._last.calls, results, strict=True):
            number = f"call_{len(self.messages)}"
            call = {"id": number, "function": {"name": use.name, "arguments": json.dumps(use.arguments)}}
            self.messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
            self.messages.append({"role": "tool", "tool_call_id": number, "content": json.dumps(result)})
        return self.due()

    def due(self) -> Action:
        self._last = self._script.reply(ChatRequest("script", tuple(self.messages), (BOOK,)))
        if self._last.say:
            self.messages.append({"role": "assistant", "content": self._last.say})
        return self._last


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path / "script.yaml", BOOKED_TWICE)


def test_the_steps_are_played_whatever_the_tools_answer(player: Player) -> None:
    first = player.hear("My laptop is broken.")
    assert first == Action("", (ToolUse("book", {"date": "first available", "fee": 25}),))
    second = player.answer({"ok": False, "error_code": "INVALID_DATE"})
    assert second == Action("", (ToolUse("book", {"issue": "0225"}),))
    third = player.answer({"ok": True, "data": {"id": "apt_2"}})
    assert third == Action(
        "Booked as apt_2.",
        (ToolUse("cancel", {"appointment_id": "apt_2"}), ToolUse("cancel", {"appointment_id": "apt_1"})),
    )
    assert player.answer({"ok": True}, {"ok": True}) == Action("Both are gone.")
    assert player.due() == Action()
    assert player.hear("Hm.") == Action()
    assert player.hear("Well?") == Action("Still here.")
    assert player.hear("Fine.") == Action()


def test_words_that_follow_their_calls_in_the_chat_are_not_said_again(player: Player) -> None:
    player.hear("My laptop is broken.")
    player.answer({"ok": False})
    player.answer({"ok": True, "data": {"id": "apt_2"}})
    spoken = player.messages.pop()
    player.answer({"ok": True}, {"ok": True})
    player.messages.insert(-1, spoken)
    player.messages.pop()
    assert player.due() == Action("Both are gone.")


def test_a_tool_that_still_works_is_waited_for(player: Player) -> None:
    player.hear("My laptop is broken.")
    player.answer({"ok": False})
    player.messages[-1]["content"] = "IN_PROGRESS"
    assert player.due() == Action()


def test_a_result_that_is_not_there_is_said(tmp_path: Path) -> None:
    player = Player(tmp_path / "script.json", json.dumps([{"call": "cancel", "with": {"id": "$result.book.data.id"}}]))
    with pytest.raises(BadRequest, match="step 1 of the script: book has not been called"):
        player.hear("Hello.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- {cal: book}", "cal"),
        ("- {say: a, call: b}", "exactly one of say, call, calls, wait"),
        ("- {say: a, then: continue}\n- {say: b}", "step 1: 'then: continue' needs"),
    ],
)
def test_a_wrong_script_is_refused_with_its_fault(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Player(tmp_path / "script.yaml", text)


def test_a_missing_script_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml cannot be read"):
        load_script(tmp_path / "none.yaml")
