"""Take the pictures of the pages that the documentation shows, in light and in dark."""

from __future__ import annotations

import argparse
import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.viewer.browser import CHROMIUM
from tests.viewer.runs import BOOKED, FAILING, PACK, TEXT, VOID, call_page, make_runs
from voicebench.config import load_pipeline
from voicebench.runner import RunRequest, run
from voicebench.viewer import Site, write_site
from voicebench.viewer.render import page_path

TARGET = Path(__file__).resolve().parents[2] / "docs" / "screenshots"

DESK, PHONE = (1280, 1100), (375, 900)
COLOURS = 256

PAGES = {
    "start": (page_path("start"), DESK),
    "run": (page_path("run", "many"), DESK),
    "pack": (page_path("pack", PACK), DESK),
    "task": (page_path("task", PACK, "T2-H3"), DESK),
    "call": (call_page(FAILING), DESK),
    "call-tools": (f"{call_page(FAILING)}#tools", DESK),
    "call-database": (f"{call_page(BOOKED)}#database", DESK),
    "call-text": (call_page(TEXT), DESK),
    "call-void": (call_page(VOID), DESK),
    "call-phone": (call_page(FAILING), PHONE),
}


def main() -> None:
    """Make the runs, unless they are given, and photograph each page."""
    parser = argparse.ArgumentParser(prog="scripts/screenshots", description=__doc__)
    parser.add_argument("--runs", type=Path, help="folder of runs that were made before by the tests of the pages")
    options = parser.parse_args()
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        runs = options.runs or Path(folder) / "runs"
        if options.runs is None:
            runs.mkdir()
            make_runs(runs)
            _make_many(runs / "many")
        site = Path(folder) / "site"
        write_site(Site(runs), site)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            for scheme in ("light", "dark"):
                for name, (address, size) in PAGES.items():
                    _take(browser, site, address, size, scheme, TARGET / f"{name}-{scheme}.png")
            browser.close()


def _make_many(out: Path) -> None:
    """Make a run of some size: the line reference in text, with too few turns for the longer tasks."""
    pipeline = load_pipeline("fast", ["channel=text", "limits.turns=5"])
    run(RunRequest(pipeline, trials=3, limit=16, out=out))


def _take(browser: Browser, site: Path, address: str, size: tuple[int, int], scheme: str, target: Path) -> None:
    width, height = size
    dark = scheme == "dark"
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", reduced_motion="reduce"
    )
    page: Page = context.new_page()
    path, hash_, anchor = address.partition("#")
    page.goto(f"{(site / path / 'index.html').as_uri()}{hash_}{anchor}")
    page.wait_for_timeout(500)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"{target.name}: {target.stat().st_size / 1000:.0f} kB")
    context.close()


if __name__ == "__main__":
    main()
