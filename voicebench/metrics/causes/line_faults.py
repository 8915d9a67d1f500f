"""What the line did to some speech: bursts of lost packets, many single ones, noise, and overdriven samples."""

from __future__ import annotations

from voicebench.line.level import SPEECH_LEVEL_DBOV
from voicebench.metrics.causes.diagnosed_call import DiagnosedCall
from voicebench.record.events import PacketLossEvent
from voicebench.record.figures import LegReport

__all__ = ["line_fault", "noise_of"]

BURST_PACKETS = 3
"""Packets in a row, 60 ms, from which on no concealment brings back what was said (ITU-T G.711 Appendix I fades to
silence there)."""

THINNED = 0.3
"""Share of concealed packets from which on words are lost, however short the gaps (measured: ``docs/causes.md``)."""

NOISY_DB = 16.0
"""Speech over noise, dB, under which a recognizer makes clearly more errors than over a quiet line: the table of
``docs/line.md``, where the noise of ``background_noise`` lies 15 dB under the voice."""

CLIPPED = 0.2
"""Share of samples of a call that were cut off, from which on an overdriven voice is blamed: pauses count as well
(measured: ``docs/causes.md``)."""

_PACKET_S = 0.02

BEFORE_S, AFTER_S = 0.1, 0.5
"""By how much speech may be heard before and after its place in the utterance: words are not spread evenly, and the
line delays them."""


def line_fault(call: DiagnosedCall, leg: str, begin_s: float, end_s: float, words: str) -> str | None:
    """Return what the line did to a stretch of speech, as a clause; None if it was intact.

    Args:
        call: as scored.
        leg: the leg that it was on.
        begin_s: its begin, seconds of call time.
        end_s: its end.
        words: what the speech is called, as ``these words``.
    """
    events = [event for event in call.trace if isinstance(event, PacketLossEvent) and event.leg == leg]
    begin_s, end_s = begin_s - BEFORE_S, end_s + AFTER_S
    found = [
        event
        for event in events
        if event.time_ns / 1e9 < end_s and event.time_ns / 1e9 + event.packets * _PACKET_S > begin_s
    ]
    worst = max(found, key=lambda event: event.packets, default=None)
    if worst is not None and worst.packets >= BURST_PACKETS:
        lost_s = worst.packets * _PACKET_S
        at_s = worst.time_ns / 1e9
        return f"a burst of {worst.packets} lost packets ({lost_s:.2g} s) at {at_s:.1f} s fell on {words}"
    share = sum(event.packets for event in found) * _PACKET_S / (end_s - begin_s)
    if share >= THINNED:
        return f"{share:.0%} of the packets of {words} were lost"
    if (noise := noise_of(call, leg)) is not None:
        return f"{noise} lay on {words}"
    report = _report(call, leg)
    if report is not None and (report.clipped_rate or 0.0) >= CLIPPED:
        return f"{words} were overdriven ({report.clipped_rate:.0%} of the samples cut off)"
    return None


def noise_of(call: DiagnosedCall, leg: str) -> str | None:
    """Return the noise of a leg, if it was loud enough to be blamed, in words."""
    report = _report(call, leg)
    if report is None or report.noise_dbov is None:
        return None
    # Who never came to speak would have spoken at the usual level.
    snr_db = SPEECH_LEVEL_DBOV - report.noise_dbov if report.snr_db is None else report.snr_db
    return f"noise at a signal-to-noise ratio of {round(snr_db)} dB" if snr_db < NOISY_DB else None


def _report(call: DiagnosedCall, leg: str) -> LegReport | None:
    if call.line is None:
        return None
    return call.line.caller_to_agent if leg == "caller_to_agent" else call.line.agent_to_caller
