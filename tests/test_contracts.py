"""The direction of imports, as pyproject.toml states it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import grimp
import pytest

pytestmark = pytest.mark.unit

ROOT = Path(__file__).resolve().parents[1]


def test_no_module_imports_itself_through_others_not_even_inside_functions() -> None:
    graph = grimp.build_graph("voicebench", cache_dir=None, exclude_type_checking_imports=True)
    circular = [
        module
        for module in sorted(graph.modules)
        if any(module in graph.find_upstream_modules(one) for one in graph.find_modules_directly_imported_by(module))
    ]
    assert circular == []


def test_imports_point_down_and_in_no_circle() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 kept, 0 broken" in done.stdout
