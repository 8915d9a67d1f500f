"""Make the recordings that ``test_invented_text.py`` listens to: ``python tests/hard/make_data.py``.

What a detector took for a turn, 16 kHz: noise of the line package alone, and short answers in it as base and tiny.en
must still hear them. The voices are not bit-equal on all machines, hence the kept files.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile

from voicebench.line.noise import NoiseSettings, loop
from voicebench.speech.tts import load_voice

DATA = Path(__file__).parent / "data"
RATE = 16_000
SPEECH_DBOV = -26.0

NOISES = {
    "babble-1": ("babble", 1, -26.0, 2.0),
    "babble-2": ("babble", 1, -40.0, 2.0),
    "babble-3": ("babble", 2, -40.0, 2.0),
    "pink": ("pink", 1, -40.0, 2.0),
    "line": ("white", 2, -50.0, 2.0),
    "street": ("street", 1, -40.0, 2.0),
    "car-1": ("car", 2, -26.0, 2.0),
    "car-2": ("car", 4, -26.0, 3.4),
}
"""Kind, seed, level in dBov and seconds; it begins as many seconds into the loop as the seed says."""

ANSWERS = {
    "yes": ("Yes.", "babble", 8.0),
    "no": ("No.", "street", 8.0),
    "nine": ("Nine.", "pink", 15.0),
    "digits": ("two two zero eight", "car", 8.0),
    "bye": ("Okay, bye.", "babble", 15.0),
}
"""What is said, kind of noise, and speech above noise in dB."""


def noise(kind: str, seed: int, dbov: float, begin: int, count: int) -> npt.NDArray[np.float64]:
    unit = loop(NoiseSettings(kind=kind), RATE, np.random.default_rng(seed))
    return np.asarray(unit[begin : begin + count] * 32_768.0 * 10.0 ** (dbov / 20.0), np.float64)


def write(name: str, samples: npt.NDArray[np.float64]) -> None:
    clipped = np.clip(np.rint(samples), -32_768, 32_767).astype(np.int16)
    soundfile.write(DATA / f"{name}.flac", clipped, RATE, subtype="PCM_16", compression_level=1.0)


def main() -> None:
    DATA.mkdir(exist_ok=True)
    for name, (kind, seed, dbov, seconds) in NOISES.items():
        write(f"noise-{name}", noise(kind, seed, dbov, seed * RATE, int(seconds * RATE)))
    for seed, (name, (text, kind, snr_db)) in enumerate(ANSWERS.items()):
        said = load_voice("heart").synthesize(text).astype(np.float64)
        turn = np.concatenate([np.zeros(4_800), said, np.zeros(9_600)])
        write(f"answer-{name}", turn + noise(kind, seed, SPEECH_DBOV - snr_db, 0, len(turn)))


if __name__ == "__main__":
    main()
