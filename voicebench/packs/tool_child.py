"""The process of a pack's tools: ``python -m voicebench.packs.tool_child DESCRIPTOR PACK LIMIT_S``.

It imports the tools once and says what they are. Then it makes a copy of itself for each call, so that
what a tool keeps in its module reaches no other call, and a tool that ends its process ends one call. It ends when its
end of the socket is closed, and its copies with it, whatever they are doing.
"""

from __future__ import annotations

import base64
import ctypes
import os
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from voicebench.errors import ConfigError, PackError
from voicebench.packs.database import copy_database, dump_tables
from voicebench.packs.tool_code import load_tools
from voicebench.packs.tool_context import ToolContext
from voicebench.packs.tools import Tool
from voicebench.packs.wire import Opening, ToolRequest, Wire, WireError
from voicebench.record.json_types import JsonObject

__all__ = ["main"]

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve the parent until it hangs up."""
    descriptor, root, limit_s = sys.argv[1:]
    control = socket.socket(fileno=int(descriptor))
    signal.alarm(int(limit_s))  # ends an import that hangs after the parent, which would have ended it, is gone
    try:
        tools = load_tools(Path(root))
    except ConfigError as error:
        Wire(control).send({"error": str(error)})
        return
    signal.alarm(0)
    Wire(control).send({"tools": [tool.spec.model_dump(mode="json") for tool in tools.values()]})
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # copies leave nothing behind
    original = os.getpid()
    while True:
        _, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not descriptors:
            return
        if os.fork() == 0:
            try:
                control.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                # The system kills this copy when the process that it was copied from ends.
                ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
                if os.getppid() != original:
                    os._exit(0)
                _serve(Wire(socket.socket(fileno=descriptors[0])), tools)
            finally:
                os._exit(0)
        os.close(descriptors[0])


def _serve(wire: Wire, tools: Mapping[str, Tool]) -> None:
    """Answer for one call until its context is closed."""
    try:
        opening = Opening.model_validate(wire.receive())
        context = ToolContext(copy_database(base64.b64decode(opening.database)), opening.today)
        while True:
            request = ToolRequest.model_validate(wire.receive())
            try:
                if request.do == "dump":
                    tables = dump_tables(context.db, request.tables)
                    result: JsonObject = {table: [*rows] for table, rows in tables.items()}
                else:
                    result = tools[request.tool].invoke(context, request.arguments)
                wire.send({"id": request.id, "result": result})
            except WireError:
                raise
            except PackError as error:
                wire.send({"id": request.id, "failed": str(error)})
            except BaseException as error:  # such as SystemExit, and tables that hold what is not JSON
                wire.send({"id": request.id, "failed": f"{type(error).__name__}: {error}"})
    except WireError:
        return


if __name__ == "__main__":
    main()
