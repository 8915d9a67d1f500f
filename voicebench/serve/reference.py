"""The line reference: an agent that follows a task's steps and knows only what it was told on the phone.

It keeps nothing between requests: ``next_action`` walks the chat from its beginning, lets each event change the walk's
state, and answers with what is due. Every value comes from the caller's words in the chat, digit for digit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from voicebench.packs.reference_task import ReferenceTask
from voicebench.serve.chat import Action, BadRequest, Called, ChatRequest, Heard, Said, history, offered
from voicebench.serve.walk import Walk

__all__ = ["Reference", "next_action"]


def next_action(
    task: ReferenceTask, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] = ()
) -> Action:
    """Return what the line reference does now.

    Args:
        task: the steps, with fact names in place of values.
        messages: the chat so far, as the OpenAI protocol writes it; system messages do not matter.
        tools: the tools offered now, as the protocol writes them.
    """
    walk = Walk(task, offered(tools))
    for event in history(messages):
        match event:
            case Heard(text):
                walk.heard(text)
            case Said(text):
                walk.said(text)
            case Called():
                walk.called(event)
    return walk.decide().action


class Reference:
    """The line reference as a model of the endpoint."""

    def reply(self, request: ChatRequest) -> Action:
        """Answer one request; BadRequest without a task in its metadata."""
        if request.task is None:
            raise BadRequest(
                "the model 'reference' follows a task that it is handed in metadata.voicebench_task, and there is "
                "none; let voicebench start this endpoint itself, or choose another model",
                param="metadata",
            )
        try:
            task = ReferenceTask.model_validate_json(request.task)
        except ValidationError as error:
            raise BadRequest(f"metadata.voicebench_task cannot be read: {error}", param="metadata") from error
        return next_action(task, request.messages, request.tools)
