"""Where the latencies of a row do not fit together: a TTFT that nobody can hear is marked, not believed.

TTFT is what a service sends, and V2V is what the caller sits through. A service can send a token that says nothing, or
report the end of a turn when its answer is ready; TTFAT and V2V then tell what TTFT does not.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from voicebench.config.models import stored_setting
from voicebench.leaderboard.trials import StoredRun, TrialResult

__all__ = ["contradictions"]

_UNEXPLAINED_MS = 200.0
"""By how much the silence of a turn, less its known parts, may exceed TTFT in the median."""


def contradictions(run: StoredRun, trials: Sequence[TrialResult], limit_ms: float) -> tuple[str, ...]:
    """Say what contradicts the median TTFT of a row.

    Args:
        run: one run of the row, for its configuration.
        trials: those of the row that have figures.
        limit_ms: the median latency up to which a model qualifies.
    """
    found = []
    ttft_ms = [ms for trial in trials for ms in trial.ttft_ms]
    ttfat_ms = [ms for trial in trials for ms in trial.ttfat_ms]
    if ttft_ms and ttfat_ms:
        apart_ms = statistics.median(ttfat_ms) - statistics.median(ttft_ms)
        if apart_ms > limit_ms / 2:
            found.append(f"the answer begins {apart_ms:,.0f} ms after the first token in the median")
    known_ms: float | None = None  # of a cascade voicebench itself waits, so that all of a turn's end is known
    if run.harness != "cascade":
        # What a service waits beyond the silence that it was configured with is its own time, whatever it calls it
        detection = stored_setting(run.configuration, "agent.turn_detection.type")
        silence_ms = stored_setting(run.configuration, "agent.turn_detection.silence_duration_ms")
        known_ms = float(silence_ms) if detection == "server_vad" and isinstance(silence_ms, int | float) else 0.0
    unexplained_ms = [ms for trial in trials for ms in _unexplained(trial, known_ms)]
    if ttft_ms and unexplained_ms and (median_ms := statistics.median(unexplained_ms)) > _UNEXPLAINED_MS:
        found.append(f"{median_ms:,.0f} ms of V2V are in the median neither in TTFT nor in any other known part")
    return tuple(found)


def _unexplained(trial: TrialResult, waits_ms: float | None) -> list[float]:
    """Return what no known part explains of each answered turn, milliseconds."""
    parts = trial.v2v_parts_ms
    if not parts:
        return []
    turn_ends, rest = parts.get("turn_end", ()), parts.get("unexplained", ())
    beyond = [0.0 if waits_ms is None else max(0.0, ms - waits_ms) for ms in turn_ends]
    return [one + other for one, other in zip(beyond, rest, strict=True)]
