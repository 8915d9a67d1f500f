"""The documentation of the line says what the line does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from voicebench.line import CODECS, LegSettings, presets
from voicebench.line.concealment import CONCEALMENTS
from voicebench.line.noise import NOISES

pytestmark = pytest.mark.unit

PAGE = (Path(__file__).parents[2] / "docs" / "line.md").read_text(encoding="utf-8")

CHECK = """
import sys
others = {name.split(".")[1] for name in sys.modules if name.startswith("voicebench.")} - {"line", "record", "errors"}
assert not others, others
"""


def test_the_example_runs_with_the_line_and_its_records_alone(tmp_path: Path) -> None:
    [example] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", example + CHECK], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = re.match(
        r"(\d+) of 8\d\d packets lost, \d+ late, bursts of [\d.]+\nSNR (\d+\.\d) dB, 169 ms, R \d+\n", done.stdout
    )
    assert told is not None, done.stdout
    assert 0 < int(told[1]) < 40
    assert float(told[2]) == pytest.approx(15.0, abs=0.5)


def test_all_presets_codecs_and_keys_are_told() -> None:
    assert re.findall(r"^\| `(\w+)` \| ", PAGE.split("## Presets")[1].split("## Keys")[0], re.MULTILINE) == [
        each.name for each in presets()
    ]
    keys = PAGE.split("## Keys of a leg")[1].split("## What a call tells")[0]
    told = set(re.findall(r"`(\w+)`", keys))
    assert set(LegSettings.model_fields) | set(CODECS) | set(CONCEALMENTS) | set(NOISES) <= told
