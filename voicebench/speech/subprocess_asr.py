"""A recognizer in a process of its own, so that its work does not delay a call in real time.

It goes after the process that holds the call, and before all that is no part of it: on a busy machine a caller must not
grow deaf.

The process is ``python -m voicebench.speech.subprocess_asr DESCRIPTOR MODEL``; it ends when its socket does, and so
with the process that started it.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from functools import cache
from multiprocessing.connection import Connection

import numpy as np
import numpy.typing as npt

from voicebench.clock.priority import SERVER, ahead_of_others
from voicebench.errors import VoicebenchError
from voicebench.speech.asr import Transcript, load_recognizer

__all__ = ["RecognizerApart", "main", "recognizer_apart"]

_STDERR = 2
"""Where the process prints: standard output may be one JSON object of the parent's."""


class RecognizerApart:
    """A recognizer whose work is done elsewhere; see ``voicebench.speech.asr.Transcriber``.

    Args:
        model: of the recognizer; its other settings are the defaults.

    Attributes:
        process: where it works.

    Raises:
        ModelMissing: weights are absent.
        ConfigError: the recognizer is unknown.
        VoicebenchError: the process ended before it was ready.
    """

    def __init__(self, model: str) -> None:
        self._one = threading.Lock()
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-m", "voicebench.speech.subprocess_asr", str(theirs.fileno()), model],
                stdin=subprocess.DEVNULL,
                stdout=_STDERR,
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
        self._connection: Connection = Connection(ours.detach())
        try:
            self._answer()
        except Exception:
            self.close()
            raise

    def transcribe(self, samples: npt.NDArray[np.int16]) -> Transcript:
        """Recognise int16[n] at 16 kHz.

        Raises:
            VoicebenchError: the process is gone.
        """
        with self._one:
            try:
                self._connection.send_bytes(samples.tobytes())
            except OSError as error:
                raise self._gone() from error
            transcript = self._answer()
            assert isinstance(transcript, Transcript)
            return transcript

    def close(self) -> None:
        """End the process."""
        self._connection.close()
        self.process.wait()

    def _answer(self) -> object:
        try:
            answer: object = self._connection.recv()
        except (EOFError, OSError) as error:
            raise self._gone() from error
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _gone(self) -> VoicebenchError:
        recognizer_apart.cache_clear()
        return VoicebenchError(
            f"the caller's recognizer, process {self.process.pid}, is gone; the next call starts another"
        )


@cache
def recognizer_apart(model: str) -> RecognizerApart:
    """Return the recognizer of this model that works for this process, started when it is first wanted."""
    return RecognizerApart(model)


def main() -> None:
    """Recognise what comes until the socket is closed."""
    with ahead_of_others(SERVER):  # before the model is loaded: its threads take the place of the one that starts them
        _serve(Connection(int(sys.argv[1])), sys.argv[2])


def _serve(connection: Connection, model: str) -> None:
    try:
        recognizer = load_recognizer(model)
    except VoicebenchError as error:
        connection.send(error)
        return
    connection.send("ready")
    while True:
        try:
            samples = np.frombuffer(connection.recv_bytes(), dtype=np.int16)
        except (EOFError, OSError):
            return
        answer: object
        try:
            answer = recognizer.transcribe(samples)
        except Exception as error:
            answer = VoicebenchError(f"the caller's recognizer failed: {type(error).__name__}: {error}")
        try:
            connection.send(answer)
        except OSError:
            return


if __name__ == "__main__":
    main()
