"""``voicebench serve agent``: a local agent behind the OpenAI chat protocol, in a process of its own.

``python -m voicebench.serve.agent`` takes the options as flags. When the endpoint listens, it prints one JSON line,
``{"url": "http://127.0.0.1:PORT/v1"}``; when it cannot start, ``{"error": "..."}`` and exit code 2.
"""

from __future__ import annotations

import logging
import sys

from voicebench.serve.app import make_app
from voicebench.serve.models import make_model
from voicebench.serve.options import AgentServerOptions
from voicebench.serve.process import run_server, serve_app

__all__ = ["serve_agent"]

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
