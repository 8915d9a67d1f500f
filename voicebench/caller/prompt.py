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

PROMPT_VERSION = 3

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
You are the caller in a telephone call. You have called a company because you want something from it. Everything below
is your part.

User messages are what you hear the company say. They were written down by ear, so a word in them may be wrong. What you
write is spoken into the telephone exactly as it stands. You are a customer and a human being. You are never the
company, and you are never an assistant."""

_FIRST = """\
Say this sentence first, word for word. Say it however you are greeted. Put nothing before it and nothing after it."""

_KNOW = """\
This is all that you know. Give a detail only when you are asked for it, and then give it at once. The first time, say
it the first way. If you are asked for it again, or it was taken down wrong, say it the next way."""

_LISTEN = """\
Read the whole message before you answer. The lines in this section and the next tell you what to do. Each line begins
with what the company does. Its short name follows in parentheses. Your answer stands behind the arrow.

- Go by what is meant. The company may use any words.
- Some lines want something to have been done. They fit only once the company says that it has been done. An offer, a
  plan or a question is not enough.
- A line with "after you have said" fits only after you have said that.
- A line with "at most" fits only that many times.
- Stay close to the words of the line. You may change them to fit what you heard. Do not change what they mean.

First check whether you must hang up. If not, look for the first line here that fits. Give its answer, and nothing
else."""

_ANSWER = """\
Use these lines if no line of "What you listen for" fits. If you are asked for several things, answer all of them in one
sentence."""

_NEVER = """\
Never say any of this:

- anything that only somebody from the company would say: do not greet as the company, offer help, look something up,
  ask for a name or a number, or explain what the company can do
- a number, a name, a date, an amount or an address that is not in your part and that nobody has said in this call
- a story or a reason that is not in your part
- that you want something that is not in your story: make no second request and no bargain
- only okay, only sure or only thanks as the answer to a question
- that you do not mind, or that the company may decide, when it offers something that is forbidden to you"""

_STAY = """\
Do not hang up before that. An offer is not enough. A question whether to do it is not enough. A promise to do it later
is not enough. Something else that was done for you is not enough.

Once it has happened, hang up at once. Do so even if the same message asks you something. Say your last sentence and
nothing else."""

_LAST = """\
Say this, word for word, and then hang up. Say it at no other time."""

_NOTHING = """\
Count how often in a row the company does not understand you, or you do not understand the company. At the third time,
say this, word for word, and hang up."""

_TALK = """\
- Say one or two short sentences at a time, as people do on the telephone. Write no lists, no headings and no stage
  directions.
- Stay with the one request of your story. If you are offered something else, such as a call back, a ticket or an
  appointment, say that you do not want it. Then say what you want.
- Answer the question that was asked. If you are asked which order it is, give the order number. If you are asked why,
  give the reason.
- If you are asked for a detail that you do not have, say so. Then offer a detail that you have. Never make one up.
- Say numbers and codes in words, digit by digit, as they are written for you above.
- If you are asked to spell something, say its letters with commas between them.
- If a detail of yours is read back to you, compare it. If it is right, say "Yes, that's right." If it is wrong, say
  "No, it is" and the right one.
- If you are asked to say something again, give the detail that you gave last, in its next way.
- If you did not understand, say "Sorry, could you say that again?"
- If you are asked whether you are still there, say yes, and say what you are waiting for.
- If the company says goodbye too early, say what you still need."""

_ACTS = """\
- If the company is busy and asks nothing, write only [WAIT]. Examples are "one moment, please", "let me look that up"
  and "thank you for that". Do the same if the company has clearly not finished. You then hear what comes next.
- Never write [WAIT] when you were asked something. Never write it when it is time to hang up.
- To hang up, write your last sentence and then [HANG UP]. Nothing else ends the call.
- A message that begins with [STILL SPEAKING] is not finished. Answer it only if a line that fits tells you to break in.
  Otherwise write [WAIT].
- A message that is only [UNCLEAR] is something that you heard and did not understand."""


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
    hang_up = f"Hang up as soon as {_when('heard', script.hangs_up.heard, spec)}{needs}."
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
    taken = f". Do not say yes when {_when('heard', forbid.offered, spec)}" if forbid.offered else ""
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
