"""The Ray cluster of a run: one that is started on this machine for it, or one that there is."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import secrets
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

from voicebench.config import read_key
from voicebench.engines.processes import SETTINGS
from voicebench.errors import ConfigError

__all__ = ["Node", "check_installed", "check_places", "check_share", "connected", "describe", "nodes_alive", "places"]

_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_SCHEDULER_EVENTS": "0"}
"""Nothing is reported to anybody, and nothing is printed about scheduling."""

_OBJECT_STORE_BYTES = 256 * 2**20
"""Holds the artefacts of a few calls on their way; 3 minutes of recording are 11.5 MB."""

_VARIABLE = "RAY_AUTH_TOKEN"
_REACH_S = 10.0
_ROUNDING = 1e-9


def check_installed() -> None:
    """Refuse where Ray is not installed.

    Raises:
        ConfigError: the message says how to install it.
    """
    if find_spec("ray") is None:
        raise ConfigError("--engine ray: Ray is not installed; pip install 'voicebench-sim[ray]'")


def check_share(gpus: float) -> None:
    """Refuse a share of a GPU that Ray cannot give.

    Raises:
        ConfigError: it is negative, or more than one and not whole.
    """
    if gpus < 0 or (gpus > 1 and gpus != int(gpus)):
        raise ConfigError(f"--gpus-per-worker {gpus:g}: give a share of one GPU (0.25), or a whole number of them")


@dataclass(frozen=True)
class Node:
    """A node of the cluster that is alive, and what it was started with, whatever runs on it."""

    address: str
    cpus: float
    gpus: float


def nodes_alive() -> list[Node]:
    """Return the nodes of the cluster that this process has joined."""
    import ray

    found = [(node["NodeManagerAddress"], node["Resources"]) for node in ray.nodes() if node["Alive"]]
    return [Node(address, has.get("CPU", 0.0), has.get("GPU", 0.0)) for address, has in found]


def places(nodes: Sequence[Node], gpus: float) -> int:
    """Return for how many workers the nodes were made, whatever else runs on them.

    Args:
        nodes: of the cluster.
        gpus: of one worker, which needs a CPU as well. A share is of one card: of two cards, 0.6
            can be had twice.
    """
    found = 0
    for node in nodes:
        by_cpu = int(node.cpus)
        if gpus:
            # Without the rounding, 1 / 0.1 could be a little less than 10, and the tenth share of a card would be lost.
            by_gpu = int(node.gpus) * math.floor(1 / gpus + _ROUNDING) if gpus < 1 else int(node.gpus / gpus)
            found += min(by_cpu, by_gpu)
        else:
            found += by_cpu
    return found


def describe(nodes: Sequence[Node]) -> str:
    """Return what each node has, for people."""
    return "; ".join(f"node {node.address} has {node.cpus:g} CPU and {node.gpus:g} GPU" for node in nodes)


def check_places(nodes: Sequence[Node], workers: int, gpus: float) -> None:
    """Refuse workers that have no place; Ray itself would wait for one for ever.

    Raises:
        ConfigError: the message says how many have one, and what each node has.
    """
    there_are = places(nodes, gpus)
    if there_are >= workers:
        return
    needs = f"a worker needs 1 CPU{f' and {gpus:g} GPU' if gpus else ''} on one node"
    ask = f"ask for --workers {there_are}, or add nodes" if there_are else "give it less, or add nodes"
    raise ConfigError(
        f"--workers {workers}: the cluster has places for {there_are}: {needs}, and {describe(nodes)}; {ask}"
    )


@contextlib.contextmanager
def connected(address: str | None, workers: int) -> Iterator[None]:
    """Be a driver of a cluster; one that was started here ends with it.

    Args:
        address: ``HOST:PORT`` of a cluster's head, ``auto`` for the one of this machine, None to start one.
        workers: the CPUs of one that is started.

    Raises:
        ConfigError: the cluster cannot be reached or refuses us; the message says what to look at.
    """
    if address is not None:
        _reach(address)
    # Ray reads these settings as it is imported, so that they come first.
    _set_environment(local=address is None)
    import ray

    # What workers print stays in Ray's own files: between the lines of the run's progress it would only confuse.
    start = partial(ray.init, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False)
    try:
        if address is None:
            store = _OBJECT_STORE_BYTES
            start("local", num_cpus=workers, object_store_memory=store, include_dashboard=False)
        else:
            try:
                start(address)
            except (Exception, SystemExit) as error:  # of many classes, by what fails where
                raise ConfigError(_explain(address, error)) from error
        yield
    finally:
        ray.shutdown()


def _set_environment(*, local: bool) -> None:
    """Set what Ray reads from the environment, now and in the processes that it starts."""
    settings = dict(_QUIET)
    token = read_key(_VARIABLE)
    if local:
        settings |= SETTINGS
        # Without a token any user of this machine could run code in the cluster, as us.
        token = token or secrets.token_hex(32)
    if token:
        settings |= {"RAY_AUTH_MODE": "token", _VARIABLE: token}
    for name, value in settings.items():
        os.environ[name] = os.environ.get(name) or value


def _reach(address: str) -> None:
    """Tell a cluster that is not there from one that refuses us: to Ray both are a failure to connect."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdigit():
        raise ConfigError(
            f"--address {address}: give HOST:PORT of the cluster's head, as `ray start` printed it, or auto"
        )
    try:
        socket.create_connection((host, int(port)), _REACH_S).close()
    except OSError as error:
        raise ConfigError(
            f"--address {address}: no cluster answers there ({error}); is `ray start --head` running?"
        ) from error


def _explain(address: str, error: BaseException) -> str:
    from ray.exceptions import AuthenticationError

    text = str(error).strip().split("\n")[0]
    is_here = "node info" not in str(
        error.__cause__
    )  # what Ray asks for in vain where it finds no node on this machine
    if is_here and isinstance(error, ConnectionError | AuthenticationError) and address != "auto":
        wrong, none = f"the token in {_VARIABLE} is not the cluster's", f"it wants a token, and {_VARIABLE} is not set"
        return (
            f"--address {address}: something listens there and refuses us ({text}). Most likely "
            f"{wrong if read_key(_VARIABLE) else none}; else it is no Ray cluster, or one of another version of Ray"
        )
    return (
        f"--address {address}: {text}. This machine has to be a node of the cluster; to make it one, with no calls of "
        f"its own: ray start --address {'HOST:PORT' if address == 'auto' else address} --num-cpus 0"
    )
