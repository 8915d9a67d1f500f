"""``voicebench serve agent``: a local agent behind the OpenAI chat protocol, in a process of its own.

``python -m voicebench.serve.agent`` takes the options as flags. When the endpoint listens, it prints one JSON line,
``{"url": "http://127.0.0.1:PORT/v1"}``; when it cannot start, ``{"error": "..."}`` and exit code 2.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from voicebench.errors import ConfigError
from voicebench.serve.app import make_app
from voicebench.serve.models import make_model
from voicebench.serve.options import AgentServerOptions
from voicebench.serve.process import serve_app

__all__ = ["main", "serve_agent"]

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse flags, serve, and return the exit code."""
    parser = argparse.ArgumentParser(prog="voicebench.serve.agent", description=serve_agent.__doc__)
    parser.add_argument("--model", default="")
    parser.add_argument("--role", "--as", dest="role", choices=("agent", "caller"), default="agent")
    parser.add_argument("--script", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--ttft-ms", type=float, default=300.0)
    parser.add_argument("--ttft-sd-ms", type=float, default=0.0)
    parser.add_argument("--token-ms", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--with-parent", action="store_true")
    parser.add_argument("--fault")
    parser.add_argument("--fault-seed", type=int, default=0)
    parser.add_argument("--fault-tries", type=int)
    parser.add_argument("--caller-fault")
    parser.add_argument("--task")
    try:
        serve_agent(AgentServerOptions(**vars(parser.parse_args(arguments))))
    except ConfigError as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
