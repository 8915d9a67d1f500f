"""What a client has set of its session, over what every session begins with: the protocol's ``session`` object."""

from __future__ import annotations

from dataclasses import dataclass

from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.serve.chat import objects_in
from voicebench.serve.realtime.items import AUDIO_RATE

__all__ = ["SESSION_KEYS", "SessionConfig", "at"]

SESSION_KEYS = {
    *("type", "object", "id", "model", "output_modalities", "instructions", "tools", "tool_choice", "audio"),
    *("tracing", "truncation", "prompt", "include", "max_output_tokens", "parallel_tool_calls", "reasoning"),
}
"""The keys of the object that the protocol knows."""


@dataclass(frozen=True)
class SessionConfig:
    """One state of the object, with what the server reads of it."""

    session: JsonObject

    @classmethod
    def default(cls, model: str, voice: str) -> SessionConfig:
        """Return what a session begins with."""
        pcm: JsonObject = {"type": "audio/pcm", "rate": AUDIO_RATE}
        detection: JsonObject = {
            "type": "server_vad",
            "threshold": 0.5,
            "prefix_padding_ms": 300,
            "silence_duration_ms": 500,
            "create_response": True,
            "interrupt_response": True,
        }
        return cls(
            {
                "type": "realtime",
                "object": "realtime.session",
                "id": "sess_voicebench",
                "model": model,
                "output_modalities": ["audio"],
                "instructions": "",
                "tools": [],
                "tool_choice": "auto",
                "audio": {
                    "input": {"format": pcm, "transcription": None, "turn_detection": detection},
                    "output": {"format": pcm, "voice": voice},
                },
                "tracing": None,
            }
        )

    def changed(self, changes: JsonObject) -> SessionConfig:
        """Return the state after an update: what it does not name stays."""
        return SessionConfig(_merged(self.session, changes))

    @property
    def instructions(self) -> str:
        """The prompt."""
        return str(self.session["instructions"])

    @property
    def tools(self) -> list[JsonObject]:
        """The tools offered, as the realtime protocol writes them."""
        return objects_in(self.session, "tools")

    @property
    def voice(self) -> str:
        """The name of the voice that speaks the answers."""
        return str(at(self.session, "audio", "output", "voice"))

    @property
    def turn_detection(self) -> JsonObject | None:
        """The settings of the server's own turn detection; None where the client commits the turns."""
        detection = at(self.session, "audio", "input", "turn_detection")
        return detection if isinstance(detection, dict) else None

    @property
    def wants_transcripts(self) -> bool:
        """Whether the client wants to read what the caller said."""
        return at(self.session, "audio", "input", "transcription") is not None

    @property
    def metadata(self) -> dict[str, str]:
        """What our own chat endpoint gets of the call: its id, and what the client wrote of the task."""
        given = at(self.session, "tracing", "metadata")
        task = {key: str(value) for key, value in given.items()} if isinstance(given, dict) else {}
        return {"voicebench_call": self.group_id, **task}

    @property
    def group_id(self) -> str:
        """The client's name for the call."""
        return str(at(self.session, "tracing", "group_id") or "")


def at(value: JsonValue, *keys: str) -> JsonValue:
    """Return what stands at a path of keys in nested objects; None where the path ends early."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _merged(base: JsonObject, changes: JsonObject) -> JsonObject:
    merged = dict(base)
    for key, value in changes.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged
