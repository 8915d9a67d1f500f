"""Says the forms of facts over a line to a recognizer: the only part of the check that needs models."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from voicebench.caller.script import join_phrases
from voicebench.config import derive_seed, load_pipeline
from voicebench.line import RATE, Line, preset
from voicebench.packs import TaskRef
from voicebench.speech.asr import load_recognizer
from voicebench.speech.tts import load_voice
from voicebench.task_checks.spoken import PIPELINE, PRESET, SpokenForm, SpokenForms, caller_voices, each_spoken_form

__all__ = ["say_all", "say_over_line"]

_BEFORE_S, _AFTER_S = 0.3, 0.7


def say_over_line(spoken: SpokenForm) -> str:
    """Say one form over the line, and return what the agent's recognizer writes.

    Raises:
        ModelMissing: weights are absent or differ from their hash.
    """
    asr = load_pipeline(PIPELINE).cascade.asr
    recognizer = load_recognizer(asr.model, window=asr.window, device=asr.device, compute_type=asr.compute_type)
    seed = derive_seed("spoken form", spoken.key)
    speech = load_voice(spoken.voice).synthesize(join_phrases([spoken.form]), seed=0)
    line = Line(preset(PRESET).caller_to_agent, leg="caller_to_agent", seed=seed)
    silence = [np.zeros(round(seconds * RATE), dtype=np.int16) for seconds in (_BEFORE_S, _AFTER_S)]
    sent = np.concatenate([silence[0], speech, silence[1]])
    return recognizer.transcribe(np.concatenate([line.process(sent), line.flush()])).text


def say_all(
    refs: Iterable[TaskRef], watch: Callable[[str], None], say: Callable[[SpokenForm], str] = say_over_line
) -> None:
    """Say what was not said yet of some tasks, and save it next to their packs, task by task.

    Args:
        refs: the tasks.
        watch: called for each task that is begun.
        say: returns what is heard of a spoken form.

    Raises:
        ModelMissing: weights are absent or differ from their hash.
    """
    kept: dict[str, SpokenForms] = {}
    for ref in refs:
        forms = kept.setdefault(ref.pack.name, SpokenForms(ref.pack))
        due = [one for one in each_spoken_form(ref.pack, ref.case, caller_voices()) if forms.of(one) is None]
        watch(f"{ref.pack.name}/{ref.case.id}: {len(due)} spoken forms")
        for spoken in due:
            forms.add(spoken, say(spoken))
        if due:
            forms.save()
