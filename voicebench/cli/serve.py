"""``voicebench serve``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from voicebench.cli.options import Seed

__all__ = ["app"]

app = typer.Typer(help="Local endpoints.", no_args_is_help=True)


@app.callback()
def root() -> None:
    """Local endpoints."""


@app.command("agent")
def agent(
    model: Annotated[
        str,
        typer.Option(
            "--model",
            metavar="M",
            help="reference, or a baseline: call_all, random, refuse, silent, transfer_all; as caller: reader.",
            show_default="reference, as caller reader",
        ),
    ] = "",
    role: Annotated[
        Literal["agent", "caller"], typer.Option("--as", help="Which party of a call the model plays.")
    ] = "agent",
    script: Annotated[
        Path | None, typer.Option("--script", metavar="FILE", help="Play these steps (YAML or JSON) instead.")
    ] = None,
    port: Annotated[int, typer.Option("--port", help="On the loopback interface; 0 takes a free one.")] = 0,
    ttft_ms: Annotated[float, typer.Option("--ttft-ms", help="Mean time to the first chunk.")] = 300.0,
    ttft_sd_ms: Annotated[float, typer.Option("--ttft-sd-ms", help="Its standard deviation.")] = 0.0,
    token_ms: Annotated[float, typer.Option("--token-ms", help="Time between two chunks.")] = 0.0,
    seed: Seed = 0,
    with_parent: Annotated[bool, typer.Option("--with-parent", help="End when standard input closes.")] = False,
    fault: Annotated[
        str | None,
        typer.Option(
            "--fault", metavar="KIND[:RATE]", help="Fail on purpose in this share of calls; a wrong kind lists all."
        ),
    ] = None,
    fault_seed: Annotated[int, typer.Option("--fault-seed", help="Seed of which calls and requests are hit.")] = 0,
    fault_tries: Annotated[
        int | None, typer.Option("--fault-tries", help="Tries of a request that are hit; all unless given.")
    ] = None,
    caller_fault: Annotated[
        str | None,
        typer.Option("--caller-fault", metavar="KIND", help="A caller breaks this rule; a wrong kind lists all."),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option("--task", metavar="[PACK/]TASK", help="What a caller plays in runs that have its address."),
    ] = None,
) -> None:
    """Serve a local agent behind the OpenAI chat protocol; prints its address as one JSON line."""
    from voicebench.serve import AgentServerOptions
    from voicebench.serve.agent import serve_agent

    options = AgentServerOptions(
        model=model,
        role=role,
        script=script,
        port=port,
        ttft_ms=ttft_ms,
        ttft_sd_ms=ttft_sd_ms,
        token_ms=token_ms,
        seed=seed,
        with_parent=with_parent,
        fault=fault,
        fault_seed=fault_seed,
        fault_tries=fault_tries,
        caller_fault=caller_fault,
        task=task,
    )
    serve_agent(options)


@app.command("realtime")
def realtime(
    model: Annotated[
        str, typer.Option("--model", metavar="M", help="What it thinks with: a local model, or one at --chat-url.")
    ] = "reference",
    script: Annotated[
        Path | None, typer.Option("--script", metavar="FILE", help="Play these steps (YAML or JSON) instead.")
    ] = None,
    chat_url: Annotated[
        str | None,
        typer.Option("--chat-url", metavar="URL", help="Chat server to think with; OPENAI_API_KEY is its key."),
    ] = None,
    port: Annotated[int, typer.Option("--port", help="On the loopback interface; 0 takes a free one.")] = 0,
    ttft_ms: Annotated[float, typer.Option("--ttft-ms", help="Mean time to a local model's first chunk.")] = 300.0,
    ttft_sd_ms: Annotated[float, typer.Option("--ttft-sd-ms", help="Its standard deviation.")] = 0.0,
    seed: Seed = 0,
    voice: Annotated[str, typer.Option("--voice", help="What it speaks with; a session may ask for another.")] = "joe",
    asr_model: Annotated[str, typer.Option("--asr-model", help="What it hears with.")] = "base",
    with_parent: Annotated[bool, typer.Option("--with-parent", help="End when standard input closes.")] = False,
    fault: Annotated[
        str | None,
        typer.Option(
            "--fault", metavar="KIND[:RATE]", help="Fail on purpose in this share of sessions; a wrong kind lists all."
        ),
    ] = None,
    fault_seed: Annotated[int, typer.Option("--fault-seed", help="Seed of which sessions are hit.")] = 0,
) -> None:
    """Serve OpenAI's realtime protocol, made of local models; prints its address as one JSON line."""
    from voicebench.serve import RealtimeServerOptions
    from voicebench.serve.realtime.server import serve_realtime

    options = RealtimeServerOptions(
        model=model,
        script=script,
        chat_url=chat_url,
        port=port,
        ttft_ms=ttft_ms,
        ttft_sd_ms=ttft_sd_ms,
        seed=seed,
        voice=voice,
        asr_model=asr_model,
        with_parent=with_parent,
        fault=fault,
        fault_seed=fault_seed,
    )
    serve_realtime(options)
