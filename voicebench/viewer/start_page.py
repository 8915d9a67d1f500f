"""The start page: what the benchmarks are, and the runs."""

from __future__ import annotations

from dataclasses import dataclass

from voicebench.viewer.figures import VERDICTS, Tally, tally
from voicebench.viewer.render import Page
from voicebench.viewer.site import CallRow, Run, Site

__all__ = ["page"]


@dataclass(frozen=True)
class _Listed:
    """A run in the list: its figures, and its packs."""

    run: Run
    tally: Tally


def page(site: Site) -> Page:
    """Return the page."""
    runs = site.runs()
    trials: dict[str, list[CallRow]] = {run.run_id: [] for run in runs}
    for row in site.trials():
        trials.setdefault(row.run, []).append(row)
    listed = [_Listed(run, tally(trials[run.run_id], sum(site.planned(run.run_id).values()))) for run in runs]
    context = {
        "title": "Calls to voice agents",
        "runs": listed,
        "packs": site.packs(),
        "problems": site.told(site.problems),
        "verdicts": [verdict for verdict in VERDICTS if any(one.tally.counts[verdict] for one in listed)],
        "folder": site.root.name,
    }
    return Page("start.html", context)
