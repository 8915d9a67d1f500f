"""How a local agent endpoint and a local realtime server are started."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from voicebench.errors import ConfigError
from voicebench.serve.faults import FaultPlan, SessionFaultPlan

__all__ = ["AgentServerOptions", "RealtimeServerOptions"]


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


@dataclass(frozen=True)
class RealtimeServerOptions:
    """Settings of one realtime server.

    Attributes:
        model: name of a registered model (``voicebench.serve.models``); it is also the name the server answers to.
        script: steps to play in its place, as for the agent endpoint.
        chat_url: address of a chat server whose model is the policy; it has to know ``model``.
        port: TCP port on the loopback interface; 0 takes a free one.
        ttft_ms, ttft_sd_ms: of the agent endpoint.
        seed: of the endpoint and of the voices.
        voice: what it speaks with where a session asks for none.
        asr_model, asr_window, asr_device, asr_compute_type: of the recognizer.
        with_parent: end when standard input closes or the parent process goes away.
        fault: ``KIND`` or ``KIND:RATE`` of ``voicebench.serve.faults``, None for a server without faults.
        fault_seed: seed of which sessions are hit.
    """

    model: str = "reference"
    script: Path | None = None
    chat_url: str | None = None
    port: int = 0
    ttft_ms: float = 300.0
    ttft_sd_ms: float = 0.0
    seed: int = 0
    voice: str = "joe"
    asr_model: str = "base"
    asr_window: str = "fit"
    asr_device: str = "auto"
    asr_compute_type: str = "int8"
    with_parent: bool = False
    fault: str | None = None
    fault_seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ConfigError(f"serve realtime: port {self.port} does not exist; give 0 to 65535 (0: any free port)")
        _ = self.faults

    @property
    def faults(self) -> SessionFaultPlan | None:
        """The faults, None if there are none."""
        return None if self.fault is None else SessionFaultPlan.read(self.fault, self.fault_seed)

    @property
    def served_model(self) -> str:
        """The name that sessions must ask for."""
        return "script" if self.script is not None else self.model
