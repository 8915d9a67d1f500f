"""What a caller must not voice: what its task forbids, and what its pack forbids all who do not call for just that."""

from __future__ import annotations

from voicebench.language.dialogue_acts import affirmed
from voicebench.language.intents import Intents
from voicebench.packs.models import CallerScript, Forbid, PackSpec

__all__ = ["forbids_of"]


def forbids_of(script: CallerScript, spec: PackSpec, intents: Intents) -> list[Forbid]:
    """Return what a caller must not voice, the task's own first.

    Of what the pack forbids are left out: what the task forbids in terms of its own, what it allows, and what its own
    locked lines voice, since who calls for a ticket may ask for one.

    Args:
        script: the caller's part of the case.
        spec: the pack's.
        intents: the pack's, compiled.
    """
    own = {forbid.said for forbid in script.forbids}
    said = (script.opening, *(rule.say for rule in script.answers if rule.say), script.closing)
    lines = [affirmed(line) for line in said]

    def is_wanted(name: str) -> bool:
        return name in script.allows or any(intents.match("said", name, line) for line in lines)

    return [
        *script.forbids,
        *(forbid for forbid in spec.forbids if forbid.said not in own and not is_wanted(forbid.said)),
    ]
