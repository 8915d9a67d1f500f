"""``voicebench serve agent``: a local model behind the OpenAI chat protocol, in a process of its own.

``python -m voicebench.serve.agent`` takes the options as flags. When the endpoint listens, it prints one JSON line,
``{"url": "http://127.0.0.1:PORT/v1"}``; when it cannot start, ``{"error": "..."}`` and exit code 2.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sys
from collections import deque
from collections.abc import AsyncIterator, Mapping

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Send

from voicebench.serve.chat import BadRequest, ChatRequest
from voicebench.serve.completion import Completion, sse
from voicebench.serve.endpoint import LogEntry
from voicebench.serve.faults import HEALTHY, Break, Fault
from voicebench.serve.models import LocalModel, make_model
from voicebench.serve.options import AgentServerOptions
from voicebench.serve.process import run_server, serve_app
from voicebench.serve.timing import Stopwatch, draw_ttft_ms

__all__ = ["make_app", "serve_agent"]

_LOGGED = 100_000
"""The latest requests, of which the log tells."""
_TRY = "x-stainless-retry-count"


class _Cut(Exception):
    """The connection is to be closed in the middle of a stream."""


class _EventStream(StreamingResponse):
    """Server-sent events; a response that is cut is left unfinished, and the server closes its connection."""

    media_type = "text/event-stream"

    async def stream_response(self, send: Send) -> None:
        with contextlib.suppress(_Cut):
            await super().stream_response(send)


class _AgentEndpoint:
    """The routes of one model."""

    def __init__(self, options: AgentServerOptions, model: LocalModel) -> None:
        self._options = options
        self._model = model
        self._faults = options.faults
        self._log: deque[LogEntry] = deque(maxlen=_LOGGED)

    def routes(self) -> list[Route]:
        return [
            Route("/v1/models", self.models),
            Route("/v1/chat/completions", self.complete, methods=["POST"]),
            Route("/voicebench/log", self.log),
        ]

    async def models(self, _: Request) -> Response:
        entry = {"id": self._options.served_model, "object": "model", "created": 0, "owned_by": "voicebench"}
        return JSONResponse({"object": "list", "data": [entry]})

    async def log(self, _: Request) -> Response:
        return JSONResponse(list(self._log))

    async def complete(self, request: Request) -> Response:
        content = await request.body()
        watch = Stopwatch()
        try:
            chat = self._parse(content)
            tries = request.headers.get(_TRY, "")
            earlier_tries = int(tries) if tries.isdecimal() else 0
            fault = HEALTHY if self._faults is None else self._faults.fault(chat, earlier_tries)
            completion = Completion(chat, fault.action(chat, self._model.reply(chat)), self._options.seed)
        except BadRequest as error:
            return _refuse(str(error), error.status, param=error.param)
        if fault.status is not None:
            return _refuse(f"on purpose, it {fault.does}", fault.status, headers=fault.headers)
        if fault.hangs:
            await _hang(request)
        if chat.stream:
            return _EventStream(self._events(request, chat, fault, completion, watch))
        # An answer in one piece is there when the last token of a stream would have been.
        await watch.until(self._ttft_ms(chat) + self._options.token_ms * max(0, len(completion.deltas()) - 1))
        self._note(chat, watch.ms)
        return JSONResponse(completion.body(usage=fault.usage))

    def _ttft_ms(self, chat: ChatRequest) -> float:
        mean_ms, sd_ms = self._options.ttft_ms, self._options.ttft_sd_ms
        return draw_ttft_ms(mean_ms, sd_ms, seed=self._options.seed, call_id=chat.call_id, number=chat.number)

    def _parse(self, content: bytes) -> ChatRequest:
        try:
            chat = ChatRequest.parse(json.loads(content))
        except ValueError as error:
            raise BadRequest(f"the body is no JSON: {error}") from error
        if chat.model != self._options.served_model:
            raise BadRequest(
                f"the model {chat.model!r} is not served here; this endpoint has {self._options.served_model!r}",
                param="model",
                status=404,
            )
        return chat

    async def _events(
        self, request: Request, chat: ChatRequest, fault: Fault, completion: Completion, watch: Stopwatch
    ) -> AsyncIterator[bytes]:
        """Yield the events; the role is written together with the first token, at the first token's time."""
        ttft_ms, token_ms = self._ttft_ms(chat), max(self._options.token_ms, fault.gap_ms)
        # The role is no token. Sent ahead, it would be the first byte of the answer, and a client that stops its
        # watch at the first chunk would measure a time to first token that no model has.
        before = sse(completion.opening())
        for number, piece in enumerate(fault.pieces(completion.deltas())):
            await watch.until(ttft_ms + number * token_ms)
            if number == 0:
                self._note(chat, watch.ms)
            if piece is Break.HANG:
                await _hang(request)
            elif piece is Break.CUT:
                raise _Cut
            else:
                yield before + sse(piece if isinstance(piece, str) else completion.chunk(piece))
            before = b""
        if before:
            await watch.until(ttft_ms)
            self._note(chat, watch.ms)
        yield before + b"".join(sse(chunk) for chunk in completion.closing(usage=fault.usage)) + sse("[DONE]")

    def _note(self, chat: ChatRequest, ttft_ms: float) -> None:
        self._log.append({"call": chat.call_id, "request": chat.number, "ttft_ms": ttft_ms})


async def _hang(request: Request) -> None:
    """Wait until the client has gone; when the server ends, it cancels this."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _refuse(
    message: str, status: int, *, param: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    detail = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    return JSONResponse({"error": detail}, status_code=status, headers=headers)


def make_app(options: AgentServerOptions, model: LocalModel) -> Starlette:
    """Return the application that serves one model."""
    return Starlette(routes=_AgentEndpoint(options, model).routes())


_UNFINISHED = "ASGI callable returned without completing response."
"""What the server logs of a stream that a fault has cut, which is no error here."""


def serve_agent(options: AgentServerOptions) -> None:
    """Serve until SIGTERM or Ctrl-C or, with ``with_parent``, until the parent is gone.

    Raises:
        ConfigError: no such model, an unreadable script, or a port that is in use.
    """
    model = make_model(options)
    logging.getLogger("uvicorn.error").addFilter(lambda record: record.getMessage() != _UNFINISHED)
    serve_app(make_app(options, model), "serve agent", options.port, with_parent=options.with_parent)


if __name__ == "__main__":
    sys.exit(run_server(AgentServerOptions, serve_agent))
