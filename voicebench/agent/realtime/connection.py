"""One session's WebSocket, through the official ``openai`` client; it is never opened a second time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

from voicebench.errors import ConfigError, ProviderError
from voicebench.llm import LlmTarget
from voicebench.record.json_types import JsonObject

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.resources.realtime.realtime import AsyncRealtimeConnection

__all__ = ["Connection", "connect", "failure_of"]

_CLOSE_S = 1.0
"""Wall seconds that a service has to answer the closing of the session: the call is over, and its verdict waits."""


class Connection(Protocol):
    """Events of a session, both ways, as JSON objects."""

    async def send(self, event: JsonObject) -> None:
        """Send one event.

        Raises:
            ProviderError: the session is lost.
        """

    async def receive(self) -> JsonObject:
        """Wait for the next event.

        Raises:
            ProviderError: the session is lost.
        """
        ...

    async def close(self) -> None:
        """End the session."""


class _Session:
    def __init__(self, target: LlmTarget, client: AsyncOpenAI, connection: AsyncRealtimeConnection) -> None:
        self._target = target
        self._client = client
        self._connection = connection

    async def send(self, event: JsonObject) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            await self._connection.send_raw(json.dumps(event))
        except ConnectionClosed as error:
            raise failure_of(self._target, error) from error

    async def receive(self) -> JsonObject:
        from websockets.exceptions import ConnectionClosed

        try:
            event = json.loads(await self._connection.recv_bytes())
        except ConnectionClosed as error:
            raise failure_of(self._target, error) from error
        except ValueError as error:
            raise ProviderError(f"{_where(self._target)} sent what is no JSON: {error}") from error
        if not isinstance(event, dict):
            raise ProviderError(f"{_where(self._target)} sent what is no event: {str(event)[:100]}")
        return event

    async def close(self) -> None:
        await self._connection.close()
        await self._client.close()


async def connect(target: LlmTarget) -> Connection:
    """Open a session.

    Raises:
        ProviderError: the server refuses, or cannot be reached.
        ConfigError: the client's realtime extra is not installed.
    """
    import openai

    client = openai.AsyncOpenAI(base_url=target.base_url, api_key=target.api_key, max_retries=0)
    options: Any = {"open_timeout": target.timeout_s, "close_timeout": _CLOSE_S}  # the client's types lack these two
    try:
        import websockets  # noqa: F401
    except ImportError as error:
        raise ConfigError("realtime harnesses need websockets. Run: pip install 'voicebench-sim[realtime]'") from error
    try:
        connection = await client.realtime.connect(model=target.model, websocket_connection_options=options).enter()
    except Exception as error:
        await client.close()
        raise failure_of(target, error) from error
    return _Session(target, client, connection)


def failure_of(target: LlmTarget, error: Exception) -> ProviderError:
    """Say how a session could not be opened, or ended."""
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    if status is not None:
        body = (getattr(response, "body", b"") or b"").decode("utf-8", "replace")[:300]
        text = f"{_where(target)} answered {status}: {body}"
        return ProviderError(target.without_key(text), retryable=status == 429 or status >= 500, status=status)
    text = f"{_where(target)} is lost: {type(error).__name__}: {error}"
    return ProviderError(target.without_key(text), retryable=True)


def _where(target: LlmTarget) -> str:
    return f"the session with model {target.model!r} at {target.where}"
