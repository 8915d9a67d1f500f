"""Options that several verbs share, and how flags become settings of a pipeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from voicebench.config import Pipeline

__all__ = ["BaseUrl", "Channel", "Json", "Line", "Model", "Out", "Seed", "Set", "configured"]

Model = Annotated[
    str | None, typer.Option("--model", metavar="M", help="Model under test: agent.llm.model, or agent.model.")
]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="OpenAI-compatible address it answers at.")
]
Line = Annotated[str | None, typer.Option("--line", metavar="PRESET", help="Line preset; see `voicebench line list`.")]
Channel = Annotated[Literal["audio", "text"] | None, typer.Option("--channel", help="How the parties hear each other.")]
Seed = Annotated[int, typer.Option("--seed", metavar="S", help="Everything random follows from it.")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Any key of the pipeline; may be repeated.")
]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder of the run; default runs/RUN-ID.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output, and nothing else there.")]


def configured(
    pipeline: str,
    settings: list[str] | None,
    *,
    model: str | None = None,
    base_url: str | None = None,
    line: str | None = None,
    channel: str | None = None,
) -> Pipeline:
    """Load a pipeline with what the flags say on top."""
    from voicebench.config import load_pipeline

    flags = {"line.preset": line, "channel": channel}
    overrides = [f"{key}={json.dumps(value)}" for key, value in flags.items() if value is not None]
    return load_pipeline(pipeline, [*(settings or []), *overrides], model=model, base_url=base_url)
