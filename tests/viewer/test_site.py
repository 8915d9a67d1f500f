"""What the pages find in a folder of runs: all calls as they are now, nothing outside it, and nothing written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.scripted import ScriptedEngine
from voicebench.config import load_pipeline
from voicebench.errors import ConfigError, StoreError
from voicebench.runner import RunRequest, run
from voicebench.store import find_runs
from voicebench.store.index import rebuild_index
from voicebench.viewer import Site, write_site
from voicebench.viewer.call_view import call_view
from voicebench.viewer.chosen import choices, default_choice
from voicebench.viewer.command import command_of
from voicebench.viewer.figures import tally
from voicebench.viewer.site import AttemptRow, NotFound

pytestmark = pytest.mark.unit

PACK = "customer_support"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one run of two tasks, two trials each, all of them passed."""
    folder = tmp_path_factory.mktemp("site") / "runs"
    run(
        RunRequest(load_pipeline("fast"), tasks=["T2-H3", "T1-E1"], trials=2, out=folder / "one"),
        make_engine=ScriptedEngine("passed"),
    )
    (folder / "one" / "index.db").unlink(missing_ok=True)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "runs"))


def call_json(folder: Path, task: str = "T2-H3", trial: int = 1, run: str = "one") -> Path:
    return folder / run / "calls" / PACK / task / str(trial) / "attempt-1" / "call.json"


