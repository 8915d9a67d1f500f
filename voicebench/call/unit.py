"""The unit of work: one attempt at one trial of one task."""

from __future__ import annotations

from dataclasses import dataclass

from voicebench.config.seeds import unit_seed

__all__ = ["WorkUnit"]


@dataclass(frozen=True)
class WorkUnit:
    """One attempt at one trial of one task. ``trial`` and ``attempt`` count from 1."""

    pack: str
    task: str
    trial: int
    attempt: int
    run_seed: int

    @property
    def seed(self) -> int:
        """The seed of everything random in the call; neither model nor pipeline takes part in it."""
        return unit_seed(self.run_seed, self.pack, self.task, self.trial, self.attempt)

    @property
    def name(self) -> str:
        """How people are told of it: ``T2-H3 trial 1``, the attempt added from the second on."""
        again = f", attempt {self.attempt}" if self.attempt > 1 else ""
        return f"{self.task} trial {self.trial}{again}"

    @property
    def call_id(self) -> str:
        """A name of the call that is equal in equal runs, and says nothing of the task."""
        return f"{self.seed:016x}"
