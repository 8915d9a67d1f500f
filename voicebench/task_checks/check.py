"""All proofs of one task, and of a pack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from voicebench.errors import PackError
from voicebench.packs import Pack, TaskRef
from voicebench.packs.models import Case, PackSnapshot
from voicebench.record.json_types import JsonObject
from voicebench.task_checks.calls import BASELINES, TextCall, check_baseline, check_reference
from voicebench.task_checks.demands import check_demands
from voicebench.task_checks.facts import check_facts, unproven_numbers
from voicebench.task_checks.leaks import check_leaks
from voicebench.task_checks.mutants import check_mutants
from voicebench.task_checks.new_case import unwritten
from voicebench.task_checks.sandbox import TaskFinding, TaskSandbox
from voicebench.task_checks.solution import check_solution
from voicebench.task_checks.spoken import SpokenForms, caller_voices, check_spoken
from voicebench.task_checks.variations import check_variations
from voicebench.task_checks.wordings import WORDINGS, Wordings, check_wordings

__all__ = ["MUTANTS_A_TASK", "UNPROVEN", "PackReport", "TaskReport", "check_task", "check_tasks"]

MUTANTS_A_TASK = 10
"""Mutants that a task must have on average, lest its proof be thin."""

UNPROVEN = (
    "that any language model can pass",
    "that the caller's script has an answer to whatever an agent may say",
    "that the rules in the prompts are those that the expected rows follow",
    "that writes wait for the caller's identity, where no tool's name says that it verifies it",
)
"""What this check cannot prove of any task."""


@dataclass(frozen=True)
class TaskReport:
    """What was proven of one task.

    Attributes:
        pack: its pack's name.
        task: its id.
        findings: why it is not fair; empty if it is.
        passes: how many calls of each baseline passed all gates.
        mutants: how many were made; None if they were not tried, as the solution does not hold.
        survivors: how many of them passed.
        variations: how many were made; None likewise.
        rejected: how many of them failed.
        reference: the line reference's call; None if there was none.
        wordings: how many calls it made in other words; None likewise.
        misunderstood: how many of them failed.
        unproven: what of this task is left to the reader.
        unsaid: how many spoken forms of its facts were not tried over a line.
    """

    pack: str
    task: str
    findings: list[TaskFinding]
    passes: dict[str, int]
    mutants: int | None = None
    survivors: int = 0
    variations: int | None = None
    rejected: int = 0
    reference: TextCall | None = None
    wordings: int | None = None
    misunderstood: int = 0
    unproven: list[str] = field(default_factory=list)
    unsaid: int = 0

    @property
    def fair(self) -> bool:
        """Whether all proofs hold."""
        return not self.findings

    def holds(self, *proofs: str) -> bool:
        """Whether none of these proofs has a finding."""
        return not any(finding.proof in proofs for finding in self.findings)

    def to_json(self) -> JsonObject:
        """Return it as ``--json`` prints it."""
        reference = self.reference
        return {
            "pack": self.pack,
            "id": self.task,
            "fair": self.fair,
            "findings": [vars(finding) for finding in self.findings],
            "mutants": {"made": self.mutants or 0, "caught": (self.mutants or 0) - self.survivors},
            "variations": {"made": self.variations or 0, "accepted": (self.variations or 0) - self.rejected},
            "wordings": {"made": self.wordings or 0, "passed": (self.wordings or 0) - self.misunderstood},
            "reference": None if reference is None else {"turns": reference.turns, "words": reference.words},
            "unproven": [*self.unproven],
        }


@dataclass(frozen=True)
class PackReport:
    """What was proven of the tasks of one pack.

    Attributes:
        pack: its name.
        tasks: in the order of their ids.
        whole: whether these are all its tasks.
    """

    pack: str
    tasks: list[TaskReport]
    whole: bool

    @property
    def findings(self) -> list[str]:
        """What is wrong with the pack apart from its tasks."""
        tried = [task.mutants for task in self.tasks if task.mutants is not None]
        if self.whole and tried and sum(tried) < MUTANTS_A_TASK * len(tried):
            return [f"{sum(tried) / len(tried):.1f} mutants a task on average, fewer than {MUTANTS_A_TASK}"]
        return []

    @property
    def fair(self) -> bool:
        """Whether all its tasks are, and nothing else is wrong."""
        return not self.findings and all(task.fair for task in self.tasks)

    @property
    def unsaid(self) -> int:
        """How many spoken forms of its tasks' facts were not tried over a line."""
        return sum(task.unsaid for task in self.tasks)

    @property
    def baselines(self) -> dict[str, int]:
        """How many calls of each baseline passed."""
        return {agent: sum(task.passes[agent] for task in self.tasks) for agent in BASELINES}


