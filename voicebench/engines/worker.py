"""A worker: a process that makes one call at a time, as ``python -m voicebench.engines.worker DESCRIPTOR``.

It ends when its end of the socket is closed, whatever it is doing: with its parent, however that went.
"""

from __future__ import annotations

import gc
import os
import queue
import sys
import threading
from multiprocessing.connection import Connection

from voicebench.clock import longest_wait
from voicebench.engines.failures import failed_call
from voicebench.engines.maker import CallMaker
from voicebench.engines.messages import Briefing, Failed, FromWorker, Made, Ready, Ticket, Waits
from voicebench.errors import VoicebenchError

__all__ = ["main"]

_TELL_EVERY_S = 1.0


class _Line:
    """The socket to the parent: what comes is queued, what goes is sent whole."""

    def __init__(self, descriptor: int) -> None:
        self._connection: Connection = Connection(descriptor)
        self._sending = threading.Lock()
        self._tickets: queue.SimpleQueue[Ticket] = queue.SimpleQueue()

    def briefing(self) -> Briefing:
        """Wait for the first message; from then on a thread reads, and ends the process with the socket."""
        briefing: Briefing = self._connection.recv()
        threading.Thread(target=self._read, name="voicebench-parent", daemon=True).start()
        return briefing

    def ticket(self) -> Ticket:
        return self._tickets.get()

    def send(self, message: FromWorker) -> None:
        with self._sending:
            self._connection.send(message)

    def _read(self) -> None:
        while True:
            try:
                self._tickets.put(self._connection.recv())
            except (EOFError, OSError):
                os._exit(0)  # nobody is left who wants the call


def _tell(line: _Line) -> None:
    """Tell what the call waits for, as long as it does."""
    pause = threading.Event()
    while not pause.wait(_TELL_EVERY_S):
        wait = longest_wait()
        if wait is not None and wait[1] >= _TELL_EVERY_S:
            line.send(Waits(*wait))


def _make(maker: CallMaker, ticket: Ticket) -> FromWorker:
    try:
        result = maker.make(ticket.job())
    except VoicebenchError as error:
        return Failed(error)
    if isinstance(result, VoicebenchError):
        return Failed(result)
    # Others may not survive pickling, and would lose their traceback.
    return Made(failed_call(ticket.unit, result) if isinstance(result, Exception) else result)


def main() -> None:
    """Serve the parent until it hangs up."""
    line = _Line(int(sys.argv[1]))
    briefing = line.briefing()
    maker = CallMaker(briefing.pipeline, briefing.target, briefing.own_endpoint, caller=briefing.caller)
    try:
        maker.prepare()
    except VoicebenchError as error:
        line.send(Failed(error))
        return
    gc.freeze()
    line.send(Ready())
    threading.Thread(target=_tell, args=(line,), name="voicebench-teller", daemon=True).start()
    while True:
        line.send(_make(maker, line.ticket()))


if __name__ == "__main__":
    main()
