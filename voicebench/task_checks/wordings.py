"""Asking otherwise: the line reference asks for facts in natural wordings instead of the pack's own questions.

A caller that understands only its pack's questions makes a task unfair to every agent that has its own words. What any
company asks for is said by labels, and the pack says which of its intents they are; what is a pack's own is asked for
in the words of the pack's examples.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

import numpy as np

from voicebench.config.seeds import derive_seed
from voicebench.errors import ConfigError
from voicebench.language.intents import Intents
from voicebench.language.labels import Detail
from voicebench.language.sentences import split_sentences
from voicebench.packs.models import AnswerRule
from voicebench.packs.strict_yaml import nearest
from voicebench.task_checks.calls import ENDS, hold
from voicebench.task_checks.sandbox import TaskFinding, TaskSandbox
from voicebench.task_checks.solution import failed_gates

__all__ = ["WORDINGS", "Wordings", "check_wordings", "questions_for", "read_wordings"]

Wordings = Mapping[Detail, Sequence[str]]
"""Sentences that ask for one detail and do nothing else, by its label."""

WORDINGS: Wordings = {
    "full_name": (
        "Could I get your first and last name, please?",
        "And who do I have the pleasure of speaking with?",
        "Let me start with your full name.",
        "I'll just need your name, first and last.",
        "Would you mind telling me your name?",
        "What name should I be looking for?",
        "Can you give me your full name so that I can find you?",
        "Your first and last name, please.",
    ),
    "order_number": (
        "Do you have the order number handy?",
        "Could you read me your order number?",
        "I'd need the number of your order.",
        "What order number is that under?",
        "Can you tell me which order number it is?",
        "Let me have your order number, please.",
        "Would you happen to know the order ID?",
        "If you could give me the order number, I can take a look.",
    ),
    "account_or_member_number": (
        "What's your account number?",
        "Could you give me your member ID, please?",
        "I'll need your customer number for that.",
        "Do you know your membership number?",
        "Please tell me the number of your account.",
    ),
    "phone": (
        "What's the best phone number for you?",
        "Could I have the phone number that we have for you?",
        "Which phone number is that under?",
        "I'll need your telephone number, please.",
        "And a phone number?",
        "Can you give me the number we can reach you at?",
        "What is a good callback number for you?",
        "Please tell me your phone number, starting with the area code.",
    ),
    "postal_code": (
        "And what's your zip code?",
        "Could you confirm your zip code for me?",
        "I'd also need your postal code.",
        "Which zip code do you live in?",
        "Can I get the zip code on that address?",
        "Your postal code, please.",
        "Please give me the five digits of your zip code.",
        "May I ask for your zip code?",
    ),
    "card_last4": (
        "Could you tell me the last four digits of the card that you paid with?",
        "What are the last four of your card?",
        "I need the last four digits of your card, please.",
        "Which four digits does your card end in?",
        "May I have the final four digits of the card?",
        "Can you read me the last four numbers on your card?",
        "What does your card end in?",
        "Just the last four of the card on file, please.",
    ),
    "birth_date": (
        "What's your birthday?",
        "Could I have your date of birth, please?",
        "When were you born?",
        "I'll need your birth date as well.",
        "And your date of birth?",
        "Can you confirm your date of birth for me?",
        "Please tell me the day, the month and the year that you were born.",
        "May I ask for your birth date?",
    ),
    "day_or_time": (
        "What day works best for you?",
        "When would you like it to be?",
        "Is there a day that suits you?",
        "Which date did you have in mind?",
        "What day are you hoping for?",
        "Do you have a preferred day?",
        "Please tell me which day you want.",
        "For when should I put that down?",
    ),
}
"""Wordings of our own, for details that the facts of tasks are."""


def read_wordings(path: Path) -> Wordings:
    """Read wordings from a file: JSON lines with ``text``, ``asks`` (labels) and ``acts``; others of its keys are free.

    Only lines that ask for one detail and do nothing else are of use, in any place of a call.

    Raises:
        ConfigError: the file cannot be read, or has no such line.
    """
    found: dict[Detail, list[str]] = {}
    labels = get_args(Detail)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            text, asks, acts = str(row["text"]), list(row["asks"]), list(row["acts"])
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{path}: line {number}: write an object with text, asks and acts: {error}") from error
        for label in asks:
            if label not in labels:
                raise ConfigError(f"{path}: line {number}: no detail {label!r}; {nearest(str(label), labels)}")
        if len(asks) == 1 and not acts:
            found.setdefault(asks[0], []).append(text)
    if not found:
        raise ConfigError(f"{path}: no line asks for one detail and does nothing else, so that none can be used")
    return found


def questions_for(sandbox: TaskSandbox, wordings: Wordings, seed: int) -> dict[str, str]:
    """Return other questions for the facts of a task, drawn by a seed; a fact that nothing else asks for is left out.

    What a pack's own question says before its last sentence stays ("Please hold back the details for now").
    """
    questions = {}
    for name in sandbox.case.caller.facts:
        question = sandbox.pack.spec.facts[name].question
        if choices := _choices(sandbox, wordings, name, question):
            draw = np.random.default_rng(derive_seed(seed, "wordings", sandbox.pack.name, sandbox.case.id, name))
            before = [one.text for one in split_sentences(question)][:-1]
            questions[name] = " ".join([*before, choices[int(draw.integers(len(choices)))]])
    return questions


def _choices(sandbox: TaskSandbox, wordings: Wordings, fact: str, question: str) -> list[str]:
    """Return the wordings that ask for what the pack's own question asks for, if the script then gives just that fact.

    A pack that has examples of it has its own name for it ("matter number"), and is not asked for by another.
    """
    intents, rules = sandbox.pack.spec.intents, sandbox.case.caller.answers
    choices = []
    for intent in Intents(intents).matching("asked", question):
        if fact in _given(intent, rules):
            labels = [label for label, names in intents.labels.items() if names[0] == intent]
            generic = [text for label, texts in wordings.items() if label in labels for text in texts]
            choices += intents.examples.get(intent) or generic
    return choices


def _given(intent: str, rules: Sequence[AnswerRule]) -> list[str]:
    """Return the facts that a script gives, each alone, where an intent is asked; none if it has other answers too."""
    answers = [rule for rule in rules if rule.asked == intent]
    alone = all(len(rule.give) == 1 and not rule.say for rule in answers)
    return list(dict.fromkeys(rule.give[0] for rule in answers)) if alone else []


def check_wordings(sandbox: TaskSandbox, wordings: Wordings, seed: int = 0) -> tuple[list[TaskFinding], int]:
    """Let the line reference hold the call in other words; return why it does not pass, and how many calls it held."""
    questions = questions_for(sandbox, wordings, seed)
    if not questions:
        return [], 0
    call = hold(_asking(sandbox, questions), "reference")
    if call.verdict.passed and call.end_reason in ENDS and not call.breaches:
        return [], 1
    said = ", ".join(f"{name}: {question!r}" for name, question in questions.items())
    gates = failed_gates(call.verdict) or "all gates pass"
    what = "; ".join(f"{breach.rule}: the caller {breach.what}" for breach in call.breaches)
    end = f"the call ends with {call.end_reason} after {call.turns} turns; {gates}{f'; {what}' if what else ''}"
    return [TaskFinding("wording", f"asked otherwise ({said}), {end}")], 1


def _asking(sandbox: TaskSandbox, questions: Mapping[str, str]) -> TaskSandbox:
    """Return the same task for a reference that asks for facts in other words."""
    spec = sandbox.pack.spec
    facts = {
        name: fact.model_copy(update={"question": questions.get(name, fact.question)})
        for name, fact in spec.facts.items()
    }
    snapshot = sandbox.snapshot.model_copy(update={"spec": spec.model_copy(update={"facts": facts})})
    return TaskSandbox(sandbox.pack, sandbox.case, snapshot)
