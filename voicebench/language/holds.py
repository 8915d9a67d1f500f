"""What a caller makes of an agent's words beyond its script: words that need no answer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from voicebench.language.itn import normalise
from voicebench.language.slots import Fact, FactSpec

__all__ = ["is_hold"]

_MOMENT = re.compile(
    r"\b(?:(?:1|one|a|1 more|one more) (?:brief |quick |short )?(?:moment|second|sec|minute)|moment please|bear with me"
    r"|hold on|hang on|please hold|hold please|stand by|stay on the line|while i)\b"
)
_VERBS = (
    r"look|check|pull|see|find|verify|bring|get|take|open|search|review|transfer|connect|confirm|go|do|start|set|book|cancel|"
    r"schedule|process|update|note|make|put|run|file|try|pass|hand|switch|move|work|arrange|submit|create"
)
_DOING = re.compile(
    rf"\b(?:(?:let me|i ll|ill|i will|i m going to|im going to|i am going to|allow me to|let s|lets)"
    rf" (?:just |now |quickly |go ahead and |first )*(?:{_VERBS})"
    r"|(?:i m|im|i am) (?:just |now |currently )*(?:looking|checking|pulling|searching|verifying|reviewing|transferring"
    r"|connecting|getting|opening|working|processing|booking|cancelling|canceling|updating|passing|handing))\b"
)
_ACKNOWLEDGEMENT = re.compile(
    r"\b(?:thank you|thanks|okay|ok|great|perfect|got it|sure|alright|all right|right|of course|certainly|absolutely"
    r"|i see|understood|i understand|very good|wonderful|excellent|no problem|noted|good|i hear you|so much|very much"
    r"|for (?:that|waiting|holding|your patience)|mr|mrs|ms|miss|and|then|now|well)\b"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def is_hold(text: str, facts: Mapping[str, Fact], specs: Mapping[str, FactSpec]) -> bool:
    """Whether a turn needs no answer, because the agent is at work and will go on.

    That is: its last sentence announces a pause or an action ("one moment please", "let me look that up"), or the whole
    of it is an acknowledgement ("thank you, Tomas").
    """
    sentences = [sentence for sentence in _SENTENCE_END.split(text.strip()) if sentence]
    if not sentences:
        return False
    last = normalise(sentences[-1])
    if _MOMENT.search(last):
        return True
    if "?" not in sentences[-1] and _DOING.search(last):
        return True
    names = {word for name, fact in facts.items() if _is_name(name, specs) for word in normalise(fact.value).split()}
    rest = set(_ACKNOWLEDGEMENT.sub(" ", normalise(text)).split())
    return "?" not in text and rest <= names


def _is_name(name: str, specs: Mapping[str, FactSpec]) -> bool:
    return name in specs and specs[name].type == "name"
