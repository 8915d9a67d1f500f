"""What the caller made of the agent's turns: which it reacted to, and which it did not understand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from voicebench.language.dialogue_acts import asks_again
from voicebench.record.events import CallerWaitsEvent
from voicebench.record.figures import CallerComprehension
from voicebench.record.spans import NOT_UNDERSTOOD_RULES, AgentSpeechSpan, CallerSpeechSpan
from voicebench.record.trace import TraceRecord

__all__ = ["CallerReaction", "add_comprehension", "caller_comprehension", "caller_reactions"]

_NO_REACTION = ("opening", "hello")
"""Rules of what is said whatever was heard."""


@dataclass(frozen=True)
class CallerReaction:
    """What the caller did about one turn of the agent.

    Attributes:
        heard: the words that it understood.
        meant: the agent's own words, as its model wrote them.
        did: ``waited``, or the rule that made the caller speak.
        said: its words; empty where it waited.
        understood: whether it neither asked to hear the turn again nor gave up.
        turn: the agent's turn, from 0; of several that were answered at once the last.
        followed_by_hello: it waited, and then asked whether anybody was there.
    """

    heard: str
    meant: str
    did: str
    said: str
    understood: bool
    turn: int
    followed_by_hello: bool = False


def caller_reactions(trace: Sequence[TraceRecord]) -> list[CallerReaction]:
    """Return what the caller did about each turn of the agent of which it heard words, after the greeting.

    Where the agent went on after the caller had decided to wait, what it heard in all is one turn.

    Args:
        trace: spans and events, by their start.
    """
    reactions: list[CallerReaction] = []
    spoken: list[AgentSpeechSpan] = []
    waited: CallerReaction | None = None
    for line in trace:
        if isinstance(line, AgentSpeechSpan):
            spoken.append(line)
            continue
        if isinstance(line, CallerWaitsEvent):
            now = _reaction(line.heard, "waited", "", spoken)
        elif isinstance(line, CallerSpeechSpan):
            now = _reaction(line.answers or "", line.rule, line.intended, spoken)
        else:
            continue
        if waited is not None:
            if now.did not in _NO_REACTION and now.heard.startswith(waited.heard):
                now = replace(now, meant=f"{waited.meant} {now.meant}".strip(), turn=max(waited.turn, now.turn))
            else:
                reactions.append(replace(waited, followed_by_hello=now.did == "hello"))
        waited = now if now.did == "waited" else None
        if now.did != "waited" and now.did not in _NO_REACTION:
            reactions.append(now)
        spoken = []
    return [one for one in (*reactions, *([waited] if waited else ())) if one.heard]


def _reaction(heard: str, did: str, said: str, spoken: Sequence[AgentSpeechSpan]) -> CallerReaction:
    return CallerReaction(
        heard=heard,
        meant=" ".join(span.intended.strip() for span in spoken),
        did=did,
        said=said,
        understood=did not in NOT_UNDERSTOOD_RULES and not (did == "model" and asks_again(said)),
        turn=spoken[-1].turn if spoken else 0,
    )


def caller_comprehension(trace: Sequence[TraceRecord]) -> CallerComprehension:
    """Count the agent's turns of which the caller heard words, and those that it did not understand."""
    reactions = caller_reactions(trace)
    return CallerComprehension(heard=len(reactions), not_understood=sum(not one.understood for one in reactions))


def add_comprehension(calls: Iterable[CallerComprehension | None]) -> CallerComprehension | None:
    """Add up the counts of several calls; None if no call has them, as those of older versions."""
    counted = [one for one in calls if one is not None]
    if not counted:
        return None
    return CallerComprehension(
        heard=sum(one.heard for one in counted), not_understood=sum(one.not_understood for one in counted)
    )
