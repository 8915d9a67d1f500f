"""What the local caller gets of a task, so that it need not read its prompt: the script, and how words are understood.

It goes as metadata of each request, and only to an endpoint that the harness started itself.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from voicebench.caller.script import forbids_of
from voicebench.language.intents import Intents
from voicebench.language.slots import FactSpec, IntentsSpec
from voicebench.packs.models import CallerScript, PackSpec

__all__ = ["CallerTask", "caller_task"]


class CallerTask(BaseModel):
    """The content of ``metadata.voicebench_caller``.

    Attributes:
        script: the caller's part of the case.
        facts: type, question and format of the facts that the script names.
        intents: the pack's: all that may be asked, and what is heard as far as the script's rules name it.
        forbidden: intents that the caller must not voice.
        understanding: by what it understands the agent (``caller.understanding``).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    script: CallerScript
    facts: dict[str, FactSpec]
    intents: IntentsSpec
    forbidden: list[str] = []
    understanding: Literal["meaning", "rules"] = "meaning"


def caller_task(
    script: CallerScript, spec: PackSpec, understanding: Literal["meaning", "rules"] = "meaning"
) -> CallerTask:
    """Return what the local caller of a task gets.

    Args:
        script: the caller's part of the case; nothing else of the case is used.
        spec: the pack's.
        understanding: by what it understands the agent.
    """
    heard = [rule.heard for rule in script.answers if rule.heard] + [script.hangs_up.heard]
    return CallerTask(
        script=script,
        facts={name: spec.facts[name] for name in script.facts if name in spec.facts},
        intents=IntentsSpec(
            labels=spec.intents.labels,
            details=spec.intents.details,
            examples=spec.intents.examples,
            instead=spec.intents.instead,
            questions={name: asked for name, asked in spec.intents.questions.items() if name in heard},
            unless={name: texts for name, texts in spec.intents.unless.items() if name in heard},
            asked=spec.intents.asked,
            heard={name: spec.intents.heard[name] for name in heard},
        ),
        forbidden=[forbid.said for forbid in forbids_of(script, spec, Intents(spec.intents))],
        understanding=understanding,
    )
