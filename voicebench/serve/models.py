"""The models that a local agent endpoint can serve.

A new one is a class, one line in ``MODELS``, and its name in ``voicebench.config.profiles``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from voicebench.caller.caller_task import CallerTask, caller_task
from voicebench.config.profiles import LOCAL_CALLERS
from voicebench.errors import ConfigError
from voicebench.packs import find_tasks, list_packs, load_pack
from voicebench.serve.call_all import CallAll
from voicebench.serve.caller import Reader
from voicebench.serve.chat import Action, ChatRequest
from voicebench.serve.options import AgentServerOptions
from voicebench.serve.random_agent import RandomAgent
from voicebench.serve.reference import Reference
from voicebench.serve.refuse import Refuse
from voicebench.serve.script import load_script
from voicebench.serve.silent import Silent
from voicebench.serve.transfer_all import TransferAll

__all__ = ["MODELS", "ChatModel", "make_model"]


class ChatModel(Protocol):
    """Answers chat requests and keeps nothing between them."""

    def reply(self, request: ChatRequest) -> Action:
        """Answer one request; BadRequest when it lacks what this model needs."""
        ...


MODELS: Mapping[str, Callable[[int], ChatModel]] = {
    "call_all": lambda _: CallAll(),
    "random": RandomAgent,
    "reference": lambda _: Reference(),
    "refuse": lambda _: Refuse(),
    "silent": lambda _: Silent(),
    "transfer_all": TransferAll,
}
"""Name to what makes the model with the endpoint's seed."""


def _task_of_caller(name: str) -> CallerTask:
    [task] = find_tasks([name], [load_pack(pack) for pack in list_packs()])
    return caller_task(task.case.caller, task.pack.spec)


def make_model(options: AgentServerOptions) -> ChatModel:
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
        return Reader(None if options.task is None else _task_of_caller(options.task), options.caller_fault)
    if options.model not in MODELS:
        raise ConfigError(
            f"serve agent: no model {options.model!r}; there are {', '.join(sorted(MODELS))}, or --script FILE"
        )
    return MODELS[options.model](options.seed)
