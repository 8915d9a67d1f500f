"""``voicebench bench understanding``: what the scripted caller understands of turns that people have labelled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from voicebench.cli.options import Json, Line
from voicebench.cli.output import print_json, print_lines, print_table, progress

if TYPE_CHECKING:
    from voicebench.machine.benches.understanding import Comprehension, HeardTurn, TurnOutcome
    from voicebench.record.json_types import JsonObject

__all__ = ["understanding"]

_OUTCOMES: Mapping[TurnOutcome, str] = {
    "right": "right",
    "unasked": "right, and more than asked",
    "partly": "a part of it",
    "waits": "waits though asked",
    "sorry": "asks to say it again",
    "else": "answers something else",
}


def understanding(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Labelled turns of agents, one JSON object a line.")
    ] = None,
    pack: Annotated[
        str | None, typer.Option("--pack", metavar="P", help="A pack, by name or folder; default: each shipped one.")
    ] = None,
    understanding: Annotated[
        Literal["meaning", "rules"],
        typer.Option("--understanding", help="By what the caller understands, as caller.understanding of a pipeline."),
    ] = "meaning",
    line: Line = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, metavar="N", help="Only so many turns, spread over the file.")
    ] = None,
    misses: Annotated[
        int, typer.Option("--misses", min=0, metavar="N", help="Print so many turns that did not come out right.")
    ] = 0,
    from_run: Annotated[
        list[Path] | None,
        typer.Option("--from", metavar="RUN", help="Print the turns that callers of a run did not understand; repeat."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Count what the scripted caller understands of labelled turns.

    Each turn is heard by itself, by a caller who knows every fact and has an answer to every question of the pack. With
    --line the turns are also spoken by the agent's voice, sent over that line and recognised, and counted again.
    """
    from voicebench.errors import ConfigError

    if (file is None) == (not from_run):
        raise ConfigError("give a FILE of labelled turns, or --from RUN to list turns that are to be labelled")
    if from_run:
        from voicebench.machine.benches.not_understood import turns_not_understood

        for turn in turns_not_understood(from_run):
            print(json.dumps(turn.to_json(), ensure_ascii=False))
    elif file is not None:
        _bench(file, pack, understanding, misses, as_json, line=line, limit=limit)


def _bench(
    file: Path,
    pack: str | None,
    by: Literal["meaning", "rules"],
    misses: int,
    as_json: bool,
    *,
    line: str | None,
    limit: int | None,
) -> None:
    from voicebench.machine.benches.labelled_turns import read_turns
    from voicebench.machine.benches.understanding import comprehension, hear_turns, own_trade
    from voicebench.packs import list_packs, load_pack
    from voicebench.speech.sentence_encoder import load_sentence_encoder

    turns = read_turns(file)
    encoder = load_sentence_encoder() if by == "meaning" else None
    if limit is not None and limit < len(turns):
        turns = [turns[number * len(turns) // limit] for number in range(limit)]
    spoken: dict[str, str] | None = None
    if line is not None:
        from voicebench.machine.benches.spoken_turns import hear_over_line

        with progress("spoken and heard", len(turns)) as tell:
            spoken = hear_over_line(turns, line, tell)
    packs = [load_pack(name) for name in ([pack] if pack else list_packs())]
    counted: dict[str, JsonObject] = {}
    for one in packs:
        heard = hear_turns(one, turns, encoder)
        counts = {"all": comprehension(heard), "own trade": comprehension(own_trade(heard))}
        counted[one.name] = {**counts["all"].to_json(), "own_trade": counts["own trade"].to_json()}
        if spoken is not None:
            over_line = hear_turns(one, turns, encoder, lambda turn: spoken[turn.id])
            counts[f"all over {line}"] = comprehension(over_line)
            counts[f"own trade over {line}"] = comprehension(own_trade(over_line))
            audio = counts[f"all over {line}"].to_json()
            counted[one.name]["audio"] = {**audio, "own_trade": counts[f"own trade over {line}"].to_json()}
        if not as_json:
            print_lines([f"{one.name}: {len(turns)} turns, {counts['all'].measured} call for an answer or for silence"])
            _print_counts(counts)
            _print_misses([turn for turn in heard if turn.outcome not in ("right", None)][:misses])
    if not as_json:
        from voicebench.config.caller import UNDERSTANDING_VERSION
        from voicebench.language.nearest import NEAREST_LIMITS

        limits = ", ".join(f"{name} {value}" for name, value in NEAREST_LIMITS._asdict().items())
        nearest = f"; nearest example sentences: {limits}" if by == "meaning" else ""
        print_lines([f"understanding: {by}, version {UNDERSTANDING_VERSION}{nearest}"])
    else:
        print_json(counted[packs[0].name] if pack else {"packs": counted})


def _print_counts(counts: Mapping[str, Comprehension]) -> None:
    """Print what came of the turns, and by label and intent how many were understood and heard rightly."""
    columns = counts.values()
    shares = {name: [(one.outcomes[key], one.measured) for one in columns] for key, name in _OUTCOMES.items()}
    shares["= not understood (the last two)"] = [(one.not_understood, one.measured) for one in columns]
    shares["statements: asks to say it again"] = [(one.statements_sorry, one.statements) for one in columns]
    shares["turns that need silence: answered"] = [(one.silences_answered, one.silences) for one in columns]
    rows = [(name, *(_share(*share) for share in of_columns)) for name, of_columns in shares.items()]
    print_table(("what the caller did", *counts), rows)
    for title, tables in (
        ("label understood", [one.recall for one in columns]),
        ("intent heard rightly", [one.precision for one in columns]),
    ):
        names = sorted({name for table in tables for name in table})
        cells = [(name, *(_share(*table.get(name, (0, 0))) for table in tables)) for name in names]
        print_table((title, *counts), cells)


def _print_misses(turns: Iterable[HeardTurn]) -> None:
    for one in turns:
        missed, unasked = (", ".join(names) or "-" for names in (one.missed, sorted(one.unasked)))
        print_lines(
            [
                f"{one.turn.id}, {_OUTCOMES[one.outcome or 'right']}: {one.words}",
                f"    missed: {missed}; not asked: {unasked}; caller: {', '.join(sorted(one.reaction))}",
            ]
        )


def _share(count: int, of: int) -> str:
    return f"{count} of {of} ({count / of:.1%})" if of else "-"
