"""How one local agent endpoint is started."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from voicebench.errors import ConfigError
from voicebench.serve.faults import FaultPlan

__all__ = ["AgentServerOptions"]


_OWN = {"agent": "reference", "caller": "reader"}


@dataclass(frozen=True)
class AgentServerOptions:
    """Settings of one endpoint.

    Attributes:
        model: name of a registered model (``voicebench.serve.models``); it is also the name the endpoint answers to.
            Unless given, ``reference``, or ``reader`` for a caller.
        role: which party the model plays.
        script: YAML or JSON list of steps to play; the model is then ``script``, whatever ``model`` says.
        port: TCP port on the loopback interface; 0 takes a free one.
        ttft_ms: mean time from the request being read to the first written chunk, milliseconds.
        ttft_sd_ms: standard deviation of it; the draw depends on the seed, the call and the request's number alone.
        token_ms: milliseconds between two chunks of one answer.
        seed: seed of the draws.
        with_parent: end when standard input closes or the parent process goes away.
        fault: ``KIND`` or ``KIND:RATE`` of ``voicebench.serve.faults``, None for a provider without faults.
        fault_seed: seed of which calls and requests are hit.
        caller_fault: rule that a caller breaks (``voicebench.serve.caller``); None for one that breaks none.
        task: what a caller plays where a request hands it no script: ``[PACK/]TASK``.
        fault_tries: how many tries of a request are hit; None is all.
    """

    model: str = ""
    role: Literal["agent", "caller"] = "agent"
    script: Path | None = None
    port: int = 0
    ttft_ms: float = 300.0
    ttft_sd_ms: float = 0.0
    token_ms: float = 0.0
    seed: int = 0
    with_parent: bool = False
    fault: str | None = None
    fault_seed: int = 0
    fault_tries: int | None = None
    caller_fault: str | None = None
    task: str | None = None

    def __post_init__(self) -> None:
        if not self.model:
            object.__setattr__(self, "model", _OWN[self.role])
        for name in ("ttft_ms", "ttft_sd_ms", "token_ms"):
            if getattr(self, name) < 0:
                raise ConfigError(f"serve agent: {name} is {getattr(self, name):g}; give 0 or more milliseconds")
        if not 0 <= self.port <= 65535:
            raise ConfigError(f"serve agent: port {self.port} does not exist; give 0 to 65535 (0: any free port)")
        if self.caller_fault is not None and self.role != "caller":
            raise ConfigError("serve agent: --caller-fault is for a caller; add --as caller")
        if self.task is not None and self.role != "caller":
            raise ConfigError("serve agent: --task is for a caller; add --as caller")
        _ = self.faults

    @property
    def faults(self) -> FaultPlan | None:
        """The faults, None if there are none."""
        return None if self.fault is None else FaultPlan.read(self.fault, self.fault_seed, self.fault_tries)

    @property
    def served_model(self) -> str:
        """The name that ``/v1/models`` lists and that requests must give."""
        return "script" if self.script is not None else self.model
