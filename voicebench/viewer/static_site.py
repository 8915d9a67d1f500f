"""The same pages as files, for a folder that opens in a browser without a server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from voicebench.errors import ConfigError
from voicebench.store.files import not_writable
from voicebench.viewer import pages
from voicebench.viewer.app import CALL_FILES, STATIC
from voicebench.viewer.chosen import choices, default_choice
from voicebench.viewer.render import Links, Page, page_path, render
from voicebench.viewer.site import NotFound, Site

__all__ = ["write_site"]

_NONCE = "voicebench"
"""What marks the one style that is in no file. A server draws it for each answer; a written file can have one alone."""


def write_site(site: Site, folder: Path) -> int:
    """Write all pages, the files they load, and those of the calls; return how many pages there are.

    Args:
        site: the runs.
        folder: where to; it is made if it is not there, and a site that it holds is replaced.

    Raises:
        ConfigError: the folder holds something else.
        NotWritable: it cannot be written.
    """
    try:
        # pages.js is in each site that this wrote; what lacks it is a folder of something else, and is not cleared.
        if folder.is_dir() and any(folder.iterdir()) and not (folder / "static" / "pages.js").is_file():
            raise ConfigError(f"{folder}: holds something that is no site of these pages; give a new folder")
        for kind in ("run", "pack", "task", "call", "static"):
            shutil.rmtree(folder / kind, ignore_errors=True)
        shutil.copytree(STATIC, folder / "static")
        count = 0
        with site.one_look():
            for address, page in every_page(site):
                target = folder / unquote(address)
                target.mkdir(parents=True, exist_ok=True)
                html = render(page, Links(address, static=True), _NONCE, meta_policy=True)
                (target / "index.html").write_text(html, encoding="utf-8")
                count += 1
            for row in site.rows():
                for path in map(site.call_dir(*row.key).joinpath, CALL_FILES):
                    if path.is_file() and not path.is_symlink():
                        shutil.copyfile(path, folder / unquote(page_path("call", *row.key)) / path.name)
        return count
    except OSError as error:
        raise not_writable(folder, error) from error


def every_page(site: Site) -> Iterator[tuple[str, Page]]:
    """Give the address and the content of each page of a site."""
    yield page_path("start"), pages.start_page(site)
    for run in site.runs():
        yield page_path("run", run.run_id), pages.run_page(site, run.run_id)
    for key in [*(row.key for row in site.rows()), *site.unfinished()]:
        yield page_path("call", *key), pages.call_page(site, *key)
    for pack in site.packs():
        try:
            _, snapshot = site.newest(pack)
        except NotFound:
            continue
        yield page_path("pack", pack), pages.pack_page(site, pack)
        tasks = snapshot.cases.keys() | {row.task for row in site.rows(pack=pack)}
        for task in sorted(tasks):
            yield from _task_pages(site, pack, task)


def _task_pages(site: Site, pack: str, task: str) -> Iterator[tuple[str, Page]]:
    try:
        yield page_path("task", pack, task), pages.task_page(site, pack, task)
    except NotFound:
        return
    found = choices(site, site.trials(pack=pack, task=task))
    for choice in found:
        if choice != default_choice(found):
            yield page_path("task", pack, task, choice.key), pages.task_page(site, pack, task, choice.key)
