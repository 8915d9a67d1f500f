"""A short call of the realtime harness with a session of the local server, on the call's clock.

The server's session is the real one (VAD, recognizer, voice, protocol); what it says and calls is scripted, and events
go from one end to the other without a socket, so that a scene takes its call time in no wall time and is the same under
any load.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from tests.agent.fakes import ScriptedModel, Step, new_context, shop
from tests.agent.phone import GREETING, FakeRecognizer, Joe
from tests.jsons import lines_of
from voicebench.agent import FRAME, CallContext, Pcm
from voicebench.agent.realtime import RealtimeHarness, SessionSettings
from voicebench.agent.router import AgentRouter
from voicebench.clock import current_loop, run_call, sleep
from voicebench.errors import ProviderError
from voicebench.packs import dump_state
from voicebench.record.json_types import JsonObject
from voicebench.serve.faults import SessionFaultPlan
from voicebench.serve.realtime.answer import SessionModels
from voicebench.serve.realtime.outgoing import Outgoing
from voicebench.serve.realtime.policy import AnswerPart, ChatPolicy
from voicebench.serve.realtime.session import RealtimeSession
from voicebench.speech.asr import Recognizer
from voicebench.speech.tts import load_voice

DETECTION: JsonObject = {
    "type": "server_vad",
    "threshold": 0.5,
    "prefix_padding_ms": 300,
    "silence_duration_ms": 600,
    "create_response": True,
    "interrupt_response": True,
}
SETTINGS = SessionSettings("joe", DETECTION, "whisper")

Event = dict[str, Any]


@dataclass
class ScriptedPolicy:
    """What decides on the server's answers: a model that plays a script."""

    model: ScriptedModel

    async def answer(
        self, messages: list[Event], tools: list[Event], metadata: dict[str, str]
    ) -> AsyncIterator[AnswerPart]:
        chat = [{"type": "function", "function": tool} for tool in tools]
        async for delta in self.model.stream(messages, chat, ""):
            if delta.call is None:
                yield AnswerPart(text=delta.text)
            else:
                call = delta.call
                yield AnswerPart(call={"call_id": call.call_id, "name": call.name, "arguments": call.arguments})


class Wire:
    """Both ends of a session in this process; closed, it is lost."""

    def __init__(self) -> None:
        self.session: RealtimeSession | None = None
        self.sent: list[tuple[float, Event]] = []
        self._inbox: asyncio.Queue[str | None] = asyncio.Queue()

    async def send(self, event: Event) -> None:
        assert self.session is not None
        if event["type"] != "input_audio_buffer.append":
            self.sent.append((current_loop().time(), event))
        self.session.receive(json.dumps(event))

    async def receive(self) -> Event:
        text = await self._inbox.get()
        if text is None:
            raise ProviderError("the session is lost", retryable=True)
        event: Event = json.loads(text)
        return event

    async def close(self) -> None:
        """Nothing is open."""

    async def deliver(self, text: str) -> None:
        self._inbox.put_nowait(text)

    async def drop(self) -> None:
        self._inbox.put_nowait(None)


@dataclass
class Scene:
    """A call as it goes on, and what it left behind; times are seconds of the call."""

    agent: RealtimeHarness
    wire: Wire
    model: ScriptedModel
    router: AgentRouter
    context: CallContext
    frames: list[Pcm] = field(default_factory=list)
    finished_s: float | None = None

    @property
    def said(self) -> Pcm:
        return np.concatenate(self.frames)

    @property
    def chats(self) -> list[list[Event]]:
        """The chats that the server's model was shown, without their prompts."""
        return [request.messages for request in self.model.requests]

    def sent(self, kind: str) -> list[Event]:
        return [event for _, event in self.wire.sent if event["type"] == kind]

    def lines(self, name: str) -> list[Event]:
        return [line for line in lines_of(self.context.tracer) if line["name"] == name]

    def attributes(self, name: str) -> list[Event]:
        return [line["attributes"] for line in self.lines(name)]

    def rows(self, table: str) -> list[Event]:
        return dump_state(self.router.tool_context.db, shop().spec)[table]


Happening = Callable[[Scene], Awaitable[Any]]


def scene(
    caller: Pcm,
    seconds: float,
    *answers: list[Step],
    fault: str | None = None,
    recognizer: FakeRecognizer | None = None,
    latency_ms: float = 50.0,
    at: dict[float, Happening] | None = None,
    first: str | None = None,
) -> Scene:
    """Hold a call of some seconds and hang up.

    Args:
        caller: what the caller says, whatever it hears: int16[n] at 16 kHz.
        seconds: when the line is closed; earlier if the session is lost.
        answers: of the server's model.
        fault: of the server.
        recognizer: the server's.
        latency_ms: of a tool.
        at: what else happens, by its time.
        first: agent to begin with.
    """
    kept: list[Scene] = []

    async def main() -> None:
        context = new_context()
        pack = dataclasses.replace(shop(), spec=shop().spec.model_copy(update={"greeting": GREETING}))
        router, model, wire = AgentRouter(pack, context, latency_ms=latency_ms), ScriptedModel(list(answers)), Wire()
        if first is not None:
            router.active = next(spec for spec in pack.spec.agents if spec.name == first)
        joe = load_voice("joe")
        voice = Joe(joe.spec, joe.files, joe.engine)
        policy = cast(ChatPolicy, ScriptedPolicy(model))
        models = SessionModels(
            cast(Recognizer, recognizer or FakeRecognizer()), policy, lambda _: voice, asyncio.Lock(), asyncio.Lock()
        )
        outgoing = Outgoing(wire.deliver, wire.drop)
        faults = None if fault is None else SessionFaultPlan.read(fault)
        session = wire.session = RealtimeSession(models, "scripted", outgoing, faults, "joe")

        async def connect() -> Wire:
            session.open()
            return wire

        agent = RealtimeHarness(router, SETTINGS, connect, context, model="scripted", timeout_s=5.0)
        sending = asyncio.ensure_future(outgoing.run())
        kept.append(Scene(agent, wire, model, router, context))
        await agent.start()
        await _tick(kept[0], caller, round(seconds * 50), at or {})
        await agent.hang_up()
        await session.close()
        sending.cancel()

    run_call(main())
    return kept[0]


async def _tick(call: Scene, caller: Pcm, slots: int, at: dict[float, Happening]) -> None:
    heard = np.concatenate([caller, np.zeros(slots * FRAME, np.int16)])
    start_s = current_loop().time()
    others = []
    for slot in range(slots):
        if call.agent.failure is not None:
            break
        if slot / 50 in at:
            others.append(asyncio.ensure_future(at[slot / 50](call)))
        call.frames.append(call.agent.speak())
        call.agent.hear(heard[slot * FRAME : (slot + 1) * FRAME])
        if call.agent.finished.is_set() and call.finished_s is None:
            call.finished_s = slot / 50
        await sleep(start_s + (slot + 1) / 50 - current_loop().time())
    await asyncio.gather(*others)
