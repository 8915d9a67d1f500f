"""What a worker does, in whichever process it is: load the models, make calls, say what they wait for."""

from __future__ import annotations

import gc

from voicebench.clock import longest_wait
from voicebench.engines.failures import failed_call
from voicebench.engines.maker import CallMaker
from voicebench.engines.messages import Briefing, Failed, Made, Ticket, Waits
from voicebench.errors import VoicebenchError

__all__ = ["answer", "current_wait", "load"]


def load(briefing: Briefing) -> CallMaker:
    """Return what makes the calls, its models loaded.

    Raises:
        ModelMissing: weights are absent or differ from their hash.
        ConfigError: a voice, recognizer, preset or key of the line is unknown.
    """
    maker = CallMaker(briefing.pipeline, briefing.target, briefing.own_endpoint, caller=briefing.caller)
    maker.prepare(briefing.caller_voices)
    gc.freeze()
    return maker


def answer(maker: CallMaker, ticket: Ticket) -> Made | Failed:
    """Make the call of a ticket."""
    try:
        result = maker.make(ticket.job())
    except VoicebenchError as error:
        return Failed(error)
    if isinstance(result, VoicebenchError):
        return Failed(result)
    # Others may not survive pickling, and would lose their traceback.
    return Made(failed_call(ticket.unit, result) if isinstance(result, Exception) else result)


def current_wait(least_s: float) -> Waits | None:
    """Return what this process's call has waited for, if for so long."""
    wait = longest_wait()
    return None if wait is None or wait[1] < least_s else Waits(*wait)
