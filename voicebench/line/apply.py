"""A recording through the line, in two passes: measure its speech level, then bring it there and send it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from numpy.typing import NDArray

from voicebench.errors import ConfigError
from voicebench.line.level import P56, SPEECH_LEVEL_DBOV, active_level_dbov, gain_db
from voicebench.line.line import Line
from voicebench.line.resample import convert
from voicebench.line.settings import Leg, LineSettings
from voicebench.line.stage import RATE, Samples, to_pcm

__all__ = ["apply_file", "read_recording"]

RATES_HZ = (4_000, 384_000)


def apply_file(
    in_path: Path,
    out_path: Path,
    settings: LineSettings,
    seed: int = 0,
    report_path: Path | None = None,
    *,
    leg: Leg = "caller_to_agent",
) -> dict[str, Any]:
    """Send a recording over one leg, its speech brought to -26 dBov first (ITU-T P.56).

    Args:
        in_path: any file that libsndfile reads; several channels are averaged.
        out_path: a WAV file, 16 kHz mono 16 bit, longer than the input by the line's delay.
        settings: the line.
        seed: of the line's noise, loss and jitter.
        report_path: JSON to write, or None.
        leg: the direction.

    Returns:
        The report: :meth:`Line.report` with the input's name and the levels of speech before and after.

    Raises:
        ConfigError: the input cannot be read or holds no samples, or an output cannot be written.
    """
    _check_outputs(in_path, out_path, report_path)
    recorded = read_recording(in_path)
    before = active_level_dbov(to_pcm(recorded), RATE)
    gain = gain_db(before, SPEECH_LEVEL_DBOV)
    sent = to_pcm(recorded * 10.0 ** (gain / 20.0))
    line = Line(settings.leg(leg), leg=leg, seed=seed)
    tail = np.zeros(line.delay_samples, dtype=np.int16)
    heard = np.concatenate([line.process(sent), line.process(tail), line.flush()])
    report = {
        "input": in_path.name,
        "seconds": sent.size / RATE,
        "seed": seed,
        "gain_db": gain,
        "speech": {
            "input": _speech(before),
            "sent": _speech(active_level_dbov(sent, RATE)),
            "heard": _speech(active_level_dbov(heard, RATE)),
        },
        **line.report(),
    }
    _write(out_path, heard, report_path, report)
    return report


def read_recording(path: Path) -> Samples:
    """Read a recording of any rate as 16 kHz mono.

    Returns:
        float64[n] on the scale of int16; several channels are averaged.

    Raises:
        ConfigError: the file is missing, no audio, empty, or of a rate outside 4 to 384 kHz.
    """
    if not path.is_file():
        raise ConfigError(f"{path}: no such file; give a recording to send over the line")
    try:
        with soundfile.SoundFile(path) as file:
            if not RATES_HZ[0] <= file.samplerate <= RATES_HZ[1]:
                raise ConfigError(f"{path}: {file.samplerate} Hz; the line takes {RATES_HZ[0]} to {RATES_HZ[1]} Hz")
            samples = _mono_16k(file)
    except (soundfile.SoundFileError, OSError) as error:
        raise ConfigError(f"{path}: not readable as audio ({error}); give a WAV, FLAC, OGG or MP3 file") from error
    if samples.size == 0:
        raise ConfigError(f"{path}: holds no samples")
    if not np.isfinite(samples).all():
        raise ConfigError(f"{path}: holds samples that are no numbers; export it again as 16-bit WAV")
    return samples


def _mono_16k(file: soundfile.SoundFile) -> Samples:
    """Average the channels and resample."""
    rate: int = file.samplerate
    blocks = [block.mean(axis=1) * 32768.0 for block in file.blocks(blocksize=rate, dtype="float64", always_2d=True)]
    samples = np.concatenate(blocks) if blocks else np.zeros(0)
    return samples if rate == RATE or not blocks else convert(samples, rate, RATE)


def _check_outputs(in_path: Path, out_path: Path, report_path: Path | None) -> None:
    """Refuse before any work what could not be written after it."""
    if out_path.suffix.lower() != ".wav":
        raise ConfigError(f"{out_path}: the line writes WAV; name the output something.wav")
    for path in (out_path,) if report_path is None else (out_path, report_path):
        if path.is_dir() or not path.parent.is_dir():
            raise ConfigError(f"{path}: not a file in an existing folder; make the folder, or name another file")
        if path.resolve() == in_path.resolve():
            raise ConfigError(f"{path}: is the input; name another file, so that the recording is kept")


def _write(out_path: Path, heard: NDArray[np.int16], report_path: Path | None, report: dict[str, Any]) -> None:
    try:
        soundfile.write(out_path, heard, RATE, subtype="PCM_16", format="WAV")
        if report_path is not None:
            report_path.write_text(json.dumps(report, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    except (soundfile.SoundFileError, OSError) as error:
        raise ConfigError(f"{out_path}: the line's output cannot be written ({error})") from error


def _speech(level: P56) -> dict[str, float | None]:
    """Return levels for JSON, which has no minus infinity."""
    active, rms = (value if math.isfinite(value) else None for value in (level.active_dbov, level.rms_dbov))
    return {"active_dbov": active, "rms_dbov": rms, "activity": level.activity}
