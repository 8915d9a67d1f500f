"""The command that makes a call again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator

from voicebench.config import load_pipeline
from voicebench.errors import ConfigError
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.viewer.site import SiteRun

__all__ = ["command_of"]

_FLAGS = {
    "agent.llm.model": "--model",
    "agent.llm.base_url": "--base-url",
    "agent.model": "--model",
    "agent.base_url": "--base-url",
    "line.preset": "--line",
    "channel": "--channel",
}


def command_of(run: SiteRun, pack: str, task: str, trial: int) -> str:
    """Return the ``voicebench run`` that makes a trial again under the run's configuration and seed.

    What differs from the shipped pipeline of that name is said by flags. A pipeline that is not shipped is named as its
    file.

    Args:
        run: the run that it was in.
        pack: name of the pack.
        task: the task's id, with the suffix of a variant.
        trial: its number; those before it are made with it.
    """
    parts = ["voicebench", "run"]
    try:
        shipped = load_pipeline(run.profile).model_dump(mode="json")
    except ConfigError:
        parts += [f"{run.profile or 'pipeline'}.yaml"]
    else:
        parts += [run.profile, *_flags(shipped, run.configuration)]
    parts += ["--pack", run.record.pack_paths.get(pack, pack), "--task", task]
    if trial > 1:
        parts += ["--trials", str(trial)]
    return shlex.join([*parts, "--seed", str(run.record.seed)])


def _flags(shipped: JsonObject, used: JsonObject) -> Iterator[str]:
    before = dict(_leaves(shipped))
    for key, value in _leaves(used):
        # Leaves are compared and not sections, so that the command says nothing that the pipeline says already.
        if key == "name" or before.get(key) == value:
            continue
        if key in _FLAGS and isinstance(value, str):
            yield from (_FLAGS[key], value)
        else:
            yield from ("--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}")


def _leaves(values: JsonObject, prefix: str = "") -> Iterator[tuple[str, JsonValue]]:
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
