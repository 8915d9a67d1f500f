"""What a run of a pipeline needs, with the settings of the environment on top."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from voicebench.config import Pipeline, load_pipeline
from voicebench.config.models import CascadeAgent
from voicebench.config.profiles import is_local
from voicebench.errors import ConfigError
from voicebench.line import LEGS, preset
from voicebench.machine.checks import Check
from voicebench.runner.plan import load_packs
from voicebench.speech.registry import ENCODER
from voicebench.speech.voices import voice_spec

__all__ = ["PIPELINE", "Needs", "needs_of", "read_needs"]

PIPELINE = "local-cpu"

_FROM_ENVIRONMENT = re.compile(r"(VOICEBENCH_\w+) in (environment|\.env)")


@dataclass(frozen=True)
class Needs:
    """What has to be here for a pipeline to start.

    Attributes:
        pipeline: the pipeline.
        recognizers: names or folders of its recognizers' models.
        encoders: names of what compares sentences by their meaning.
        voices: names of its voices.
        codecs: of either leg of its line.
    """

    pipeline: Pipeline
    recognizers: frozenset[str]
    encoders: frozenset[str]
    voices: frozenset[str]
    codecs: frozenset[str]

    @property
    def models(self) -> frozenset[str]:
        """Names of all weights: a variant of a voice needs those of the voice it is made from."""
        return self.recognizers | self.encoders | {voice_spec(voice).entry.name for voice in self.voices}


def needs_of(pipeline: Pipeline, named: Iterable[str | None] = (None,)) -> Needs:
    """Return what a pipeline needs.

    Args:
        pipeline: the configuration.
        named: the voices that the tasks to be called name; None stands for tasks that name none.

    Raises:
        ConfigError: it names a voice or a line that does not exist.
    """
    agent, caller = pipeline.agent, pipeline.caller
    settings = preset(pipeline.line.preset)
    for leg in LEGS:
        settings = settings.with_leg(leg, getattr(pipeline.line, leg))
    voices = {*map(caller.voice_for, named)}
    recognizers = {caller.asr.model} if caller.hears == "asr" else set()
    if isinstance(agent, CascadeAgent):
        voices.add(agent.tts.voice)
        recognizers.add(agent.asr.model)
    elif is_local(agent.model, agent.base_url):
        voices.add(agent.voice)
        recognizers.add(agent.local.asr.model)
    for voice in voices:
        voice_spec(voice)
    codecs = frozenset(settings.leg(leg).codec for leg in LEGS)
    encoders = {ENCODER.name} if caller.understanding == "meaning" else set()
    return Needs(pipeline, frozenset(recognizers), frozenset(encoders), frozenset(voices), codecs)


def read_needs(
    name: str = PIPELINE, overrides: Sequence[str] = (), *, model: str | None = None, base_url: str | None = None
) -> tuple[Needs, Check]:
    """Load a pipeline as a run would, and say what it needs; the plain defaults' needs if it cannot be loaded.

    Args:
        name: a shipped pipeline's, or a file.
        overrides: keys of it, as ``KEY=VALUE``.
        model: the model under test, if it is another one.
        base_url: where that answers, if elsewhere.
    """
    try:
        pipeline = load_pipeline(name, overrides, model=model, base_url=base_url)
        voices = {case.caller.voice for pack in load_packs(()) for case in pack.cases.values()}
        needs = needs_of(pipeline, voices)
    except ConfigError as error:
        fix = "env | grep ^VOICEBENCH_; grep ^VOICEBENCH_ .env"
        named = _FROM_ENVIRONMENT.match(str(error))
        if named is not None:
            fix = f"unset {named[1]}" if named[2] == "environment" else f"sed -i '/^{named[1]}=/d' .env"
        return needs_of(Pipeline()), Check("settings", name, "missing", str(error), fix)
    parts = {
        "hears": needs.recognizers,
        "understands": needs.encoders or {"rules"},
        "speaks": needs.voices,
        "line": needs.codecs,
    }
    words = "; ".join(f"{part} {', '.join(sorted(names))}" for part, names in parts.items())
    return needs, Check("settings", name, "ok", words)
