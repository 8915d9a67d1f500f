"""A caller's part, read out of the prompt that a language model gets: nothing else is known of the task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from voicebench.serve.chat import BadRequest

__all__ = ["Line", "Part", "PartFact", "read_part"]

_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_FACT = re.compile(r'^- your (?P<name>.+?), written (?P<value>.+?)(?: \(one asks: "(?P<question>.*)"\))?$')
_FORM = re.compile(r"^  \d+\. (?P<form>.+)$")
_LINE = re.compile(r"^- If [^()]+ \((?P<trigger>[^()]+)\)(?P<limits>, .*?)? -> (?P<what>.+)$")
_TIMES = re.compile(r"at most (\d+) times?")
_BREAK_IN = re.compile(r"break in after (\d+) words")
_AFTER = re.compile(r'after you have ((?:said "[^"]*"|given [\w ]+?)(?: or (?:said "[^"]*"|given [\w ]+?))*)(?=, |$)')
_DONE = re.compile(r'said "(?P<said>[^"]*)"|given (?P<given>[\w ]+?)(?= or |$)')
_SAY = re.compile(r'(?:^| and )say "(?P<say>.*)"$')
_HANG_UP = re.compile(r"^You hang up as soon as [^()]+ \((?P<trigger>[^()]+)\)(?P<limits>, .*)?\.$", re.MULTILINE)
_FORBIDDEN = re.compile(r"^- anything in which [^()]+ \((?P<what>[^()]+)\)", re.MULTILINE)


@dataclass(frozen=True)
class PartFact:
    """A thing that the caller knows; ``question`` is what one asks for it, empty if that is not said."""

    name: str
    value: str
    question: str
    forms: tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """A line of the part: what is done when something was heard or asked.

    Attributes:
        trigger: the few words by which the prompt calls it.
        after: sentences of which one must have been said before, once for each condition.
    """

    kind: Literal["heard", "asked"]
    trigger: str
    give: tuple[str, ...] = ()
    say: str = ""
    times: int | None = None
    after: tuple[tuple[str, ...], ...] = ()
    break_in: int | None = None


@dataclass(frozen=True)
class Part:
    """All that a caller has to know; ``forbidden`` is named by a few words, as triggers are."""

    story: str
    opening: str
    facts: Mapping[str, PartFact]
    lines: tuple[Line, ...]
    forbidden: tuple[str, ...]
    hangs_up: Line
    closing: str
    give_up: str


def read_part(prompt: str) -> Part:
    """Read the part.

    Raises:
        BadRequest: a section that the caller needs is missing or empty.
    """
    sections = _sections(prompt)
    hangs_up = _HANG_UP.search(sections.get("When you hang up", ""))
    if hangs_up is None:
        raise _missing("When you hang up")
    facts = _facts(_section(sections, "What you know"))
    return Part(
        story=_section(sections, "Your story"),
        opening=_sentence(sections, "Your first sentence"),
        facts=facts,
        lines=(
            *_lines("heard", _rows(sections, "What you listen for"), facts),
            *_lines("asked", _rows(sections, "What you answer"), facts),
        ),
        forbidden=tuple(match["what"] for match in _FORBIDDEN.finditer(_section(sections, "What you never say"))),
        hangs_up=Line("heard", hangs_up["trigger"], after=_after(hangs_up["limits"] or "", facts)),
        closing=_sentence(sections, "Your last sentence"),
        give_up=_sentence(sections, "When nothing works"),
    )


def _sections(prompt: str) -> dict[str, str]:
    pieces = _SECTION.split(prompt)
    return {heading.strip(): text.strip() for heading, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def _section(sections: Mapping[str, str], heading: str) -> str:
    if not sections.get(heading):
        raise _missing(heading)
    return sections[heading]


def _rows(sections: Mapping[str, str], heading: str) -> list[str]:
    return _section(sections, heading).splitlines()


def _sentence(sections: Mapping[str, str], heading: str) -> str:
    """Return the sentence that a section is about: its last line, after what is said of it."""
    rows = _rows(sections, heading)
    if len(rows) < 2:
        raise _missing(heading)
    return rows[-1].strip()


def _missing(heading: str) -> BadRequest:
    return BadRequest(
        f"the model 'reader' plays the caller whose part is the first message, and finds no section {heading!r} there",
        param="messages",
    )


def _facts(text: str) -> dict[str, PartFact]:
    facts: dict[str, PartFact] = {}
    for row in text.splitlines():
        if found := _FACT.match(row):
            facts[found["name"]] = PartFact(found["name"], found["value"], found["question"] or "", ())
        elif (form := _FORM.match(row)) and facts:
            last = facts[next(reversed(facts))]
            facts[last.name] = PartFact(last.name, last.value, last.question, (*last.forms, form["form"]))
    return facts


def _lines(kind: Literal["heard", "asked"], rows: Sequence[str], facts: Mapping[str, PartFact]) -> Iterator[Line]:
    yield from (_line(kind, match, facts) for match in map(_LINE.match, rows) if match)


def _line(kind: Literal["heard", "asked"], match: re.Match[str], facts: Mapping[str, PartFact]) -> Line:
    limits, what = match["limits"] or "", match["what"]
    say = _SAY.search(what)
    given = what[: say.start()] if say else what
    times, break_in = _TIMES.search(limits), _BREAK_IN.search(limits)
    return Line(
        kind=kind,
        trigger=match["trigger"],
        give=_names(given.removeprefix("give ")),
        say=say["say"] if say else "",
        times=int(times[1]) if times else None,
        after=_after(limits, facts),
        break_in=int(break_in[1]) if break_in else None,
    )


def _names(given: str) -> tuple[str, ...]:
    return tuple(name.removeprefix("your ") for name in given.split(" and ") if name)


def _after(limits: str, facts: Mapping[str, PartFact]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(text for done in _DONE.finditer(match[1]) for text in _sentences(done, facts))
        for match in _AFTER.finditer(limits)
    )


def _sentences(done: re.Match[str], facts: Mapping[str, PartFact]) -> Iterator[str]:
    """Yield the sentences by which something is known to be done: what was to be said, or any form of a fact."""
    if done["given"] is None:
        yield done["said"]
    else:
        yield from (form for name in _names(done["given"]) if name in facts for form in facts[name].forms)
