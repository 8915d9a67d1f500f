"""What is checked before anything is asked of a Ray cluster."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from voicebench.config import load_pipeline
from voicebench.engines import RayEngine
from voicebench.engines.ray_cluster import Node, check_places, connected, nodes_alive, places
from voicebench.errors import ConfigError

pytestmark = pytest.mark.unit


def node(cpus: float, gpus: float = 0.0, *, name: str = "10.0.0.1") -> Node:
    return Node(name, cpus, gpus)


@pytest.mark.parametrize(
    ("nodes", "gpus", "expected"),
    [
        ([node(3)], 0.0, 3),
        ([node(0), node(2.5)], 0.0, 2),
        ([node(8, 1)], 0.25, 4),
        ([node(2, 1)], 0.25, 2),
        ([node(8, 1)], 0.1, 8),
        ([node(8, 2)], 0.6, 2),
        ([node(8, 0.5)], 0.25, 0),
        ([node(8, 3), node(8, 1)], 2.0, 1),
        ([node(4), node(0, 4)], 0.25, 0),
    ],
)
def test_places_are_counted_node_by_node_and_card_by_card(nodes: list[Node], gpus: float, expected: int) -> None:
    assert places(nodes, gpus) == expected


def test_nodes_that_are_dead_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    resources = {"Resources": {"CPU": 8.0}, "NodeManagerAddress": "10.0.0.1"}
    ray = SimpleNamespace(nodes=lambda: [{"Alive": True, **resources}, {"Alive": False, **resources}])
    monkeypatch.setitem(sys.modules, "ray", ray)
    assert nodes_alive() == [node(8)]


def test_too_many_workers_are_told_how_many_there_may_be() -> None:
    nodes = [node(2, 1), node(4, name="10.0.0.2")]
    check_places(nodes, 6, 0.0)
    with pytest.raises(
        ConfigError, match=r"--workers 7: .* places for 6: .*10\.0\.0\.2 has 4 CPU .*; ask for --workers 6"
    ):
        check_places(nodes, 7, 0.0)
    with pytest.raises(ConfigError, match=r"places for 0: a worker needs 1 CPU and 2 GPU on one node"):
        check_places(nodes, 1, 2.0)


@pytest.mark.parametrize("gpus", [-0.25, 1.5])
def test_a_share_that_no_card_can_give_is_refused(gpus: float) -> None:
    with pytest.raises(ConfigError, match=f"--gpus-per-worker {gpus:g}: give a share"):
        RayEngine(load_pipeline("fast"), 1, gpus_per_worker=gpus)


def test_without_ray_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r"pip install 'voicebench-sim\[ray\]'"):
        RayEngine(load_pipeline("fast"), 1)


@pytest.mark.parametrize("address", ["ray://head:10001", "head", ":6379"])
def test_an_address_is_a_host_and_a_port(address: str) -> None:
    with pytest.raises(ConfigError, match=f"--address {address}: give HOST:PORT"), connected(address, 1):
        pass
