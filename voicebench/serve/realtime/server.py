"""The realtime server's process: ``python -m voicebench.serve.realtime.server`` takes the options as flags.

When it listens it prints one JSON line, ``{"url": "http://127.0.0.1:PORT/v1"}``; when it cannot start,
``{"error": "..."}`` and exit code 2.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import cast

from voicebench.clock.priority import SERVER, ahead_of_others
from voicebench.errors import ConfigError, ModelMissing
from voicebench.serve.endpoint import start_endpoint
from voicebench.serve.options import AgentServerOptions
from voicebench.serve.process import serve_app
from voicebench.serve.realtime.answer import Parts
from voicebench.serve.realtime.app import make_app
from voicebench.serve.realtime.options import RealtimeServerOptions
from voicebench.serve.realtime.policy import Brain
from voicebench.speech.asr import Window, load_recognizer
from voicebench.speech.tts import load_voice

__all__ = ["main", "serve_realtime"]

_NO_KEY = "none"


def serve_realtime(options: RealtimeServerOptions) -> None:
    """Load the models, start the agent endpoint, and serve until SIGTERM, Ctrl-C, or the parent's end.

    Raises:
        ConfigError: no such model, voice or recognizer, an unreadable script, or a port that is in use.
        ModelMissing: weights are absent.
    """
    with ahead_of_others(SERVER), _brain(options) as brain:
        recognizer = load_recognizer(
            options.asr_model,
            window=cast(Window, options.asr_window),
            device=options.asr_device,
            compute_type=options.asr_compute_type,
        )
        load_voice(options.voice)
        parts = Parts(recognizer, brain, load_voice, asyncio.Lock(), asyncio.Lock(), options.seed)
        app = make_app(options, parts)
        serve_app(app, "serve realtime", options.port, with_parent=options.with_parent, ws="websockets-sansio")


@contextlib.contextmanager
def _brain(options: RealtimeServerOptions) -> Iterator[Brain]:
    """Give what the server thinks with: a chat server at an address, else an endpoint of our own."""
    import openai

    if options.chat_url is not None:
        yield Brain(openai.AsyncOpenAI(base_url=options.chat_url), options.model, own_endpoint=False)
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
        yield Brain(client, options.served_model, own_endpoint=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse flags, serve, and return the exit code."""
    parser = argparse.ArgumentParser(prog="voicebench.serve.realtime", description=serve_realtime.__doc__)
    for field in fields(RealtimeServerOptions):
        flag, default = f"--{field.name.replace('_', '-')}", field.default
        if isinstance(default, bool):
            parser.add_argument(flag, action="store_true")
        else:
            kind = Path if field.name == "script" else str if default is None else type(default)
            parser.add_argument(flag, type=kind, default=default)
    try:
        serve_realtime(RealtimeServerOptions(**vars(parser.parse_args(arguments))))
    except (ConfigError, ModelMissing) as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
