"""One cheap request to each model of a pipeline, so that a wrong key or name is found before the first call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import httpx2

from voicebench.config import Pipeline
from voicebench.config.models import CascadeAgent
from voicebench.config.profiles import is_local, is_local_caller
from voicebench.engines import remote_target
from voicebench.errors import ConfigError, ProviderError
from voicebench.llm import LlmTarget, Party
from voicebench.llm.retries import asked_wait_s

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk
from voicebench.record.json_types import JsonObject

__all__ = ["Preflight", "preflight"]

_TRIES = 4
_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 60.0

Wait = Callable[[str, float], None]


@dataclass(frozen=True)
class Preflight:
    """A model that answered; ``seconds`` are those until its first chunk."""

    model: str
    where: str
    seconds: float


class _Refused(Exception):
    """The server refused, or did not answer."""

    def __init__(self, text: str, status: int | None, asked_s: float = 0.0) -> None:
        super().__init__(text)
        self.status = status
        self.asked_s = asked_s
        self.passing = status is None or status in (408, 409, 429) or status >= 500


def preflight(
    pipeline: Pipeline, wait: Wait | None = None, *, inner: httpx2.BaseTransport | None = None
) -> list[Preflight]:
    """Ask each model of the pipeline that is not served for the run itself, with the pipeline's parameters.

    The answer is left off after its first chunk. Refusals that may pass (429, 5xx, no connection) are met with three
    further tries, each as long after the last as it asked for, else 1, 2 and 4 seconds.

    Args:
        pipeline: the configuration.
        wait: called with the reason and the seconds of each wait, and returns when they are over; by default it sleeps.
        inner: what really sends; httpx2's own transport by default.

    Returns:
        One entry a model; none for a model that needs no asking.

    Raises:
        ConfigError: a parameter that the client does not know.
        ProviderError: the model's server refuses the key or the model, or does not answer.
    """
    agent, caller = pipeline.agent.served, pipeline.caller.llm
    asked = []
    if not is_local(agent.model, agent.base_url):
        target = remote_target(agent)
        cascade = isinstance(pipeline.agent, CascadeAgent)
        ask = partial(_ask, target, "agent", inner) if cascade else partial(_open, target)
        asked.append(_answered(target, "", ask, wait))
    if pipeline.caller.kind == "llm" and not is_local_caller(caller.model, caller.base_url):
        target = remote_target(caller)
        asked.append(_answered(target, "the caller's ", partial(_ask, target, "caller", inner), wait))
    return asked


def _answered(target: LlmTarget, whose: str, ask: Callable[[], float], wait: Wait | None) -> Preflight:
    """Ask one model, with waits between the tries."""
    where = target.where
    number = 0
    while True:
        try:
            return Preflight(target.model, where, ask())
        except _Refused as refused:
            wait_s = refused.asked_s or _FIRST_WAIT_S * 2**number
            number += 1
            text = target.without_key(f"{whose}model {target.model!r} at {where} {refused}")
            if not refused.passing or number == _TRIES or wait_s > _LONGEST_WAIT_S:
                raise ProviderError(text, retryable=refused.passing, status=refused.status) from refused
            wait(text, wait_s) if wait is not None else time.sleep(wait_s)


def _ask(target: LlmTarget, party: Party, inner: httpx2.BaseTransport | None) -> float:
    """Return the seconds until the first chunk of an answer.

    Raises:
        _Refused: there is none.
    """
    import openai

    started_s = time.perf_counter()
    question = [{"role": "user", "content": "Say yes."}]
    http_client = httpx2.Client(transport=inner, timeout=target.timeout_s)
    with openai.OpenAI(
        base_url=target.base_url, api_key=target.api_key, max_retries=0, http_client=http_client
    ) as client:
        try:
            create: Callable[..., openai.Stream[ChatCompletionChunk]] = client.chat.completions.create
            with create(**{"model": target.model, "messages": question, "stream": True, **target.params}) as stream:
                next(iter(stream), None)
        except TypeError as error:
            raise ConfigError(f"{party}.llm.params: the client does not take them: {error}") from error
        except openai.APIStatusError as error:
            now = datetime.now(UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
            asked_s = asked_wait_s({"date": now, **error.response.headers})
            raise _Refused(
                f"answered {error.status_code}: {error.message[:300]}", error.status_code, asked_s
            ) from error
        except openai.OpenAIError as error:
            raise _Refused(f"failed: {error}", None) from error
    return time.perf_counter() - started_s


def _open(target: LlmTarget) -> float:
    """Return the seconds until a session of a realtime service has begun; it is closed at once.

    Raises:
        _Refused: none begins.
    """
    from voicebench.agent.realtime import connect

    async def first() -> JsonObject:
        connection = await connect(target)
        try:
            async with asyncio.timeout(target.timeout_s):
                return await connection.receive()
        finally:
            await connection.close()

    started_s = time.perf_counter()
    try:
        event = asyncio.run(first())
    except ProviderError as error:
        raise _Refused(str(error), error.status) from error
    except TimeoutError as error:
        raise _Refused("begins no session", None) from error
    if event.get("type") != "session.created":
        raise _Refused(f"begins no session: {event.get('error') or event}", 400)
    return time.perf_counter() - started_s
