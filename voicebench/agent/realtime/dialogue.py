"""The conversation with a service: its events in, our requests, tool calls, handoffs and truncations out.

It knows nothing of sockets: events come in by ``handle`` and go out by ``send``, so that a recorded session drives it
as a live one does.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import json
from collections import deque
from collections.abc import Callable
from typing import cast

import numpy as np

from voicebench.agent.base import CallContext
from voicebench.agent.conversation import AFTER_HANGUP_S, MAX_ROUNDS, MAX_TURN_CHARACTERS
from voicebench.agent.realtime.calls import CallQueue
from voicebench.agent.realtime.hearing import Hearing
from voicebench.agent.realtime.playout import SpeechPlayout, SpokenItem
from voicebench.agent.realtime.responses import ServiceResponse, failure_of_response
from voicebench.agent.realtime.session import (
    ServiceEvent,
    ServiceItem,
    ServicePayload,
    SessionSettings,
    greeting_event,
    session_update,
    truncation,
)
from voicebench.agent.router import AgentRouter, ToolOutcome
from voicebench.errors import AgentError, ProviderError
from voicebench.llm import ToolCall
from voicebench.packs.models import AgentSpec
from voicebench.record.json_types import JsonObject

__all__ = ["Dialogue"]

_AUTO_S = 1.0
"""Seconds of call time after the caller's turn in which a service that answers by itself begins to."""
_LAST_TURN_S = 3.0
"""Seconds after a hang-up in which the last turn's words and the last response's usage may still come."""
_REQUEST = "voicebench_request"
"""Key of a response's metadata in which a service gives the number of our request back."""
_LONGEST_NAME = 32
"""Characters that the protocol allows the name of an item."""
_HARMLESS = {"conversation.item.truncate", "response.cancel", "input_audio_buffer.commit"}
"""Events whose refusal changes nothing: what they were to end had ended by itself."""
_BUSY = "conversation_already_has_active_response"


