"""A recording through the line, in two passes: measure its speech level, then bring it there and send it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from voicebench.errors import ConfigError
from voicebench.line.level import P56, SPEECH_LEVEL_DBOV, active_level_dbov, gain_db
from voicebench.line.line import Line
from voicebench.line.resample import convert
from voicebench.line.settings import Leg, LineSettings
from voicebench.line.stage import RATE, Samples, to_pcm
from voicebench.record.figures import LegReport
from voicebench.record.json_types import JsonObject

__all__ = ["Applied", "apply_file", "read_recording"]

RATES_HZ = (4_000, 384_000)
_CANCELLED = 1e-4
"""Of the energy of a channel, what is left of the mean of all where they cancel each other out: 40 dB less."""


@dataclass(frozen=True)
class Applied:
    """A recording that went over one leg of a line.

    Attributes:
        input: name of its file.
        seconds: its length.
        seed: of the line's noise, loss and jitter.
        gain_db: by how much it was made louder first.
        before, sent, heard: levels of its speech: as recorded, as sent, and as it came out.
        line: what the line did.
    """

    input: str
    seconds: float
    seed: int
    gain_db: float
    before: P56
    sent: P56
    heard: P56
    line: LegReport

    def to_json(self) -> JsonObject:
        """Return it as the report's file has it; a level of silence, which is minus infinity, is null."""
        speech: JsonObject = {
            name: {
                "active_dbov": level.active_dbov if math.isfinite(level.active_dbov) else None,
                "rms_dbov": level.rms_dbov if math.isfinite(level.rms_dbov) else None,
                "activity": level.activity,
            }
            for name, level in (("input", self.before), ("sent", self.sent), ("heard", self.heard))
        }
        return {
            "input": self.input,
            "seconds": self.seconds,
            "seed": self.seed,
            "gain_db": self.gain_db,
            "speech": speech,
            **self.line.to_json(),
        }


def apply_file(
    in_path: Path,
    out_path: Path,
    settings: LineSettings,
    seed: int = 0,
    report_path: Path | None = None,
    *,
    leg: Leg = "caller_to_agent",
    channel: int | None = None,
) -> Applied:
    """Send a recording over one leg, its speech brought to -26 dBov first (ITU-T P.56).

    Args:
        in_path: any file that libsndfile reads.
        out_path: a WAV file, 16 kHz mono 16 bit, longer than the input by the line's delay.
        settings: the line.
        seed: of the line's noise, loss and jitter.
        report_path: JSON to write, or None.
        leg: the direction.
        channel: which channel of the recording, counted from 1; None averages all.

    Raises:
        ConfigError: the input cannot be read or holds no samples, or an output cannot be written.
    """
    _check_outputs(in_path, out_path, report_path)
    recorded = read_recording(in_path, channel)
    before = active_level_dbov(to_pcm(recorded), RATE)
    gain = gain_db(before, SPEECH_LEVEL_DBOV)
    sent = to_pcm(recorded * 10.0 ** (gain / 20.0))
    line = Line(settings.leg(leg), leg=leg, seed=seed)
    tail = np.zeros(line.delay_samples, dtype=np.int16)
    heard = np.concatenate([line.process(sent), line.process(tail), line.flush()])
    done = Applied(
        in_path.name,
        sent.size / RATE,
        seed,
        gain,
        before,
        active_level_dbov(sent, RATE),
        active_level_dbov(heard, RATE),
        line.measured(),
    )
    try:
        soundfile.write(out_path, heard, RATE, subtype="PCM_16", format="WAV")
        if report_path is not None:
            report_path.write_text(json.dumps(done.to_json(), indent=2, allow_nan=False) + "\n", encoding="utf-8")
    except (soundfile.SoundFileError, OSError) as error:
        raise ConfigError(f"{out_path}: the line's output cannot be written ({error})") from error
    return done


def read_recording(path: Path, channel: int | None = None) -> Samples:
    """Read a recording of any rate as 16 kHz mono.

    Args:
        path: any file that libsndfile reads.
        channel: which channel, counted from 1; None averages all.

    Returns:
        float64[n] on the scale of int16.

    Raises:
        ConfigError: the file is missing, no audio, empty, of a rate outside 4 to 384 kHz, or without that channel; or
            its channels cancel each other out.
    """
    if not path.is_file():
        raise ConfigError(f"{path}: no such file; give a recording to send over the line")
    try:
        with soundfile.SoundFile(path) as file:
            if not RATES_HZ[0] <= file.samplerate <= RATES_HZ[1]:
                raise ConfigError(f"{path}: {file.samplerate} Hz; the line takes {RATES_HZ[0]} to {RATES_HZ[1]} Hz")
            if channel is not None and not 1 <= channel <= file.channels:
                raise ConfigError(f"{path}: no channel {channel}; it has {file.channels}, counted from 1")
            rate: int = file.samplerate
            blocks, power, mixed_power = _mono_blocks(file, channel)
    except (soundfile.SoundFileError, OSError) as error:
        raise ConfigError(f"{path}: not readable as audio ({error}); give a WAV, FLAC, OGG or MP3 file") from error
    if not blocks:
        raise ConfigError(f"{path}: holds no samples")
    if channel is None and mixed_power < power * _CANCELLED:
        raise ConfigError(
            f"{path}: its channels cancel each other out (one is the other with its sign changed); choose one with "
            "--channel 1"
        )
    mono = np.concatenate(blocks)
    samples = mono if rate == RATE else convert(mono, rate, RATE)
    if not np.isfinite(samples).all():
        raise ConfigError(f"{path}: holds samples that are no numbers; export it again as 16-bit WAV")
    return samples


def _mono_blocks(file: soundfile.SoundFile, channel: int | None) -> tuple[list[Samples], float, float]:
    """Return the blocks of one channel or of the mean of all, and the energy of the mean channel and of the blocks.

    A long recording with many channels is never held whole in float64. Compressed WAV such as GSM cannot seek, so its
    length is not asked for: it is read until nothing comes.
    """
    blocks: list[Samples] = []
    energy = mixed_energy = 0.0
    while (block := file.read(file.samplerate, dtype="float64", always_2d=True) * 32768.0).size:
        mono: Samples = block.mean(axis=1) if channel is None else block[:, channel - 1]
        blocks.append(mono)
        energy += float(np.mean(np.sum(block * block, axis=0)))
        mixed_energy += float(np.sum(mono * mono))
    return blocks, energy, mixed_energy


def _check_outputs(in_path: Path, out_path: Path, report_path: Path | None) -> None:
    """Refuse before any work what could not be written after it."""
    if out_path.suffix.lower() != ".wav":
        raise ConfigError(f"{out_path}: the line writes WAV; name the output something.wav")
    for path in (out_path,) if report_path is None else (out_path, report_path):
        if path.is_dir() or not path.parent.is_dir():
            raise ConfigError(f"{path}: not a file in an existing folder; make the folder, or name another file")
        if path.resolve() == in_path.resolve():
            raise ConfigError(f"{path}: is the input; name another file, so that the recording is kept")
