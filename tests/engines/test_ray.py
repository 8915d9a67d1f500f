"""Calls by actors of a Ray cluster."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.e2e.survival import SLOWLY, command, committed, complete, files
from tests.engines.suite import SEED, TEXT, EngineSuite
from tests.processes import command_line, descendants, held
from tests.ray_nodes import RAY, SETTINGS, TOKEN, Cluster, start_cluster, wait_until
from voicebench.engines import Engine, RayEngine
from voicebench.errors import AgentError, ConfigError

pytestmark = [pytest.mark.e2e, pytest.mark.ray, pytest.mark.alone]

TWO_NODES = Path(__file__).with_name("two_nodes.sh")
ALONE = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
"""With processes of its own."""
if os.getuid():
    ALONE.append("--map-root-user")

OTHERS = """
import sys, ray
ray.init(sys.argv[1], log_to_driver=False)
class Other:
    def work(self):
        return "at work"
other = ray.remote(num_cpus=2)(Other).remote()
print(ray.get(other.work.remote()), flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with pytest.MonkeyPatch.context() as settings:
        for name, value in SETTINGS.items():
            settings.setenv(name, value)
        cluster = start_cluster()
        yield cluster
        cluster.end()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run by the local engine."""
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    assert complete(out).returncode == 0
    return out


class TestRayEngine(EngineSuite):
    cluster: ClassVar[Cluster]

    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def a_cluster(cls, cluster: Cluster) -> None:
        cls.cluster = cluster

    def make(self, **changes: Any) -> RayEngine:
        usual = {"pipeline": TEXT, "seed": SEED, "workers": 2, "address": self.cluster.address, "gpus_per_worker": 0.25}
        return RayEngine(**{**usual, **changes})

    def workers_of(self, engine: Engine) -> Sequence[int]:
        return self.cluster.workers()

    def test_closing_gives_up_the_calls_in_flight(self, engine: Engine) -> None:
        super().test_closing_gives_up_the_calls_in_flight(engine)
        wait_until(lambda: not self.cluster.workers())


def test_workers_without_a_place_are_an_error_that_names_what_the_nodes_have(cluster: Cluster) -> None:
    engine = RayEngine(TEXT, SEED, workers=3, address=cluster.address, gpus_per_worker=0.6)
    try:
        with pytest.raises(ConfigError, match=r"places for 1: .* 0\.6 GPU .* has 2 CPU and 1 GPU; .*--workers 1"):
            engine.prepare(["heart"])
    finally:
        engine.close()
    wait_until(lambda: not cluster.workers())  # those of an engine before may still be ending


def test_a_worker_that_others_leave_no_room_has_a_deadline(cluster: Cluster) -> None:
    engine = RayEngine(TEXT, SEED, address=cluster.address, start_s=1.0)
    with others_at_work(cluster):
        try:
            with pytest.raises(AgentError, match=r"worker 1 was not ready after \d+ s: others have the cluster's CPUs"):
                engine.prepare(["heart"])
        finally:
            engine.close()


def test_a_wrong_token_and_a_wrong_address_are_told_apart(cluster: Cluster, tmp_path: Path) -> None:
    wrong = {"RAY_AUTH_TOKEN": TOKEN[::-1], "RAY_NUM_REDIS_GET_RETRIES": "2"}  # Ray's tries, a second each
    refused = ray_run(tmp_path / "run", "--address", cluster.address, **wrong)
    assert refused.returncode == 2
    assert "refuses us (Failed to connect" in refused.stderr
    assert "Most likely the token in RAY_AUTH_TOKEN is not the cluster's" in refused.stderr
    elsewhere = ray_run(tmp_path / "run", "--address", "127.0.0.1:1")
    assert elsewhere.returncode == 2
    assert "--address 127.0.0.1:1: no cluster answers there" in elsewhere.stderr
    assert not (tmp_path / "run").exists()


def test_who_is_no_node_of_the_cluster_is_told_how_to_become_one(cluster: Cluster, tmp_path: Path) -> None:
    asked = command(tmp_path / "run", "--engine", "ray", "--address", cluster.address)
    elsewhere = [*ALONE, *asked]  # where no process of the cluster can be seen
    settings = {**os.environ, "RAY_gcs_server_request_timeout_seconds": "2"}
    done = subprocess.run(elsewhere, capture_output=True, text=True, env=settings)
    assert done.returncode == 2
    assert (
        f"to make it one, with no calls of its own: ray start --address {cluster.address} --num-cpus 0" in done.stderr
    )


def test_a_run_goes_on_from_one_engine_to_the_other(cluster: Cluster, undisturbed: Path, tmp_path: Path) -> None:
    local, ray = tmp_path / "local", tmp_path / "ray"
    there = ["--engine", "ray", "--address", cluster.address]
    for out, first, second in ((local, [], there), (ray, there, [])):
        assert complete(out, "--limit", "1", *first).returncode == 0
        done = complete(out, "--limit", "2", *second)
        assert done.returncode == 0, done.stderr
        assert "4 calls, 2 of them done before" in done.stderr
    assert len(committed(local)) == 4
    assert files(local) == files(ray)
    assert files(local).items() <= files(undisturbed).items()


def test_ctrl_c_ends_the_run_and_the_cluster_that_it_started(undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run = subprocess.Popen(
        command(out, "--engine", "ray", *SLOWLY),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    wait_until(lambda: bool(committed(out)))
    with held(run.pid):  # nothing is committed between the count and the interrupt
        before, started = len(committed(out)), descendants(run.pid)
        assert any(command_line(pid).startswith("ray::CallWorker") for pid in started)
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does
    _, stderr = run.communicate()
    assert run.returncode == 130, stderr
    assert "--engine ray" in stderr.splitlines()[-1]
    assert before <= len(committed(out)) <= before + 2
    wait_until(lambda: not any(map(command_line, started)))
    assert complete(out, *SLOWLY).returncode == 0
    assert files(out) == files(undisturbed)


def test_a_node_that_dies_costs_the_call_that_was_made_there(undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with tempfile.TemporaryDirectory(prefix="vb-ray-", dir="/tmp") as folder:
        script = ["bash", str(TWO_NODES), folder, str(RAY), str(out), *command(out, "--engine", "ray", *SLOWLY)]
        done = subprocess.run(
            [*ALONE, "--net", *script], capture_output=True, text=True, env={**os.environ, **SETTINGS}
        )
    assert done.returncode == 0, done.stderr
    assert re.search(r"worker [12] was lost with its process or its node .*; the call is made again", done.stderr)
    assert files(out) == files(undisturbed)


@contextlib.contextmanager
def others_at_work(cluster: Cluster) -> Iterator[None]:
    """Let another driver have all CPUs of the cluster."""
    script = [sys.executable, "-c", OTHERS, cluster.address]
    other = subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdin is not None
    assert other.stdout is not None
    assert other.stdout.readline() == "at work\n"
    yield
    other.stdin.close()
    assert other.wait() == 0
    other.stdout.close()


def ray_run(out: Path, *more: str, **settings: str) -> subprocess.CompletedProcess[str]:
    asked = command(out, "--engine", "ray", *more)
    return subprocess.run(asked, capture_output=True, text=True, env={**os.environ, **settings})
