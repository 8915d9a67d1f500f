"""How one local realtime server is started."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from voicebench.errors import ConfigError
from voicebench.serve.realtime.faults import FaultPlan

__all__ = ["RealtimeServerOptions"]


@dataclass(frozen=True)
class RealtimeServerOptions:
    """Settings of one server.

    Attributes:
        model: name of a registered model (``voicebench.serve.models``); it is also the name the server answers to.
        script: steps to play in its place, as for the agent endpoint.
        chat_url: address of another chat server to think with, which then has to know ``model``.
        port: TCP port on the loopback interface; 0 takes a free one.
        ttft_ms, ttft_sd_ms: of the agent endpoint.
        seed: of the endpoint and of the voices.
        voice: what it speaks with where a session asks for none.
        asr_model, asr_window, asr_device, asr_compute_type: of the recognizer.
        with_parent: end when standard input closes or the parent process goes away.
        fault: ``KIND`` or ``KIND:RATE`` of ``voicebench.serve.realtime.faults``, None for a server without faults.
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
    def faults(self) -> FaultPlan | None:
        """The faults, None if there are none."""
        return None if self.fault is None else FaultPlan.read(self.fault, self.fault_seed)

    @property
    def served_model(self) -> str:
        """The name that sessions must ask for."""
        return "script" if self.script is not None else self.model
