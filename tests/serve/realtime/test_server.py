"""The realtime server as a process, spoken to by the official client's realtime class."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest
from openai.resources.realtime.realtime import AsyncRealtimeConnection

from voicebench.config import Pipeline, load_pipeline
from voicebench.errors import ConfigError, ProviderError
from voicebench.line.resample import convert
from voicebench.line.stage import to_pcm
from voicebench.runner.preflight import preflight
from voicebench.serve import Endpoint, RealtimeServerOptions, start_realtime
from voicebench.speech.tts import load_voice

pytestmark = pytest.mark.audio

SCRIPT = """
- {say: "Your parcel is on its way. It comes on Monday."}
- {call: look, with: {parcel: 7}}
- {say: "It is in Lyon."}
"""
LOOK = {"type": "function", "name": "look", "description": "Look.", "parameters": {"type": "object", "properties": {}}}
LIMIT_S = 120.0

Events = list[dict[str, Any]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    script = tmp_path_factory.mktemp("script") / "script.yaml"
    script.write_text(SCRIPT)
    with start_realtime(RealtimeServerOptions(script=script, ttft_ms=0, asr_model="tiny.en")) as endpoint:
        yield endpoint


class Client:
    """A session of the official client, and the events that have come."""

    def __init__(self, connection: AsyncRealtimeConnection) -> None:
        self.connection = connection
        self.events: Events = []

    async def until(self, kind: str) -> dict[str, Any]:
        """Receive until an event of this type."""
        async with asyncio.timeout(LIMIT_S):
            while True:
                event = (await self.connection.recv()).model_dump()
                self.events.append(event)
                if event["type"] == kind:
                    return event

    async def say(self, text: str, silence_s: float = 1.0) -> None:
        """Send speech and silence, as fast as it goes."""
        speech = load_voice("heart").synthesize(text).astype(np.float64)
        samples = to_pcm(convert(np.concatenate([speech, np.zeros(round(silence_s * 16_000))]), 16_000, 24_000))
        for part in np.split(samples, range(2_400, len(samples), 2_400)):
            audio = base64.b64encode(part.astype("<i2").tobytes()).decode()
            await self.connection.input_audio_buffer.append(audio=audio)

    def of(self, kind: str) -> Events:
        return [event for event in self.events if event["type"] == kind]


def talk(server: Endpoint, session: Callable[[Client], Awaitable[None]]) -> Client:
    kept: list[Client] = []

    async def main() -> None:
        client = openai.AsyncOpenAI(base_url=server.url, api_key="none")
        async with client, client.realtime.connect(model="script") as connection:
            kept.append(Client(connection))
            await kept[0].until("session.created")
            await connection.session.update(
                session={
                    "type": "realtime",
                    "instructions": "Be brief.",
                    "tools": [LOOK],  # type: ignore[list-item]
                    "audio": {"input": {"transcription": {"model": "whisper-1"}}},
                }
            )
            await session(kept[0])

    asyncio.run(main())
    return kept[0]


def test_speech_is_heard_answered_and_counted(server: Endpoint) -> None:
    async def session(client: Client) -> None:
        await client.say("Where is my parcel?")
        await client.until("response.done")

    client = talk(server, session)
    kinds = [event["type"] for event in client.events]
    order = ["session.updated", "input_audio_buffer.speech_started", "input_audio_buffer.speech_stopped"]
    order += ["input_audio_buffer.committed", "conversation.item.added", "response.created"]
    assert [kind for kind in kinds if kind in order][: len(order)] == order
    [heard] = client.of("conversation.item.input_audio_transcription.completed")
    assert "parcel" in heard["transcript"].lower()
    assert (
        client.of("response.output_audio_transcript.done")[0]["transcript"]
        == "Your parcel is on its way. It comes on Monday."
    )
    sound = b"".join(base64.b64decode(event["delta"]) for event in client.of("response.output_audio.delta"))
    assert 2.0 < len(sound) / 48_000 < 5.0
    usage = client.of("response.done")[0]["response"]["usage"]
    details = usage["input_token_details"]
    assert usage["input_tokens"] == details["text_tokens"] + details["audio_tokens"]
    assert usage["output_token_details"]["audio_tokens"] == pytest.approx(len(sound) / 48_000 * 20, abs=2)
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]


def test_a_function_is_called_and_its_result_answered(server: Endpoint) -> None:
    async def session(client: Client) -> None:
        await client.say("Where is my parcel?")
        await client.until("response.done")
        await client.say("Look it up, please.")
        done = await client.until("response.done")
        [call] = [item for item in done["response"]["output"] if item["type"] == "function_call"]
        output: Any = {"type": "function_call_output", "call_id": call["call_id"], "output": '{"ok": true}'}
        await client.connection.conversation.item.create(item=output)
        await client.connection.response.create()
        await client.until("response.done")

    client = talk(server, session)
    [arguments] = client.of("response.function_call_arguments.done")
    assert (arguments["name"], json.loads(arguments["arguments"])) == ("look", {"parcel": "7"})
    assert client.of("response.output_audio_transcript.done")[-1]["transcript"] == "It is in Lyon."
    first, _, last = [event["response"]["usage"] for event in client.of("response.done")]
    assert last["input_token_details"]["cached_tokens"] > first["input_tokens"]
    assert last["input_token_details"]["cached_tokens"] < last["input_tokens"]


def test_the_client_may_truncate_what_was_said_but_not_beyond_it(server: Endpoint) -> None:
    async def session(client: Client) -> None:
        await client.say("Where is my parcel?")
        await client.until("response.done")
        item = client.of("response.output_item.done")[0]["item"]["id"]
        truncate = client.connection.conversation.item.truncate
        await truncate(item_id=item, content_index=0, audio_end_ms=60_000)
        await client.until("error")
        await truncate(item_id=item, content_index=0, audio_end_ms=1_000)
        await client.until("conversation.item.truncated")
        await client.connection.conversation.item.retrieve(item_id=item)
        await client.until("conversation.item.retrieved")

    client = talk(server, session)
    assert "already shorter than 60000 ms" in client.of("error")[0]["error"]["message"]
    kept = client.of("conversation.item.retrieved")[0]["item"]["content"][0]["transcript"]
    assert "Your parcel is on its way. It comes on Monday.".startswith(kept)
    assert 1 <= len(kept.split()) <= 6


def test_what_cannot_be_served_is_answered_with_an_error_of_the_protocol(server: Endpoint) -> None:
    async def session(client: Client) -> None:
        connection = client.connection
        await connection.response.cancel(event_id="mine")
        await client.until("error")
        await connection.input_audio_buffer.commit()
        await client.until("error")
        await connection.response.create(response={"metadata": {"say": "I speak. " * 5}})
        await connection.response.create()
        await client.until("error")
        await connection.send_raw("no JSON")
        await client.until("error")
        if not client.of("response.done"):
            await client.until("response.done")

    client = talk(server, session)
    errors = [event["error"] for event in client.of("error")]
    assert [error["code"] for error in errors] == [
        "response_cancel_not_active",
        "input_audio_buffer_commit_empty",
        "conversation_already_has_active_response",
        "invalid_request",
    ]
    assert errors[0]["event_id"] == "mine"
    assert client.of("response.done")[-1]["response"]["status"] == "completed"


def test_a_response_that_is_cancelled_ends_at_once(server: Endpoint) -> None:
    async def session(client: Client) -> None:
        await client.connection.response.create(response={"metadata": {"say": "I speak. " * 40}})
        await client.until("response.output_audio.delta")
        await client.connection.response.cancel()
        await client.until("response.done")

    client = talk(server, session)
    done = client.of("response.done")[0]["response"]
    assert (done["status"], done["status_details"]["reason"]) == ("cancelled", "client_cancelled")
    assert len(client.of("response.output_audio_transcript.delta")) < 40


def test_another_model_is_not_found(server: Endpoint) -> None:
    async def main() -> None:
        client = openai.AsyncOpenAI(base_url=server.url, api_key="none")
        async with client, client.realtime.connect(model="nobody"):
            pass

    with pytest.raises(Exception, match="404"):
        asyncio.run(main())


def test_a_preflight_opens_a_session_and_tells_a_wrong_model(server: Endpoint) -> None:
    def pipeline(model: str) -> Pipeline:
        return load_pipeline("realtime-openai", model=model, base_url=server.url)

    [answer] = preflight(pipeline("script"))
    assert (answer.model, answer.where) == ("script", server.url)
    with pytest.raises(ProviderError, match="answered 404") as refused:
        preflight(pipeline("nobody"))
    assert refused.value.status == 404


def test_a_server_that_is_not_there_is_asked_four_times(server: Endpoint) -> None:
    waits: list[float] = []
    nowhere = load_pipeline("realtime-openai", model="m", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(ProviderError, match="is lost: ConnectionRefusedError"):
        preflight(nowhere, lambda _, seconds: waits.append(seconds))
    assert waits == [1.0, 2.0, 4.0]


def test_a_wrong_option_is_told_by_the_process(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no fault 'slow'; did you mean 'slow-audio'\? There are slow-audio"):
        RealtimeServerOptions(fault="slow")
    with pytest.raises(ConfigError, match="voice 'nobody' is not known"):
        start_realtime(RealtimeServerOptions(model="silent", voice="nobody", asr_model="tiny.en"))
