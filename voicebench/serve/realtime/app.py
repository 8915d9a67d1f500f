"""The realtime server as an ASGI application: one WebSocket a session."""

from __future__ import annotations

import asyncio
import contextlib

from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from voicebench.serve.realtime.answer import Parts
from voicebench.serve.realtime.options import RealtimeServerOptions
from voicebench.serve.realtime.outgoing import Outgoing
from voicebench.serve.realtime.session import RealtimeSession

__all__ = ["make_app"]

_BROKEN = 1011


def make_app(options: RealtimeServerOptions, parts: Parts) -> Starlette:
    """Return the application that serves one model."""

    async def realtime(websocket: WebSocket) -> None:
        model = websocket.query_params.get("model") or options.served_model
        if model != options.served_model:
            message = f"the model {model!r} is not served here; this server has {options.served_model!r}"
            await websocket.send_denial_response(JSONResponse({"error": {"message": message}}, status_code=404))
            return
        await websocket.accept()
        await _hold(websocket, options, parts)

    return Starlette(routes=[WebSocketRoute("/v1/realtime", realtime)])


async def _hold(websocket: WebSocket, options: RealtimeServerOptions, parts: Parts) -> None:
    outgoing = Outgoing(websocket.send_text, lambda: websocket.close(_BROKEN))
    session = RealtimeSession(parts, options.served_model, outgoing, options.faults, options.voice)
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
