"""How long a run will take and what it will cost, before it is made."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from voicebench.call.costs import cost_of_request
from voicebench.config import Pipeline
from voicebench.config.models import CascadeAgent
from voicebench.config.profiles import is_local, is_local_caller
from voicebench.record.json_types import JsonObject
from voicebench.runner.progress import duration
from voicebench.stored.results import PackedRow

__all__ = ["Estimate", "estimate"]

_REQUESTS = 12
_USAGE = {"input_tokens": 5_000.0, "output_tokens": 40.0}
_SPEECH_USAGE = {
    "input_tokens": 5_500.0,
    "cache_read_tokens": 4_000.0,
    "input_audio_tokens": 500.0,
    "cache_audio_read_tokens": 300.0,
    "output_tokens": 130.0,
    "output_audio_tokens": 90.0,
}
"""Of a usual call: requests to the agent's model, and tokens of one request. The line reference makes 10 to 15 requests
of 4,800 to 5,600 tokens; a model that talks more writes more than the reference's 25 tokens. A service of speech is
given its conversation's sound as well, and caches most of it."""
_CALLER_REQUESTS = 8
_CALLER_USAGE = {"input_tokens": 2_500.0, "output_tokens": 20.0}
"""The same of a caller that a model plays: one request a turn, its part and what was said so far."""
_REQUEST_S = 1.0
"""Wall seconds that a remote model takes for one."""
_OWN_S = {"text": 0.5, "audio": 25.0}
"""Wall seconds of a call on one core without the model: recognition, synthesis, line, and our own code."""
_REAL_S = 75.0
"""Wall seconds of a call in real time: its length, and the end of its run."""
_START_S = 5.0
"""Wall seconds until a worker has loaded its models."""


@dataclass(frozen=True)
class Estimate:
    """What is still to come of a run, roughly.

    Attributes:
        trials: of the run.
        due: those without a verdict.
        wall_s: for them, attempts that must be repeated not counted.
        usd: for them, both parties' models; None if one has no price.
        basis: what it was estimated from.
    """

    trials: int
    due: int
    wall_s: float
    usd: float | None
    basis: str

    def __str__(self) -> str:
        """All of it on one line."""
        money = "a cost that is unknown" if self.usd is None else f"${self.usd:.2f}"
        return f"{self.due} of {self.trials} calls to make: about {duration(self.wall_s)} and {money} ({self.basis})"

    def to_json(self) -> JsonObject:
        """Return what ``voicebench run --dry-run --json`` prints."""
        return {**vars(self), "dry_run": True}


def estimate(pipeline: Pipeline, trials: int, due: int, workers: int, made: Sequence[PackedRow]) -> Estimate:
    """Estimate the rest of a run: from the means of its calls so far, else from those of usual calls.

    Args:
        pipeline: the configuration.
        trials: of the run.
        due: those without a verdict.
        workers: how many calls are made at a time.
        made: attempts that the run has.
    """
    rows = [one.row for one in made]
    walls = [row.wall_s for row in rows if row.wall_s is not None]
    costs = [row.cost.usd for row in rows if row.cost is not None and row.cost.usd is not None]
    call_s = statistics.fmean(walls) if walls else _usual_call_s(pipeline)
    call_usd: float | None = statistics.fmean(costs) if costs else None
    if not costs:
        usage = _USAGE if isinstance(pipeline.agent, CascadeAgent) else _SPEECH_USAGE
        today = datetime.now(UTC).date()
        agent_usd = cost_of_request(pipeline, "agent", today, usage)
        caller_usd = cost_of_request(pipeline, "caller", today, _CALLER_USAGE)
        if agent_usd is not None and caller_usd is not None:
            call_usd = _REQUESTS * agent_usd + _CALLER_REQUESTS * caller_usd
    rounds = -(-due // workers)  # rounded up: the last round takes as long as any
    basis = f"from {len(walls)} calls of this run" if walls else f"a usual call: {call_s:.0f} s, {_REQUESTS} requests"
    usd = None if call_usd is None else round(due * call_usd, 6)
    return Estimate(trials, due, round(rounds * call_s + (_START_S if due else 0.0), 1), usd, basis)


def _usual_call_s(pipeline: Pipeline) -> float:
    if pipeline.clock.mode == "real":
        return _REAL_S
    llm = pipeline.cascade.llm
    request_s = llm.ttft_ms / 1000 if is_local(llm.model, llm.base_url) else _REQUEST_S
    caller = pipeline.caller
    remote_caller = caller.kind == "llm" and not is_local_caller(caller.llm.model, caller.llm.base_url)
    return _OWN_S[pipeline.channel] + _REQUESTS * request_s + _CALLER_REQUESTS * _REQUEST_S * remote_caller
