"""What a page needs ``call.json`` to hold: a file that reads as JSON and holds something else is corrupt too."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from voicebench.errors import StoreError

__all__ = ["check_call"]


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Gate(_Shape):
    passed: bool
    reward: float
    reasons: list[str]


class _Argument(_Shape):
    name: str
    expected: Any
    actual: Any
    equal: bool
    gates: bool
    missed: bool
    rule: str


class _Expected(_Shape):
    name: str
    arguments: dict[str, Any] = {}


class _Actual(_Expected):
    start_s: float
    source: str | None = Field(default=None, alias="from")
    target: str | None = Field(default=None, alias="to")


class _Row(_Shape):
    kind: Literal["tool", "handoff"]
    expected: _Expected | None
    actual: _Actual | None
    gating: bool
    satisfied: bool
    arguments: list[_Argument]
    reason: str

    @model_validator(mode="after")
    def _both_sides(self) -> _Row:
        if self.kind == "handoff" and self.actual and None in (self.actual.source, self.actual.target):
            raise ValueError("a handoff goes from one agent to another")
        if self.arguments and (self.expected is None or self.actual is None):
            raise ValueError("arguments are compared where both sides have a call")
        return self


class _ToolCalls(_Shape):
    rows: list[_Row]
    missing: list[str]
    parameter_miss: list[str]
    extra: list[str]


class _Difference(_Shape):
    kind: str
    table: str
    count: int
    expected: dict[str, Any] | None
    actual: dict[str, Any] | None


class _Quantiles(_Shape):
    p50: float | None = None
    p95: float | None = None


class _Cost(_Shape):
    usd: float | None = None


class _Rating(_Shape):
    mos: float


class _Leg(_Shape):
    codec: str
    sent: int
    lost: int
    late: int
    concealed: int
    lost_rate: float
    mean_burst: float
    delay_ms: float
    snr_db: float | None
    e_model: _Rating | None


class _Attribution(_Shape):
    cause: str
    sentence: str
    at_s: float | None = None
    evidence: list[str] = []


class _Saying(_Shape):
    fact: str
    speaker: str
    start_s: float | None = None


class _WordErrors(_Shape):
    words: int
    substitutions: int
    deletions: int
    insertions: int
    rate: float | None


class _Breach(_Shape):
    what: str
    span_id: str | None = None


class _Call(_Shape):
    title: str | None = None
    trace_id: str | None = None
    model: str | None = None
    end_reason: str | None = None
    reason: str | None = None
    call_s: float | None = None
    wall_s: float | None = None
    cpu_s: float | None = None
    latencies_ms: dict[str, list[float]] | None = None
    gates: dict[str, _Gate] | None = None
    tool_calls: _ToolCalls | None = None
    state_diff: list[_Difference] | None = None
    ttft_ms: _Quantiles | None = None
    ttfat_ms: _Quantiles | None = None
    v2v_ms: _Quantiles | None = None
    cost: _Cost | None = None
    line: dict[str, _Leg] | None = None
    attribution: _Attribution | None = None
    facts: list[_Saying] | None = None
    word_errors: dict[str, _WordErrors | None] | None = None
    fidelity: list[_Breach] | None = None


def check_call(call: dict[str, Any]) -> None:
    """Look whether everything that the page reads in a ``call.json`` is of its kind; the rest is not looked at.

    Raises:
        StoreError: something is not.
    """
    try:
        _Call.model_validate(call)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise StoreError(f"call.json: {place}: {first['msg']}; the file is corrupt") from error
