"""A user's own capture of packets, replayed: which were lost, and how long the others took."""

from __future__ import annotations

import csv
from dataclasses import dataclass

from voicebench.errors import ConfigError
from voicebench.line.data import PinnedFile

__all__ = ["Capture", "read_capture"]


@dataclass(frozen=True)
class Capture:
    """What a CSV file says.

    Attributes:
        lost: sequence numbers of the packets that never arrived.
        delays_ms: time on the network by sequence number, empty where the file has none.
        length: number of packets after which it starts again, or None if it says only which were lost.
    """

    lost: frozenset[int]
    delays_ms: dict[int, float]
    length: int | None

    def place(self, index: int) -> int:
        """Return the packet of the capture that packet ``index`` of a call replays."""
        return index if self.length is None else index % self.length


def read_capture(file: PinnedFile) -> Capture:
    """Read a capture.

    The file has a header and one row a packet. ``sequence`` counts from 0. Without a column ``lost`` or ``delay_ms``
    the rows are the packets that were lost, and the list ends once; with one, the rows are all packets, and after the
    last the first follows. ``lost`` is 0 or 1; ``delay_ms`` is empty where a packet was lost.

    Raises:
        ConfigError: the file is missing or changed, or a row is not understood.
    """
    try:
        reader = csv.DictReader(file.read().decode("utf-8-sig").splitlines())
        rows = list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{file.path}: no CSV file in UTF-8 ({error})") from error
    columns = set(reader.fieldnames or ())
    if "sequence" not in columns or not rows:
        raise ConfigError(f"{file.path}: a capture has a header with the column 'sequence' and at least one row")
    lost: set[int] = set()
    delays: dict[int, float] = {}
    highest = 0
    for line, row in enumerate(rows, start=2):
        try:
            sequence, missing, delay = _row(row, columns)
        except (ValueError, TypeError) as error:
            raise ConfigError(f"{file.path}: line {line} is not understood ({error})") from error
        highest = max(highest, sequence)
        if missing:
            lost.add(sequence)
        elif delay is not None:
            delays[sequence] = delay
    whole = bool(columns & {"lost", "delay_ms"})
    return Capture(frozenset(lost), delays, highest + 1 if whole else None)


def _row(row: dict[str, str], columns: set[str]) -> tuple[int, bool, float | None]:
    sequence = int(row["sequence"])
    if sequence < 0:
        raise ValueError("sequence counts from 0")
    delay = float(row["delay_ms"]) if row.get("delay_ms") else None
    if delay is not None and not 0.0 <= delay < 60_000.0:
        raise ValueError("delay_ms is from 0 to 60000")
    if "lost" in columns:
        return sequence, bool(int(row["lost"])), delay
    return sequence, delay is None, delay
