"""The endpoint as an ASGI application: the OpenAI chat protocol, and a log of its own delays."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from voicebench.serve.chat import BadRequest, ChatRequest
from voicebench.serve.completion import Completion, sse
from voicebench.serve.models import ChatModel
from voicebench.serve.options import AgentServerOptions
from voicebench.serve.timing import Stopwatch, draw_ttft_ms, new_log

__all__ = ["make_app"]


class _AgentEndpoint:
    """The routes of one model."""

    def __init__(self, options: AgentServerOptions, model: ChatModel) -> None:
        self._options = options
        self._model = model
        self._log = new_log()

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
            completion = Completion(chat, self._model.reply(chat), self._options.seed)
        except BadRequest as error:
            return _refuse(error)
        ttft_ms = draw_ttft_ms(
            self._options.ttft_ms,
            self._options.ttft_sd_ms,
            seed=self._options.seed,
            call_id=chat.call_id,
            number=chat.number,
        )
        if chat.stream:
            return StreamingResponse(self._stream(chat, completion, watch, ttft_ms), media_type="text/event-stream")
        await watch.until(ttft_ms + self._options.token_ms * max(0, len(completion.deltas()) - 1))
        self._note(chat, watch.ms)
        return JSONResponse(completion.body())

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

    async def _stream(
        self, chat: ChatRequest, completion: Completion, watch: Stopwatch, ttft_ms: float
    ) -> AsyncIterator[bytes]:
        """Yield the events; the role is written together with the first token, at the first token's time."""
        before = sse(completion.opening())
        for number, delta in enumerate(completion.deltas()):
            await watch.until(ttft_ms + number * self._options.token_ms)
            if number == 0:
                self._note(chat, watch.ms)
            yield before + sse(completion.chunk(delta))
            before = b""
        if before:
            await watch.until(ttft_ms)
            self._note(chat, watch.ms)
        yield before + b"".join(sse(chunk) for chunk in completion.closing()) + sse("[DONE]")

    def _note(self, chat: ChatRequest, ttft_ms: float) -> None:
        self._log.append({"call": chat.call_id, "request": chat.number, "ttft_ms": ttft_ms})


def _refuse(error: BadRequest) -> Response:
    kind = "invalid_request_error"
    detail = {"message": str(error), "type": kind, "param": error.param, "code": None}
    return JSONResponse({"error": detail}, status_code=error.status)


def make_app(options: AgentServerOptions, model: ChatModel) -> Starlette:
    """Return the application that serves one model."""
    return Starlette(routes=_AgentEndpoint(options, model).routes())
