"""One end of a telephone call held with the real cascade: a caller's samples go in, the agent's come out."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

import numpy as np

from tests.agent.fakes import Request, ScriptedModel, Step, new_context, shop
from tests.jsons import lines_of
from voicebench.agent import FRAME, SAMPLE_RATE, CallContext, Pcm
from voicebench.agent.cascade import Cascade, CascadeParts
from voicebench.agent.router import AgentRouter
from voicebench.clock import current_loop, run_call, sleep
from voicebench.config.charges import Charge
from voicebench.packs import dump_state
from voicebench.speech.asr import Recognizer, Transcript, load_recognizer
from voicebench.speech.tts import Voice, load_voice
from voicebench.speech.vad import Vad

GREETING = "Kestrel Electronics, good day."
SILENCE_DBOV = -50.0


@lru_cache
def speak(voice: str, text: str, seed: int = 0) -> Pcm:
    return load_voice(voice).synthesize(text, seed=seed)


@lru_cache
def understand(sound: bytes) -> Transcript:
    return load_recognizer("tiny.en").transcribe(np.frombuffer(sound, np.int16))


class Joe(Voice):
    """The real voice; a clause that was synthesised before is remembered."""

    def synthesize(self, text: str, *, seed: int = 0) -> Pcm:
        return speak("joe", text, seed)


@dataclass
class FakeRecognizer:
    """The real recognizer, unless a test says what it hears; notes how often it was asked."""

    says: list[str | Exception | None] = field(default_factory=list)
    asked: int = 0

    def transcribe(self, samples: Pcm) -> Transcript:
        self.asked += 1
        text = self.says.pop(0) if self.says else None
        if isinstance(text, Exception):
            raise text
        heard = understand(samples.tobytes())
        return heard if text is None else dataclasses.replace(heard, text=text)


def say(*parts: tuple[float, str] | tuple[float, Pcm]) -> Pcm:
    """The caller's side of a call: sentences or samples, each at a time in seconds."""
    sounds = [(round(at * SAMPLE_RATE), speak("heart", what) if isinstance(what, str) else what) for at, what in parts]
    samples = np.zeros(max((at + len(sound) for at, sound in sounds), default=0), np.int16)
    for at, sound in sounds:
        samples[at : at + len(sound)] = sound
    return samples


def loud(samples: Pcm) -> list[float]:
    """The times of the frames that are louder than silence, seconds."""
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME).astype(np.float64) / 32768.0
    return [float(n) / 50 for n in np.flatnonzero(np.mean(frames**2, axis=1) > 10 ** (SILENCE_DBOV / 10))]


@dataclass
class Phoned:
    """A call as it goes on, and what it left behind; times are seconds of the call."""

    agent: Cascade
    model: ScriptedModel
    router: AgentRouter
    recognizer: FakeRecognizer
    context: CallContext
    frames: list[Pcm] = field(default_factory=list)
    finished_s: float | None = None

    @property
    def said(self) -> Pcm:
        return np.concatenate(self.frames)

    @property
    def history(self) -> list[dict[str, Any]]:
        return self.agent._conversation.messages

    @property
    def requests(self) -> list[Request]:
        return self.model.requests

    def lines(self, name: str) -> list[dict[str, Any]]:
        return [line for line in lines_of(self.context.tracer) if line["name"] == name]

    def attributes(self, name: str) -> list[dict[str, Any]]:
        return [line["attributes"] for line in self.lines(name)]

    def rows(self, table: str) -> list[dict[str, Any]]:
        return dump_state(self.router.tool_context.db, shop().spec)[table]


def phone(
    caller: Pcm,
    seconds: float,
    *answers: list[Step],
    asr: str = "fixed:400",
    tts: str = "fixed:150",
    recognizer: FakeRecognizer | None = None,
    max_turn_s: float = 20.0,
    latency_ms: float = 50.0,
    at: dict[float, Callable[[Phoned], Awaitable[Any]]] | None = None,
) -> Phoned:
    """Hold a call of some seconds and hang up.

    Args:
        caller: what the caller says, whatever it hears: int16[n] at 16 kHz.
        seconds: when the line is closed.
        answers: of the model.
        asr: charge of a recognition.
        tts: charge of a clause.
        recognizer: the agent's.
        max_turn_s: where a turn of unbroken speech is cut.
        latency_ms: of a tool.
        at: what else happens, by its time.
    """
    kept: list[Phoned] = []

    async def main() -> None:
        context = new_context()
        pack = dataclasses.replace(shop(), spec=shop().spec.model_copy(update={"greeting": GREETING}))
        router, model, heard_by = (
            AgentRouter(pack, context, latency_ms=latency_ms),
            ScriptedModel(list(answers)),
            recognizer or FakeRecognizer(),
        )
        joe = load_voice("joe")
        parts = CascadeParts(
            recognizer=cast(Recognizer, heard_by),
            voice=Joe(joe.spec, joe.files, joe.engine),
            vad=Vad(),
            max_turn_s=max_turn_s,
            turn_end_s=0.6,
            asr_charge=Charge.parse(asr),
            tts_charge=Charge.parse(tts),
        )
        call = Phoned(Cascade(parts, router, model, context), model, router, heard_by, context)
        kept.append(call)
        await call.agent.start()
        await _tick(call, caller, round(seconds * 50), at or {})
        await call.agent.hang_up()

    run_call(main())
    return kept[0]


async def _tick(call: Phoned, caller: Pcm, slots: int, at: dict[float, Callable[[Phoned], Awaitable[Any]]]) -> None:
    heard = np.concatenate([caller, np.zeros(slots * FRAME, np.int16)])
    others = []
    for slot in range(slots):
        if slot / 50 in at:
            others.append(asyncio.ensure_future(at[slot / 50](call)))
        call.frames.append(call.agent.speak())
        call.agent.hear(heard[slot * FRAME : (slot + 1) * FRAME])
        if call.agent.finished.is_set() and call.finished_s is None:
            call.finished_s = slot / 50
        await sleep((slot + 1) / 50 - current_loop().time())
    await asyncio.gather(*others)
