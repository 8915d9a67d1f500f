"""Settings of the two legs of a line, checked when they are made."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from voicebench.errors import ConfigError
from voicebench.line.acoustics import AgcSettings, Decibels, EchoSettings, RoomName
from voicebench.line.codecs import CODECS, CodecOptions
from voicebench.line.concealment import CONCEALMENTS
from voicebench.line.delay import JitterSettings, NoJitter
from voicebench.line.filters import FILTERS
from voicebench.line.loss import LossSettings, NoLoss
from voicebench.line.noise import NoiseSettings
from voicebench.line.streams import Stream
from voicebench.record.json_types import JsonValue

__all__ = ["LEGS", "Leg", "LegSettings", "LineSettings", "nearest"]

Leg = Literal["caller_to_agent", "agent_to_caller"]
LEGS: tuple[Leg, ...] = get_args(Leg)


def nearest(name: str, valid: Iterable[str]) -> str:
    """Return the end of an error message: the valid name nearest to a wrong one, and all valid ones."""
    names = sorted(valid)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
    guess = f"did you mean {close[0]!r}? " if close else ""
    return f"{guess}valid: {', '.join(names)}"


def _named(valid: Iterable[str]) -> AfterValidator:
    """Check a field against the names of a registry."""
    names = frozenset(valid)

    def check(name: str) -> str:
        if name not in names:
            raise ValueError(f"{name!r} is unknown; {nearest(name, names)}")
        return name

    return AfterValidator(check)


Milliseconds = Annotated[float, Field(ge=0.0, le=5_000.0, allow_inf_nan=False)]


class LegSettings(BaseModel):
    """One direction of the line, in the order of its stages.

    Attributes:
        send_filter: the talker's telephone set: ``irs`` (ITU-T P.48) or ``none``.
        room: what the talker's microphone hears of the room: ``speakerphone`` (T60 0.4 s) or ``none``.
        noise: what surrounds the talker, or None.
        echo: what the microphone picks up of the loudspeaker, or None.
        agc: the telephone's gain control, or None.
        clip_dbov: level at which samples are cut off, or None for full scale.
        band_limit: the channel: ``telephone`` (300 to 3400 Hz) or ``none``.
        line_noise_dbov: power of the line's own noise in the telephone band, in dBov, or None for none.
        codec: a name in ``CODECS``; ``none`` is linear PCM at 16 kHz.
        kbps: bit rate, for codecs that have several; None for the usual one.
        fec: whether packets carry a copy of the one before, for codecs that can.
        loss: model of packet loss.
        jitter: model of how packets deviate from ``delay_ms``.
        delay_ms: mean time of a packet on the network.
        buffer: ``fixed``, or ``adaptive``: follows the delays of the last two seconds.
        buffer_ms: what the playout buffer adds to the mean delay; an adaptive one begins with it.
        buffer_max_ms: the most that an adaptive one adds.
        concealment: what is heard in place of a missing packet: ``zero``, ``repeat``, ``pitch`` or ``native``.
        sidetone_db: by how much quieter the listener hears its own voice, or None for not at all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    send_filter: Annotated[str, _named({"none", *FILTERS})] = "none"
    room: RoomName = "none"
    noise: NoiseSettings | None = None
    echo: EchoSettings | None = None
    agc: AgcSettings | None = None
    clip_dbov: Annotated[float, Field(ge=-60.0, le=0.0, allow_inf_nan=False)] | None = None
    band_limit: Annotated[str, _named({"none", *FILTERS})] = "none"
    line_noise_dbov: Annotated[float, Field(ge=-100.0, le=0.0, allow_inf_nan=False)] | None = None
    codec: Annotated[str, _named(CODECS)] = "none"
    kbps: Annotated[float, Field(gt=0.0, allow_inf_nan=False)] | None = None
    fec: bool = False
    loss: LossSettings = NoLoss()
    jitter: JitterSettings = NoJitter()
    delay_ms: Milliseconds = 0.0
    buffer: Literal["fixed", "adaptive"] = "fixed"
    buffer_ms: Milliseconds = 0.0
    buffer_max_ms: Milliseconds = 200.0
    concealment: Annotated[str, _named(CONCEALMENTS)] = "zero"
    sidetone_db: Decibels | None = None

    @field_validator("noise", mode="before")
    @classmethod
    def _noise_by_name(cls, value: Any) -> Any:
        if value == "none":
            return None
        return {"kind": value} if isinstance(value, str) else value

    @property
    def codec_options(self) -> CodecOptions:
        """What the codec is asked for."""
        return CodecOptions(self.kbps, self.fec)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        kind = CODECS[self.codec]
        if self.concealment == "native" and not kind.native:
            able = ", ".join(name for name, each in CODECS.items() if each.native)
            raise ValueError(f"codec {self.codec} conceals nothing itself; native goes with {able}")
        if self.fec and self.concealment != "native":
            raise ValueError("fec is read by the codec's own concealment; set concealment to native")
        if self.buffer == "adaptive" and self.buffer_max_ms < self.buffer_ms:
            raise ValueError("buffer_max_ms is under buffer_ms")
        try:
            kind.check(self.codec, self.codec_options)
        except ConfigError as error:
            raise ValueError(str(error)) from error
        return self

    def require(self) -> None:
        """Check what the settings need of this machine: libraries and files.

        Raises:
            ConfigError: a library is missing (the message names its Debian package), or a file is missing or changed.
        """
        CODECS[self.codec].require()
        stream = Stream(0, "", "")
        self.loss.build(stream)
        self.jitter.build(self.delay_ms, stream)
        if self.noise is not None and self.noise.file is not None:
            self.noise.file.read()


