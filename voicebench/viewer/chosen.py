"""Which call stands for a task: one subject at a time, one that passed and one that failed."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from voicebench.config.models import stored_served
from voicebench.config.profiles import is_local
from voicebench.metrics import quantiles
from voicebench.metrics.latency import QUALIFYING_TTFT_MS
from voicebench.viewer.figures import tally
from voicebench.viewer.site import AttemptRow, Site, SiteRun

__all__ = ["Choice", "choices", "default_choice"]


@dataclass(frozen=True)
class Choice:
    """A call that stands for a subject and a verdict.

    Attributes:
        subject: the model, with its harness if that is not the cascade.
        verdict: ``passed`` or ``failed``; another only where a subject has no call with a verdict.
        row: the call.
        calls: how many it stands for.
        key: what names it in an address.
    """

    subject: str
    verdict: str
    row: AttemptRow
    calls: int
    key: str


def choices(site: Site, trials: Sequence[AttemptRow]) -> list[Choice]:
    """Return the calls to choose from, best subject first, of each what passed and what failed.

    A call with a verdict stands for those of its kind: it is the one nearest their median length, the newest of two.

    Args:
        site: the runs.
        trials: the last attempts of a task's trials.
    """
    runs = {run.run_id: run for run in site.runs()}
    grouped: dict[str, list[AttemptRow]] = {}
    for row in trials:
        grouped.setdefault(runs[row.run].subject, []).append(row)
    found: list[Choice] = []
    for place, subject in enumerate(_ranked(site, grouped, runs), start=1):
        rows = grouped[subject]
        kinds = [kind for kind in ("passed", "failed") if any(row.verdict == kind for row in rows)]
        slug = re.sub(r"[^a-z0-9]+", "-", subject.lower()).strip("-")[:40] or "model"
        for kind in kinds or [max(rows, key=lambda row: runs[row.run].started_at).verdict]:
            same = [row for row in rows if row.verdict == kind]
            lengths = [row.call_s for row in same if row.call_s is not None]
            median = statistics.median(lengths) if lengths else 0.0
            # Of equal distances the newest call, then that of the lowest trial: the first is taken.
            newest = sorted(same, key=lambda row: (runs[row.run].started_at, -row.trial), reverse=True)
            distances = [abs((row.call_s or 0.0) - median) for row in newest]
            nearest = newest[distances.index(min(distances))]
            found.append(Choice(subject, kind, nearest, len(same), f"{kind}-{place}-{slug}"))
    return found


def default_choice(found: Sequence[Choice]) -> Choice | None:
    """Return the call to show first: the best subject's, with its more frequent verdict; on a tie, one that passed."""
    if not found:
        return None
    best = [choice for choice in found if choice.subject == found[0].subject]
    return max(best, key=lambda choice: choice.calls)


def _ranked(site: Site, grouped: Mapping[str, Sequence[AttemptRow]], runs: Mapping[str, SiteRun]) -> list[str]:
    """Return the subjects: models that qualify by their pass rate, then the others, newest first."""

    def order(subject: str) -> tuple[int, float, str]:
        mine = {run_id for run_id, run in runs.items() if run.subject == subject}
        newest = max(runs[row.run].started_at for row in grouped[subject])
        # One run that does not qualify is enough: a subject is not first because only its quick run was counted.
        if any(not _qualifies(site, runs[run_id]) for run_id in mine & {row.run for row in grouped[subject]}):
            return 0, 0.0, newest
        rate = tally([row for run_id in mine for row in site.trials(run_id)]).pass_rate
        return (0, 0.0, newest) if rate is None else (1, rate, newest)

    return sorted(sorted(grouped), key=order, reverse=True)


def _qualifies(site: Site, run: SiteRun) -> bool:
    """Whether a run is of a model that may be ranked: none of the local ones, and its median TTFT within the limit."""
    served = stored_served(run.configuration)
    address = served.get("base_url")
    if is_local(str(served["model"]), None if address is None else str(address)) or run.record.unranked:
        return False
    p50 = quantiles(site.latencies_ms(run.run_id, "ttft")).p50
    return p50 is not None and p50 <= QUALIFYING_TTFT_MS
