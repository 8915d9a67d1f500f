"""What a recognizer made of the spoken forms over a line: kept in a file next to the pack, and read by every check.

The file is ``<pack folder>.spoken.json``, outside the folder, so that the pack's own hash stays. An entry counts as
long as nothing changes that it depends on: the fact, the form, the voice, the recognizer, the settings of the line.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from voicebench.config import load_pipeline
from voicebench.errors import ConfigError
from voicebench.language.slots import FactSpec
from voicebench.language.understanding import hear_facts, readable
from voicebench.line import preset
from voicebench.packs import Pack
from voicebench.packs.models import Case
from voicebench.packs.templates import facts_in
from voicebench.record.json_types import JsonObject
from voicebench.speech.voices import voice_names, voice_spec
from voicebench.store import write_file
from voicebench.task_checks.sandbox import TaskFinding

__all__ = ["SpokenForm", "SpokenForms", "caller_voices", "check_spoken", "each_spoken_form"]

PIPELINE = "local-cpu"
"""Whose recognizer listens."""

PRESET = "pstn"
TRIES = 2
"""How many forms of a fact a caller may need until the agent has heard it right."""


def caller_voices() -> list[str]:
    """Return the voices that callers have: all but the agent's."""
    agent = load_pipeline(PIPELINE).cascade.tts.voice
    return [name for name in voice_names() if name != agent]


@cache
def _recognizer() -> JsonObject:
    """Return the recognizer's settings, which are read once for hundreds of spoken forms."""
    return load_pipeline(PIPELINE).cascade.asr.model_dump(mode="json")


@dataclass(frozen=True)
class SpokenForm:
    """One form of one fact in one voice."""

    fact: str
    spec: FactSpec
    value: str
    form: str
    voice: str
    today: str

    @property
    def key(self) -> str:
        """A hash of all that decides what is heard, and whether that is right."""
        settings: JsonObject = {
            "spec": self.spec.model_dump(include={"type", "format", "choices"}),
            "value": self.value,
            "form": self.form,
            "voice": voice_spec(self.voice).model_dump(mode="json"),
            "today": self.today,
            "line": repr(preset(PRESET).caller_to_agent),
            "recognizer": _recognizer(),
        }
        return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()

    def right(self, heard: str) -> bool:
        """Whether the value is what a listener takes from these words first."""
        said = {self.fact: self.spec}, {self.fact: self.value}
        return hear_facts(*said, heard, today=dt.date.fromisoformat(self.today))[self.fact].right


def each_spoken_form(pack: Pack, case: Case, voices: Sequence[str]) -> Iterator[SpokenForm]:
    """Yield all forms of a caller's facts in some voices, those of one fact and voice together."""
    for name, fact in case.caller.facts.items():
        spec = pack.spec.facts[name]
        for voice in voices if readable(spec) else ():
            for form in fact.forms:
                yield SpokenForm(name, spec, fact.value, form, voice, pack.spec.today)


class SpokenForms:
    """What was heard, by key; of one pack.

    Args:
        pack: whose file it is.

    Raises:
        ConfigError: the file is there and cannot be read.
    """

    def __init__(self, pack: Pack) -> None:
        self.path: Path = pack.root.with_name(f"{pack.root.name}.spoken.json")
        self.heard: dict[str, JsonObject] = {}
        if self.path.is_file():
            try:
                self.heard = json.loads(self.path.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise ConfigError(f"{self.path}: cannot be read: {error}; delete it, or check out another") from error

    def add(self, spoken: SpokenForm, heard: str) -> None:
        """Keep what was heard."""
        entry = {"fact": spoken.fact, "form": spoken.form, "voice": spoken.voice}
        self.heard[spoken.key] = {**entry, "heard": heard, "right": spoken.right(heard)}

    def save(self) -> None:
        """Write the file whole, sorted by key."""
        text = json.dumps(self.heard, indent=1, sort_keys=True, ensure_ascii=False)
        write_file(self.path, f"{text}\n".encode())

    def of(self, spoken: SpokenForm) -> str | None:
        """Return what was heard of a spoken form, None if it was not tried."""
        entry = self.heard.get(spoken.key)
        return None if entry is None else str(entry["heard"])


def check_spoken(pack: Pack, case: Case, forms: SpokenForms, voices: Sequence[str]) -> tuple[list[TaskFinding], int]:
    """Return a finding for each fact that is misheard in a voice twice, and how many spoken forms were not tried.

    Only facts that a call of the solution needs count: a name that merely confirms a record may be lost.
    """
    needed = facts_in([dict(step.with_) for step in case.solution])
    findings, untried = [], 0
    rows: dict[tuple[str, str], list[SpokenForm]] = {}
    for spoken in each_spoken_form(pack, case, voices):
        rows.setdefault((spoken.fact, spoken.voice), []).append(spoken)
    for (fact, voice), row in rows.items():
        heard = [(spoken, forms.of(spoken)) for spoken in row]
        untried += sum(text is None for _, text in heard)
        first = [(spoken, text) for spoken, text in heard[:TRIES] if text is not None]
        if fact in needed and len(first) == TRIES and not any(spoken.right(text) for spoken, text in first):
            said = "; ".join(f"{spoken.form!r} is heard as {text!r}" for spoken, text in first)
            findings.append(TaskFinding("audio", f"{fact} is lost on {voice} over {PRESET}: {said}"))
    return findings, untried
