"""Local endpoints: an agent behind the OpenAI chat protocol, in a process of its own.

The server itself is ``voicebench.serve.agent``; it is not imported here, so that starting one needs no web server.
"""

from __future__ import annotations

from voicebench.serve.endpoint import Endpoint, LogEntry, start_endpoint, start_realtime
from voicebench.serve.options import AgentServerOptions, RealtimeServerOptions

__all__ = [
    "AgentServerOptions",
    "Endpoint",
    "LogEntry",
    "RealtimeServerOptions",
    "start_endpoint",
    "start_realtime",
]
