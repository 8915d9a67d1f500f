"""One session of the realtime protocol: client events in, server events out."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import json
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from voicebench.line.resample import Resampler
from voicebench.line.stage import to_pcm
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.serve.chat import objects_in
from voicebench.serve.faults import SessionFaultPlan
from voicebench.serve.realtime.answer import Answer, SessionModels
from voicebench.serve.realtime.config import SESSION_KEYS, SessionConfig, at
from voicebench.serve.realtime.items import AUDIO_RATE, Item, SessionItems
from voicebench.serve.realtime.outgoing import Outgoing
from voicebench.serve.realtime.turns import Started, Stopped, TurnDetector

__all__ = ["RealtimeSession"]

_CHECKED = (KeyError, TypeError, ValueError, AttributeError, binascii.Error)


class _EventRefused(Exception):
    """A client event that cannot be served: the protocol's code and message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class RealtimeSession:
    """Follows one client.

    Args:
        models: recognizer, policy and voices.
        model: the name it was asked for by.
        outgoing: takes the server's events.
        faults: of the server; whether the session is hit is known with the group id of its first update.
        voice: what it speaks with where the client asks for none.
    """

    def __init__(
        self, models: SessionModels, model: str, outgoing: Outgoing, faults: SessionFaultPlan | None, voice: str
    ) -> None:
        self.outgoing = outgoing
        self._models = models
        self._faults = faults
        self._config = SessionConfig.default(model, voice)
        self._items = SessionItems()
        self._turns: TurnDetector | None = TurnDetector()
        self._from_client = Resampler(AUDIO_RATE, 16_000)
        self._buffer: list[npt.NDArray[np.int16]] = []
        self._turn_item = ""
        self._names = 0
        self._answer: Answer | None = None
        self._answering: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._input_before = (0, 0)
        self._handlers: Mapping[str, Callable[[JsonObject], None]] = {
            "session.update": self.update_session,
            "input_audio_buffer.append": self.append_audio,
            "input_audio_buffer.commit": self.commit_audio,
            "input_audio_buffer.clear": self.clear_audio,
            "conversation.item.create": self.create_item,
            "conversation.item.truncate": self.truncate_item,
            "conversation.item.delete": self.delete_item,
            "conversation.item.retrieve": self.retrieve_item,
            "response.create": self.create_response,
            "response.cancel": self.cancel_response,
        }

    def open(self) -> None:
        """Greet the client."""
        self.outgoing.put("session.created", session=self._config.session)

    def receive(self, text: str) -> None:
        """Take one event of the client; one that cannot be served is answered with an error."""
        event: JsonValue = None
        try:
            event = json.loads(text)
            if not isinstance(event, dict):
                raise TypeError("it is no object")
            handler = self._handlers.get(str(event["type"]))
            if handler is None:
                raise _EventRefused("invalid_value", f"there is no client event {event['type']!r}")
            handler(event)
        except _EventRefused as refused:
            self._error(refused.code, str(refused), event)
        except _CHECKED as error:
            self._error("invalid_request", f"the event cannot be read: {error!r}", event)

    async def close(self) -> None:
        """Stop everything; the client is gone."""
        tasks = [task for task in (self._answering, *self._tasks) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _error(self, code: str, message: str, event: JsonValue) -> None:
        detail: JsonObject = {"type": "invalid_request_error", "code": code, "message": message, "param": None}
        detail["event_id"] = at(event, "event_id")
        self.outgoing.put("error", error=detail)

    def name(self, prefix: str) -> str:
        """Return a new name."""
        self._names += 1
        return f"{prefix}_{self._names:05d}"

    # ---- the session ------------------------------------------------------------------------------------------------

    def update_session(self, event: JsonObject) -> None:
        """Change the session."""
        changes = _object(event, "session")
        if changes.get("type") != "realtime":
            raise _EventRefused("missing_required_parameter", "session.type must be 'realtime'")
        unknown = changes.keys() - SESSION_KEYS
        if unknown:
            raise _EventRefused("unknown_parameter", f"there is no session parameter {sorted(unknown)[0]!r}")
        for side in ("input", "output"):
            form = at(changes, "audio", side, "format")
            rate = form.get("rate", AUDIO_RATE) if isinstance(form, dict) else None
            if form is not None and (at(form, "type") != "audio/pcm" or rate != AUDIO_RATE):
                raise _EventRefused("invalid_value", f"audio.{side}.format must be audio/pcm at {AUDIO_RATE} here")
        before, self._config = self._config, self._config.changed(changes)
        if self._config.instructions != before.instructions:
            self._input_before = (0, 0)  # another prompt: nothing before it is cached any more
        if self._faults is not None:
            plan, self._faults = self._faults, None
            self.outgoing.fault = plan.kind if plan.hits(self._config.group_id) else None
        given = at(changes, "audio", "input")
        if isinstance(given, dict) and "turn_detection" in given:
            detection = self._config.turn_detection
            self._turns = None if detection is None else TurnDetector.configured(detection)
        self._models.voice(self._config.voice)  # refused here, not in the first answer
        self.outgoing.put("session.updated", session=self._config.session)

    # ---- the caller's audio -----------------------------------------------------------------------------------------

    def append_audio(self, event: JsonObject) -> None:
        """Take some of the caller's audio."""
        samples = np.frombuffer(base64.b64decode(str(event["audio"]), validate=True), dtype="<i2").astype(np.float64)
        heard = to_pcm(self._from_client.process(samples))
        if self._turns is None:
            self._buffer.append(heard)
            return
        detection = self._config.turn_detection or {}
        for found in self._turns.receive(heard):
            if isinstance(found, Started):
                self._turn_item = self.name("item")
                self.outgoing.put(
                    "input_audio_buffer.speech_started",
                    audio_start_ms=found.audio_start_ms,
                    item_id=self._turn_item,
                )
                # Here and not at the end of the turn: the answer must not be heard over a caller who goes on.
                if detection.get("interrupt_response", True):
                    self._stop("turn_detected")
            else:
                self.outgoing.put(
                    "input_audio_buffer.speech_stopped", audio_end_ms=found.audio_end_ms, item_id=self._turn_item
                )
                self._take_turn(found)
                if detection.get("create_response", True) and self._answering is None:
                    self._respond({})

    def _take_turn(self, turn: Stopped) -> None:
        item = Item(self._turn_item or self.name("item"), "user", samples=len(turn.samples) * AUDIO_RATE // 16_000)
        self._turn_item = ""
        self.outgoing.put("input_audio_buffer.committed", item_id=item.id, previous_item_id=self._last)
        self._add(item)
        # Recognition runs while the session goes on; an answer waits for it, so that it sees the whole turn.
        item.heard = asyncio.ensure_future(self._transcribe(item, turn.samples))
        self._tasks.add(item.heard)
        item.heard.add_done_callback(self._tasks.discard)

    async def _transcribe(self, item: Item, samples: npt.NDArray[np.int16]) -> None:
        item.text = await self._models.transcribe(samples)
        if self._config.wants_transcripts:
            self.outgoing.put(
                "conversation.item.input_audio_transcription.completed",
                item_id=item.id,
                content_index=0,
                transcript=item.text,
                usage={"type": "duration", "seconds": item.audio_ms / 1000},
            )

    def commit_audio(self, _: JsonObject) -> None:
        """End the turn here, as the client wants."""
        if self._turns is not None:
            turn = self._turns.flush()
        else:
            turn = Stopped(0, np.concatenate(self._buffer) if self._buffer else np.zeros(0, np.int16))
            self._buffer.clear()
        if len(turn.samples) < 1_600:
            raise _EventRefused("input_audio_buffer_commit_empty", "the buffer holds less than 100 ms of audio")
        self._take_turn(turn)

    def clear_audio(self, _: JsonObject) -> None:
        """Forget the audio of the turn."""
        self._buffer.clear()
        if self._turns is not None:
            self._turns.flush()
        self.outgoing.put("input_audio_buffer.cleared")

    # ---- the conversation -------------------------------------------------------------------------------------------

    @property
    def _last(self) -> str | None:
        return self._items.all[-1].id if self._items.all else None

    def _add(self, item: Item) -> None:
        before = self._last
        self._items.all.append(item)
        self.outgoing.put("conversation.item.added", item=item.to_json(), previous_item_id=before)
        if item.done:
            self.outgoing.put("conversation.item.done", item=item.to_json(), previous_item_id=before)

    def create_item(self, event: JsonObject) -> None:
        """Add an item that the client has made."""
        given = _object(event, "item")
        name = str(given.get("id") or self.name("item"))
        if given["type"] == "function_call_output":
            call_id = str(given["call_id"])
            if call_id not in [item.call.get("call_id") for item in self._items.all if item.kind == "function_call"]:
                raise _EventRefused("invalid_tool_call_id", f"there is no call {call_id!r} to answer")
            self._add(Item(name, "function_call_output", str(given["output"]), call={"call_id": call_id}))
        elif given["type"] == "message":
            words = [str(part.get("text") or part.get("transcript") or "") for part in objects_in(given, "content")]
            self._add(Item(name, str(given["role"]), " ".join(words)))
        else:
            raise _EventRefused("invalid_value", f"items of type {given['type']!r} cannot be created here")

    def _found(self, event: JsonObject) -> Item:
        item = self._items.find(event["item_id"])
        if item is None:
            raise _EventRefused("item_not_found", f"there is no item {event['item_id']!r}")
        return item

    def truncate_item(self, event: JsonObject) -> None:
        """Forget the end of an answer, which was not heard."""
        item, end_ms = self._found(event), int(float(str(event["audio_end_ms"])))
        if item.kind != "assistant":
            raise _EventRefused("invalid_value", "only messages of the assistant can be truncated")
        if end_ms > item.audio_ms:
            raise _EventRefused(
                "invalid_value", f"audio content of {item.audio_ms} ms is already shorter than {end_ms} ms"
            )
        item.truncate(end_ms)
        self.outgoing.put(
            "conversation.item.truncated", item_id=item.id, content_index=event["content_index"], audio_end_ms=end_ms
        )

    def delete_item(self, event: JsonObject) -> None:
        """Remove an item."""
        item = self._found(event)
        self._items.all.remove(item)
        self.outgoing.put("conversation.item.deleted", item_id=item.id)

    def retrieve_item(self, event: JsonObject) -> None:
        """Send an item again."""
        self.outgoing.put("conversation.item.retrieved", item=self._found(event).to_json())

    # ---- responses --------------------------------------------------------------------------------------------------

    def create_response(self, event: JsonObject) -> None:
        """Answer, as the client wants."""
        if self._answering is not None and self._answer is not None:
            raise _EventRefused(
                "conversation_already_has_active_response",
                f"the conversation already has an active response: {self._answer.name}",
            )
        wanted = event.get("response")
        self._respond(wanted if isinstance(wanted, dict) else {})

    def cancel_response(self, event: JsonObject) -> None:
        """Stop answering, as the client wants."""
        name = event.get("response_id")
        if self._answer is None or self._answering is None or (name is not None and name != self._answer.name):
            raise _EventRefused("response_cancel_not_active", "cancellation failed: there is no active response")
        self._stop("client_cancelled")

    def _stop(self, reason: str) -> None:
        """Cancel the answer that is being made; its last event is sent at once."""
        if self._answering is not None and self._answer is not None:
            self._answering.cancel()
            self._answering = None
            self._answer.end("cancelled", reason)

    def _respond(self, wanted: JsonObject) -> None:
        this_once: JsonObject = {key: wanted[key] for key in wanted.keys() & {"instructions", "tools"}}
        metadata = wanted.get("metadata")
        answer = Answer(
            self.name("resp"),
            self._items,
            self._models,
            self.outgoing,
            SessionConfig({**self._config.session, **this_once}),
            metadata=metadata if isinstance(metadata, dict) else None,
            new_name=self.name,
            add=self._add,
            input_before=self._input_before,
            cancels_tool=self.outgoing.fault == "cancel-tool",
        )
        self._answer = answer
        answer.begin()
        task = self._answering = asyncio.ensure_future(self._make(answer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _make(self, answer: Answer) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            try:
                await answer.make()
            except Exception as error:  # whatever the model behind it does, the protocol has an event for it
                answer.end("failed", str(error))
        self._input_before = answer.input_tokens
        if answer.cancelled_tool:
            self.outgoing.fault = None
        # An answer that was stopped ends here later than the next one begins, which must not be forgotten.
        if self._answer is answer:
            self._answering = None


def _object(event: JsonObject, key: str) -> JsonObject:
    """Return an object of an event.

    Raises:
        TypeError: it is none.
    """
    value = event[key]
    if not isinstance(value, dict):
        raise TypeError(f"{key} is no object")
    return value
