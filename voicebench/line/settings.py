"""Settings of the two legs of a line, checked when they are made."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from voicebench.errors import ConfigError
from voicebench.line.codecs import CODECS
from voicebench.line.concealment import CONCEALMENTS
from voicebench.line.filters import FILTERS
from voicebench.line.loss import LOSSES

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
        band_limit: the channel: ``telephone`` (300 to 3400 Hz) or ``none``.
        line_noise_dbov: power of the line's own noise in the telephone band, in dBov, or None for none.
        codec: ``none`` (linear PCM at 16 kHz), ``g711u`` or ``g711a``.
        loss: model of packet loss.
        delay_ms: time of a packet on the network.
        buffer_ms: what the playout buffer adds to it.
        concealment: what is heard in place of a missing packet.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    send_filter: Annotated[str, _named({"none", *FILTERS})] = "none"
    band_limit: Annotated[str, _named({"none", *FILTERS})] = "none"
    line_noise_dbov: Annotated[float, Field(ge=-100.0, le=0.0, allow_inf_nan=False)] | None = None
    codec: Annotated[str, _named(CODECS)] = "none"
    loss: Annotated[str, _named(LOSSES)] = "none"
    delay_ms: Milliseconds = 0.0
    buffer_ms: Milliseconds = 0.0
    concealment: Annotated[str, _named(CONCEALMENTS)] = "zero"


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

    def with_leg(self, name: str, keys: Mapping[str, Any]) -> LineSettings:
        """Return these settings with some keys of one leg changed.

        Raises:
            ConfigError: the leg or a key is unknown, or a value is not valid.
        """
        unknown = next((key for key in keys if key not in LegSettings.model_fields), None)
        if unknown is not None:
            hint = nearest(str(unknown), LegSettings.model_fields)
            raise ConfigError(f"line.{name}: unknown key {unknown!r}; {hint}")
        try:
            leg = LegSettings.model_validate({**self.leg(name).model_dump(), **keys})
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(str(part) for part in first["loc"])
            raise ConfigError(f"line.{name}.{key}: {first['msg']} (got {first['input']!r})") from None
        return self.model_copy(update={name: leg})