def change(path: Path, **values: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def files(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_calls_that_come_go_or_change_are_seen_at_the_next_question(folder: Path) -> None:
    site = Site(folder)
    assert [row.verdict for row in site.rows("one")] == ["passed"] * 4
    change(call_json(folder), verdict="void", reason="broke the script")
    call_json(folder, "T1-E1").write_text("{")
    shutil.rmtree(call_json(folder, "T1-E1", 2).parent)
    found = {(row.task, row.trial): row.verdict for row in site.rows("one")}
    assert found == {("T2-H3", 1): "void", ("T2-H3", 2): "passed", ("T1-E1", 1): "corrupt"}
    assert site.planned("one") == {(PACK, "T2-H3"): 2, (PACK, "T1-E1"): 2}


def test_an_index_on_disk_is_used_but_never_believed_against_newer_files(folder: Path) -> None:
    rebuild_index(folder / "index.db", find_runs(folder))
    change(call_json(folder), verdict="error", reason="the provider failed")
    before = files(folder)
    site = Site(folder)
    assert [row.verdict for row in site.rows("one", PACK, "T2-H3")] == ["error", "passed"]
    assert site.latencies_ms("one", "v2v") == []
    assert files(folder) == before


def test_without_an_index_nothing_is_written(folder: Path) -> None:
    before = files(folder)
    site = Site(folder)
    site.runs(), site.rows(), site.planned("one"), site.call("one", PACK, "T2-H3", 1, 1)
    assert files(folder) == before


def test_newest_runs_come_first_and_a_copy_of_a_run_is_told(folder: Path) -> None:
    shutil.copytree(folder / "one", folder / "two")
    change(folder / "two" / "run.json", run_id="two", started_at="2031-01-01T00:00:00+00:00")
    shutil.copytree(folder / "one", folder / "three")
    site = Site(folder)
    assert [found.run_id for found in site.runs()] == ["two", "one"]
    assert len(site.problems) == 1
    assert site.problems[0].endswith("three: a copy of another run here")


@pytest.mark.parametrize("name", ["../one", "..", "", "a/b", ".hidden"])
def test_a_name_that_no_folder_has_is_no_run(folder: Path, name: str) -> None:
    change(folder / "one" / "run.json", run_id=name)
    site = Site(folder)
    assert site.runs() == []
    assert "is none that a folder could have" in site.problems[0]


def test_a_pack_whose_name_leads_out_of_the_run_is_refused(folder: Path) -> None:
    change(folder / "one" / "run.json", packs={"../../secret": "0"})
    assert Site(folder).runs() == []


@pytest.mark.parametrize("names", [("../..", "T2-H3"), (PACK, "../../../../..")])
def test_no_call_outside_the_run_is_read(folder: Path, names: tuple[str, str]) -> None:
    with pytest.raises(NotFound):
        Site(folder).call("one", *names, 1, 1)


def test_a_call_that_says_it_is_another_is_corrupt(folder: Path) -> None:
    change(call_json(folder), task="T1-E1")
    site = Site(folder)
    assert site.rows("one", PACK, "T2-H3")[0].verdict == "corrupt"
    with pytest.raises(StoreError, match="mixed up"):
        site.call("one", PACK, "T2-H3", 1, 1)


def test_one_look_serves_all_questions_of_a_page(folder: Path) -> None:
    site = Site(folder)
    with site.one_look():
        shutil.rmtree(call_json(folder).parent)
        assert len(site.rows("one")) == 4
    assert len(site.rows("one")) == 3


def test_a_folder_that_is_not_there_is_a_mistake_of_the_command(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such folder"):
        Site(tmp_path / "nowhere")


def row(verdict: str, call_s: float, trial: int = 1, run: str = "one", task: str = "T2-H3") -> AttemptRow:
    passed = float(verdict == "passed")
    kind = "script" if verdict == "void" else None
    return AttemptRow(run, PACK, task, trial, 1, verdict, kind, 0, passed, 1.0, 1.0, call_s, 0.01)


def test_the_call_nearest_the_median_length_stands_for_its_kind(folder: Path) -> None:
    lengths = [("passed", 10.0), ("passed", 31.0), ("passed", 90.0), ("failed", 5.0), ("failed", 6.0)]
    trials = [row(verdict, call_s, number) for number, (verdict, call_s) in enumerate(lengths, start=1)]
    found = choices(Site(folder), trials)
    assert [(choice.verdict, choice.row.call_s, choice.calls) for choice in found] == [
        ("passed", 31.0, 3),
        ("failed", 5.0, 2),
    ]
    assert default_choice(found) == found[0]
    assert default_choice(choices(Site(folder), trials[:1] + trials[3:])).verdict == "failed"  # type: ignore[union-attr]


def with_model(folder: Path, name: str, model: str, started_at: str, ttft_ms: float, verdict: str) -> None:
    """Copy the run as one of another model that is measured, and whose calls all have one verdict."""
    shutil.copytree(folder / "one", folder / name)
    path = folder / name / "run.json"
    record = json.loads(path.read_text())
    record["configuration"]["agent"]["llm"]["model"] = model
    path.write_text(json.dumps({**record, "run_id": name, "started_at": started_at, "unranked": []}))
    for call in (folder / name).rglob("call.json"):
        change(call, verdict=verdict, latencies_ms={"ttft": [ttft_ms, ttft_ms], "v2v": []})


def test_the_best_qualified_model_comes_first_then_the_newest(folder: Path) -> None:
    with_model(folder, "slow", "slow-and-right", "2031-01-01T00:00:00+00:00", 1_001.0, "passed")
    with_model(folder, "good", "quick-and-right", "2029-01-01T00:00:00+00:00", 1_000.0, "passed")
    with_model(folder, "poor", "quick-and-wrong", "2030-01-01T00:00:00+00:00", 200.0, "failed")
    site = Site(folder)
    found = choices(site, site.trials(pack=PACK, task="T2-H3"))
    assert [choice.subject for choice in found] == ["quick-and-right", "quick-and-wrong", "slow-and-right", "reference"]


def test_a_rate_is_the_mean_over_tasks_and_voids_are_no_part_of_it() -> None:
    trials = [row("passed", 1.0, 1), row("passed", 1.0, 2), row("void", 1.0, 3), row("failed", 1.0, 1, task="T1-E1")]
    counted = tally(trials, planned=6)
    assert counted.pass_rate == 0.5
    assert (counted.counts["void"], counted.counts["unfinished"], counted.decided) == (1, 2, 3)
    assert counted.gates == {"tools": pytest.approx(2 / 3), "handoffs": 1.0, "database": 1.0}
    assert counted.usd == pytest.approx(0.04)


def test_a_trial_whose_caller_was_hung_up_on_is_failed_whatever_came_later(folder: Path) -> None:
    first = call_json(folder)
    shutil.copytree(first.parent, first.parent.parent / "attempt-2")
    change(first.parent.parent / "attempt-2" / "call.json", attempt=2)
    change(first, verdict="error", error_by="service", service_began_s=1.0)
    site = Site(folder)
    trials = site.trials("one")
    assert sorted((row.verdict, row.outcome) for row in trials) == [("passed", "failed"), *[("passed", "passed")] * 3]
    counted = tally(trials)
    assert (counted.counts["failed"], counted.pass_rate) == (1, 0.75)


def test_a_call_that_broke_off_did_not_pass() -> None:
    assert tally([row("passed", 1.0, 1), row("error", 1.0, 2)]).pass_rate == 0.5


def test_the_command_says_only_what_differs_from_the_pipeline(folder: Path) -> None:
    path = folder / "one" / "run.json"
    record = json.loads(path.read_text())
    record["configuration"]["agent"]["llm"].update(model="some/model", base_url="http://localhost:1/v1")
    record["configuration"]["limits"]["turns"] = 7
    path.write_text(json.dumps({**record, "seed": 5}))
    command = command_of(Site(folder).run("one"), PACK, "T2-H3", 2)
    assert command == (
        "voicebench run fast --model some/model --base-url http://localhost:1/v1 --set limits.turns=7 "
        "--pack customer_support --task T2-H3 --trials 2 --seed 5"
    )


def test_the_page_of_a_call_says_who_spoke_the_caller(folder: Path) -> None:
    def caller() -> str:
        return call_view(Site(folder), "one", PACK, "T2-H3", 1, 1).caller

    assert caller() == "scripted, voice heart"  # of the configuration: the call was stored without
    change(call_json(folder), caller_voice="joe-slow")
    assert caller() == "scripted, voice joe-slow"
    change(call_json(folder), caller_voice=None)
    assert caller() == "scripted"


def test_the_site_of_files_has_every_page_and_links_that_lead_to_files(folder: Path, tmp_path: Path) -> None:
    shutil.rmtree(call_json(folder, "T1-E1", 2).parent)
    out = tmp_path / "site"
    count = write_site(Site(folder), out)
    pages = sorted(out.rglob("index.html"))
    assert len(pages) == count
    assert (out / "call/one" / PACK / "T1-E1/2/1/index.html").is_file()
    for page in pages:
        for link in _links(page.read_text()):
            target = (page.parent / link.partition("#")[0]).resolve()
            assert link.startswith("#") or target.is_file(), f"{page}: {link}"
    with pytest.raises(ConfigError, match="holds something"):
        write_site(Site(folder), tmp_path)


def _links(html: str) -> list[str]:
    return [part.partition('"')[0] for name in (' href="', ' src="') for part in html.split(name)[1:]]
