"""What a stored run is, read off its ``run.json``: model, harness, caller, line, and what was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from voicebench.config.models import stored_model, stored_setting, stored_understanding
from voicebench.errors import CorruptFile
from voicebench.packs import PackSnapshot
from voicebench.packs.loader import VARIANT_LINES, base_task
from voicebench.record.json_types import JsonObject
from voicebench.record.run import RunRecord

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
        return str(stored_setting(self.configuration, "agent.harness"))

    @property
    def caller(self) -> str:
        """Who calls: kind, profile, voice, recognizer, by what it understands, and the model that plays it.

        Understanding and the model's prompt have their versions.
        """
        kind, *names = (str(stored_setting(self.configuration, f"caller.{key}")) for key in _CALLER)
        understanding, version = stored_understanding(self.configuration)
        names.append(f"{understanding} {version}")
        if kind == "llm":
            model, prompt = (stored_setting(self.configuration, f"caller.llm.{key}") for key in ("model", "prompt"))
            names.append(f"{model} (prompt {prompt})")
        return "/".join([kind, *names])

    @property
    def line(self) -> str:
        """The preset of the line, with a + if keys of a leg differ from it; ``text`` on the text channel."""
        if stored_setting(self.configuration, "channel") == "text":
            return "text"
        changed = any(
            stored_setting(self.configuration, f"line.{leg}") for leg in ("caller_to_agent", "agent_to_caller")
        )
        return f"{stored_setting(self.configuration, 'line.preset')}{'+' if changed else ''}"


_CALLER = ("kind", "profile", "voice", "hears")
_LINE = ("preset", "caller_to_agent", "agent_to_caller")


def check_record(record: RunRecord, path: Path) -> None:
    """Look whether the configuration in a run's record has what names the run.

    Args:
        record: content of ``run.json``.
        path: where it lies, for the message.

    Raises:
        CorruptFile: it has not.
    """
    try:
        stored_model(record.configuration)
        for key in ("line.preset", "caller.kind", "channel"):
            stored_setting(record.configuration, key)
    except (KeyError, TypeError) as error:
        raise CorruptFile(f"{path}: no record of a run ({error!r}); the file is corrupt") from error


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
    named: list[TaskKey] = []
    for ref in request.tasks:
        path, _, task = ref.rpartition("/")
        name = path.rpartition("/")[2]
        if name not in snapshots:
            name = next((pack for pack, snapshot in snapshots.items() if base_task(task) in snapshot.cases), "")
        named.append((name, task))
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
