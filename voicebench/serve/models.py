"""The models that a local agent endpoint can serve. A new one is a new file and one line in ``MODELS``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from voicebench.errors import ConfigError
from voicebench.serve.chat import Action, ChatRequest
from voicebench.serve.options import AgentServerOptions
from voicebench.serve.reference import Reference
from voicebench.serve.script import load_script
from voicebench.serve.silent import Silent

__all__ = ["MODELS", "ChatModel", "make_model"]


class ChatModel(Protocol):
    """Answers chat requests and keeps nothing between them."""

    def reply(self, request: ChatRequest) -> Action:
        """Answer one request; BadRequest when it lacks what this model needs."""
        ...


MODELS: Mapping[str, Callable[[], ChatModel]] = {
    "reference": Reference,
    "silent": Silent,
}


def make_model(options: AgentServerOptions) -> ChatModel:
    """Return the model that the options name.

    Raises:
        ConfigError: there is no such model, or its script cannot be read.
    """
    if options.script is not None:
        return load_script(options.script)
    if options.model not in MODELS:
        raise ConfigError(
            f"serve agent: no model {options.model!r}; there are {', '.join(sorted(MODELS))}, or --script FILE"
        )
    return MODELS[options.model]()
