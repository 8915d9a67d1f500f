"""Says where a loop hangs: in a callback that holds it, or in tasks that wait for nothing that comes."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
import traceback

__all__ = ["Monitor", "waiting_tasks"]

_log = logging.getLogger(__name__)


class Monitor:
    """Measures how long Python runs between two waits of the loop, and says where it hangs.

    The loop's thread calls ``asleep`` before and ``awake`` after each wait. A daemon thread looks four times a limit: a
    callback that has held the loop for half of it is logged with its place, since it cannot be stopped from outside.

    Attributes:
        busy_wall_s: wall seconds that Python ran on the loop so far.
        longest_wall_s: the longest of them between two waits.
    """

    def __init__(self, limit_s: float) -> None:
        self.busy_wall_s = 0.0
        self.longest_wall_s = 0.0
        self._limit_s = limit_s
        self._awake_since: float | None = None
        self._reported: float | None = None
        self._place = ""
        self._stop = threading.Event()

    def start(self) -> None:
        """Watch the calling thread."""
        self._stop = threading.Event()
        self.awake()
        threading.Thread(
            target=self._watch,
            args=(threading.get_ident(), self._stop),
            name="voicebench-monitor",
            daemon=True,
        ).start()

    def stop(self) -> None:
        """Stop watching."""
        self._stop.set()
        self._awake_since = None

    def awake(self) -> None:
        """The loop runs callbacks from here on."""
        self._awake_since = time.perf_counter()

    def asleep(self) -> str | None:
        """The loop waits from here on; return where it was held for too long, or None."""
        since, self._awake_since = self._awake_since, None
        if since is None:
            return None
        busy_s = time.perf_counter() - since
        self.busy_wall_s += busy_s
        self.longest_wall_s = max(self.longest_wall_s, busy_s)
        if busy_s <= self._limit_s:
            return None
        place = self._place if self._reported == since else "a place that was not seen"
        return f"a callback held the loop for {busy_s:.1f} s, at {place}"

    def _watch(self, thread_id: int, stop: threading.Event) -> None:
        while not stop.wait(self._limit_s / 4):
            since = self._awake_since
            if since is None or since == self._reported or time.perf_counter() - since <= self._limit_s / 2:
                continue
            frame = sys._current_frames().get(thread_id)
            if frame is None:
                continue
            # The innermost frame, which need not be ours: a library that blocks is found here too
            last = traceback.extract_stack(frame)[-1]
            self._place = f"{last.filename}:{last.lineno} in {last.name}"
            self._reported = since
            _log.error("a callback has held the call's loop for %g s, at %s", self._limit_s / 2, self._place)


def waiting_tasks(loop: asyncio.AbstractEventLoop) -> str:
    """Say which tasks wait, and where."""
    places = []
    for task in asyncio.all_tasks(loop):
        frames = task.get_stack(limit=1)
        if frames:
            places.append(f"{task.get_name()} at {frames[0].f_code.co_filename}:{frames[0].f_lineno}")
    places.sort()
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    return f"{len(places)} tasks wait ({', '.join(places[:3])}{more})"
