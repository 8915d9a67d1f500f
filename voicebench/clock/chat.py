"""Chat completions as they are stored: what counts as a token, and what is the same in equal calls."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from voicebench.record.json_types import JsonObject, JsonValue

__all__ = ["ChunkNormalizer", "Content", "ContentReader", "deliverable"]

_KEPT = ("object", "model", "choices", "usage", "error")
_TAG = re.compile("(</?think>)")
_CUT_TAG = re.compile("<(?:/?(?:t(?:h(?:i(?:nk?)?)?)?)?)?$")
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and symbols by their category that are drawn as nothing."""
_PLACEHOLDERS: JsonObject = {"id": "voicebench", "created": 0}


@dataclass(frozen=True)
class Content:
    """What one chunk, or one whole completion, brings.

    Attributes:
        token: whether it has visible text, reasoning or a part of a named tool call (what TTFT waits for).
        answer: whether it has visible text or a part of a named tool call (what TTFAT waits for).
        chars: characters of text and of tool arguments.
        reasoning_chars: characters of reasoning.
    """

    token: bool = False
    answer: bool = False
    chars: int = 0
    reasoning_chars: int = 0


class ContentReader:
    """Says of each event of one response, in order, what it brings.

    What nobody could hear is no token, so that a first chunk of it wins nothing: white space, characters without a
    shape, a tool call that has no name yet. Text within ``<think>`` is reasoning, and the tags are neither.
    """

    def __init__(self) -> None:
        self._thinking = False
        self._cut_tag = ""
        self._named: set[tuple[int, JsonValue]] = set()

    def read(self, data: str) -> Content:
        """Return what the data of an event brings; nothing, if it is no chat completion."""
        chars = reasoning_chars = 0
        answer = reasons = False
        for choice, part in enumerate(_parts(_parse(data))):
            spoken, thought = self._split(_text(part.get("content")))
            thought += _text(part.get("reasoning_content") or part.get("reasoning"))
            arguments, named = self._calls(choice, _objects(part.get("tool_calls")))
            chars += len(spoken) + arguments
            reasoning_chars += len(thought)
            answer = answer or named or _is_visible(spoken)
            reasons = reasons or _is_visible(thought)
        return Content(answer or reasons, answer, chars, reasoning_chars)

    def _split(self, text: str) -> tuple[str, str]:
        """Return the text outside and inside of ``<think>``; a tag may be cut by the end of an event."""
        text = self._cut_tag + text
        self._cut_tag = cut[0] if (cut := _CUT_TAG.search(text)) else ""
        outside = inside = ""
        for part in _TAG.split(text.removesuffix(self._cut_tag)):
            if _TAG.fullmatch(part):
                self._thinking = part == "<think>"
            elif self._thinking:
                inside += part
            else:
                outside += part
        return outside, inside

    def _calls(self, choice: int, calls: list[JsonObject]) -> tuple[int, bool]:
        """Return the characters of arguments, and whether a call among them has its name by now."""
        arguments, named = 0, False
        for position, call in enumerate(calls):
            function = call.get("function")
            if not isinstance(function, dict):
                continue
            index = call.get("index")
            key = (choice, index if isinstance(index, int) else position)
            if _is_visible(_text(function.get("name"))):
                self._named.add(key)
            arguments += len(_text(function.get("arguments")))
            named = named or key in self._named
        return arguments, named


class ChunkNormalizer:
    """Rewrites the responses of one call so that equal calls have equal ones.

    Tool-call ids become ``call00001``, ``call00002``, … in the order of the call (nine letters and digits, which every
    provider takes back), and only what a chat completion is made of is kept: no ids, dates, fingerprints or timings.
    """

    def __init__(self) -> None:
        self._calls = 0

    def response(self) -> Callable[[str], str]:
        """Return what rewrites the data of one response, event by event, into what is stored.

        Other texts than JSON objects stay as they are.
        """
        ids: dict[tuple[int, int], tuple[str, str]] = {}

        def rewrite(data: str) -> str:
            chunk = _parse(data)
            if chunk is None:
                return data
            kept = {key: chunk[key] for key in _KEPT if key in chunk}
            if isinstance(usage := kept.get("usage"), dict):
                # Some servers put how long they took next to the tokens, which differs between equal calls
                kept["usage"] = {key: value for key, value in usage.items() if not key.endswith("_time")}
            for choice, part in enumerate(_parts(kept)):
                for position, call in enumerate(_objects(part.get("tool_calls"))):
                    index = call.get("index")
                    key = (choice, index if isinstance(index, int) else position)
                    given, known = str(call.get("id") or ""), ids.get(key)
                    # A call comes in pieces that share an index, and only the first need have the id. Some servers use
                    # index 0 for all calls of an answer: there, another id is another call
                    if known is None or (given and given != known[0]):
                        self._calls += 1
                        ids[key] = known = (given, f"call{self._calls:05d}")
                        call["id"] = known[1]
                    elif given:
                        call["id"] = known[1]
            return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))

        return rewrite


def deliverable(data: str) -> str:
    """Return stored data with placeholders for what clients expect of a chat completion and storage leaves out."""
    chunk = _parse(data)
    if chunk is None or "choices" not in chunk:
        return data
    return json.dumps({**_PLACEHOLDERS, **chunk}, separators=(",", ":"))  # ASCII: half an emoji is no UTF-8


def _parse(data: str) -> JsonObject | None:
    try:
        parsed = json.loads(data)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None


def _parts(chunk: JsonObject | None) -> Iterator[JsonObject]:
    """Yield the deltas of a chunk, or the messages of a whole completion; none where they are no such thing."""
    for choice in _objects((chunk or {}).get("choices")):
        part = choice.get("delta") or choice.get("message")
        if isinstance(part, dict):
            yield part


def _objects(value: JsonValue) -> list[JsonObject]:
    """Return the objects of a list; a provider's garbage may be anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _is_visible(text: str) -> bool:
    """Whether a text has a character with a shape; spaces, controls and zero-width characters have none."""
    return any(
        not char.isspace() and char not in _BLANK and unicodedata.category(char) not in ("Cc", "Cf", "Mn", "Me")
        for char in text
    )
