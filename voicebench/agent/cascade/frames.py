"""Frames of our own that travel through the cascade, and what the agent is saying."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipecat.frames.frames import ControlFrame

__all__ = ["Clause", "ClauseFrame", "FarewellFrame", "Speech", "SpeechEndFrame"]


@dataclass
class Clause:
    """One clause given to the voice. ``frames`` and ``played`` count 20 ms frames of audio."""

    text: str
    frames: int
    played: int = 0

    @property
    def words_played(self) -> int:
        """Words heard of it, by the share of its audio that was played."""
        words = len(self.text.split())
        return words if self.played >= self.frames else words * self.played // self.frames


@dataclass
class Speech:
    """What one answer of the model says; times are call time in nanoseconds, None before the first sample.

    ``finished`` says that nothing more of it will be heard, ``interrupted`` that this was before its end.
    """

    turn: int
    agent: str
    intended: str = ""
    clauses: list[Clause] = field(default_factory=list)
    start_ns: int | None = None
    end_ns: int | None = None
    finished: bool = False
    interrupted: bool = False

    @property
    def spoken(self) -> str:
        """The text that the voice was given and that began to sound."""
        return " ".join(clause.text for clause in self.clauses if clause.played)

    @property
    def words_played(self) -> int:
        """Words that were heard; a clause without sound counts with the ones before it."""
        words = 0
        for clause in self.clauses:
            words += clause.words_played
            if clause.played < clause.frames:
                break
        return words


@dataclass
class ClauseFrame(ControlFrame):
    """Stands before the audio of a clause."""

    speech: Speech = field(kw_only=True)
    clause: Clause = field(kw_only=True)


@dataclass
class SpeechEndFrame(ControlFrame):
    """Stands behind the last audio of an answer."""

    speech: Speech = field(kw_only=True)


@dataclass
class FarewellFrame(ControlFrame):
    """Stands behind everything that the agent says; an interruption does not remove it.

    pipecat drops what is queued when the caller interrupts. Without its farewell frame a call that the agent has ended
    would wait for the caller to hang up.
    """

    interruptible: bool = field(default=False, init=False)
