"""What a leg did in one call, measured: packets, bursts, delays, levels, and the E-model's opinion of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from voicebench.line.codecs import CODECS
from voicebench.line.emodel import Conditions, rate
from voicebench.line.level import FULL_SCALE
from voicebench.line.meter import Meter, SpeechMeter
from voicebench.line.packets import Packet, mean_burst, reordered
from voicebench.line.settings import Leg, LegSettings
from voicebench.record.figures import LegReport, NetworkDelay

__all__ = ["leg_report"]


def leg_report(
    leg: Leg,
    settings: LegSettings,
    packets: Sequence[Packet],
    filter_ms: float,
    before: SpeechMeter,
    after: Meter,
    noise_power: float,
) -> LegReport:
    """Put the report of a leg together.

    ``sent = received + lost + late``: what still travels or waits at the end counts as received.

    Args:
        leg: direction.
        settings: the leg's.
        packets: its log.
        filter_ms: delay of filters and codec.
        before: has heard what was sent.
        after: has heard what came out.
        noise_power: mean square of the noise, on the scale of int16; 0 for none.
    """
    sent = len(packets)
    lost, late, concealed = (sum(getattr(packet, what) for packet in packets) for what in ("lost", "late", "concealed"))
    delays = [packet.delay_ms for packet in packets if packet.delay_ms is not None]
    leads = [packet.turn_ms - packet.sent_ms for packet in packets if packet.turn_ms is not None]
    lead_ms = float(np.mean(leads)) if leads else settings.delay_ms + settings.buffer_ms
    speech = before.speech.active_dbov
    noise = 10.0 * math.log10(noise_power / FULL_SCALE**2) if noise_power > 0.0 else None
    conditions = Conditions(
        delay_ms=lead_ms + filter_ms,
        concealed=concealed / sent if sent else 0.0,
        mean_burst=mean_burst(packets),
        noise_dbov=noise,
        echo_loss_db=settings.echo.loss_db if settings.echo is not None else None,
        conceals=settings.concealment in ("pitch", "native"),
    )
    rates = CODECS[settings.codec].kbps
    kbps = settings.kbps or (rates[0] if rates else None)
    return LegReport(
        leg=leg,
        codec=settings.codec if kbps is None else f"{settings.codec} {kbps:g}",
        sent=sent,
        received=sent - lost - late,
        lost=lost,
        late=late,
        concealed=concealed,
        reordered=reordered(packets),
        lost_rate=lost / sent if sent else 0.0,
        late_rate=late / sent if sent else 0.0,
        concealed_rate=conditions.concealed,
        mean_burst=conditions.mean_burst,
        network_delay_ms=NetworkDelay(mean=float(np.mean(delays)), max=max(delays)) if delays else None,
        delay_ms=conditions.delay_ms,
        speech_dbov=speech if math.isfinite(speech) else None,
        noise_dbov=noise,
        snr_db=speech - noise if noise is not None and math.isfinite(speech) else None,
        rms_in_dbov=before.rms_dbov,
        rms_out_dbov=after.rms_dbov,
        peak_in=before.peak,
        peak_out=after.peak,
        e_model=rate(settings.codec, kbps, conditions),
    )
