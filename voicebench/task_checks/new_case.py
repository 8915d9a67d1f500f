"""A case to fill in: it loads, names what the pack has, and is not fair before it is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from voicebench.errors import ConfigError
from voicebench.packs import Pack
from voicebench.packs.models import AgentSpec, Case
from voicebench.record.json_types import JsonValue

__all__ = ["FILL_IN", "new_case", "unwritten"]

FILL_IN = "FILL IN"
"""What stands where something is to be written."""

_ID = re.compile(r"[A-Z]{1,2}\d?-([EMH])\d+")
_DIFFICULTY = {"E": "easy", "M": "medium", "H": "hard"}

_TEMPLATE = """\
# A task of {pack}. Replace every "FILL IN", then ask `voicebench tasks check --pack {folder} --task {id}`.
# Everything but true, false and null is text. Write your own sentences.
id: {id}
title: "FILL IN: a few words"
category: "FILL IN: such as returns-and-refunds"
difficulty: {difficulty}
measures: "FILL IN: what goes wrong when it goes wrong"
why: "FILL IN: why this case is in"
succeeds_when: "FILL IN: what an agent that passes has done"
caller:
  # voice: joe-slow  # one of `voicebench voices list`; without it the usual voice.
  # What the caller knows, each with three or more ways to say it. The pack asks for: {facts}.
  # order_number: {{value: KE-1234567, forms: ["K E, one two three, four five six seven", "...", "..."]}}
  facts: {{}}
  opening: "FILL IN: what the caller says first, word for word."
  brief: "FILL IN: the same as instructions, for a caller that is a language model."
  # One rule a line: what was asked gives facts or a sentence, what was heard says one. asked: {asked}.
  # heard: {heard}.
  answers:{answer}
  forbids: []  # intents that the caller must not voice, such as {{said: NAME}}; said: {said}.
  closing: "FILL IN: what the caller says before it hangs up."
  hangs_up: {{heard: {first_heard}}}
  give_up: "FILL IN: what the caller says when it will not be understood."
# What a good agent does. Values are $fact.NAME or $result.TOOL.path. {first}'s tools: {tools}.
solution:{hand_off}
  # - {{ask: [FACT]}}
  # - {{call: TOOL, with: {{argument: $fact.NAME}}, because: "the sentence of its prompt that demands the call"}}
  - {{say: "FILL IN: the words that the caller waits for."}}
expect:
  handoffs: [{handoffs}]
  # What the call leaves in the state tables ({state}), by hand: TABLE: [{{added: {{column: value}}}}]
  rows: {{}}
  reads_required: {{}}  # a read that must not be left out: the prompt's sentence that demands it
  forbidden_tools: []
# What the agent must say, and may not, by intents of the group heard; counted beside the verdict.
# - {{tell: NAME, before: TOOL, holds: ARGUMENT}}; - {{never_tell: NAME}}; - {{read_back: FACT, before: TOOL}}
duties:
  - {{tell: {first_heard}}}
"""


def new_case(pack: Pack, task: str) -> Path:
    """Write ``cases/TASK.yaml`` of a pack, to be filled in, and return its path.

    Raises:
        ConfigError: the id is none, or there is such a task; the pack has no ``heard`` intent; the folder cannot be
            written.
    """
    match = _ID.fullmatch(task)
    path = pack.root / "cases" / f"{task}.yaml"
    if match is None:
        raise ConfigError(f"task {task!r}: an id is a category, a hyphen, E, M or H, and a number, such as T2-H3")
    if path.exists():
        raise ConfigError(f"{path}: exists; choose another id")
    if not pack.spec.intents.heard.keys() - pack.spec.intents.questions.keys():
        raise ConfigError(f"{pack.root / 'pack.yaml'}: intents.heard: write what the caller waits to hear first")
    try:
        path.parent.mkdir(exist_ok=True)
        path.write_text(_TEMPLATE.format(**_filling(pack, task, match[1])), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from error
    return path


def _filling(pack: Pack, task: str, letter: str) -> dict[str, str]:
    spec = pack.spec
    first: AgentSpec = spec.agents[0]
    handoff = next(iter(first.handoffs), None)
    fact = next(iter(spec.facts), None)
    asked = next((name for name in spec.intents.asked if name == fact), next(iter(spec.intents.asked), None))
    return {
        "pack": pack.name,
        "folder": str(pack.root),
        "id": task,
        "difficulty": _DIFFICULTY[letter],
        "facts": _list(spec.facts),
        "asked": _list(spec.intents.asked),
        "heard": _list(spec.intents.heard),
        "said": _list(spec.intents.said),
        "first_heard": next(name for name in spec.intents.heard if name not in spec.intents.questions),
        "answer": f'\n    - {{asked: {asked}, say: "FILL IN: an answer."}}' if asked else " []",
        "first": first.name,
        "tools": _list(first.tools),
        "hand_off": f"\n  - {{hand_off: {handoff}}}" if handoff else "",
        "handoffs": handoff or "",
        "state": _list(spec.state),
    }


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def unwritten(case: Case) -> list[str]:
    """Return the keys of a case that still say FILL IN."""
    return [key for key, text in _texts(case.model_dump(by_alias=True), "") if FILL_IN in text]


def _texts(value: JsonValue, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _texts(item, f"{key}.{name}".lstrip("."))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, f"{key}[{index}]")
    elif isinstance(value, str):
        yield key, value
