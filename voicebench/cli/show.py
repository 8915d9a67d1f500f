"""``voicebench show`` and ``voicebench view``: a stored call on the terminal, and runs as pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from voicebench.cli.options import Json
from voicebench.cli.output import print_json, print_lines, print_table, seconds, tick

__all__ = ["show", "view"]


def show(
    call_dir: Annotated[Path, typer.Argument(metavar="CALL_DIR", help="An attempt's folder, as `run` prints it.")],
    as_json: Json = False,
) -> None:
    """Show one call: verdict, tool calls, path, database, transcript, latencies."""
    from voicebench.store import read_call
    from voicebench.stored import call_details

    details = call_details(read_call(call_dir))
    if as_json:
        print_json(details)
    else:
        print_lines(_verdict(details))
        _print_tools(details["tool_calls"] or {})
        _print_path(details)
        _print_transcript(details)
        print_lines(f"beside the verdict: {one['sentence']}" for one in details["claim_checks"])
        print_lines(_latencies(details))


def view(
    runs_dir: Annotated[Path, typer.Argument(metavar="[RUNS_DIR]", help="Folder of runs, or of one run.")] = Path(
        "runs"
    ),
    port: Annotated[int, typer.Option("--port", help="TCP port; 0 takes a free one.")] = 8765,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; any but a loopback one lets others read the runs.")
    ] = "127.0.0.1",
    static: Annotated[
        Path | None, typer.Option("--static", metavar="DIR", help="Write the pages as files there, and serve nothing.")
    ] = None,
) -> None:
    """Serve the pages of runs and calls on this machine; it only reads.

    With --static they are written as files, which open in a browser without a server.
    """
    from voicebench.viewer import Site, serve, write_site

    if static is not None:
        pages = write_site(Site(runs_dir), static)
        print_lines([f"{pages} pages: {(static / 'index.html').resolve().as_uri()}"])
        return
    serve(Site(runs_dir), host, port, lambda address: print(f"voicebench pages: {address}  (Ctrl-C ends)", flush=True))


def _verdict(details: dict[str, Any]) -> list[str]:
    reason = f" ({details['reason']})" if details["reason"] else ""
    lines = [f"{details['pack']}/{details['task']} trial {details['trial']}: {details['verdict']}{reason}"]
    if details["caller_voice"]:
        lines.append(f"  the caller's voice: {details['caller_voice']}")
    if details["attribution"]:
        lines.append(f"  cause: {details['attribution']['cause']}. {details['attribution']['sentence']}")
    for name, gate in (details["gates"] or {}).items():
        lines.append(f"  {name:<9} {tick(gate['passed'])}  reward {gate['reward']:.2f}")
        lines += [f"            {reason}" for reason in gate["reasons"]]
    return lines


def _print_tools(tool_calls: dict[str, Any]) -> None:
    from voicebench.packs.templates import in_words

    rows = []
    for row in tool_calls.get("rows", []):
        expected, actual = row["expected"], row["actual"]
        rules = "; ".join(str(argument.get("rule", "")) for argument in row["arguments"])
        sides = (_called(expected, in_words), _called(actual, _as_json))
        rows.append((*sides, "yes" if row["gating"] else "", rules or row["reason"]))
    if rows:
        print_table(("expected", "actual", "gates", "rule"), rows, title="tool calls and handoffs")
    print_lines(
        f"{label}: {', '.join(tool_calls[key])}"
        for key, label in (("missing", "missing"), ("parameter_miss", "parameter miss"), ("extra", "extra"))
        if tool_calls.get(key)
    )


def _called(side: dict[str, Any] | None, written: Callable[[Any], str]) -> str:
    if side is None:
        return "-"
    arguments = ", ".join(f"{key}={written(value)}" for key, value in side.get("arguments", {}).items())
    return f"{side['name']}({arguments})"


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _print_path(details: dict[str, Any]) -> None:
    path = details["path"] or {}
    print_lines(f"path {side}: {' → '.join(path.get(side, [])) or 'no handoff'}" for side in ("expected", "actual"))
    differences = [_difference(row) for row in details["state_diff"] or []]
    print_lines(["database: as expected"] if details["state_diff"] == [] else differences)


def _difference(row: dict[str, Any]) -> str:
    sides = [f"{side} {row[side]}" for side in ("expected", "actual") if row[side] is not None]
    return f"database: {row['kind']} · {row['table']} · {row['count']}: {'; '.join(sides)}"


def _print_transcript(details: dict[str, Any]) -> None:
    rows = [
        (
            seconds(turn["start_s"]),
            turn["speaker"],
            turn["spoken"] or turn["intended"],
            turn["heard"],
            _of(turn["word_errors"]),
        )
        for turn in details["transcript"]
    ]
    print_table(("at", "who", "said", "was heard as", "word errors"), rows, title="transcript")
    for leg, errors in (details["word_errors"] or {}).items():
        if errors is not None:
            print_lines([f"word errors {leg}: {_of(errors)} ({errors['rate'] or 0:.0%})"])
    facts = [
        (seconds(one["start_s"]), one["speaker"], one["fact"], one["said"], one["understood"] or "-", *_judged(one))
        for one in details["fact_mentions"]
        if one["right"] is not None
    ]
    if facts:
        print_table(("at", "who", "fact", "said as", "heard as", "", "used"), facts, title="facts")


def _of(errors: dict[str, Any] | None) -> str | None:
    """Write a count of word errors."""
    if errors is None:
        return None
    return f"{errors['substitutions'] + errors['deletions'] + errors['insertions']} of {errors['words']}"


def _judged(saying: dict[str, Any]) -> tuple[str, Any]:
    return "right" if saying["right"] else "WRONG", saying["used"]


_SHOWN = (("ttft_ms", "TTFT"), ("v2v_ms", "V2V"), ("first_audio_ms", "first audio"), ("yield_ms", "time to yield"))


def _latencies(details: dict[str, Any]) -> list[str]:
    lines = [
        f"call {seconds(details['call_s'])}, {seconds(details['wall_s'])} here, {seconds(details['cpu_s'])} of CPU"
    ]
    for key, label in _SHOWN:
        latency = details.get(key) or {}
        if latency.get("p50") is not None:
            lines.append(f"{label} p50 {latency['p50']:.0f} ms, p95 {latency['p95']:.0f} ms")
    if details.get("talk_over_s"):
        lines.append(f"both spoke for {seconds(details['talk_over_s'])}")
    if details.get("missed_turns") is not None:
        lines.append(f"turns of the caller without an answer: {details['missed_turns']}")
    ticks = details.get("ticks") or {}
    if ticks.get("worst_ms"):
        lines.append(f"{ticks['late']} of {ticks['n']} ticks late, the worst by {ticks['worst_ms']:.0f} ms")
    for turn in details["v2v_parts"]:
        parts = ", ".join(f"{name} {ms} ms" for name, ms in turn["parts_ms"].items() if ms)
        lines.append(f"  at {turn['caller_end_s']:.1f} s: {turn['v2v_ms']:.0f} ms = {parts}")
    recording = Path(details["dir"]) / "recording.wav"
    return [*lines, f"recording: {recording}"] if recording.exists() else lines
