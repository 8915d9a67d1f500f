"""The figures of a call: latencies, tokens, cost, what the line did, and what the machine had to do."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from voicebench.record.base import Items, Number, Record

__all__ = [
    "AnsweredTurn",
    "CallCost",
    "CallLoad",
    "CallerComprehension",
    "CostSums",
    "DeviceLoad",
    "Latencies",
    "LegReport",
    "LineRating",
    "LineReport",
    "NetworkDelay",
    "PartCost",
    "Quantiles",
    "TickLateness",
    "TokenSums",
    "TurnCounts",
]


class Quantiles(Record):
    """Quantiles of some values; null without any."""

    p50: Number | None = None
    """Median."""
    p95: Number | None = None
    """95th percentile."""
    n: int = 0
    """How many values."""


class AnsweredTurn(Record):
    """A turn of the caller that was answered, and what its voice-to-voice latency was made of."""

    caller_end_s: Number
    """End of the caller's speech as the agent heard it, seconds of the recording."""
    agent_start_s: Number
    """Start of the agent's answer as the caller heard it, seconds of the recording."""
    v2v_ms: Number
    """The one to the other, milliseconds."""
    parts_ms: dict[str, Number]
    """Its parts, milliseconds, which add up to it: ``turn_end``, ``asr``, ``llm``, ``streaming``, ``tools``, ``tts``,
    ``line``, ``unexplained``."""


class Latencies(Record):
    """All values of the latencies of a call, milliseconds."""

    ttft: Items[Number] = ()
    """Time to the first token, of each request."""
    v2v: Items[Number] = ()
    """Voice to voice, of each answered turn, from the end of the turn; "Hello?" is none."""
    first_audio: Items[Number] = ()
    """The same without the way back to the caller."""
    yield_: Annotated[Items[Number], Field(alias="yield")] = ()
    """How long the agent went on, each time the caller began over it."""
    before_hello: Items[Number] = ()
    """How long nobody had spoken, each time the caller said "Hello?"."""

    def by_kind(self) -> dict[str, tuple[float, ...]]:
        """Return the values by their stored names, those that were measured."""
        values = {
            "ttft": self.ttft,
            "v2v": self.v2v,
            "first_audio": self.first_audio,
            "yield": self.yield_,
            "before_hello": self.before_hello,
        }
        return {kind: of_call for kind, of_call in values.items() if of_call}


class TurnCounts(Record):
    """How many turns each side had."""

    agent: int
    """Turns of the agent."""
    caller: int
    """Turns of the caller."""


class CallerComprehension(Record):
    """What the caller made of the agent's turns."""

    heard: int
    """Turns of the agent after the greeting of which the caller heard words."""
    not_understood: int
    """Those of them that it asked to hear again, or at which it gave up."""


class TokenSums(Record):
    """Tokens of all answered requests of the agent's model; null where one did not say."""

    input: int | None
    """Read."""
    output: int | None
    """Written."""
    cached: int | None
    """Read and cached."""


class PartCost(Record):
    """The cost of one part of a call."""

    model: str
    """Name of the model."""
    usd: Number | None
    """US dollars; null if unknown."""
    reason: str | None
    """Why it is 0 or unknown."""


class CallCost(Record):
    """What a call cost."""

    usd: Number | None
    """All parts, US dollars; null if one is unknown."""
    on: str
    """The day whose prices count, YYYY-MM-DD."""
    agent: PartCost
    """The agent's language model."""
    caller: PartCost
    """The caller's language model."""
    asr: PartCost
    """The agent's recognition."""
    tts: PartCost
    """The agent's synthesis."""


class CostSums(Record):
    """The costs of several calls, US dollars; a part is null if it is unknown for any of them."""

    usd: Number | None
    """All parts."""
    agent: Number | None
    """The agent's language model."""
    caller: Number | None
    """The caller's language model."""
    asr: Number | None
    """The agent's recognition."""
    tts: Number | None
    """The agent's synthesis."""
    at_least_usd: Number
    """What is known of them."""
    unknown_calls: int
    """How many calls there are whose cost is not known."""


class DeviceLoad(Record):
    """What the declared jobs of one kind took."""

    n: int
    """How many jobs."""
    wall_s: Number
    """Wall time, seconds."""
    cpu_s: Number
    """CPU time, seconds."""


class CallLoad(Record):
    """What the machine had to do for a call."""

    undeclared_jobs: int
    """Jobs in threads that were not declared to the clock."""
    llm_wait_s: Number
    """Wall time spent waiting for language models, seconds."""
    harness_s: Number
    """Wall time spent in the harness, seconds."""
    longest_callback_ms: Number | None = None
    """The longest callback of the loop, milliseconds."""
    jobs: dict[str, DeviceLoad]
    """The declared jobs, by kind, as ``agent.tts``."""


class TickLateness(Record):
    """How late the ticks of the line were."""

    n: int
    """Ticks."""
    late: int
    """Ticks that were later than the next one was due."""
    p50_ms: Number | None = None
    """Median lateness, milliseconds."""
    p99_ms: Number | None = None
    """99th percentile, milliseconds."""
    worst_ms: Number
    """The greatest, milliseconds."""


class NetworkDelay(Record):
    """Time that packets spent on the network."""

    mean: Number
    """Mean, milliseconds."""
    max: Number
    """Greatest, milliseconds."""


class LineRating(Record):
    """The E-model's opinion of a leg (ITU-T G.107)."""

    r: Number
    """Transmission rating R."""
    mos: Number
    """Mean opinion score that it stands for, 1 to 4.5."""
    wideband: bool
    """Whether R is on the scale of a wide-band codec."""
    source: str
    """Where the codec's values come from."""


class LegReport(Record):
    """What one leg of the line did in a call."""

    leg: str
    """``caller_to_agent`` or ``agent_to_caller``."""
    codec: str
    """The codec, with its bit rate where it has several."""
    sent: int
    """Packets sent."""
    received: int
    """Packets received; what still travels at the end counts as received."""
    lost: int
    """Packets lost."""
    late: int
    """Packets that came after their turn."""
    concealed: int
    """Packets concealed."""
    reordered: int
    """Packets that overtook others."""
    lost_rate: Number
    """Lost, of those sent."""
    late_rate: Number
    """Late, of those sent."""
    concealed_rate: Number
    """Concealed, of those sent."""
    mean_burst: Number
    """Mean length of a run of concealed packets."""
    network_delay_ms: NetworkDelay | None
    """Time on the network, milliseconds; null when nothing arrived."""
    delay_ms: Number
    """Mean time from mouth to ear, milliseconds: network, buffer, filters and codec."""
    speech_dbov: Number | None
    """Active level of what was sent (ITU-T P.56), dBov; null for silence."""
    noise_dbov: Number | None
    """Mean power of the noise added to it, dBov."""
    snr_db: Number | None
    """The first less the second, dB."""
    rms_in_dbov: Number | None
    """Mean power of what was sent, dBov."""
    rms_out_dbov: Number | None
    """Mean power of what was heard, dBov."""
    peak_in: int
    """Greatest absolute sample sent."""
    peak_out: int
    """Greatest absolute sample heard."""
    clipped_rate: Number | None = None
    """Samples cut off as overdriven, of all; null where nothing cuts them off."""
    e_model: LineRating | None
    """The rating; null where ITU-T G.113 has no values for the codec."""


class LineReport(Record):
    """What both legs of the line did."""

    caller_to_agent: LegReport
    """From the caller to the agent."""
    agent_to_caller: LegReport
    """From the agent to the caller."""
