"""``voicebench voices``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voicebench.cli.options import Json, Seed
from voicebench.cli.output import print_json, print_table

__all__ = ["app"]

app = typer.Typer(help="The voices of callers and agents.", no_args_is_help=True)


@app.command("list")
def list_voices(as_json: Json = False) -> None:
    """List all voices."""
    from voicebench.speech.voices import voice_names, voice_spec

    specs = [voice_spec(name) for name in voice_names()]
    if as_json:
        print_json({"voices": [spec.model_dump(mode="json") for spec in specs]})
    else:
        rows = [(spec.name, spec.engine, f"{spec.sample_rate} Hz", spec.licence, spec.description) for spec in specs]
        print_table(("name", "engine", "rate", "licence", "description"), rows)


@app.command("say")
def say(
    voice: Annotated[str, typer.Argument(metavar="VOICE")],
    text: Annotated[str, typer.Argument(metavar="TEXT")],
    out: Annotated[Path, typer.Argument(metavar="OUT.wav", help="16 kHz, mono, 16 bit.")],
    seed: Seed = 0,
) -> None:
    """Speak a text into a WAV file."""
    import soundfile

    from voicebench.errors import ConfigError
    from voicebench.speech.tts import load_voice

    samples = load_voice(voice).synthesize(text, seed=seed)
    try:
        soundfile.write(out, samples, 16_000, subtype="PCM_16", format="WAV")
    except (OSError, soundfile.SoundFileError) as error:
        raise ConfigError(f"{out}: cannot be written ({error}); give another path") from error
    typer.echo(f"{out}: {len(samples) / 16_000:.2f} s")
