"""The same pages as files, for a folder that opens in a browser without a server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from voicebench.errors import ConfigError
from voicebench.store.files import not_writable
from voicebench.viewer import call_page, pack_page, run_page, start_page, task_page
from voicebench.viewer.app import CALL_FILES, STATIC
from voicebench.viewer.chosen import choices, default_choice
from voicebench.viewer.links import Links, page_path
from voicebench.viewer.render import Page, render
from voicebench.viewer.site import CallRow, NotFound, Site

__all__ = ["write_site"]

_NONCE = "voicebench"
"""Marks the one style that no file holds; in files it cannot differ from one reading to the next."""


def write_site(site: Site, folder: Path) -> int:
    """Write all pages, the files they load, and those of the calls; return how many pages there are.

    Args:
        site: the runs.
        folder: where to; it is made if it is not there, and a site that it holds is written anew.

    Raises:
        ConfigError: the folder holds something else.
        NotWritable: it cannot be written.
    """
    try:
        return _write_site(site, folder)
    except OSError as error:
        raise not_writable(folder, error) from error


def _write_site(site: Site, folder: Path) -> int:
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "static" / "pages.js").is_file():
        raise ConfigError(f"{folder}: holds something that is no site of these pages; give a new folder")
    for kind in ("run", "pack", "task", "call", "static"):
        shutil.rmtree(folder / kind, ignore_errors=True)
    shutil.copytree(STATIC, folder / "static")
    count = 0
    with site.one_look():
        for address, page in _pages(site):
            target = folder / unquote(address)
            target.mkdir(parents=True, exist_ok=True)
            html = render(page, Links(address, static=True), _NONCE, meta_policy=True)
            (target / "index.html").write_text(html, encoding="utf-8")
            count += 1
        for row in site.rows():
            _copy_files(site, row, folder)
    return count


def _pages(site: Site) -> Iterator[tuple[str, Page]]:
    yield page_path("start"), start_page.page(site)
    for run in site.runs():
        yield page_path("run", run.run_id), run_page.page(site, run.run_id)
    for row in site.rows():
        key = (row.run, row.pack, row.task, row.trial, row.attempt)
        yield page_path("call", *key), call_page.page(site, *key)
    for key in _unfinished(site):
        yield page_path("call", *key), call_page.page(site, *key)
    for pack in site.packs():
        try:
            _, snapshot = site.newest(pack)
        except NotFound:
            continue
        yield page_path("pack", pack), pack_page.page(site, pack)
        tasks = snapshot.cases.keys() | {row.task for row in site.rows(pack=pack)}
        for task in sorted(tasks):
            yield from _task_pages(site, pack, task)


def _unfinished(site: Site) -> Iterator[tuple[str, str, str, int, int]]:
    """Give the calls that a run was asked for and that are not there."""
    for run in site.runs():
        made = {(row.pack, row.task, row.trial) for row in site.rows(run.run_id)}
        for (pack, task), trials in site.planned(run.run_id).items():
            for trial in range(1, trials + 1):
                if (pack, task, trial) not in made:
                    yield run.run_id, pack, task, trial, 1


def _task_pages(site: Site, pack: str, task: str) -> Iterator[tuple[str, Page]]:
    try:
        yield page_path("task", pack, task), task_page.page(site, pack, task)
    except NotFound:
        return
    found = choices(site, site.trials(pack=pack, task=task))
    for choice in found:
        if choice != default_choice(found):
            yield page_path("task", pack, task, choice.key), task_page.page(site, pack, task, choice.key)


def _copy_files(site: Site, row: CallRow, folder: Path) -> None:
    key = (row.run, row.pack, row.task, row.trial, row.attempt)
    source = site.call_dir(*key)
    target = folder / unquote(page_path("call", *key))
    for name in CALL_FILES:
        path = source / name
        if path.is_file() and not path.is_symlink():
            shutil.copyfile(path, target / name)