def check_tasks(
    refs: Sequence[TaskRef],
    packs: Iterable[Pack],
    done: Callable[[str], None] = lambda _: None,
    *,
    wordings: Wordings = WORDINGS,
    seed: int = 0,
) -> Iterator[PackReport]:
    """Check tasks, what is known of their spoken forms too, and yield the report of each pack that has some of them.

    Args:
        refs: the tasks; a variant is its base task.
        packs: those that were searched.
        done: called with the id of each task that has been checked.
        wordings: in which the line reference asks otherwise than the pack.
        seed: draws them.
    """
    for pack in packs:
        cases = {ref.case.id: ref.case for ref in refs if ref.pack is pack}
        snapshot = pack.snapshot()
        if cases:
            forms, voices = SpokenForms(pack), caller_voices()
            reports = []
            for case in cases.values():
                lost, unsaid = check_spoken(pack, case, forms, voices)
                report = check_task(pack, case, snapshot, wordings=wordings, seed=seed)
                reports.append(replace(report, findings=[*report.findings, *lost], unsaid=unsaid))
                done(case.id)
            yield PackReport(pack.name, reports, whole=len(cases) == len(pack.cases))


def check_task(
    pack: Pack, case: Case, snapshot: PackSnapshot, *, wordings: Wordings = WORDINGS, seed: int = 0
) -> TaskReport:
    """Try all proofs on one task but for its sound; mutants, variations and reference only where the solution holds."""
    try:
        return _check(TaskSandbox(pack, case, snapshot), wordings, seed)
    except PackError as error:
        return TaskReport(pack.name, case.id, [TaskFinding("solution", str(error))], dict.fromkeys(BASELINES, 0))


def _check(sandbox: TaskSandbox, wordings: Wordings, seed: int) -> TaskReport:
    missing = ", ".join(unwritten(sandbox.case))
    unfilled = [TaskFinding("text", f"still to be written: {missing}")] if missing else []
    solution = check_solution(sandbox)
    baselines = {agent: check_baseline(sandbox, agent) for agent in BASELINES}
    passed = [finding for findings, _ in baselines.values() for finding in findings]
    if not sandbox.case.duties:
        unfilled.append(TaskFinding("duties", "none is written; say what the agent must tell, or may not"))
    report = TaskReport(
        sandbox.pack.name,
        sandbox.case.id,
        [*unfilled, *solution, *passed, *check_demands(sandbox), *check_facts(sandbox), *check_leaks(sandbox)],
        {agent: passes for agent, (_, passes) in baselines.items()},
    )
    if solution:
        return report
    survivors, mutants = check_mutants(sandbox)
    rejected, variations = check_variations(sandbox)
    reference, call = check_reference(sandbox)
    misunderstood, asked = ([], None) if reference else check_wordings(sandbox, wordings, seed)
    return replace(
        report,
        findings=[*report.findings, *survivors, *rejected, *reference, *misunderstood],
        mutants=mutants,
        survivors=len(survivors),
        variations=variations,
        rejected=len(rejected),
        reference=call,
        wordings=asked,
        misunderstood=len(misunderstood),
        unproven=unproven_numbers(sandbox),
    )
