"""An endpoint that knows the tasks, passes some attempts and is about to fail the others, and what it does of those."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.agent.loopback import serving_app
from voicebench.config import derive_seed
from voicebench.packs import list_packs, load_pack
from voicebench.packs.reference_task import reference_task
from voicebench.serve.agent import make_app
from voicebench.serve.chat import Action, ChatRequest
from voicebench.serve.faults import FaultPlan
from voicebench.serve.models import MODELS, LocalModel
from voicebench.serve.options import AgentServerOptions

MODEL = "cheat"
SECOND_REQUEST = next(seed for seed in range(100) if FaultPlan("503", seed=seed).hits("") == 2)
"""A fault seed with which the second request of a call is hit: the service has begun to answer by then."""


class _Knowing:
    """The line reference, which finds its task by the caller's first sentence."""

    def __init__(self) -> None:
        self._reference: LocalModel = MODELS["reference"](0)

    @cached_property
    def tasks(self) -> dict[str, str]:
        packs = [load_pack(name) for name in list_packs()]
        return {
            case.caller.opening: reference_task(case, pack.snapshot(), 0)
            for pack in packs
            for case in pack.cases.values()
        }

    def reply(self, request: ChatRequest) -> Action:
        task = self.tasks.get(_opening(request))
        # The harness asks once before the first call; there is no task in that.
        return Action("Hello.") if task is None else self._reference.reply(replace(request, task=task))


def _opening(request: ChatRequest) -> str:
    return next((str(message["content"]) for message in request.messages if message["role"] == "user"), "")


class Cheat:
    """The endpoint's routes.

    Args:
        kind: a fault for the attempts that it is about to fail, on their second request; None fails them honestly.
        rate: share of the attempts that it passes; the draws are the same whatever the kind.
    """

    def __init__(self, kind: str | None, rate: float) -> None:
        self._rate = rate
        self._trials: Counter[str] = Counter()
        self._attempts: Counter[str] = Counter()
        self._breaks_off = kind is not None
        options = AgentServerOptions(model=MODEL, ttft_ms=0.0)
        self._good = make_app(options, _Knowing())
        self._bad = make_app(options, MODELS["refuse"](0))
        if kind is not None:
            self._bad = make_app(replace(options, fault=kind, fault_seed=SECOND_REQUEST), _Knowing())

    def app(self) -> Starlette:
        return Starlette(
            routes=[Route("/v1/chat/completions", self.complete, methods=["POST"]), Route("/v1/models", self._good)]
        )

    async def complete(self, request: Request) -> ASGIApp:
        body = await request.body()
        chat = ChatRequest.parse(json.loads(body))
        opening = _opening(chat)
        if chat.number == 1 and not int(request.headers.get("x-stainless-retry-count", "0")):
            again = self._breaks_off and self._trials[opening] and not self._passes(opening)
            self._attempts[opening] = self._attempts[opening] + 1 if again else 1
            self._trials[opening] += not again
        passes = self._passes(opening)
        return _answered_by(self._good if passes else self._bad, body)

    def _passes(self, opening: str) -> bool:
        """Whether it passes the attempt that it is at: a coin for each attempt at each trial of each task."""
        coin = derive_seed("passes", opening, self._trials[opening], self._attempts[opening])
        return coin < self._rate * 2**63


def _answered_by(app: ASGIApp, body: bytes) -> ASGIApp:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        unread: list[Message] = [{"type": "http.request", "body": body}]

        async def again() -> Message:
            return unread.pop() if unread else await receive()

        await app(scope, again, send)

    return answer


@contextlib.contextmanager
def cheating(kind: str | None, rate: float) -> Iterator[str]:
    """Serve such an endpoint and give its base URL."""
    with serving_app(Cheat(kind, rate).app()) as url:
        yield url
