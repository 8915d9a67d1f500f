"""A worker: a process that makes one call at a time, as ``python -m voicebench.engines.worker DESCRIPTOR``.

It ends when its end of the socket is closed, whatever it is doing: with its parent, however that went.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from multiprocessing.connection import Connection

from voicebench.engines.answer import answer, current_wait, load
from voicebench.engines.messages import Briefing, Failed, FromWorker, Ready, Ticket
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
        waits = current_wait(_TELL_EVERY_S)
        if waits is not None:
            line.send(waits)


def main() -> None:
    """Serve the parent until it hangs up."""
    line = _Line(int(sys.argv[1]))
    briefing = line.briefing()
    try:
        maker = load(briefing)
    except VoicebenchError as error:
        line.send(Failed(error))
        return
    line.send(Ready())
    threading.Thread(target=_tell, args=(line,), name="voicebench-teller", daemon=True).start()
    while True:
        line.send(answer(maker, line.ticket()))


if __name__ == "__main__":
    main()
