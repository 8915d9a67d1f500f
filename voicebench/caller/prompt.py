"""The prompt of a caller that a language model plays: its part, from the task and what the pack's intents mean.

The text is versioned, because another prompt is another caller: whoever changes a word of it raises ``PROMPT_VERSION``
and, with it, what ``caller.llm.prompt`` may be. Earlier versions are not kept: runs made with them are read and scored,
and no call is made with them again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from voicebench.caller.script import forbids_of
from voicebench.config.caller import Caller
from voicebench.errors import ConfigError
from voicebench.language.intents import IntentKind, Intents
from voicebench.packs.models import AnswerRule, CallerScript, Forbid, PackSpec

__all__ = ["HEADINGS", "PROMPT_VERSION", "caller_prompt", "check_prompt"]

PROMPT_VERSION = 2

HEADINGS = (
    "Your story",
    "Your first sentence",
    "What you know",
    "What you listen for",
    "What you answer",
    "What you never say",
    "When you hang up",
    "Your last sentence",
    "When nothing works",
    "How you talk",
    "Waiting and hanging up",
)
"""The sections in their order."""

_UNEXPLAINED: dict[IntentKind, str] = {
    "asked": "they ask for this",
    "heard": "they tell you this",
    "said": "you say this",
}
"""What is written where the pack does not say what an intent means: its name follows."""

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

_LISTEN = """\
Listen to the whole of what is said before you answer. Each line here and in the next section says when it fits, in
parentheses what it is called, and behind the arrow what you then do. Go by what is meant, in whatever words it comes.
Where a line wants something to have been done, it fits only once they say that it has been done: an offer, an
announcement, or the question whether to do it is not enough. A line "after you have said" something does not fit before
you have said that, and a line "at most" some times fits no more once you have used it that often. Keep close to the
words that are given; you may turn a sentence so that it meets what was said, and never so that it means something else.

What makes you hang up goes before all else. Then look at these lines, from the top. The first that fits is your whole
answer, whatever else was said or asked:"""

_ANSWER = """\
If no line of "What you listen for" fits, answer every one of these that fits, all in one breath:"""

_NEVER = """\
- anything that a person of the company would say: no greeting as the company, no offer to help, no looking things up,
  no question for a name or a number, no word on what the company can do
- a number, a name, a date, an amount or an address that is neither in your part nor was told to you in this call
- that you want something else than what your story says: no other request, no second wish, no bargain
- only okay, only sure or only thanks as the answer to a question"""

_STAY = """\
Until then you never hang up, whatever is offered to you and however often. An offer, the question whether it shall be
done, or the promise to do it later is not yet that, nor is anything else that they have done for you. Once it has
happened you hang up at once, even if something else is asked in the same breath: say your last sentence and nothing
else."""

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
  reason. If you are asked for something that is not in your part, say that you would rather not give it or do not know
  it, and what you can give instead. Never make something up.
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
  that fits tells you to break in; else write [WAIT].
- A message that is only [UNCLEAR] is something that you heard and could not make out."""


def check_prompt(caller: Caller) -> None:
    """Refuse a caller whose pipeline asks for an earlier prompt.

    Raises:
        ConfigError: a model plays it, and its prompt is not the one that there is.
    """
    if caller.kind == "llm" and caller.llm.prompt != PROMPT_VERSION:
        raise ConfigError(
            f"caller.llm.prompt is {caller.llm.prompt}, and callers are now told prompt {PROMPT_VERSION}: set "
            f"caller.llm.prompt={PROMPT_VERSION} for new calls; a call made with an earlier prompt can be read and "
            "scored, and made or replayed only by the version of voicebench that had it"
        )


