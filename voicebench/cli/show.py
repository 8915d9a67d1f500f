"""``voicebench show`` and ``voicebench view``: a stored call on the terminal, and runs as pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voicebench.cli.options import Json
from voicebench.cli.output import print_json, print_lines, print_table, seconds, tick

if TYPE_CHECKING:
    from voicebench.record.call import CallRecord
    from voicebench.record.transcript import LegWordErrors, TurnWordErrors
    from voicebench.record.verdict import ToolCalls
    from voicebench.store import StoredCall

__all__ = ["show", "view"]

RIGHT = {True: "right", False: "WRONG", None: "-"}


def show(
    call_dir: Annotated[Path, typer.Argument(metavar="CALL_DIR", help="An attempt's folder, as `run` prints it.")],
    as_json: Json = False,
) -> None:
    """Show one call: verdict, tool calls, path, database, transcript, latencies."""
    from voicebench.store import read_call
    from voicebench.stored import call_details

    stored = read_call(call_dir)
    if as_json:
        print_json(call_details(stored))
        return
    call = stored.call
    print_lines(describe(call))
    if call.tool_calls is not None:
        print_tools(call.tool_calls)
    print_path(call)
    print_transcript(call)
    print_said(call)
    print_lines(f"beside the verdict: {claim.sentence}" for claim in call.claim_checks)
    print_lines(latencies(stored))


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


def describe(call: CallRecord) -> list[str]:
    """Say which call it is, its verdict, and what each gate found."""
    from voicebench.store import SCORING_VERSION
    from voicebench.stored.results import HUNG_UP

    reason = f" ({call.reason})" if call.reason else ""
    kind = "" if call.voided_by is None else f" by {call.voided_by}"
    lines = [f"{call.pack}/{call.task} trial {call.trial}: {call.verdict}{kind}{reason}"]
    if call.scored_by != SCORING_VERSION:
        lines.append(f"  scored by version {call.scored_by} of the rules; `voicebench score` applies {SCORING_VERSION}")
    if call.hung_up:
        lines.append(f"  {HUNG_UP}, at {seconds(call.service_began_s)}: the trial is not passed")
    if call.caller_voice:
        lines.append(f"  the caller's voice: {call.caller_voice}")
    if call.attribution is not None:
        lines.append(f"  cause: {call.attribution.cause}. {call.attribution.sentence}")
    for name, gate in call.gates or ():
        lines.append(f"  {name:<9} {tick(gate.passed)}  reward {gate.reward:.2f}")
        lines += [f"            {reason}" for reason in gate.reasons]
    return lines


def print_tools(found: ToolCalls) -> None:
    """Print expected tool calls and handoffs, and those that were made."""
    from voicebench.packs.templates import in_words

    rows = []
    for row in found.rows:
        expected, actual = "-", "-"
        if row.expected is not None:
            wanted = ", ".join(f"{key}={in_words(value)}" for key, value in row.expected.arguments.items())
            expected = f"{row.expected.name}({wanted})"
        if row.actual is not None:
            given = getattr(row.actual, "arguments", {})  # a handoff has none
            made = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in given.items())
            actual = f"{row.actual.name}({made})"
        rules = "; ".join(argument.rule for argument in row.arguments)
        rows.append((expected, actual, "yes" if row.gating else "", rules or row.reason))
    if rows:
        print_table(("expected", "actual", "gates", "rule"), rows, title="tool calls and handoffs")
    lists = (("missing", found.missing), ("parameter miss", found.parameter_miss), ("extra", found.extra))
    print_lines(f"{label}: {', '.join(names)}" for label, names in lists if names)


def print_path(call: CallRecord) -> None:
    """Print the handoffs, and what differs in the database."""
    sides = (
        {"expected": call.path.expected, "actual": call.path.actual} if call.path else {"expected": (), "actual": ()}
    )
    print_lines(f"path {side}: {' → '.join(tools) or 'no handoff'}" for side, tools in sides.items())
    if call.gates is not None and not call.state_diff:
        print_lines(["database: as expected"])
    for row in call.state_diff:
        rows = (("expected", row.expected), ("actual", row.actual))
        shown = "; ".join(f"{side} {values}" for side, values in rows if values is not None)
        print_lines([f"database: {row.kind} · {row.table} · {row.count}: {shown}"])


def print_transcript(call: CallRecord) -> None:
    """Print what was said and heard, the word errors, and the facts."""
    rows = [
        (seconds(turn.start_s), turn.speaker, turn.spoken or turn.intended, turn.heard, counted(turn.word_errors))
        for turn in call.transcript
    ]
    print_table(("at", "who", "said", "was heard as", "word errors"), rows, title="transcript")
    for leg, errors in call.word_errors or ():
        if errors is not None:
            print_lines([f"word errors {leg}: {counted(errors)} ({errors.rate or 0:.0%})"])
    facts = [
        (seconds(one.start_s), one.speaker, one.fact, one.said, one.understood or "-", RIGHT[one.right], one.used)
        for one in call.fact_mentions
        if one.right is not None
    ]
    if facts:
        print_table(("at", "who", "fact", "said as", "heard as", "", "used"), facts, title="facts")


def print_said(call: CallRecord) -> None:
    """Print what the agent had to say, and not to say, and whether it kept to that."""
    if call.said is not None and call.said.of:
        rows = [(one.duty, tick(one.kept), seconds(one.at_s), one.why) for one in call.said.duties]
        title = f"said: {call.said.kept} of {call.said.of} duties kept (it gates nothing)"
        print_table(("duty", "kept", "at", "why"), rows, title=title)


def counted(errors: TurnWordErrors | LegWordErrors | None) -> str | None:
    """Write a count of word errors."""
    if errors is None:
        return None
    return f"{errors.substitutions + errors.deletions + errors.insertions} of {errors.words}"


def latencies(stored: StoredCall) -> list[str]:
    """Say how long the call took, its latencies, and where the recording is."""
    from voicebench.stored import answered_turns

    call = stored.call
    lines = [f"call {seconds(call.call_s)}, {seconds(call.wall_s)} of wall time, {seconds(call.cpu_s)} of CPU"]
    shown = ((call.ttft_ms, "TTFT"), (call.v2v_ms, "V2V"), (call.first_audio_ms, "first audio"))
    for found, label in (*shown, (call.yield_ms, "time to yield")):
        if found is not None and found.p50 is not None:
            lines.append(f"{label} p50 {found.p50:.0f} ms, p95 {found.p95:.0f} ms")
    if call.talk_over_s:
        lines.append(f"both spoke for {seconds(call.talk_over_s)}")
    if call.missed_turns is not None:
        lines.append(f"turns of the caller without an answer: {call.missed_turns}")
    if call.comprehension is not None and call.comprehension.heard:
        turns = call.comprehension
        lines.append(f"turns of the agent that the caller did not understand: {turns.not_understood} of {turns.heard}")
    if call.ticks is not None and call.ticks.worst_ms:
        ticks = call.ticks
        lines.append(f"{ticks.late} of {ticks.n} ticks late, the worst by {ticks.worst_ms:.0f} ms")
    for turn in answered_turns(stored):
        parts = ", ".join(f"{name} {ms} ms" for name, ms in turn.parts_ms.items() if ms)
        lines.append(f"  at {turn.caller_end_s:.1f} s: {turn.v2v_ms:.0f} ms = {parts}")
    return [*lines, f"recording: {stored.recording.resolve()}"] if stored.recording.exists() else lines
