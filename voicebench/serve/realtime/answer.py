"""One response of a session: recognise, ask the policy, speak, count tokens."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voicebench.line.resample import convert
from voicebench.line.stage import to_pcm
from voicebench.record.json_types import JsonObject
from voicebench.serve.realtime.config import SessionConfig
from voicebench.serve.realtime.items import AUDIO_RATE, Item, SessionItems
from voicebench.serve.realtime.outgoing import Outgoing
from voicebench.serve.realtime.policy import AnswerPart, ChatPolicy
from voicebench.speech.asr import Transcriber
from voicebench.speech.clauses import split_clauses
from voicebench.speech.tts import Voice

__all__ = ["Answer", "SessionModels"]

_DELTA_SAMPLES = AUDIO_RATE // 5


@dataclass(frozen=True)
class SessionModels:
    """The models of a server; one recognition and one synthesis at a time.

    Attributes:
        recognizer: of the caller's speech.
        policy: decides what is answered.
        voice: finds a voice by its name; ConfigError if there is none.
        asr_lock, tts_lock: held while a recognition or a synthesis runs.
        seed: of the voices.
    """

    recognizer: Transcriber
    policy: ChatPolicy
    voice: Callable[[str], Voice]
    asr_lock: asyncio.Lock
    tts_lock: asyncio.Lock
    seed: int = 0

    async def transcribe(self, samples: npt.NDArray[np.int16]) -> str:
        """Return the words in int16[n] at 16 kHz."""
        async with self.asr_lock:
            return (await asyncio.to_thread(self.recognizer.transcribe, samples)).text

    async def synthesize(self, voice: str, text: str) -> bytes:
        """Return a clause as the protocol's PCM."""

        def speak() -> npt.NDArray[np.int16]:
            spoken = self.voice(voice).synthesize(text, seed=self.seed)
            return to_pcm(convert(spoken.astype(np.float64), 16_000, AUDIO_RATE))

        async with self.tts_lock:
            return (await asyncio.to_thread(speak)).astype("<i2").tobytes()


