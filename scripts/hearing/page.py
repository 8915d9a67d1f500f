"""docs/asr.md: tables of what was heard right, from the stored recognitions and today's normalizer."""

from __future__ import annotations

import math
import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import score
from items import FORMS, KINDS, VOICES, Utterance
from measure import LINES, MODELS, WINDOWS, Hearing

__all__ = ["render"]

CONCLUSIONS = Path(__file__).with_name("conclusions.md")
NUMBERS = ("id", "digits", "phone")
Z = 1.96
EXAMPLES = 2


@dataclass(frozen=True)
class Row:
    """One hearing of one utterance, judged."""

    said: Utterance
    heard: Hearing
    right: bool


def render(utterances: Sequence[Utterance], hearings: Iterable[Hearing]) -> str:
    """Return the page in Markdown."""
    said = {one.id: one for one in utterances}
    rows = [Row(said[one.utterance], one, score.is_right(said[one.utterance], one.text)) for one in hearings]
    main = [row for row in rows if row.heard.line == LINES[0] and row.heard.window == WINDOWS[0]]
    sections = [
        _introduction(utterances, rows),
        CONCLUSIONS.read_text(encoding="utf-8").strip(),
        "## Model, window, line",
        _conditions(rows),
        "Base against tiny.en on the same utterances:",
        _duel(rows),
        f"## By kind (`{LINES[0]}`, `{WINDOWS[0]}`)",
        _by(main, "kind", KINDS, lambda row: row.said.kind),
        f"## By voice (`{LINES[0]}`, `{WINDOWS[0]}`)",
        _by(main, "voice", VOICES, lambda row: row.said.voice),
        f"## By form (`{LINES[0]}`, `{WINDOWS[0]}`)",
        "Digits, with or without letters (kinds id, digits, phone):",
        _by([row for row in main if row.said.kind in NUMBERS], "form", FORMS["id"], lambda row: row.said.form),
        "Ids by their format:",
        _by(
            [row for row in main if row.said.kind == "id"],
            "format",
            dict.fromkeys(one.format for one in utterances if one.kind == "id"),
            lambda row: row.said.format,
        ),
        "Each form of each kind:",
        _by_form(main),
        f"## Typical errors (`{LINES[0]}`, `{WINDOWS[0]}`)",
        _errors(main),
    ]
    return "\n\n".join(sections) + "\n"


def _introduction(utterances: Sequence[Utterance], rows: Sequence[Row]) -> str:
    values = len({(one.kind, one.value) for one in utterances})
    part = len({row.said.id for row in rows if row.heard.window == WINDOWS[1]})
    kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(one.kind for one in utterances).items())
    paragraphs = (
        "Made by `scripts/hear`; `scripts/hear --render` makes the page again from the recognitions that are stored. "
        f"{values} values drawn by a seed were said in up to three forms each, each form by another of five "
        f"voices, so that every voice speaks every kind: {len(utterances)} utterances ({kinds}). They went over the "
        "caller's leg of a line as in a call: pauses cut to 200 ms, 0.2 s before the first word, 0.6 s after the last. "
        f"Both models heard all of them over both lines in fitted windows (`fit`), and {part} of them, drawn by the "
        "same seed, in windows of 30 s too; greedy, int8, one thread of a CPU.",
        "*Right* means that the first value which `voicebench.language.extract` finds in the recognised text equals "
        "the one that was said, by the rule of its type: every digit and every letter of an id; a name by its sound. A "
        "street is right when its number is equal and its words sound alike. No digit is corrected. In brackets stands "
        "the 95 % interval (Wilson); utterances of one value are not independent, so it is somewhat too narrow. What "
        "was said and heard is in `docs/data/asr_items.csv` and `docs/data/asr.csv`; a change of the normalizer alters "
        "this page without hearing anything again.",
    )
    return "\n\n".join(["# What the recognizers hear", *(textwrap.fill(paragraph, 120) for paragraph in paragraphs)])


# ---- tables -------------------------------------------------------------------------------------------------------


