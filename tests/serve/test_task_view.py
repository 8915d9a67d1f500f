from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from voicebench.errors import ConfigError
from voicebench.packs.models import Case
from voicebench.serve import ReferenceTask, reference_task

pytestmark = pytest.mark.unit
