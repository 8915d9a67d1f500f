"""Whether the prompts demand what a task's gate needs and its rows do not show: reads, and calls that are refused."""

from __future__ import annotations

from collections.abc import Iterator

from voicebench.task_checks.sandbox import TaskFinding, TaskSandbox

__all__ = ["check_demands"]


def check_demands(sandbox: TaskSandbox) -> list[TaskFinding]:
    """Return a finding for each sentence that is to demand a step, and that the prompt of its agent does not hold.

    A step that writes shows in the rows. One that reads, or is refused, can be left out without a trace: where it
    gates, a careful agent fails for it, unless its own prompt says that the step is to be made.
    """
    return [
        TaskFinding("demands", f"step {number} ({tool}): the prompt of {agent} does not say {sentence!r}")
        for number, tool, agent, sentence, prompt in _demanded(sandbox)
        if _plain(sentence) not in _plain(prompt)
    ]


def _demanded(sandbox: TaskSandbox) -> Iterator[tuple[int, str, str, str, str]]:
    """Yield number, tool, agent, sentence and prompt of each step that a sentence is to demand."""
    active = sandbox.pack.spec.agents[0]
    agents = {agent.name: agent for agent in sandbox.pack.spec.agents}
    for number, step in enumerate(sandbox.case.solution, start=1):
        if step.hand_off in active.handoffs:
            active = agents[active.handoffs[step.hand_off or ""].to]
        sentence = step.because or sandbox.case.expect.reads_required.get(step.call or "")
        if sentence:
            yield number, step.call or "", active.name, sentence, sandbox.snapshot.prompts[active.name]


def _plain(text: str) -> str:
    return " ".join(text.split())
