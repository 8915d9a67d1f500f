"""What a stored run is, read off its ``run.json``: model, harness, caller, line, and what was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from voicebench.config.models import stored_model
from voicebench.errors import CorruptFile
from voicebench.packs import PackSnapshot
from voicebench.packs.loader import VARIANT_LINES, base_task

__all__ = ["RunIdentity", "TaskKey", "check_record", "planned_trials"]

TaskKey = tuple[str, str]
"""Pack and task."""


class RunIdentity:
    """What names a run, for classes that hold its ``root`` and ``record``.

    Attributes:
        root: its folder.
        record: content of ``run.json``.
    """

    root: Path
    record: dict[str, Any]

    @property
    def run_id(self) -> str:
        """The name of the run."""
        return str(self.record.get("run_id", self.root.name))

    @property
    def profile(self) -> str:
        """The name of the pipeline; empty for one made in Python."""
        return str(self.record.get("pipeline") or "")

    @property
    def configuration(self) -> dict[str, Any]:
        """The pipeline, key for key."""
        configuration: dict[str, Any] = self.record["configuration"]
        return configuration

    @property
    def model(self) -> str:
        """The model under test: ``agent.model`` of a realtime harness, else ``agent.llm.model``."""
        return stored_model(self.configuration)

    @property
    def harness(self) -> str:
        """How the agent is driven."""
        return str(self.configuration["agent"]["harness"])

    @property
    def caller(self) -> str:
        """Who calls: kind, profile, voice and ear, and the model that plays it with the version of its prompt."""
        caller = self.configuration["caller"]
        names = [str(caller[key]) for key in ("kind", "profile", "voice", "hears")]
        if caller["kind"] == "llm":
            names.append(f"{caller['llm']['model']} (prompt {caller['llm']['prompt']})")
        return "/".join(names)

    @property
    def line(self) -> str:
        """The preset of the line, with a + if keys of a leg differ from it; ``text`` on the text channel."""
        if self.configuration["channel"] == "text":
            return "text"
        line = self.configuration["line"]
        return f"{line['preset']}{'+' if line['caller_to_agent'] or line['agent_to_caller'] else ''}"


def check_record(record: Mapping[str, Any], path: Path) -> None:
    """Look whether a run's record has what names the run.

    Args:
        record: content of ``run.json``.
        path: where it lies, for the message.

    Raises:
        CorruptFile: it has not.
    """
    try:
        stored_model(record["configuration"])
        record["configuration"]["line"]["preset"]
        record["configuration"]["caller"]["kind"]
        record["configuration"]["channel"], record["config_hash"], dict(record["packs"]), int(record["seed"])
        record["request"]["tasks"], int(record["request"]["trials"])
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptFile(f"{path}: no record of a run ({error!r}); the file is corrupt") from error


def planned_trials(
    record: Mapping[str, Any], snapshots: Mapping[str, PackSnapshot], made: Iterable[tuple[str, str, int]]
) -> dict[TaskKey, int]:
    """Return how many trials of which task were asked for; stored ones beyond that count as asked for.

    Args:
        record: content of ``run.json``.
        snapshots: the run's copies of its packs, by name.
        made: pack, task and number of the trials that have an attempt.
    """
    request = record["request"]
    planned: dict[TaskKey, int] = {}
    for pack, task, trial in made:
        planned[pack, task] = max(planned.get((pack, task), int(request["trials"])), trial)
    named = [(_pack_of(ref, snapshots), ref.rpartition("/")[2]) for ref in request["tasks"]]
    if not named:
        named = [(pack, task) for pack, snapshot in snapshots.items() for task in snapshot.cases]
    suffixes = ("", *(f"-{suffix}" for suffix in VARIANT_LINES)) if request.get("variants") else ("",)
    wanted = [(pack, f"{task}{suffix}") for pack, task in dict.fromkeys(named) for suffix in suffixes]
    if request["limit"] is None:
        planned.update((key, int(request["trials"])) for key in wanted if key not in planned)
    else:
        never_called = min(int(request["limit"]), len(wanted)) - len(planned)
        planned.update((("", str(number)), int(request["trials"])) for number in range(never_called))
    return planned


def _pack_of(ref: str, snapshots: Mapping[str, PackSnapshot]) -> str:
    pack, _, task = ref.rpartition("/")
    name = pack.rpartition("/")[2]
    if name in snapshots:
        return name
    return next((name for name, snapshot in snapshots.items() if base_task(task) in snapshot.cases), "")
