"""A page about a line: what each leg did to a sample of speech, with a figure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voicebench.errors import ConfigError
from voicebench.line.data import sample_speech
from voicebench.line.figure import Panel, Series, draw
from voicebench.line.level import rms_dbov
from voicebench.line.line import Line
from voicebench.line.settings import LEGS, Leg, LineSettings
from voicebench.line.stage import FRAME, RATE
from voicebench.record.figures import LegReport

__all__ = ["report_page", "write_report"]

LOWEST_DBOV = -90.0
_TITLES: dict[Leg, str] = {"caller_to_agent": "caller to agent", "agent_to_caller": "agent to caller"}


@dataclass(frozen=True)
class _Sent:
    """A leg that has carried the sample of speech."""

    line: Line
    said: NDArray[np.int16]
    heard: NDArray[np.int16]
    measured: LegReport


def write_report(name: str, settings: LineSettings, seed: int, path: Path) -> list[Path]:
    """Write a page about a line as Markdown, and its figures into the same folder.

    Args:
        name: of the preset.
        settings: both legs.
        seed: of noise, loss and jitter.
        path: the Markdown file; each leg's figure has its name with ``-LEG.svg``.

    Returns:
        The files that were written.

    Raises:
        ConfigError: a library is missing, or a file cannot be written.
    """
    figures = {leg: path.with_name(f"{path.stem}-{leg}.svg") for leg in LEGS}
    page, drawings = report_page(name, settings, seed, {leg: figure.name for leg, figure in figures.items()})
    written = {path: page, **{figures[leg]: drawing for leg, drawing in drawings.items()}}
    try:
        for target, text in written.items():
            target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"{path}: the report cannot be written ({error}); name a file in an existing folder"
        ) from error
    return list(written)


def report_page(name: str, settings: LineSettings, seed: int, figures: dict[Leg, str]) -> tuple[str, dict[Leg, str]]:
    """Return the page in Markdown, and each leg's figure as SVG.

    Args:
        name: of the preset.
        settings: both legs.
        seed: of noise, loss and jitter.
        figures: where the page finds each leg's figure.
    """
    said = sample_speech()
    sent = {}
    for leg in LEGS:
        line = Line(settings.leg(leg), leg=leg, seed=seed)
        tail = np.zeros(line.delay_samples, dtype=np.int16)
        heard = np.concatenate([line.process(said), line.process(tail), line.flush()])
        sent[leg] = _Sent(line, said, heard[line.delay_samples :][: said.size], line.measured())
    lines = [
        f"# The line `{name}`",
        "",
        f"What it did to {said.size / RATE:.1f} s of speech at -26 dBov, seed {seed}. So short a time says little of a "
        "loss rate; the E-model is an annotation.",
    ]
    for leg in LEGS:
        lines += ["", f"## {_TITLES[leg]}", "", f"![spectrum, level and lost packets]({figures[leg]})", ""]
        lines += _table(sent[leg].measured)
        keys = settings.leg(leg).model_dump(mode="json", exclude_defaults=True)
        listed = ", ".join(f"`{key}: {value}`" for key, value in keys.items()) or "none: the line does nothing"
        lines += ["", f"Settings: {listed}"]
    drawings: dict[Leg, str] = {leg: draw(list(_panels(each))) for leg, each in sent.items()}
    return "\n".join([*lines, ""]), drawings


def _table(done: LegReport) -> Iterator[str]:
    rating = done.e_model
    scale = "" if rating is None or not rating.wideband else " of 129 (wide-band)"
    rows = {
        "codec": done.codec,
        "packets": f"{done.sent} sent, {done.received} received, {done.lost} lost, {done.late} late, "
        f"{done.reordered} overtaken",
        "missing": f"{done.concealed_rate:.1%}, mean burst {done.mean_burst:.2f}",
        "delay": f"{done.delay_ms:.1f} ms",
        "speech": _level(done.speech_dbov),
        "noise": _level(done.noise_dbov),
        "SNR": "-" if done.snr_db is None else f"{done.snr_db:.1f} dB",
        "E-model": "no values for this codec" if rating is None else f"R {rating.r:.1f}{scale}, MOS {rating.mos:.2f}",
    }
    yield "| what | measured |"
    yield "| --- | --- |"
    yield from (f"| {what} | {measured} |" for what, measured in rows.items())


def _level(dbov: float | None) -> str:
    return "-" if dbov is None else f"{dbov:.1f} dBov"


def _panels(sent: _Sent) -> Iterator[Panel]:
    seconds = sent.said.size / RATE
    hertz, before = _spectrum(sent.said)
    _, after = _spectrum(sent.heard)
    yield Panel(
        "spectrum, dB",
        "kHz",
        (0.0, 8.0),
        (-80.0, 0.0),
        range(9),
        (-80, -60, -40, -20, 0),
        (Series("said", hertz, before), Series("heard", hertz, after)),
    )
    times = [place * FRAME * 5 / RATE for place in range(sent.said.size // (FRAME * 5))]
    yield Panel(
        "level, dBov",
        "s",
        (0.0, seconds),
        (LOWEST_DBOV, 0.0),
        range(0, math.ceil(seconds), 2),
        (-80, -60, -40, -20, 0),
        (Series("said", times, _levels(sent.said)), Series("heard", times, _levels(sent.heard))),
    )
    packets = sent.line.packets
    yield Panel(
        "packets that were missing",
        "s",
        (0.0, seconds),
        (0.0, 1.0),
        range(0, math.ceil(seconds), 2),
        (),
        (
            Series("lost", [packet.sent_ms / 1000 for packet in packets if packet.lost]),
            Series("late", [packet.sent_ms / 1000 for packet in packets if packet.late]),
        ),
    )


def _spectrum(samples: NDArray[np.int16]) -> tuple[list[float], list[float]]:
    """Return the long-term spectrum in steps of 62.5 Hz, in dB under the greatest value that a frame can have."""
    size = 256
    frames = samples[: samples.size // size * size].reshape(-1, size) / 32768.0 * np.hanning(size)
    power = np.mean(np.abs(np.fft.rfft(frames, axis=1)) ** 2, axis=0) / (size / 4.0) ** 2
    return (np.arange(power.size) * RATE / size / 1000.0).tolist(), (10.0 * np.log10(power + 1e-12) + 20.0).tolist()


def _levels(samples: NDArray[np.int16]) -> list[float]:
    size = FRAME * 5
    blocks = samples[: samples.size // size * size].reshape(-1, size)
    return [max(LOWEST_DBOV, rms_dbov(block)) for block in blocks]
