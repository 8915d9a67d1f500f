from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from voicebench.packs.reference_task import ReferenceTask
from voicebench.serve.chat import Action
from voicebench.serve.reference import next_action

FACTS: dict[str, dict[str, Any]] = {
    "full_name": {"type": "name", "question": "May I have your full name?"},
    "order_number": {"type": "id", "question": "What is the order number?", "format": r"KE\d{7}"},
    "phone": {"type": "phone", "question": "What is the phone number on the account?"},
    "postal_code": {"type": "id", "question": "What is the ZIP code?", "format": r"\d{5}"},
    "card_last4": {"type": "id", "question": "What are the last four digits of the card?", "format": r"\d{4}"},
}

TOOLS: dict[str, dict[str, Any]] = {
    "transfer_to_verification": {},
    "identify_customer": {"order_number": {"type": "string"}, "phone": {"type": "string"}},
    "verify_identity": {"postal_code": {"type": "string"}, "card_last4": {"type": "string"}},
    "check_return": {"order_number": {"type": "string"}},
    "book": {
        "issue": {"type": "string"},
        "date": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "fee_quoted": {"type": "number"},
        "disclosed": {"type": "boolean"},
    },
    "cancel": {"appointment_id": {"type": "string"}},
    "escalate_to_human": {"reason_code": {"type": "string", "enum": ["billing", "other_request"]}},
    "end_call": {"reason": {"type": "string"}},
}


def tool_schemas(*names: str) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "parameters": {"type": "object", "properties": TOOLS[name], "required": list(TOOLS[name])},
            },
        }
        for name in names or TOOLS
    ]


def make_task(steps: list[dict[str, Any]], facts: dict[str, dict[str, Any]] | None = None) -> ReferenceTask:
    return ReferenceTask.model_validate(
        {"steps": steps, "facts": FACTS if facts is None else facts, "today": "2026-08-01"}
    )


@dataclass
class Conversation:
    """A chat with the line reference: the test is the caller and the tools."""

    task: ReferenceTask
    tools: list[dict[str, Any]] = field(default_factory=tool_schemas)
    messages: list[dict[str, Any]] = field(
        default_factory=lambda: [
            {"role": "system", "content": "You answer the phone."},
            {"role": "assistant", "content": "Kestrel Electronics, how can I help?"},
        ]
    )

    def due(self) -> Action:
        return next_action(self.task, self.messages, self.tools)

    def user(self, text: str) -> Action:
        """The caller speaks; return what the agent does, its words already in the chat."""
        self.messages.append({"role": "user", "content": text})
        return self._act()

    def result(self, **result: Any) -> Action:
        """The tool called last answers; return what the agent does next."""
        self.messages[self._open]["content"] = json.dumps(result)
        return self._act()

    def good(self, **data: Any) -> Action:
        return self.result(ok=True, data=data)

    def refused(self, code: str) -> Action:
        return self.result(ok=False, error_code=code, data=None)

    def _act(self) -> Action:
        action = self.due()
        if action.say:
            self.messages.append({"role": "assistant", "content": action.say})
        for use in action.calls:
            number = f"call_{len(self.messages)}"
            call = {
                "id": number,
                "type": "function",
                "function": {"name": use.name, "arguments": json.dumps(use.arguments)},
            }
            self.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            self._open = len(self.messages)
            self.messages.append({"role": "tool", "tool_call_id": number, "content": "IN_PROGRESS"})
        return action


@pytest.fixture
def talk() -> Callable[..., Conversation]:
    def start(
        steps: list[dict[str, Any]],
        *,
        facts: dict[str, dict[str, Any]] | None = None,
        tools: list[str] | None = None,
    ) -> Conversation:
        task = make_task(steps, facts)
        return Conversation(task, tool_schemas(*tools) if tools is not None else tool_schemas())

    return start
