"""The prompt of a caller that a language model plays: its part, from the task alone.

The text is versioned, because another prompt is another caller: whoever changes a word of it raises ``PROMPT_VERSION``
and, with it, what ``caller.llm.prompt`` may be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from voicebench.packs.models import AnswerRule, CallerScript, FactSpec, Forbid, PackSpec

__all__ = ["HEADINGS", "PROMPT_VERSION", "caller_prompt"]

PROMPT_VERSION = 1

HEADINGS = (
    "Your story",
    "Your first sentence",
    "What you know",
    "What you answer",
    "What you never say",
    "When you hang up",
    "Your last sentence",
    "When nothing works",
    "How you talk",
    "Waiting and hanging up",
)
"""The sections in their order."""

_WHO = """\
You are the caller in a telephone call. You have phoned a company because you want something from it, and everything
below is your part. What comes to you as user messages is what you hear the company say, written down by ear: a word in
it may be wrong. What you write is spoken into the telephone exactly as it stands. You are a customer and a human being.
You are never the company, never an assistant, and you help nobody."""

_FIRST = """\
However you are greeted, the first thing that you say in the call is this sentence, word for word, with nothing before
it and nothing after it:"""

_KNOW = """\
This is all that you know. Give a thing only when you are asked for it, and give it at once when you are. Say it the
first way; if you are asked for the same thing again, or it was taken down wrong, say it the next way."""

_ANSWER = """\
Listen to the whole of what is said before you answer. The words behind "hear" and "asked" are only catchwords: take
them in the sense of your story, however it is put. If a line with "hear" fits, the first such line is your answer. If
none does, answer every line with "asked" that fits, all in one breath. Keep close to the words that are given; you may
turn a sentence so that it fits the question, and never so that it means something else."""

_NEVER = """\
- anything that a person of the company would say: no greeting as the company, no offer to help, no looking things up,
  no question for a name or a number, no word on what the company can do
- a number, a name, a date, an amount or an address that is neither in your part nor was told to you in this call
- that you want something else than what your story says: no other request, no second wish, no bargain
- only okay, only sure or only thanks as the answer to a question"""

_STAY = """\
Until then you never hang up, whatever is offered to you and however often. A promise to do it, an offer, or the
question whether it shall be done is not yet that. Once it has happened you hang up at once, even if something else is
asked in the same breath: say your last sentence and nothing else."""

_LAST = """\
Say this, word for word, immediately before you hang up, and at no other time:"""

_NOTHING = """\
If for the third time in a row you are not understood, or cannot make out what is said, say this, word for word, and
hang up:"""

_TALK = """\
- One or two short sentences at a time, as people talk on the telephone. No lists, no headings, no stage directions.
- Stay with the one request of your story. If you are offered a call back, another ticket or appointment, a person or a
  repair that your story does not ask for, say in one sentence that you do not want that, and what you want.
- Answer what was asked, with the details that you have: who asks which order gets its number, who asks why gets the
  reason. If you are asked for something that is not in your part, say
  that you would rather not give it or do not know it, and what you can give instead. Never make something up.
- Say numbers and codes in words, digit by digit, the way they are written for you above.
- If you are asked to spell something, spell it letter by letter with commas between the letters.
- If something of yours is read back to you, compare it. If it is right, say "Yes, that's right." If it is wrong, say
  "No, it is" and the right one.
- If you did not catch what was said, ask for it again: "Sorry, could you say that again?"
- If you are asked whether you are still there, say that you are, and what you are waiting for.
- If they take leave of you before you have got what you wait for, say what you still need."""

_ACTS = """\
- If nothing is asked of you and you are to wait ("one moment, please", "let me look that up", "thank you for that"), or
  the other side has clearly not finished, write only [WAIT]. You then say nothing and hear what comes next. Never write
  [WAIT] when something was asked, nor when it is time to hang up.
- To hang up, write your last sentence and then [HANG UP]. Nothing else ends the call.
- A message that begins with [STILL SPEAKING] is the beginning of something that goes on. Answer it only where a line
  under "What you answer" tells you to break in; else write [WAIT].
- A message that is only [UNCLEAR] is something that you heard and could not make out."""


def caller_prompt(script: CallerScript, spec: PackSpec) -> str:
    """Return the system prompt.

    Args:
        script: the caller's part of the case; nothing else of the case is used.
        spec: the pack's, for the questions that are asked about facts.
    """
    sections = (
        script.brief.strip(),
        f"{_FIRST}\n\n{script.opening}",
        "\n".join([_KNOW, "", *_facts(script, spec)]),
        "\n".join([_ANSWER, "", *(_answer(rule, script.answers) for rule in script.answers)]),
        "\n".join([_NEVER, *(_forbidden(forbid, script.answers) for forbid in script.forbids)]),
        f"{_hang_up(script)}\n\n{_STAY}",
        f"{_LAST}\n\n{script.closing}",
        f"{_NOTHING}\n\n{script.give_up}",
        _TALK,
        _ACTS,
    )
    written = (f"## {heading}\n\n{text}" for heading, text in zip(HEADINGS, sections, strict=True))
    return "\n\n".join([_WHO, *written]) + "\n"


def _facts(script: CallerScript, spec: PackSpec) -> Iterator[str]:
    for name, fact in script.facts.items():
        asked = _question(spec.facts.get(name))
        yield f"- your {_plain(name)}, written {fact.value}{asked}"
        yield from (f"  {number}. {form}" for number, form in enumerate(fact.forms, start=1))


def _question(spec: FactSpec | None) -> str:
    return "" if spec is None else f' (one asks: "{spec.question}")'


def _answer(rule: AnswerRule, rules: Sequence[AnswerRule]) -> str:
    """Return the line of one rule: when it holds, what is given and said, and how often."""
    trigger = f"hear: {_plain(rule.heard)}" if rule.heard else f"are asked: {_plain(rule.asked or '')}"
    limits = [f"after {_marked(mark, rules)}" for mark in rule.needs]
    limits += [f"at most {rule.times} time{'s' if rule.times > 1 else ''}"] if rule.times is not None else []
    limits += [f"break in after {rule.interrupt_after_words} words"] if rule.interrupt_after_words is not None else []
    given = " and ".join(f"your {_plain(name)}" for name in rule.give)
    parts = [f"give {given}"] if given else []
    parts += [f'say "{rule.say}"'] if rule.say else []
    return f"- If you {trigger}{''.join(f' ({limit})' for limit in limits)} -> {' and '.join(parts)}"


def _forbidden(forbid: Forbid, rules: Sequence[AnswerRule]) -> str:
    until = f", before {_marked(forbid.before, rules)}" if forbid.before else ""
    but = f", except in your {'first sentence' if forbid.except_ == 'opening' else forbid.except_}"
    return f"- this: {_plain(forbid.said)}{until}{but if forbid.except_ else ''}"


def _hang_up(script: CallerScript) -> str:
    needs = "".join(f", after {_marked(mark, script.answers)}" for mark in script.hangs_up.needs)
    return f"You hang up as soon as you hear: {_plain(script.hangs_up.heard)}{needs}."


def _marked(mark: str, rules: Sequence[AnswerRule]) -> str:
    """Say in the caller's terms when a mark is set: once it has said what goes with it."""
    lines = [rule.say or f"your {' and your '.join(map(_plain, rule.give))}" for rule in rules if rule.sets == mark]
    return "you have said " + " or ".join(f'"{line}"' for line in lines) if lines else f'"{_plain(mark)}"'


def _plain(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=\d)", " ", name.replace("_", " "))