def caller_prompt(script: CallerScript, spec: PackSpec) -> str:
    """Return the system prompt.

    Args:
        script: the caller's part of the case; nothing else of the case is used.
        spec: the pack's, for the questions that are asked about facts, and for what its intents mean.
    """
    forbids = forbids_of(script, spec, Intents(spec.intents))
    needs = "".join(f", after {_marked(mark, script.answers)}" for mark in script.hangs_up.needs)
    hang_up = f"You hang up as soon as {_when('heard', script.hangs_up.heard, spec)}{needs}."
    sections = (
        script.brief.strip(),
        f"{_FIRST}\n\n{script.opening}",
        "\n".join([_KNOW, "", *_facts(script, spec)]),
        "\n".join([_LISTEN, "", *_rules("heard", script.answers, spec)]),
        "\n".join([_ANSWER, "", *_rules("asked", script.answers, spec)]),
        "\n".join([_NEVER, *(_forbidden(forbid, script.answers, spec) for forbid in forbids)]),
        f"{hang_up}\n\n{_STAY}",
        f"{_LAST}\n\n{script.closing}",
        f"{_NOTHING}\n\n{script.give_up}",
        _TALK,
        _ACTS,
    )
    written = (f"## {heading}\n\n{text}" for heading, text in zip(HEADINGS, sections, strict=True))
    return "\n\n".join([_WHO, *written]) + "\n"


def _facts(script: CallerScript, spec: PackSpec) -> Iterator[str]:
    for name, fact in script.facts.items():
        asked = f' (one asks: "{spec.facts[name].question}")' if name in spec.facts else ""
        yield f"- your {_words(name)}, written {fact.value}{asked}"
        yield from (f"  {number}. {form}" for number, form in enumerate(fact.forms, start=1))


def _rules(kind: IntentKind, rules: Sequence[AnswerRule], spec: PackSpec) -> list[str]:
    """Return a line for each rule of a kind."""
    triggers = [(rule.heard if kind == "heard" else rule.asked, rule) for rule in rules]
    lines = [_rule(_when(kind, name, spec), rule, rules) for name, rule in triggers if name]
    return lines or ["- nothing in particular"]


def _rule(when: str, rule: AnswerRule, rules: Sequence[AnswerRule]) -> str:
    """Return the line of one rule: when it fits, after what and how often, and what is given and said."""
    limits = [f"after {_marked(mark, rules)}" for mark in rule.needs]
    limits += [f"at most {rule.times} time{'s' if rule.times > 1 else ''}"] if rule.times is not None else []
    limits += [f"break in after {rule.interrupt_after_words} words"] if rule.interrupt_after_words is not None else []
    parts = [f"give {_yours(rule.give)}"] if rule.give else []
    parts += [f'say "{rule.say}"'] if rule.say else []
    return f"- If {', '.join([when, *limits])} -> {' and '.join(parts)}"


def _forbidden(forbid: Forbid, rules: Sequence[AnswerRule], spec: PackSpec) -> str:
    until = f", until {_marked(forbid.before, rules)}" if forbid.before else ""
    but = f", except in your {'first sentence' if forbid.except_ == 'opening' else forbid.except_}"
    taken = f"; so no yes when {_when('heard', forbid.offered, spec)}" if forbid.offered else ""
    return f"- anything in which {_when('said', forbid.said, spec)}{until}{but if forbid.except_ else ''}{taken}"


def _when(kind: IntentKind, name: str, spec: PackSpec) -> str:
    """Say when an intent holds, with its name in parentheses."""
    meanings: dict[str, str] = getattr(spec.intents.meanings, kind)
    return f"{meanings.get(name, _UNEXPLAINED[kind])} ({_words(name)})"


def _marked(mark: str, rules: Sequence[AnswerRule]) -> str:
    """Say in the caller's terms when a mark is set: once it has said or given what goes with it."""
    lines = [f'said "{rule.say}"' if rule.say else f"given {_yours(rule.give)}" for rule in rules if rule.sets == mark]
    return f"you have {' or '.join(dict.fromkeys(lines))}"


def _yours(names: Iterable[str]) -> str:
    return " and ".join(f"your {_words(name)}" for name in names)


def _words(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=\d)", " ", name.replace("_", " "))
