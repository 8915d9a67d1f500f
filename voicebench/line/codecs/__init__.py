"""Codecs by name. A new one is one module here and one line in ``CODECS``."""

from __future__ import annotations

from voicebench.line.codecs import amrwb, ffmpeg, opus
from voicebench.line.codecs.base import Codec, CodecKind, CodecOptions, Linear, NativeConcealment
from voicebench.line.codecs.g711 import G711A, G711U
from voicebench.line.codecs.gsm import GsmFullRate

__all__ = ["CODECS", "Codec", "CodecKind", "CodecOptions", "NativeConcealment"]

AMR_NB_KBPS = (12.2, 4.75, 5.15, 5.9, 6.7, 7.4, 7.95, 10.2)
AMR_WB_KBPS = (amrwb.USUAL_KBPS, *(rate for rate in amrwb.MODES_KBPS if rate != amrwb.USUAL_KBPS))

CODECS: dict[str, CodecKind] = {
    "none": CodecKind(Linear),
    "g711u": CodecKind(G711U),
    "g711a": CodecKind(G711A),
    "g722": CodecKind(ffmpeg.G722, require=ffmpeg.require),
    "gsm": CodecKind(GsmFullRate, require=ffmpeg.require),
    "amr_nb": CodecKind(ffmpeg.AmrNb, AMR_NB_KBPS, native=True, require=ffmpeg.require),
    "amr_wb": CodecKind(amrwb.AmrWb, AMR_WB_KBPS, native=True, require=amrwb.require),
    "opus_nb": CodecKind(opus.OpusNb, opus.KBPS_NB, native=True, fec=True, require=opus.require),
    "opus_wb": CodecKind(opus.OpusWb, opus.KBPS_WB, native=True, fec=True, require=opus.require),
}