class Dialogue:
    """Follows one session; see ``docs/harnesses.md`` for its rules.

    Attributes:
        turns: turns of the caller that the service has heard to their end.
        ended: ``agent_ended`` or ``transferred`` once a session tool has ended the call.
        created, updated: set by the service's first events.
        failure: the infrastructure error that ended the session, if any.
    """

    def __init__(
        self,
        router: AgentRouter,
        playout: SpeechPlayout,
        settings: SessionSettings,
        context: CallContext,
        send: Callable[[JsonObject], None],
        *,
        model: str,
        timeout_s: float,
    ) -> None:
        self.turns = 0
        self.ended: str | None = None
        self.created, self.updated = asyncio.Event(), asyncio.Event()
        self.failure: Exception | None = None
        self._router = router
        self._playout = playout
        self._settings = settings
        self._context = context
        self._send_event = send
        self._model = model
        self._timeout_s = timeout_s
        self._in_effect: AgentSpec = router.active
        self._updates: deque[AgentSpec] = deque()
        self._responses: dict[str, ServiceResponse] = {}
        self._asked: dict[str, tuple[int, bool]] = {}  # our requests: when, and whether it is the greeting
        self._sent: dict[str, str] = {}  # the types of our events, by the names that errors refer to
        self._seen: set[str] = set()
        self._calls = CallQueue(router, self._on_result, self._on_calls_done, self.fail)
        self._hearing = Hearing(settings, context)
        self._unknown_outputs: set[str] = set()  # results that the service has not confirmed: it may not know them
        self._owed = False  # whether there are results that no response has answered
        self._farewell_due = False
        self._caller_speaks = False
        self._answers_itself = False  # whether a response to the caller's turn may begin without being asked for
        self._stopped_ns: int | None = None
        self._last_ns = 0
        self._rounds = 0
        self._characters = 0
        self._closed = False
        self._changed = asyncio.Event()
        self._handlers = self._handled()

    def _handled(self) -> dict[str, Callable[[ServiceEvent], object]]:
        """Return what takes each type of event; others mean nothing here."""
        return {
            "session.created": lambda _: self.created.set(),
            "session.updated": self._on_updated,
            "input_audio_buffer.speech_started": self._on_speech_started,
            "input_audio_buffer.speech_stopped": self._on_speech_stopped,
            "input_audio_buffer.committed": self._hearing.committed,
            "conversation.item.added": self._on_item,
            "conversation.item.created": self._on_item,
            "conversation.item.input_audio_transcription.completed": self._hearing.heard,
            "conversation.item.input_audio_transcription.failed": self._hearing.heard,
            "response.created": self._on_response,
            "response.output_audio_transcript.delta": self._on_text,
            "response.output_audio_transcript.done": self._on_whole_text,
            "response.output_text.delta": self._on_text,
            "response.output_text.done": self._on_whole_text,
            "response.output_audio.delta": self._on_audio,
            "response.output_audio.done": lambda event: self._playout.complete(str(event.get("item_id"))),
            "response.function_call_arguments.delta": self._touch,
            "response.output_item.done": lambda event: self._take_item(event["item"], self._response(event)),
            "response.done": self._on_done,
            "error": self._on_error,
        }

    # ---- what the harness asks ---------------------------------------------------------------------------------

    @property
    def is_idle(self) -> bool:
        """Whether no response is under way and no tool at work."""
        return not self._active and self._calls.is_idle

    def begin(self) -> None:
        """Make the first agent the active one."""
        self._update(first=True)

    def greet(self, greeting: str) -> None:
        """Let the service speak the pack's greeting."""
        self._ask(greeting_event(greeting), greeting=True)

    def audio_begins(self) -> None:
        """Note the call time at which the caller's audio starts, to which the service's times refer."""
        self._hearing.begin()

    def handle(self, event: JsonObject) -> None:
        """Take one event of the service; one that has come before is not taken again."""
        # Services and proxies send events twice: without this, words would be said twice
        name = str(event.get("event_id") or "")
        if name and name in self._seen:
            return
        self._seen.add(name)
        self._last_ns = self._context.now_ns()
        try:
            handler = self._handlers.get(str(event.get("type")))
            if handler is not None:
                handler(cast(ServiceEvent, event))
        # The types are the protocol's promise, and this is where a service that breaks it is found out
        except (KeyError, TypeError, ValueError, AttributeError, binascii.Error) as error:
            self.fail(
                ProviderError(f"the service sent an event that is not of the protocol: {error!r} in {event!r:.300}")
            )
        self._changed.set()

    def check(self) -> None:
        """Give the session up if the service owes an answer, or the rest of one, for too long; asked at each tick."""
        # The answer to tools' results is asked for, so that it is among these
        owed_since = [at_ns for at_ns, _ in self._asked.values()] + ([self._last_ns] if self._active else [])
        if self._hearing.unanswered_ns is not None and self.ended is None:
            owed_since.append(self._hearing.unanswered_ns)
        if not owed_since or self._closed or self.failure is not None:
            return
        if self._context.now_ns() - min(owed_since) > self._timeout_s * 1e9:
            text = f"the service has sent nothing of the response that it owes for {self._timeout_s:g} s"
            self.fail(ProviderError(text, retryable=True))

    def fail(self, error: Exception) -> None:
        """Keep the first failure; the trace says only its kind."""
        if self.failure is None:
            self.failure = error
            self._context.trace_failure(error)
        self._changed.set()

    async def close(self) -> None:
        """The line is closed: nothing new begins, tools in flight finish, the last turn is written down."""
        self._closed = True
        self._router.closed = True
        for response in self._active:
            self._cancel(response)
        if self._caller_speaks:
            # The service would wait for a silence that no longer comes, and the caller's last words would be lost
            self._send({"type": "input_audio_buffer.commit"})
            self._hearing.cut()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_TURN_S):
                while self.failure is None and (self._active or self._hearing.is_waiting):
                    self._changed.clear()
                    await self._changed.wait()
        await self._calls.finish(AFTER_HANGUP_S)
        for response in self._active:
            self._end(response, {"status": "lost"})

    # ---- out -----------------------------------------------------------------------------------------------------

    def _send(self, event: JsonObject) -> None:
        name = f"vb_{len(self._sent) + 1}"
        self._sent[name] = str(event["type"])
        self._send_event({"event_id": name, **event})

    def _update(self, *, first: bool = False) -> None:
        self._updates.append(self._router.active)
        self._send(session_update(self._settings, self._router.prompt, self._router.tools(), first=first))

    def _ask(self, event: JsonObject, *, greeting: bool = False) -> None:
        """Ask for a response.

        The service may begin one of its own between this and its answer, so that the next ``response.created`` need not
        be ours: the number in the metadata says which one is.
        """
        number = str(len(self._asked) + 1)
        self._asked[number] = (self._context.now_ns(), greeting)
        response = event.setdefault("response", {})
        assert isinstance(response, dict)
        metadata = response.get("metadata")
        response["metadata"] = {**(metadata if isinstance(metadata, dict) else {}), _REQUEST: number}
        self._owed = False
        self._unknown_outputs.clear()
        self._send(event)

    def _continue(self) -> None:
        """Ask for the answer to tool results, if all is quiet and idle and no answer comes by itself."""
        waits = self._caller_speaks or self._answers_itself or not self.is_idle or bool(self._asked)
        if self._owed and not waits and not self._closed and self.ended is None and self._rounds < MAX_ROUNDS:
            self._rounds += 1
            self._ask({"type": "response.create"})

    def _cancel(self, response: ServiceResponse) -> None:
        response.cut = True
        self._send({"type": "response.cancel", "response_id": response.name})

    # ---- the caller's turns ----------------------------------------------------------------------------------------

    def _on_updated(self, _: ServiceEvent) -> None:
        # Updates are confirmed in the order in which they were sent; until then it is the agent before that answers
        if self._updates:
            self._in_effect = self._updates.popleft()
        self.updated.set()

    def _on_speech_started(self, _: ServiceEvent) -> None:
        """Stop speaking at once, and let the service know how far it was heard."""
        self._caller_speaks = True
        # Cut, not cancelled: the service does that by itself, and audio that it had sent before is still on its way
        for response in self._active:
            response.cut = True
        for cut in self._playout.cut():
            if cut.received:
                self._send(truncation(cut.item, cut.played_ms))

    def _on_speech_stopped(self, event: ServiceEvent) -> None:
        self._caller_speaks = False
        self._answers_itself = True
        self.turns += 1
        self._rounds = self._characters = 0
        self._stopped_ns = self._context.now_ns()
        self._hearing.stopped(event)

        def no_answer() -> None:
            self._answers_itself = False
            self._continue()

        # A service that found no words in the turn begins no response: then results that are owed are asked for
        asyncio.get_running_loop().call_later(_AUTO_S, no_answer)

    def _on_item(self, event: ServiceEvent) -> None:
        self._unknown_outputs.discard(str(event["item"].get("id")))

    # ---- responses -------------------------------------------------------------------------------------------------

    @property
    def _active(self) -> list[ServiceResponse]:
        return [response for response in self._responses.values() if not response.done]

    def _response(self, event: ServiceEvent) -> ServiceResponse:
        """Return the response that an event belongs to, also if its first event comes late."""
        name = str(event["response"]["id"] if "response" in event else event.get("response_id"))
        if name not in self._responses:
            start_ns = self._context.now_ns() if self._stopped_ns is None else self._stopped_ns
            self._responses[name] = ServiceResponse(name, self._in_effect, start_ns)
        return self._responses[name]

    def _on_response(self, event: ServiceEvent) -> None:
        payload = event["response"]
        known = str(payload["id"]) in self._responses
        response = self._response(event)
        number = (payload.get("metadata") or {}).get(_REQUEST)
        if number in self._asked:
            response.start_ns, response.greeting = self._asked.pop(number)
        elif not known:
            # It has begun by itself. Results that it knew are answered by it; what came too late for it is owed still
            self._answers_itself = False
            self._owed = bool(self._unknown_outputs)
        self._hearing.unanswered_ns = None
        response.farewell = self._farewell_due
        if self.ended is not None or self._closed:  # it was on its way when the call ended
            self._cancel(response)

    def _touch(self, event: ServiceEvent, *, audio: bool = False) -> ServiceResponse:
        response = self._response(event)
        response.touch(self._context.now_ns(), audio=audio)
        return response

    def _spoken_item(self, event: ServiceEvent, response: ServiceResponse) -> SpokenItem | None:
        """Return what the message of an event says; None once nothing more of it is to be heard."""
        if response.cut:
            return None
        item = str(event["item_id"])
        if item not in response.items:
            response.items.append(item)
        return self._playout.spoken_item(item, turn=self.turns, agent=response.agent.name)

    def _on_text(self, event: ServiceEvent) -> None:
        response = self._touch(event)
        spoken_item = self._spoken_item(event, response)
        if spoken_item is None:
            return
        text = str(event["delta"])
        spoken_item.text += text
        self._characters += 0 if response.greeting else len(text)
        if self._characters > MAX_TURN_CHARACTERS:
            self._playout.complete(spoken_item.item)
            self._cancel(response)

    def _on_whole_text(self, event: ServiceEvent) -> None:
        """Take the whole text for what the deltas gave: some of them may have been lost or have changed places."""
        spoken_item = self._spoken_item(event, self._touch(event))
        text = event.get("transcript", event.get("text"))
        if spoken_item is not None and text:
            spoken_item.text = str(text)

    def _on_audio(self, event: ServiceEvent) -> None:
        spoken_item = self._spoken_item(event, self._touch(event, audio=True))
        if spoken_item is not None:
            samples = np.frombuffer(base64.b64decode(event["delta"], validate=True), dtype="<i2")
            self._playout.add(spoken_item.item, samples)

    def _take_item(self, item: ServiceItem, response: ServiceResponse) -> None:
        """Take a finished item: it comes by itself and again in ``response.done``, in case the first was lost."""
        if item.get("type") == "message":
            self._playout.complete(str(item.get("id")))
        elif item.get("type") == "function_call" and item.get("status", "completed") == "completed":
            # Run also if its response was cancelled meanwhile: the service remembers the call and waits for its result
            call = ToolCall(str(item["call_id"]), str(item["name"]), str(item.get("arguments") or ""))
            response.touch(self._context.now_ns())
            if self._rounds < MAX_ROUNDS:
                self._calls.add(call, response.agent)

    def _on_done(self, event: ServiceEvent) -> None:
        payload = event["response"]
        response = self._response(event)
        if response.done:
            return
        for item in payload.get("output") or []:
            self._take_item(item, response)
        self._end(response, payload)
        status = payload.get("status")
        if status == "failed":
            self.fail(failure_of_response(payload))
        elif status != "cancelled" and response.farewell:
            self.ended = self.ended or "transferred"
        self._continue()

    def _end(self, response: ServiceResponse, payload: ServicePayload) -> None:
        response.done = True
        for item in response.items:
            self._playout.complete(item)
        response.trace(self._context, self._model, payload)

    # ---- tools -----------------------------------------------------------------------------------------------------

    def _on_result(self, call: ToolCall, outcome: ToolOutcome) -> None:
        """Answer a call, and swap the agent if it handed over; once the line is closed, no answer is asked for."""
        if self._closed:
            return
        item = f"vb_{call.call_id}"[:_LONGEST_NAME]
        output = json.dumps(outcome.result, ensure_ascii=False)
        self._unknown_outputs.add(item)
        content: JsonObject = {"id": item, "type": "function_call_output", "call_id": call.call_id, "output": output}
        self._send({"type": "conversation.item.create", "item": content})
        if outcome.effect == "handoff":
            self._update()
        self._farewell_due = self._farewell_due or outcome.effect == "transfer"
        if outcome.effect == "end_call":
            self.ended = "agent_ended"
        self._owed = True

    def _on_calls_done(self) -> None:
        self._changed.set()
        self._continue()

    # ---- errors ----------------------------------------------------------------------------------------------------

    def _on_error(self, event: ServiceEvent) -> None:
        error = event["error"]
        code, about = error.get("code"), self._sent.get(str(error.get("event_id")), "")
        if code == _BUSY:
            # Our request crossed with a response that the service began by itself. That one may not know the results
            # that we asked about, so that they are asked for again when it has ended
            self._asked.clear()
            self._owed = True
        elif about not in _HARMLESS:
            text = f"the service refused {about or 'an event'}: {error.get('message')} ({code or error.get('type')})"
            ours = about.startswith(("session.", "conversation.")) and error.get("type") == "invalid_request_error"
            self.fail(AgentError(text) if ours else ProviderError(text, retryable=error.get("type") == "server_error"))
