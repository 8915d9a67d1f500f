"""Whole calls into which one cause is put: real desk, caller, line, ears and voices, and an agent that errs on demand.

The agent is the line reference behind a local endpoint; without an injection each call passes. Voices and recognizers
are those of the pipeline ``fast``, and what they made of the same input once is not made again.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt

from tests.agent.loopback import serving_app
from tests.hard.calls import KEY, SHOP, Held, seed_that_hits, shipped, unit
from voicebench.call import CallSetup, prepare, run_call_unit
from voicebench.caller import ScriptedCaller
from voicebench.config import load_pipeline
from voicebench.llm import LlmTarget
from voicebench.packs import Pack
from voicebench.packs.models import Case
from voicebench.serve import AgentServerOptions
from voicebench.serve.agent import make_app
from voicebench.serve.chat import Action, ChatRequest
from voicebench.serve.reference import Reference
from voicebench.speech import asr, tts
from voicebench.speech.vad import Vad

Pcm = npt.NDArray[np.int16]
Change = Callable[[ChatRequest, Action], Action]
Swap = Callable[[str, int], str]
"""Makes another text of a recognition, given its number in the call from 0."""

TEXT = ("channel=text",)
PACKETS_A_SECOND = 50


@dataclass(frozen=True)
class Injection:
    """What is put into a call.

    Attributes:
        task: of the pack.
        text: over text, or over the telephone.
        model: changes an answer of the agent's.
        habit: does so too, and is the agent's own, so that it stays when all else is taken away.
        case: changes the task.
        caller: in the place of the scripted caller.
        agent_ear, caller_ear: swap what is recognised.
        lost: from the healthy call, stretches of the call in which every packet of a leg is lost: leg, begin and end in
            seconds.
        fault: of the endpoint, and the request that it hits.
        deaf: the agent's voice activity detector takes nothing for speech.
        told: the caller is told the agent's words instead of hearing them.
        overrides: keys of the pipeline.
        pack: the shop if no other is named.
    """

    task: str = "T1-E1"
    text: bool = True
    model: Change | None = None
    habit: Change | None = None
    case: Callable[[Case], Case] | None = None
    caller: type[ScriptedCaller] | None = None
    agent_ear: Swap | None = None
    caller_ear: Swap | None = None
    lost: Callable[[Held], list[tuple[str, float, float]]] | None = None
    fault: tuple[str, int] | None = None
    deaf: bool = False
    told: bool = True
    overrides: tuple[str, ...] = field(default=())
    pack: str = SHOP

    def without(self) -> Injection:
        """The same call without anything put into it."""
        return Injection(self.task, self.text, habit=self.habit, told=self.told, pack=self.pack)


@dataclass(frozen=True)
class _Meddler:
    """The line reference, some of whose answers are changed."""

    changes: tuple[Change, ...]

    def reply(self, request: ChatRequest) -> Action:
        action = Reference().reply(request)
        for change in self.changes:
            action = change(request, action)
        return action


def hold(injection: Injection, folder: Path) -> Held:
    """Hold the call; ``folder`` is for the list of lost packets."""
    options, call = AgentServerOptions(ttft_ms=0), unit(injection.task, injection.pack)
    if injection.fault is not None:
        kind, hit = injection.fault
        options = replace(options, fault=kind, fault_seed=seed_that_hits(call, kind, hit))
    pack = _pack(injection)
    changes = tuple(change for change in (injection.habit, injection.model) if change is not None)
    pipeline = load_pipeline("fast", [*_channel(injection), *_line(injection, folder), *injection.overrides])
    with serving_app(make_app(options, _Meddler(changes))) as url, _people(injection):
        target = LlmTarget("reference", url, KEY, timeout_s=pipeline.cascade.llm.timeout_s, own=True)
        models = prepare(pipeline, [pipeline.caller.voice_for(pack.cases[injection.task].caller.voice)])
        setup = CallSetup(pipeline, pack, pack.cases[injection.task], target, models=models)
        return Held(run_call_unit(call, setup))


@lru_cache
def healthy(injection: Injection) -> Held:
    """The call without an injection, held once."""
    assert injection == injection.without()
    return hold(injection, Path())


def _pack(injection: Injection) -> Pack:
    pack = shipped(injection.pack)
    if injection.case is None:
        return pack
    return replace(pack, cases={**pack.cases, injection.task: injection.case(pack.cases[injection.task])})


def _channel(injection: Injection) -> list[str]:
    if injection.text:
        return list(TEXT)
    return ["caller.hears=text"] if injection.told else []


def _line(injection: Injection, folder: Path) -> Iterator[str]:
    stretches = [] if injection.lost is None else injection.lost(healthy(injection.without()))
    for leg in dict.fromkeys(leg for leg, _, _ in stretches):
        path = folder / f"{leg}.csv"
        packets = [range(*(int(at * PACKETS_A_SECOND) for at in times)) for one, *times in stretches if one == leg]
        with path.open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["sequence"])
            rows.writerows([number] for number in sorted(set().union(*packets)))
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        yield f"line.{leg}.loss={{model: replay, file: {{path: {path}, sha256: {sha256}}}}}"


# ---- ears, voices and minds ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def _people(injection: Injection) -> Iterator[None]:
    """Put the ears and the caller in the place of the usual ones."""
    callers, agents = _Ear("tiny.en", injection.caller_ear), _Ear("tiny.en", injection.agent_ear)

    def load_recognizer(_: str, **of_the_agent: Any) -> _Ear:
        return agents if of_the_agent else callers

    with contextlib.ExitStack() as stack:
        if not injection.text:
            stack.enter_context(mock.patch("voicebench.call.audio.load_recognizer", load_recognizer))
            stack.enter_context(mock.patch("voicebench.call.audio.load_voice", _Voice))
        if injection.deaf:
            stack.enter_context(mock.patch("voicebench.call.audio.Vad", _DeafVad))
        if injection.caller is not None:
            stack.enter_context(mock.patch("voicebench.call.run.ScriptedCaller", injection.caller))
        yield


@dataclass
class _Ear:
    """A recognizer that remembers, some of whose texts are swapped."""

    model: str
    swap: Swap | None
    count: int = 0

    def transcribe(self, samples: Pcm) -> asr.Transcript:
        heard = _transcribed(self.model, samples.tobytes())
        number, self.count = self.count, self.count + 1
        return heard if self.swap is None else replace(heard, text=self.swap(heard.text, number))


@lru_cache(maxsize=1_000)
def _transcribed(model: str, samples: bytes) -> asr.Transcript:
    return asr.load_recognizer(model).transcribe(np.frombuffer(samples, dtype=np.int16))


class _DeafVad(Vad):
    """A detector for which nothing is speech."""

    def is_speech(self, frame: Pcm) -> bool:
        super().is_speech(frame)
        return False


@dataclass(frozen=True)
class _Voice:
    """A voice that remembers what it said."""

    name: str

    def synthesize(self, text: str, *, seed: int = 0) -> Pcm:
        return _spoken(self.name, text, seed)


@lru_cache(maxsize=1_000)
def _spoken(name: str, text: str, seed: int) -> Pcm:
    return tts.load_voice(name).synthesize(text, seed=seed)


# ---- what an agent does otherwise ---------------------------------------------------------------------------------


def calls(action: Action, tool: str) -> bool:
    """Whether an answer calls a tool."""
    return any(use.name == tool for use in action.calls)


def with_argument(tool: str, argument: str, value: Any) -> Change:
    """An agent that gives another value to a tool."""

    def change(_: ChatRequest, action: Action) -> Action:
        uses = [
            replace(use, arguments={**use.arguments, argument: value}) if use.name == tool else use
            for use in action.calls
        ]
        return replace(action, calls=tuple(uses))

    return change


def instead_of(tool: str, other: Action) -> Change:
    """An agent that does something else whenever it should call a tool."""
    return lambda _, action: other if calls(action, tool) else action
