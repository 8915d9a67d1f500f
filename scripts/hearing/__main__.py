"""Measure what the recognizers hear, and write ``docs/asr.md``."""

from __future__ import annotations

import argparse
from pathlib import Path

from items import draw
from measure import measure, read_hearings, read_utterances
from page import render

PAGE = Path(__file__).resolve().parents[2] / "docs" / "asr.md"


def main() -> None:
    """Hear what is not stored yet, then write the page."""
    parser = argparse.ArgumentParser(prog="scripts/hear", description=__doc__)
    parser.add_argument("--all", action="store_true", help="windows of 30 s for every utterance, not for a part")
    parser.add_argument("--render", action="store_true", help="only write the page again from what is stored")
    options = parser.parse_args()
    if not options.render:
        measure(draw(), whole=options.all)
    PAGE.write_text(render(read_utterances(), read_hearings()), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
