"""``run.json``: what was run, with what, and on which machine."""

from __future__ import annotations

from pydantic import Field

from voicebench.record.base import Items, Number, Record
from voicebench.record.json_types import JsonObject

__all__ = ["HostRecord", "RequestRecord", "RunRecord"]


class RequestRecord(Record):
    """The options with which the run was started."""

    tasks: Items[str] = ()
    """The tasks, as ``PACK/ID``; empty for all."""
    trials: int = 1
    """Repetitions of each task."""
    limit: int | None = None
    """Only the first so many tasks."""
    variants: bool = False
    """Whether the tasks were also called on their noisy lines."""


class HostRecord(Record):
    """The machine."""

    system: str
    """The operating system."""
    machine: str
    """The kind of processor."""
    cpus: int | None
    """How many cores."""
    load: Items[Number]
    """Load averages over 1, 5 and 15 minutes."""


class RunRecord(Record):
    """One run."""

    schema_version: int | None = None
    """Version of the file."""
    run_id: str
    """Name of the run."""
    started_at: str
    """When it was first started, ISO 8601 in UTC."""
    pipeline: str | None
    """Name of the pipeline; null or empty for one made in Python."""
    configuration: JsonObject
    """The pipeline, key for key."""
    config_hash: str
    """Hash of the configuration."""
    seed: int
    """Seed of the run, of which everything random follows."""
    packs: dict[str, str]
    """Pack to its hash."""
    pack_paths: dict[str, str] = Field(default_factory=dict)
    """Pack to its folder, for those that are not shipped."""
    unranked: Items[str] = ()
    """What keeps the run from a rank whatever its scores, as ``charges`` that were not measured."""
    request: RequestRecord = RequestRecord()
    """The options with which the run was started."""
    versions: dict[str, str | None] = Field(default_factory=dict)
    """Versions of voicebench, Python and packages."""
    git_revision: str | None = None
    """Revision of voicebench, if it runs from a checkout."""
    host: HostRecord | None = None
    """The machine."""
    hash: str | None = None
    """Hash of configuration, seed and packs."""
