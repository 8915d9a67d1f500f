"""Calls in this process."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engines.suite import SEED, TEXT, EngineSuite
from voicebench.engines import LocalEngine

pytestmark = pytest.mark.e2e


class TestLocalEngine(EngineSuite):
    def make(self, **changes: Any) -> LocalEngine:
        return LocalEngine(**{"pipeline": TEXT, "seed": SEED, **changes})