def _table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _share(rows: Sequence[Row]) -> str:
    """Return share and interval in percent, "83 (78 to 87)"."""
    count = len(rows)
    if not count:
        return "-"
    share = sum(row.right for row in rows) / count
    middle = (share + Z * Z / (2 * count)) / (1 + Z * Z / count)
    half = Z / (1 + Z * Z / count) * math.sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    return f"{100 * share:.0f} ({100 * max(0.0, middle - half):.0f} to {100 * min(1.0, middle + half):.0f})"


def _conditions(rows: Sequence[Row]) -> str:
    """Compare all conditions; those with windows of 30 s are a part, so ``fit`` is shown on that part too."""
    part = {row.said.id for row in rows if row.heard.window == WINDOWS[1]}
    body = []
    for line in LINES:
        for model in MODELS:
            for window in WINDOWS:
                own = [row for row in rows if row.heard.condition == (line, model, window)]
                shared = [row for row in own if row.said.id in part]
                dropped = sum(bool(row.heard.filtered) for row in own)
                cpu = sorted(row.heard.cpu_ms / 1000 for row in own)
                body.append(
                    [
                        *(line, model, window, str(len(own)), _share(own), _share(shared)),
                        *(str(dropped), f"{sum(cpu) / len(cpu):.2f}", f"{cpu[int(0.95 * (len(cpu) - 1))]:.2f}"),
                    ]
                )
    head = [
        "line",
        "model",
        "window",
        "heard",
        "right, %",
        f"right of the same {len(part)}, %",
        "dropped as hallucinated",
    ]
    return _table([*head, "CPU s", "95 % under"], body)


def _duel(rows: Sequence[Row]) -> str:
    """Count on which utterances only one of two models was right, with the exact binomial test."""
    body = []
    for line in LINES:
        right: dict[str, dict[str, bool]] = defaultdict(dict)
        for row in rows:
            if row.heard.line == line and row.heard.window == WINDOWS[0]:
                right[row.said.id][row.heard.model] = row.right
        counts = Counter((one[MODELS[0]], one[MODELS[1]]) for one in right.values())
        only = counts[True, False], counts[False, True]
        body.append([line, *map(str, (counts[True, True], *only, counts[False, False])), f"{_binomial(*only):.3f}"])
    return _table(["line", "both right", f"only {MODELS[0]}", f"only {MODELS[1]}", "neither", "p"], body)


def _binomial(left: int, right: int) -> float:
    """Return the two-sided probability of a split at least as uneven, if both sides were as likely."""
    total = left + right
    tail = sum(math.comb(total, k) for k in range(min(left, right) + 1))
    return min(1.0, 2.0 * tail / 2.0**total) if total else 1.0


def _by(rows: Sequence[Row], name: str, keys: Iterable[Hashable], key: Callable[[Row], Hashable]) -> str:
    body = []
    for one in keys:
        own = [[row for row in rows if key(row) == one and row.heard.model == model] for model in MODELS]
        body.append([f"`{one}`", str(len(own[0])), *(_share(part) for part in own)])
    return _table([name, "utterances", *(f"{model}, %" for model in MODELS)], body)


def _by_form(rows: Sequence[Row]) -> str:
    body = []
    for kind in KINDS:
        for form in FORMS[kind]:
            own = [row for row in rows if (row.said.kind, row.said.form) == (kind, form)]
            models = [[row for row in own if row.heard.model == model] for model in MODELS]
            example = min(own, key=lambda row: row.said.id).said.spoken
            body.append([kind, form, f"“{example}”", str(len(models[0])), *(_share(part) for part in models)])
    return _table(["kind", "form", "such as", "utterances", *(f"{model}, %" for model in MODELS)], body)


def _errors(rows: Sequence[Row]) -> str:
    wrong: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if not row.right:
            wrong[row.said.kind, score.error(row.said, row.heard)].append(row)
    body = []
    for (kind, name), own in sorted(wrong.items(), key=lambda item: (KINDS.index(item[0][0]), -len(item[1]))):
        counts = Counter(row.heard.model for row in own)
        seen = {row.heard.text: row for row in reversed(own) if row.heard.text}
        examples = "; ".join(f"“{row.said.spoken}” → `{row.heard.text}`" for row in list(seen.values())[-EXAMPLES:])
        body.append([kind, name, *(str(counts[model]) for model in MODELS), examples])
    return _table(["kind", "error", *MODELS, "said → heard"], body)
