"""The E-model: what ITU-T G.107 (06/2015) expects people to think of a connection. An annotation, never a test.

``R`` from 0 to 93.2 for narrow-band codecs, 50 being poor; wide-band codecs stand on the scale of G.107.1, up to 129.
Everything that the line does not set is at the recommendation's default.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from voicebench.record.figures import LineRating

__all__ = ["IMPAIRMENTS", "Conditions", "Impairment", "mos", "rate"]

# The defaults of G.107, table 2: loudness ratings of sending and receiving, sidetone, room noise and quantisation.
SLR, RLR, DS, LSTR, STMR, WEPL, NFOR, PS, PR, QDU = 8.0, 2.0, 3.0, 18.0, 15.0, 110.0, -64.0, 35.0, 35.0, 1.0
CIRCUIT_NOISE_DBM0P = -70.0
TELR_WITHOUT_ECHO = 65.0
WIDEBAND_BEST = 129.0
DBM0_OF_DBOV = 6.15
"""0 dBm0 lies 6.15 dB under 0 dBov on G.711 µ-law: a sine of 3.17 dBm0 just fits."""


@dataclass(frozen=True)
class Impairment:
    """What a codec does to speech.

    Attributes:
        ie: equipment impairment factor without loss.
        bpl: robustness against loss, and with a decoder that conceals.
        source: where the values come from.
        wideband: whether ``ie`` stands on the scale of G.107.1.
    """

    ie: float
    bpl: float
    bpl_concealed: float
    source: str
    wideband: bool = False


_G113 = "ITU-T G.113 Appendix I"
_ESTIMATE = "estimate between neighbours in ITU-T G.113 Appendix I"
_WB = "Ie,wb of ITU-T G.113 Appendix IV; Bpl assumed 10"

IMPAIRMENTS: dict[tuple[str, float | None], Impairment] = {
    ("g711u", None): Impairment(0.0, 4.3, 25.1, _G113),
    ("g711a", None): Impairment(0.0, 4.3, 25.1, _G113),
    ("gsm", None): Impairment(20.0, 4.3, 10.0, f"Ie of {_G113}; Bpl assumed"),
    ("amr_nb", 12.2): Impairment(5.0, 4.3, 10.0, f"{_G113} (as GSM-EFR)"),
    ("amr_nb", 10.2): Impairment(6.0, 4.3, 10.0, _ESTIMATE),
    ("amr_nb", 7.95): Impairment(10.0, 4.3, 10.0, _ESTIMATE),
    ("amr_nb", 7.4): Impairment(10.0, 4.3, 10.0, f"Ie of {_G113} (as IS-641); Bpl assumed"),
    ("amr_nb", 6.7): Impairment(14.0, 4.3, 10.0, _ESTIMATE),
    ("amr_nb", 5.9): Impairment(17.0, 4.3, 10.0, _ESTIMATE),
    ("amr_nb", 5.15): Impairment(20.0, 4.3, 10.0, _ESTIMATE),
    ("amr_nb", 4.75): Impairment(22.0, 4.3, 10.0, _ESTIMATE),
    ("none", None): Impairment(0.0, 4.3, 10.0, "no codec", wideband=True),
    ("g722", None): Impairment(13.0, 4.3, 10.0, _WB, wideband=True),
    ("amr_wb", 6.6): Impairment(41.0, 4.3, 10.0, _WB, wideband=True),
    ("amr_wb", 8.85): Impairment(26.0, 4.3, 10.0, _WB, wideband=True),
    ("amr_wb", 12.65): Impairment(13.0, 4.3, 10.0, _WB, wideband=True),
    ("amr_wb", 14.25): Impairment(10.0, 4.3, 10.0, _WB, wideband=True),
    ("amr_wb", 15.85): Impairment(7.0, 4.3, 10.0, _WB, wideband=True),
    ("amr_wb", 18.25): Impairment(5.0, 4.3, 10.0, _WB, wideband=True),
    ("amr_wb", 19.85): Impairment(3.0, 4.3, 10.0, _WB, wideband=True),
    ("amr_wb", 23.05): Impairment(1.0, 4.3, 10.0, _WB, wideband=True),
    ("amr_wb", 23.85): Impairment(8.0, 4.3, 10.0, _WB, wideband=True),
}
"""By codec and bit rate, kbit/s. Opus has no value there, so a leg with it has no rating."""


@dataclass(frozen=True)
class Conditions:
    """What a leg did.

    Attributes:
        delay_ms: from the talker to the listener.
        concealed: part of the packets that were missing, 0 to 1.
        mean_burst: mean length of their runs, in packets.
        noise_dbov: mean power of all noise added, or None.
        echo_loss_db: of the listener's echo canceller, or None without echo.
        conceals: whether something better than silence was put in their place.
    """

    delay_ms: float = 0.0
    concealed: float = 0.0
    mean_burst: float = 0.0
    noise_dbov: float | None = None
    echo_loss_db: float | None = None
    conceals: bool = True


def rate(codec: str, kbps: float | None, conditions: Conditions) -> LineRating | None:
    """Rate a leg, or return None for a codec without values.

    A wide-band leg is rated by taking the same impairments by noise and delay off 129; G.107.1 has them weigh a little
    differently.
    """
    codec_values = IMPAIRMENTS.get((codec, kbps))
    if codec_values is None:
        return None
    noise_dbm0p = CIRCUIT_NOISE_DBM0P
    if conditions.noise_dbov is not None:
        noise_dbm0p = _sum_db(noise_dbm0p, conditions.noise_dbov + DBM0_OF_DBOV)
    telr = TELR_WITHOUT_ECHO
    if conditions.echo_loss_db is not None:
        telr = min(telr, SLR + RLR + conditions.echo_loss_db)
    without_codec = _connection(noise_dbm0p, telr, conditions.delay_ms)
    best = _connection(CIRCUIT_NOISE_DBM0P, TELR_WITHOUT_ECHO, 0.0)
    scale = WIDEBAND_BEST if codec_values.wideband else best
    r = scale - (best - without_codec) - _equipment(codec_values, conditions)
    r = min(max(r, 0.0), scale)
    return LineRating(r=r, mos=mos(r * best / scale), wideband=codec_values.wideband, source=codec_values.source)


def mos(r: float) -> float:
    """Return the mean opinion score of a rating (G.107, Annex B)."""
    if r <= 0.0:
        return 1.0
    return min(4.5, max(1.0, 1.0 + 0.035 * r + r * (r - 60.0) * (100.0 - r) * 7e-6)) if r < 100.0 else 4.5


def _equipment(codec: Impairment, conditions: Conditions) -> float:
    """Ie,eff (G.107, equation 7-29): a burst ratio of 1 is loss at random."""
    percent = 100.0 * conditions.concealed
    if percent == 0.0:
        return codec.ie
    burst_ratio = max(1.0, conditions.mean_burst * (1.0 - conditions.concealed))
    bpl = codec.bpl_concealed if conditions.conceals else codec.bpl
    return codec.ie + (95.0 - codec.ie) * percent / (percent / burst_ratio + bpl)


def _connection(noise_dbm0p: float, telr: float, delay_ms: float) -> float:
    """Ro - Is - Id (G.107, clauses 7.2 to 7.4)."""
    olr = SLR + RLR
    send = PS - SLR - DS - 100.0 + 0.004 * (PS - olr - DS - 14.0) ** 2
    pre = PR + 10.0 * math.log10(1.0 + 10.0 ** ((10.0 - LSTR) / 10.0))
    receive = RLR - 121.0 + pre + 0.008 * (pre - 35.0) ** 2
    noise = _sum_db(noise_dbm0p, send, receive, NFOR + RLR)
    ro = 15.0 - 1.5 * (SLR + noise)
    return ro - _simultaneous(ro, noise, telr) - _delayed(ro, noise, telr, delay_ms)


def _simultaneous(ro: float, noise: float, telr: float) -> float:
    """Is: too loud a connection, sidetone, quantisation."""
    x_olr = SLR + RLR + 0.2 * (64.0 + noise - RLR)
    loud = 20.0 * ((1.0 + (x_olr / 8.0) ** 8) ** 0.125 - x_olr / 8.0)
    stmro = -10.0 * math.log10(10.0 ** (-STMR / 10.0) + 10.0 ** (-telr / 10.0))
    sidetone = (
        12.0 * (1.0 + ((stmro - 13.0) / 6.0) ** 8) ** 0.125
        - 28.0 * (1.0 + ((stmro + 1.0) / 19.4) ** 35) ** (1.0 / 35.0)
        - 13.0 * (1.0 + ((stmro - 3.0) / 33.0) ** 13) ** (1.0 / 13.0)
        + 29.0
    )
    q = 37.0 - 15.0 * math.log10(QDU)
    g = 1.07 + 0.258 * q + 0.0602 * q * q
    y = (ro - 100.0) / 15.0 + 46.0 / 8.4 - g / 9.0
    z = 46.0 / 30.0 - g / 40.0
    total: float = loud + sidetone + 15.0 * math.log10(1.0 + 10.0**y + 10.0**z)
    return total


def _delayed(ro: float, noise: float, telr: float, delay_ms: float) -> float:
    """Id: the talker's echo, the listener's echo, and delay itself."""
    talker = 0.0
    if delay_ms >= 1.0:
        terv = telr - 40.0 * math.log10((1.0 + delay_ms / 10.0) / (1.0 + delay_ms / 150.0))
        terv += 6.0 * math.exp(-0.3 * delay_ms * delay_ms)
        difference = -1.5 * (noise - RLR) - (80.0 + 2.5 * (terv - 14.0))
        talker = difference / 2.0 + math.sqrt(difference * difference / 4.0 + 100.0) - 1.0
        talker *= 1.0 - math.exp(-delay_ms)
    round_trip = 2.0 * delay_ms
    difference = ro - 10.5 * (WEPL + 7.0) * (round_trip + 1.0) ** -0.25
    listener = difference / 2.0 + math.sqrt(difference * difference / 4.0 + 169.0)
    long = 0.0
    if delay_ms > 100.0:
        x = math.log2(delay_ms / 100.0)
        long = 25.0 * ((1.0 + x**6) ** (1.0 / 6.0) - 3.0 * (1.0 + (x / 3.0) ** 6) ** (1.0 / 6.0) + 2.0)
    total: float = talker + listener + long
    return total


def _sum_db(*levels: float) -> float:
    return 10.0 * math.log10(sum(10.0 ** (level / 10.0) for level in levels))
