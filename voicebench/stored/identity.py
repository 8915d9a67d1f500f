"""What a stored run is, read off its ``run.json``: model, harness, caller, line, and what was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from voicebench.config.models import stored_model
from voicebench.errors import CorruptFile
from voicebench.packs import PackSnapshot
from voicebench.packs.loader import VARIANT_LINES, base_task
from voicebench.record.json_types import JsonObject
from voicebench.record.run import RunRecord

__all__ = ["RunIdentity", "TaskKey", "check_record", "planned_trials", "section"]

TaskKey = tuple[str, str]
"""Pack and task."""


class RunIdentity:
    """What names a run, for classes that hold its ``root`` and ``record``.

    Attributes:
        root: its folder.
        record: content of ``run.json``.
    """

    root: Path
    record: RunRecord

    @property
    def run_id(self) -> str:
        """The name of the run."""
        return self.record.run_id

    @property
    def profile(self) -> str:
        """The name of the pipeline; empty for one made in Python."""
        return self.record.pipeline or ""

    @property
    def configuration(self) -> JsonObject:
        """The pipeline, key for key."""
        return self.record.configuration

    @property
    def model(self) -> str:
        """The model under test: ``agent.model`` of a realtime harness, else ``agent.llm.model``."""
        return stored_model(self.configuration)

    @property
    def harness(self) -> str:
        """How the agent is driven."""
        return str(section(self.configuration, "agent")["harness"])

    @property
    def caller(self) -> str:
        """Who calls: kind, profile, voice and ear, and the model that plays it with the version of its prompt."""
        caller = section(self.configuration, "caller")
        names = [str(caller.get(key)) for key in ("kind", "profile", "voice", "hears")]
        if caller["kind"] == "llm":
            llm = section(caller, "llm")
            names.append(f"{llm['model']} (prompt {llm['prompt']})")
        return "/".join(names)

    @property
    def line(self) -> str:
        """The preset of the line, with a + if keys of a leg differ from it; ``text`` on the text channel."""
        if self.configuration["channel"] == "text":
            return "text"
        line = section(self.configuration, "line")
        return f"{line['preset']}{'+' if line['caller_to_agent'] or line['agent_to_caller'] else ''}"


def section(configuration: JsonObject, name: str) -> JsonObject:
    """Return a section of a stored configuration; empty if there is none.

    It is not read as a :class:`~voicebench.config.Pipeline`, which may have other keys than that of the run had.
    """
    found = configuration.get(name)
    return found if isinstance(found, dict) else {}


def check_record(record: RunRecord, path: Path) -> None:
    """Look whether a run's configuration has what names the run.

    Args:
        record: content of ``run.json``.
        path: where it lies, for the message.

    Raises:
        CorruptFile: it has not.
    """
    configuration = record.configuration
    needed = {"agent": "harness", "caller": "kind", "line": "preset"}
    missing = [f"{name}.{key}" for name, key in needed.items() if key not in section(configuration, name)]
    missing += [] if "channel" in configuration else ["channel"]
    try:
        stored_model(configuration)
    except (KeyError, TypeError):
        missing.append("model under test")
    if missing:
        lacks = ", ".join(missing)
        raise CorruptFile(f"{path}: no record of a run (its configuration has no {lacks}); the file is corrupt")


def planned_trials(
    record: RunRecord, snapshots: Mapping[str, PackSnapshot], made: Iterable[tuple[str, str, int]]
) -> dict[TaskKey, int]:
    """Return how many trials of which task were asked for; stored ones beyond that count as asked for.

    Args:
        record: content of ``run.json``.
        snapshots: the run's copies of its packs, by name.
        made: pack, task and number of the trials that have an attempt.
    """
    request = record.request
    planned: dict[TaskKey, int] = {}
    for pack, task, trial in made:
        planned[pack, task] = max(planned.get((pack, task), request.trials), trial)
    named = [(_pack_of(ref, snapshots), ref.rpartition("/")[2]) for ref in request.tasks]
    if not named:
        named = [(pack, task) for pack, snapshot in snapshots.items() for task in snapshot.cases]
    suffixes = ("", *(f"-{suffix}" for suffix in VARIANT_LINES)) if request.variants else ("",)
    wanted = [(pack, f"{task}{suffix}") for pack, task in dict.fromkeys(named) for suffix in suffixes]
    if request.limit is None:
        planned.update((key, request.trials) for key in wanted if key not in planned)
    else:
        never_called = min(request.limit, len(wanted)) - len(planned)
        planned.update((("", str(number)), request.trials) for number in range(never_called))
    return planned


def _pack_of(ref: str, snapshots: Mapping[str, PackSnapshot]) -> str:
    pack, _, task = ref.rpartition("/")
    name = pack.rpartition("/")[2]
    if name in snapshots:
        return name
    return next((name for name, snapshot in snapshots.items() if base_task(task) in snapshot.cases), "")
