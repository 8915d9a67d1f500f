"""Which trials a run has, and which attempts of them are still to be made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from voicebench.config import Pipeline
from voicebench.errors import ConfigError
from voicebench.packs import Case, Pack, find_tasks, list_packs, load_pack

__all__ = ["MAX_ATTEMPTS", "UNDECIDED", "RunRequest", "Trial", "load_packs", "plan_trials"]

UNDECIDED = {"void", "error"}
"""Verdicts that say nothing of the agent: the trial is tried again."""

MAX_ATTEMPTS = 3


@dataclass(frozen=True)
class RunRequest:
    """What was asked for.

    Attributes:
        pipeline: the configuration.
        packs: names or paths; empty for all shipped packs.
        tasks: ``[PACK/]ID`` each; empty for all tasks of the packs.
        trials: repetitions of each task.
        seed: the run's seed, of which everything random follows.
        limit: only the first so many tasks.
        out: the run's folder; None makes one in ``runs/``.
    """

    pipeline: Pipeline
    packs: Sequence[str] = ()
    tasks: Sequence[str] = ()
    trials: int = 1
    seed: int = 0
    limit: int | None = None
    out: Path | None = None


@dataclass(frozen=True)
class Trial:
    """One repetition of one task; ``number`` counts from 1."""

    pack: Pack
    case: Case
    number: int

    @property
    def key(self) -> tuple[str, str, int]:
        """Pack, task and number."""
        return self.pack.name, self.case.id, self.number


def load_packs(names: Sequence[str]) -> list[Pack]:
    """Load packs by name or path, all shipped ones if none is named.

    Raises:
        ConfigError: no such pack, something in it is wrong, or two have one name.
    """
    packs = [load_pack(name) for name in names or list_packs()]
    by_name = {pack.name: pack for pack in packs}
    if len({pack.root for pack in packs}) > len(by_name):
        raise ConfigError(f"packs {', '.join(names)}: two have the same name; give one of them")
    return list(by_name.values())


def plan_trials(request: RunRequest) -> list[Trial]:
    """Return all trials of a run: every task once, then every task again, as often as asked for.

    Raises:
        ConfigError: no such pack or task, or nothing to do.
    """
    refs = find_tasks(request.tasks, load_packs(request.packs))
    for ref in refs:
        if ref.line is not None:
            raise ConfigError(
                f"task {ref.id}: its line preset {ref.line!r} does not exist yet; run {ref.case.id} with --line"
            )
    unique = list({(ref.pack.name, ref.id): ref for ref in refs}.values())[: request.limit]
    if not unique:
        raise ConfigError("run: no task is left to call; look at --pack, --task and --limit")
    return [Trial(ref.pack, ref.case, number) for number in range(1, request.trials + 1) for ref in unique]
