"""The locked script of a task's caller, as text to be copied."""

from __future__ import annotations

from voicebench.caller.script import forbids_of
from voicebench.language.intents import Intents
from voicebench.packs.models import AnswerRule, CallerScript, PackSpec

__all__ = ["script_text"]


def script_text(caller: CallerScript, spec: PackSpec) -> str:
    """Return the whole script: sentences word for word, the brief, what the caller knows, and its rules."""
    facts = [f"- {_words(name)}: {fact.value}" for name, fact in caller.facts.items()]
    never = []
    for forbid in forbids_of(caller, spec, Intents(spec.intents)):
        before = f" before {_words(forbid.before)}" if forbid.before else ""
        never.append(_words(forbid.said) + before + (f", except in the {forbid.except_}" if forbid.except_ else ""))
    sections = {
        "Opening, word for word": [caller.opening],
        "Brief": [caller.brief.strip()],
        "What the caller knows": facts or ["- nothing"],
        "Answers": [f"- {_rule(rule)}" for rule in caller.answers] or ["- none"],
        "Never": [f"- {line}" for line in never] or ["- nothing is forbidden"],
        "Closing, word for word": [caller.closing],
        "Hangs up": [f"when it hears: {_words(caller.hangs_up.heard)}{_needs(caller.hangs_up.needs)}"],
        "Gives up with": [caller.give_up],
    }
    return "\n\n".join("\n".join([f"{title}:", *lines]) for title, lines in sections.items()) + "\n"


def _rule(rule: AnswerRule) -> str:
    trigger = f"asked for {_words(rule.asked)}" if rule.asked else f"hears {_words(rule.heard or '')}"
    answer = [f"“{rule.say}”"] if rule.say else []
    answer += [f"gives {', '.join(_words(name) for name in rule.give)}"] if rule.give else []
    limits = [f"at most {rule.times} {'time' if rule.times == 1 else 'times'}"] if rule.times else []
    limits += [f"interrupts after {rule.interrupt_after_words} words"] if rule.interrupt_after_words else []
    return f"{trigger}{_needs(rule.needs)}: {' and '.join(answer)}" + (f" ({', '.join(limits)})" if limits else "")


def _needs(marks: list[str]) -> str:
    return f", once {' and '.join(_words(mark) for mark in marks)}" if marks else ""


def _words(name: str) -> str:
    return name.replace("_", " ")
