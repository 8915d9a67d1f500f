"""The models that a local agent endpoint can serve.

A new one is a class, one line in ``MODELS``, and its name in ``voicebench.config.profiles``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from voicebench.caller.caller_task import caller_task
from voicebench.config.profiles import LOCAL_CALLERS
from voicebench.errors import ConfigError
from voicebench.packs import find_tasks, list_packs, load_pack
from voicebench.serve.baselines import CallAll, RandomAgent, Refuse, Silent, TransferAll
from voicebench.serve.caller import Reader
from voicebench.serve.chat import Action, ChatRequest
from voicebench.serve.options import AgentServerOptions
from voicebench.serve.reference import Reference
from voicebench.serve.script import load_script

__all__ = ["MODELS", "LocalModel", "make_model"]


class LocalModel(Protocol):
    """Answers chat requests and keeps nothing between them."""

    def reply(self, request: ChatRequest) -> Action:
        """Answer one request; BadRequest when it lacks what this model needs."""
        ...


MODELS: Mapping[str, Callable[[int], LocalModel]] = {
    "call_all": lambda _: CallAll(),
    "random": RandomAgent,
    "reference": lambda _: Reference(),
    "refuse": lambda _: Refuse(),
    "silent": lambda _: Silent(),
    "transfer_all": TransferAll,
}
"""Name to what makes the model with the endpoint's seed."""


def make_model(options: AgentServerOptions) -> LocalModel:
    """Return the model that the options name.

    Raises:
        ConfigError: there is no such model or task, or the script cannot be read.
    """
    if options.script is not None:
        return load_script(options.script)
    if options.role == "caller":
        if options.model not in LOCAL_CALLERS:
            raise ConfigError(
                f"serve agent --as caller: no caller {options.model!r}; there is {', '.join(LOCAL_CALLERS)}"
            )
        if options.task is None:
            return Reader(fault=options.caller_fault)
        [task] = find_tasks([options.task], [load_pack(pack) for pack in list_packs()])
        return Reader(caller_task(task.case.caller, task.pack.spec), options.caller_fault)
    if options.model not in MODELS:
        raise ConfigError(
            f"serve agent: no model {options.model!r}; there are {', '.join(sorted(MODELS))}, or --script FILE"
        )
    return MODELS[options.model](options.seed)