class LineSettings(BaseModel):
    """Both directions of the line."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    caller_to_agent: LegSettings = LegSettings()
    agent_to_caller: LegSettings = LegSettings()

    def leg(self, name: str) -> LegSettings:
        """Return the settings of one leg.

        Raises:
            ConfigError: there is no such leg.
        """
        if name == "caller_to_agent":
            return self.caller_to_agent
        if name == "agent_to_caller":
            return self.agent_to_caller
        raise ConfigError(f"line: {name!r} is no leg; {nearest(name, LEGS)}")

    def with_leg(self, name: str, keys: Mapping[str, JsonValue]) -> LineSettings:
        """Return these settings with some keys of one leg changed.

        A mapping changes the keys that it names of a model that stays the same, and replaces one of another name.

        Raises:
            ConfigError: the leg or a key is unknown, or a value is not valid.
        """
        unknown = next((key for key in keys if key not in LegSettings.model_fields), None)
        if unknown is not None:
            hint = nearest(str(unknown), LegSettings.model_fields)
            raise ConfigError(f"line.{name}: unknown key {unknown!r}; {hint}")
        before = self.leg(name).model_dump()
        after = {**before, **{key: _merged(before[key], value) for key, value in keys.items()}}
        try:
            leg = LegSettings.model_validate(after)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join([f"line.{name}", *(str(part) for part in first["loc"])])
            got = "" if isinstance(first["input"], Mapping) else f" (got {first['input']!r})"
            raise ConfigError(f"{where}: {first['msg'].removeprefix('Value error, ')}{got}") from None
        return self.model_copy(update={name: leg})

    def require(self) -> None:
        """Check what both legs need of this machine; see :meth:`LegSettings.require`.

        Raises:
            ConfigError: something is missing; the message says what, and where to get it.
        """
        for name in LEGS:
            try:
                self.leg(name).require()
            except ConfigError as error:
                raise ConfigError(f"line.{name}: {error}") from error


def _merged(before: Any, value: Any) -> Any:
    if not isinstance(before, Mapping) or not isinstance(value, Mapping):
        return value
    names = ("model", "kind")
    same = all(value.get(key, before.get(key)) == before.get(key) for key in names)
    return {**before, **value} if same else value
