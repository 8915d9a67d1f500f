"""Labelled turns as a caller hears them: spoken by the agent's voice, sent over a line, and recognised."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from voicebench.config import load_pipeline
from voicebench.config.seeds import derive_seed
from voicebench.line import RATE, Line, preset
from voicebench.machine.benches.labelled_turns import LabelledTurn
from voicebench.speech.asr import load_recognizer
from voicebench.speech.tts import load_voice

__all__ = ["hear_over_line"]

_PIPELINE = "local-cpu"
"""Whose agent speaks and whose caller listens."""
_BEFORE_S, _AFTER_S = 0.2, 0.6
"""Silence around the words, as a recognizer gets it in a call."""


def hear_over_line(turns: Sequence[LabelledTurn], line: str, tell: Callable[[str], object]) -> dict[str, str]:
    """Return what the caller's recognizer makes of each turn, by id.

    Args:
        turns: what the agent says, each by itself.
        line: preset.
        tell: is given the id of each turn that was heard.

    Raises:
        ConfigError: no such preset.
        ModelMissing: a voice or the recognizer is absent.
    """
    pipeline, settings = load_pipeline(_PIPELINE), preset(line).agent_to_caller
    voice, recognizer = load_voice(pipeline.cascade.tts.voice), load_recognizer(pipeline.caller.asr.model)
    heard: dict[str, str] = {}
    for turn in turns:
        seed = derive_seed("understanding", line, turn.id)
        before, after = (np.zeros(round(length_s * RATE), np.int16) for length_s in (_BEFORE_S, _AFTER_S))
        said = np.concatenate([before, voice.synthesize(turn.text, seed=seed), after])
        leg = Line(settings, leg="agent_to_caller", seed=seed)
        delay = np.zeros(leg.delay_samples, np.int16)
        sent = np.concatenate([leg.process(np.concatenate([said, delay])), leg.flush()])[leg.delay_samples :]
        heard[turn.id] = " ".join(recognizer.transcribe(sent).text.split())
        tell(turn.id)
    return heard
