"""What the line reference may know of a task: its steps and questions, without one value.

It goes as metadata of each request, and only to an endpoint that the harness started itself.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from voicebench.errors import ConfigError
from voicebench.language.itn import normalise
from voicebench.language.slots import Fact, FactSpec, FactType
from voicebench.packs.models import Case, PackSnapshot, Step
from voicebench.packs.templates import facts_in
from voicebench.record.json_types import JsonObject, JsonValue

__all__ = ["ReferenceTask", "reference_task"]


class ReferenceTask(BaseModel):
    """The content of ``metadata.voicebench_task``.

    Attributes:
        steps: the solution, with ``$fact.NAME`` left as names.
        facts: type, question and format of each fact that the steps name.
        today: the pack's date, which places dates said without a year.
        seed: the call's seed.
        tools: type of each argument of each tool that the steps call.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: list[Step]
    facts: dict[str, FactSpec]
    today: dt.date | None = None
    seed: int = 0
    tools: dict[str, dict[str, FactType]] = {}


def reference_task(case: Case, pack: PackSnapshot, seed: int) -> str:
    """Return the task as the line reference gets it: the JSON text of a :class:`ReferenceTask`.

    Raises:
        ConfigError: a step names an unknown fact, or holds the value of a fact instead of its name.
    """
    asked = [name for step in case.solution for name in (*step.ask, *facts_in([*_templates(step), step.say]))]
    names = list(dict.fromkeys(asked))
    for name in names:
        if name not in case.caller.facts or name not in pack.spec.facts:
            where = "the caller's facts" if name not in case.caller.facts else "the facts of pack.yaml"
            raise ConfigError(f"task {case.id}: the solution needs the fact {name!r}, which is not among {where}")
    for number, step in enumerate(case.solution, start=1):
        _refuse_values(case, number, step)
    called = {step.call for step in case.solution if step.call}
    called |= {other.call for step in case.solution for other in step.alternatives if other.call}
    task = {
        "steps": [step.model_dump(by_alias=True, exclude_defaults=True) for step in case.solution],
        "facts": {name: pack.spec.facts[name].model_dump(exclude_defaults=True) for name in names},
        "today": pack.spec.today,
        "seed": seed,
        "tools": {name: dict(pack.tools[name].arg_types) for name in sorted(called & pack.tools.keys())},
    }
    return json.dumps(task, ensure_ascii=False)


def _templates(step: Step) -> list[JsonObject]:
    return [step.with_, *(alternative.with_ for alternative in step.alternatives)]


def _refuse_values(case: Case, number: int, step: Step) -> None:
    for name, fact in case.caller.facts.items():
        for constant in _constants([*_templates(step)]):
            if _squash(constant) == _squash(fact.value):
                raise ConfigError(
                    f"task {case.id}, step {number}: the argument {constant!r} is the value of the fact {name!r}; "
                    f"write $fact.{name}, so that no agent learns it"
                )
        if step.say and _speaks(step.say, fact):
            raise ConfigError(
                f"task {case.id}, step {number}: 'say' speaks the value of the fact {name!r}; write $fact.{name} or "
                "leave it out, so that no agent learns it"
            )


def _constants(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _constants(item)
    elif isinstance(value, list):
        for item in value:
            yield from _constants(item)
    elif isinstance(value, str):
        yield value


def _speaks(text: str, fact: Fact) -> bool:
    """Whether a sentence holds the fact, written or in one of its spoken forms, on word boundaries."""
    words = [_squash(word) for word in normalise(text).split()]
    runs = {"".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(i + 24, len(words)) + 1)}
    return any(_squash(normalise(form)) in runs for form in (fact.value, *fact.forms))


def _squash(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()