class Answer:
    """Makes one response.

    Args:
        name: of the response.
        session_items: what it answers.
        models: what it is made with.
        outgoing: takes its events.
        config: of the session, with what the client wants otherwise this once.
        metadata: the client's; ``say`` is a text to be spoken as it is.
        new_name: makes names.
        add: adds an item to the conversation.
        input_before: text and audio tokens that the last response was given: they are cached.
        cancels_tool: the fault: the response is cancelled after its first tool call.

    Attributes:
        input_tokens: text and audio tokens that it was given.
        cancelled_tool: whether that fault has struck.
    """

    def __init__(
        self,
        name: str,
        session_items: SessionItems,
        models: SessionModels,
        outgoing: Outgoing,
        config: SessionConfig,
        *,
        metadata: JsonObject | None,
        new_name: Callable[[str], str],
        add: Callable[[Item], None],
        input_before: tuple[int, int],
        cancels_tool: bool,
    ) -> None:
        self.name = name
        self.input_tokens = input_before
        self.cancelled_tool = False
        self._session_items = session_items
        self._models = models
        self._out = outgoing
        self._config = config
        self._metadata = metadata
        self._new_name = new_name
        self._add = add
        self._input_before = input_before
        self._cancels_tool = cancels_tool
        self._items: list[Item] = []
        self._message: Item | None = None
        self._given: tuple[int, int] = (0, 0)
        self._ended = False

    # ---- its course -------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Say that there is a response."""
        self._out.put("response.created", response=self._to_json("in_progress"))

    async def make(self) -> None:
        """Make it, to its last event."""
        # The turn that is to be answered may still be with the recognizer.
        heard = [item.heard for item in self._session_items.all if item.heard is not None]
        if heard:
            await asyncio.wait(heard)
        self._given = self._session_items.input_tokens(self._config.instructions, self._config.tools)
        rest = ""
        async for piece in self._pieces():
            if piece.call is not None:
                await self._speak(rest)
                rest = ""
                self._end_message()
                self._call(piece.call)
                if self._ended:
                    return
                continue
            rest += piece.text
            # The last clause stays: the next part of the answer may go on with it.
            for clause in split_clauses(rest)[:-1]:
                rest = rest.partition(clause)[2]
                await self._speak(clause)
        await self._speak(rest)
        self._end_message()
        self.end("completed")

    async def _pieces(self) -> AsyncIterator[AnswerPart]:
        """Stream the model's answer; none where there is nothing to answer."""
        said = (self._metadata or {}).get("say")
        if said:
            yield AnswerPart(text=str(said))
        elif not self._session_items.is_answered:
            messages = self._session_items.messages(self._config.instructions)
            async for piece in self._models.policy.answer(messages, self._config.tools, self._config.metadata):
                yield piece

    def end(self, status: str, reason: str | None = None) -> None:
        """Send the last event, once."""
        if self._ended:
            return
        self._ended = True
        if self._message is not None:
            self._end_message(complete=status == "completed")
        details: JsonObject | None = None
        if status == "failed":
            details = {"type": "failed", "error": {"type": "server_error", "code": None, "message": reason}}
        elif status != "completed":
            details = {"type": status, "reason": reason}
        self._out.put("response.done", response=self._to_json(status, details, self._usage()))

    # ---- words ------------------------------------------------------------------------------------------------------

    async def _speak(self, text: str) -> None:
        text = text.strip()
        if not text:
            return
        audio = await self._models.synthesize(self._config.voice, text)
        if self._message is None:
            await self._out.before_sound()
            self._message = Item(self._new_name("item"), "assistant", done=False)
            self._announce(self._message)
            part: JsonObject = {"type": "audio", "transcript": ""}
            self._out.put("response.content_part.added", part=part, **self._place(self._message))
        item = self._message
        spaced = f" {text}" if item.text else text
        item.text += spaced
        place = self._place(item)
        self._out.put("response.output_audio_transcript.delta", delta=spaced, **place)
        for start in range(0, len(audio), _DELTA_SAMPLES * 2):
            chunk = audio[start : start + _DELTA_SAMPLES * 2]
            item.samples += len(chunk) // 2
            self._out.put("response.output_audio.delta", delta=base64.b64encode(chunk).decode(), **place)

    def _place(self, item: Item) -> JsonObject:
        index = self._items.index(item)
        return {"response_id": self.name, "item_id": item.id, "output_index": index, "content_index": 0}

    def _end_message(self, *, complete: bool = True) -> None:
        item, self._message = self._message, None
        if item is None:
            return
        item.done = True
        place = self._place(item)
        if complete:
            self._out.put("response.output_audio.done", **place)
            self._out.put("response.output_audio_transcript.done", transcript=item.text, **place)
            part: JsonObject = {"type": "audio", "transcript": item.text}
            self._out.put("response.content_part.done", part=part, **place)
        self._conclude(item, "completed" if complete else "incomplete")

    def _announce(self, item: Item) -> None:
        self._items.append(item)
        index = len(self._items) - 1
        self._out.put("response.output_item.added", response_id=self.name, output_index=index, item=item.to_json())
        self._add(item)

    def _conclude(self, item: Item, status: str) -> None:
        done = {**item.to_json(), "status": status}
        index = self._items.index(item)
        self._out.put("response.output_item.done", response_id=self.name, output_index=index, item=done)
        self._out.put("conversation.item.done", item=done, previous_item_id=None)

    # ---- calls ------------------------------------------------------------------------------------------------------

    def _call(self, call: dict[str, str]) -> None:
        call = {**call, "call_id": self._new_name("call")}
        item = Item(self._new_name("fc"), "function_call", call=call, done=False)
        self._announce(item)
        item.done = True
        place = {key: value for key, value in self._place(item).items() if key != "content_index"}
        given = {"call_id": call["call_id"], **place}
        self._out.put("response.function_call_arguments.delta", delta=call["arguments"], **given)
        done = {"name": call["name"], "arguments": call["arguments"], **given}
        self._out.put("response.function_call_arguments.done", **done)
        self._conclude(item, "completed")
        if self._cancels_tool:
            self.cancelled_tool = True
            self.end("cancelled", "turn_detected")

    # ---- the response as an object ----------------------------------------------------------------------------------

    def _usage(self) -> JsonObject:
        """Count: cached tokens are among the input's, cached audio among both."""
        self.input_tokens = self._given
        text, audio = self._given
        cached_text, cached_audio = (min(a, b) for a, b in zip(self._input_before, self._given, strict=True))
        spoken = sum(item.audio_ms // 50 for item in self._items)
        written = sum((len(item.text) + len(str(item.call or ""))) // 4 for item in self._items)
        return {
            "total_tokens": text + audio + written + spoken,
            "input_tokens": text + audio,
            "output_tokens": written + spoken,
            "input_token_details": {
                "text_tokens": text,
                "audio_tokens": audio,
                "cached_tokens": cached_text + cached_audio,
                "cached_tokens_details": {"text_tokens": cached_text, "audio_tokens": cached_audio},
            },
            "output_token_details": {"text_tokens": written, "audio_tokens": spoken},
        }

    def _to_json(self, status: str, details: JsonObject | None = None, usage: JsonObject | None = None) -> JsonObject:
        return {
            "object": "realtime.response",
            "id": self.name,
            "status": status,
            "status_details": details,
            "output": [item.to_json() for item in self._items],
            "conversation_id": "conv_voicebench",
            "output_modalities": ["audio"],
            "metadata": self._metadata,
            "usage": usage,
        }
