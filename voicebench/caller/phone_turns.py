"""What the caller on the telephone keeps of one turn: what to decide about, the reply that is ready, and its speech."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from voicebench.caller.policy import CallerDecision, Utterance
from voicebench.caller.speech_listener import HeardSpeech

__all__ = ["OngoingSpeech", "PreparedReply", "TurnEvent"]


@dataclass(frozen=True)
class TurnEvent:
    """Something to decide about, in order of time.

    Attributes:
        kind: the agent's ``turn`` has ended, a turn that goes on may be interrupted (``overhear``), both sides have
            been silent for long (``hello``), or the caller has not spoken yet and waits for nothing else (``open``).
        heard: the agent's speech.
        due: the slot in which a reply should begin.
        round: how often the caller had spoken by then; a decision is stale once it has spoken again.
        stretch: how often the agent had begun to speak by then; a reply is dropped if it has gone on since.
        after_words: of ``overhear``, the words after which the policy may interrupt.
    """

    kind: Literal["turn", "overhear", "hello", "open"]
    heard: HeardSpeech | None
    due: int
    round: int
    stretch: int
    after_words: int | None = None


@dataclass(frozen=True)
class PreparedReply:
    """An utterance that is ready; it is begun at slot ``due``, also over the agent if it is an interruption."""

    decision: CallerDecision
    utterance: Utterance
    samples: npt.NDArray[np.int16]
    due: int
    interrupts: bool
    retractable: bool


@dataclass
class OngoingSpeech:
    """An utterance that is being spoken."""

    reply: PreparedReply
    start: int
    sent: int = 0
