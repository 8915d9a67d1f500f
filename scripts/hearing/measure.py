"""Says the utterances over a line to the recognizers, and keeps what was heard in two small tables."""

from __future__ import annotations

import csv
import dataclasses
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from items import Utterance, subset

from voicebench.caller.speech_jobs import shorten_pauses
from voicebench.config.seeds import derive_seed
from voicebench.line.line import Line
from voicebench.line.presets import preset
from voicebench.speech.asr import Window, load_recognizer
from voicebench.speech.tts import load_voice

__all__ = ["LINES", "MODELS", "SUBSET", "WINDOWS", "Hearing", "measure", "read_hearings", "read_utterances"]

LINES = ("pstn", "clean")
MODELS = ("base", "tiny.en")
WINDOWS: tuple[Window, ...] = ("fit", "30s")
SUBSET = 100
"""How many utterances are also heard in windows of 30 s."""

RATE = 16_000
BEFORE_S, AFTER_S = 0.2, 0.6
"""Silence around the speech: the agent's recognizer keeps so much before the first word and waits so long after it."""

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "data"
UTTERANCES, HEARINGS = FOLDER / "asr_items.csv", FOLDER / "asr.csv"
SAVE_EVERY = 10


@dataclass(frozen=True, order=True)
class Hearing:
    """What one recognizer made of one utterance.

    Attributes:
        utterance: its id.
        line: preset.
        model: recognizer.
        window: ``fit`` or ``30s``.
        cpu_ms: processor time of the recognition, one thread.
        no_speech: the model's probability that nobody spoke.
        logprob: mean log-probability of a token.
        filtered: why the text was dropped as hallucinated, empty if it was not.
        text: what was recognised, empty if it was filtered.
    """

    utterance: str
    line: str
    model: str
    window: str
    cpu_ms: int
    no_speech: float
    logprob: float
    filtered: str
    text: str

    @property
    def condition(self) -> tuple[str, str, str]:
        """Line, model and window."""
        return self.line, self.model, self.window


def measure(utterances: Sequence[Utterance], *, whole: bool) -> list[Hearing]:
    """Hear every utterance, and return all hearings.

    What is stored of the same utterances is kept, so a run that was ended goes on where it was; the kinds are mixed.

    Args:
        utterances: what to say.
        whole: every utterance in every condition; else windows of 30 s on a part only.
    """
    same = {one.id for one in set(utterances) & set(read_utterances() if UTTERANCES.exists() else [])}
    done = {hearing for hearing in (read_hearings() if HEARINGS.exists() else []) if hearing.utterance in same}
    known = {(hearing.utterance, *hearing.condition) for hearing in done}
    part = set(utterances if whole else subset(list(utterances), SUBSET))
    _write(UTTERANCES, utterances)
    for count, utterance in enumerate(sorted(utterances, key=lambda one: derive_seed("order", one.id)), start=1):
        wanted = [(line, model, window) for line in LINES for model in MODELS for window in WINDOWS]
        if utterance not in part:
            wanted = [one for one in wanted if one[2] == WINDOWS[0]]
        missing = [condition for condition in wanted if (utterance.id, *condition) not in known]
        done |= set(_hear(utterance, missing))
        if missing and (count % SAVE_EVERY == 0 or count == len(utterances)):
            print(f"{count} of {len(utterances)}", flush=True)
            _write(HEARINGS, sorted(done))
    _write(HEARINGS, sorted(done))
    return sorted(done)


def _hear(utterance: Utterance, conditions: Iterable[tuple[str, str, Window]]) -> Iterable[Hearing]:
    sent: dict[str, npt.NDArray[np.int16]] = {}
    for line, model, window in conditions:
        if line not in sent:
            sent[line] = _over(line, utterance)
        recognizer = load_recognizer(model, window=window, device="cpu")
        start = time.process_time()
        transcript = recognizer.transcribe(sent[line])
        spent = time.process_time() - start
        yield Hearing(
            utterance.id,
            line,
            model,
            window,
            round(spent * 1000),
            round(transcript.no_speech_prob, 3),
            round(transcript.avg_logprob, 2),
            transcript.filtered or "",
            " ".join(transcript.text.split()),
        )


def _over(name: str, utterance: Utterance) -> npt.NDArray[np.int16]:
    """Say it as the caller does and return what comes out at the agent's end, int16[n] at 16 kHz."""
    seed = derive_seed("hear", utterance.id)
    speech = shorten_pauses(load_voice(utterance.voice).synthesize(utterance.spoken, seed=seed))
    before, after = (np.zeros(round(seconds * RATE), np.int16) for seconds in (BEFORE_S, AFTER_S))
    line = Line(preset(name).caller_to_agent, leg="caller_to_agent", seed=seed)
    delay = np.zeros(line.delay_samples, np.int16)
    heard = np.concatenate([line.process(np.concatenate([before, speech, after, delay])), line.flush()])
    return heard[line.delay_samples :]


# ---- tables -------------------------------------------------------------------------------------------------------


def read_utterances() -> list[Utterance]:
    """Return what was said."""
    with UTTERANCES.open(encoding="utf-8", newline="") as file:
        return [Utterance(**row) for row in csv.DictReader(file)]


def read_hearings() -> list[Hearing]:
    """Return what was heard."""
    with HEARINGS.open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    for row in rows:
        row.update(cpu_ms=int(row["cpu_ms"]), no_speech=float(row["no_speech"]), logprob=float(row["logprob"]))
    return [Hearing(**row) for row in rows]


def _write(path: Path, rows: Sequence[Utterance] | Sequence[Hearing]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in dataclasses.fields(rows[0])])
        writer.writerows(dataclasses.astuple(row) for row in rows)
