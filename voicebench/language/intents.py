"""Named intents: what the agent asked or said, what the caller said, by regular expressions over normalised text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from voicebench.errors import ConfigError
from voicebench.language.itn import normalise
from voicebench.language.slots import IntentsSpec

__all__ = ["IntentKind", "Intents"]

IntentKind = Literal["asked", "heard", "said"]


class Intents:
    """The intents of one pack, compiled.

    Args:
        spec: as in pack.yaml.

    Raises:
        ConfigError: an expression does not compile; the message names the intent.
    """

    def __init__(self, spec: IntentsSpec) -> None:
        kinds: dict[IntentKind, dict[str, list[str]]] = {"asked": spec.asked, "heard": spec.heard, "said": spec.said}
        self._patterns = {
            kind: {name: [_compile(kind, name, text) for text in texts] for name, texts in intents.items()}
            for kind, intents in kinds.items()
        }

    def match(self, kind: IntentKind, name: str, text: str) -> bool:
        """Whether a text, as spoken or recognised, voices an intent.

        Raises:
            KeyError: the pack has no such intent.
        """
        patterns = self._patterns[kind][name]
        plain = normalise(text)
        return any(pattern.search(plain) for pattern in patterns)

    def matching(self, kind: IntentKind, text: str) -> list[str]:
        """Return the names of all intents of a kind that a text voices, in the order of pack.yaml."""
        plain = normalise(text)
        return [
            name
            for name, patterns in self._patterns[kind].items()
            if any(pattern.search(plain) for pattern in patterns)
        ]


@lru_cache(maxsize=4096)  # a pack has more expressions than re keeps, and each caller of a call compiles them
def _compile(kind: str, name: str, text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ConfigError(f"intents.{kind}.{name}: {text!r} is no regular expression: {error}") from error
