"""Chat completions as they are stored: what counts as a token, and what is the same in equal calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from voicebench.record.json_types import JsonObject, JsonValue

__all__ = ["ChunkNormalizer", "Content", "content_of", "deliverable"]

_KEPT = ("object", "model", "choices", "usage", "error")
_PLACEHOLDERS: JsonObject = {"id": "voicebench", "created": 0}


@dataclass(frozen=True)
class Content:
    """What one chunk, or one whole completion, brings.

    Attributes:
        token: whether it has text, reasoning or a tool call (what TTFT waits for).
        answer: whether it has text or a tool call (what TTFAT waits for).
        chars: characters of text and of tool arguments.
        reasoning_chars: characters of reasoning.
    """

    token: bool = False
    answer: bool = False
    chars: int = 0
    reasoning_chars: int = 0


def content_of(data: str) -> Content:
    """Say what the data of an event brings; nothing, if it is no chat completion."""
    chars = reasoning_chars = 0
    answer = False
    for part in _parts(_parse(data)):
        calls = _objects(part.get("tool_calls"))
        text_chars = _length(part.get("content"))
        answer = answer or text_chars > 0 or bool(calls)
        functions = [function for call in calls if isinstance(function := call.get("function"), dict)]
        chars += text_chars + sum(_length(function.get("arguments")) for function in functions)
        reasoning_chars += _length(part.get("reasoning_content") or part.get("reasoning"))
    return Content(answer or reasoning_chars > 0, answer, chars, reasoning_chars)


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


def _length(value: JsonValue) -> int:
    return len(value) if isinstance(value, str) else 0
