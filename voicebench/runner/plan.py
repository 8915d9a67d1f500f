"""Which trials a run has, and which attempts of them are still to be made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from voicebench.config import Pipeline
from voicebench.errors import ConfigError
from voicebench.packs import Pack, TaskRef, find_tasks, list_packs, load_pack

__all__ = ["RunRequest", "Trial", "load_packs", "plan_trials"]


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
        variants: whether each base task is also called on the lines of ``-BG`` and ``-SIG``.
        line: the preset that was asked for with the tasks; a task's suffix selects its own.
        out: the run's folder; None makes one in ``runs/``.
        workers: how many calls are made at a time.
        most_at_once: calls that this machine can hold at a time, where they follow the wall; measured before the run.
        max_cost: US dollars that the run may cost, all its sessions together; None is no limit.

    Raises:
        ConfigError: a number is not of its type, or out of its range.
    """

    pipeline: Pipeline
    packs: Sequence[str] = ()
    tasks: Sequence[str] = ()
    trials: int = 1
    seed: int = 0
    limit: int | None = None
    out: Path | None = None
    variants: bool = False
    line: str | None = None
    workers: int = 1
    max_cost: float | None = None
    most_at_once: float = math.inf

    def __post_init__(self) -> None:
        for name, number, least in (
            ("trials", self.trials, 1),
            ("workers", self.workers, 1),
            ("limit", self.limit, 1),
            ("seed", self.seed, None),
        ):
            if number is None and name == "limit":
                continue
            if not isinstance(number, int) or isinstance(number, bool) or (least is not None and number < least):
                bound = "" if least is None else f" of at least {least}"
                raise ConfigError(f"{name}: {number!r} is not possible; give a whole number{bound}")
        cost = self.max_cost
        if cost is not None and (not isinstance(cost, int | float) or isinstance(cost, bool) or not cost >= 0):
            raise ConfigError(f"max_cost: {cost!r} is not possible; give US dollars, 0 or more, or leave it out")


@dataclass(frozen=True)
class Trial:
    """One repetition of one task, with its suffix if it has one; ``number`` counts from 1."""

    task: TaskRef
    number: int

    @property
    def pack(self) -> Pack:
        """The pack that holds the task."""
        return self.task.pack

    @property
    def key(self) -> tuple[str, str, int]:
        """Pack, task and number."""
        return self.pack.name, self.task.id, self.number


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
    if request.variants:
        refs = [variant for ref in refs for variant in ref.variants()]
    for ref in refs:
        if ref.line is not None and request.line is not None:
            raise ConfigError(
                f"task {ref.id}: its suffix selects the line {ref.line!r}; leave --line out, or call {ref.case.id}"
            )
    unique = list({(ref.pack.name, ref.id): ref for ref in refs}.values())[: request.limit]
    if not unique:
        raise ConfigError("run: no task is left to call; look at --pack, --task and --limit")
    return [Trial(ref, number) for number in range(1, request.trials + 1) for ref in unique]
