"""Which sessions a fault hits, and that the documentation has every kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from voicebench.errors import ConfigError
from voicebench.serve.faults import SESSION_FAULTS, SessionFaultPlan

pytestmark = pytest.mark.unit

DOCS = Path(__file__).parents[3] / "docs/harnesses.md"


def test_a_rate_is_the_share_of_sessions_and_follows_their_names_alone() -> None:
    plan = SessionFaultPlan.read("burst:0.25", 3)
    hit = [name for name in map(str, range(2_000)) if plan.hits(name)]
    assert 420 < len(hit) < 580
    assert hit == [name for name in map(str, range(2_000)) if SessionFaultPlan("burst", 0.25, 3).hits(name)]
    assert hit != [name for name in map(str, range(2_000)) if SessionFaultPlan("burst", 0.25, 4).hits(name)]


def test_without_a_rate_every_session_is_hit() -> None:
    assert SessionFaultPlan.read("reorder").hits("any")


def test_a_rate_that_is_no_share_is_refused() -> None:
    with pytest.raises(ConfigError, match="serve realtime: '2' is no share of calls"):
        SessionFaultPlan.read("burst:2")


def test_the_page_has_every_kind_with_what_it_does() -> None:
    text = DOCS.read_text()
    for kind, does in SESSION_FAULTS.items():
        assert f"| `{kind}` | {does} |" in text
