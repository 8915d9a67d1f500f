"""The realtime server's process: ``python -m voicebench.serve.realtime.server`` takes the options as flags.

When it listens it prints one JSON line, ``{"url": "http://127.0.0.1:PORT/v1"}``; when it cannot start,
``{"error": "..."}`` and exit code 2.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Iterator
from typing import cast

from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from voicebench.clock.priority import SERVER, ahead_of_others
from voicebench.serve.endpoint import start_endpoint
from voicebench.serve.options import AgentServerOptions, RealtimeServerOptions
from voicebench.serve.process import run_server, serve_app
from voicebench.serve.realtime.answer import SessionModels
from voicebench.serve.realtime.outgoing import Outgoing
from voicebench.serve.realtime.policy import ChatPolicy
from voicebench.serve.realtime.session import RealtimeSession
from voicebench.speech.asr import Window, load_recognizer
from voicebench.speech.tts import load_voice

__all__ = ["serve_realtime"]

_NO_KEY = "none"
_BROKEN = 1011
"""The WebSocket close code of an internal error (RFC 6455, 7.4.1)."""


def serve_realtime(options: RealtimeServerOptions) -> None:
    """Load the models, start the agent endpoint, and serve until SIGTERM, Ctrl-C, or the parent's end.

    Raises:
        ConfigError: no such model, voice or recognizer, an unreadable script, or a port that is in use.
        ModelMissing: weights are absent.
    """
    with ahead_of_others(SERVER), _policy(options) as policy:
        recognizer = load_recognizer(
            options.asr_model,
            window=cast(Window, options.asr_window),
            device=options.asr_device,
            compute_type=options.asr_compute_type,
        )
        load_voice(options.voice)
        models = SessionModels(recognizer, policy, load_voice, asyncio.Lock(), asyncio.Lock(), options.seed)
        app = _make_app(options, models)
        serve_app(app, "serve realtime", options.port, with_parent=options.with_parent, ws="websockets-sansio")


@contextlib.contextmanager
def _policy(options: RealtimeServerOptions) -> Iterator[ChatPolicy]:
    """Give the policy: a chat model at an address, else at an endpoint of our own."""
    import openai

    if options.chat_url is not None:
        yield ChatPolicy(openai.AsyncOpenAI(base_url=options.chat_url), options.model, own_endpoint=False)
        return
    endpoint = start_endpoint(
        AgentServerOptions(
            model=options.model,
            script=options.script,
            ttft_ms=options.ttft_ms,
            ttft_sd_ms=options.ttft_sd_ms,
            seed=options.seed,
        )
    )
    with endpoint:
        client = openai.AsyncOpenAI(base_url=endpoint.url, api_key=_NO_KEY, max_retries=0)
        yield ChatPolicy(client, options.served_model, own_endpoint=True)


def _make_app(options: RealtimeServerOptions, models: SessionModels) -> Starlette:
    """Return the application that serves one model; each WebSocket is a session."""

    async def hold(websocket: WebSocket) -> None:
        model = websocket.query_params.get("model") or options.served_model
        if model != options.served_model:
            message = f"the model {model!r} is not served here; this server has {options.served_model!r}"
            await websocket.send_denial_response(JSONResponse({"error": {"message": message}}, status_code=404))
            return
        await websocket.accept()
        outgoing = Outgoing(websocket.send_text, lambda: websocket.close(_BROKEN))
        session = RealtimeSession(models, options.served_model, outgoing, options.faults, options.voice)
        sending = asyncio.ensure_future(outgoing.run())
        session.open()
        try:
            while True:
                session.receive(await websocket.receive_text())
        except (WebSocketDisconnect, RuntimeError):  # the client, or the fault, has closed it
            pass
        finally:
            await session.close()
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await sending

    return Starlette(routes=[WebSocketRoute("/v1/realtime", hold)])


if __name__ == "__main__":
    sys.exit(run_server(RealtimeServerOptions, serve_realtime))
