"""What an agent said beside what it did and what was heard of it: shown with the verdict, and never part of it.

- ``claim_without_write``: it told the caller that something was done, and no tool that does such a thing had done it.
- ``read_back_wrong``: it repeated a fact of the caller's with another value.
- ``unheard_in_context``: it was cut off, and its model went on as if the caller had heard what was not played any more.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from voicebench.language.claims import HANDOVER, Claim, claims_in
from voicebench.language.compare import compare_values
from voicebench.language.intents import Intents
from voicebench.language.readback import read_backs
from voicebench.packs import PackSnapshot
from voicebench.packs.models import Case, ToolSpec

__all__ = ["claim_checks", "doers"]

_SPARE_WORDS = 2
"""Words by which the count of those played may be off: a word is not as long as its share of the clause."""


def claim_checks(
    snapshot: PackSnapshot,
    case: Case,
    trace: list[dict[str, Any]],
    exchanges: list[dict[str, Any]],
    turns: list[dict[str, Any]],
    facts: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return what does not fit together, in the order of time.

    Args:
        snapshot: the run's copy of the pack.
        case: the task.
        trace: lines of ``trace.jsonl``.
        exchanges: lines of ``exchanges.jsonl``.
        turns: of the transcript.
        facts: sayings, as :func:`voicebench.metrics.fact_mentions` gives them.

    Returns:
        ``{kind, sentence, at_s, evidence}`` each; ``evidence`` are ids of spans. A claim has ``tools``, those that
        would have done it; a read-back ``fact``, ``said`` and ``meant``.
    """
    agent = [turn for turn in turns if turn["speaker"] == "agent"]
    found = [
        *_claims(snapshot, case, trace, turns),
        *_read_back(snapshot, case, trace, agent, facts),
        *_unheard(trace, exchanges, agent),
    ]
    return sorted(found, key=lambda one: float(one["at_s"]))


def _finding(
    kind: str, sentence: str, turn: Mapping[str, Any], evidence: Iterable[str] = (), **more: Any
) -> dict[str, Any]:
    spans = list(dict.fromkeys([*turn["span_ids"], *evidence]))
    return {"kind": kind, "sentence": sentence, "at_s": turn["start_s"], "evidence": spans, **more}


# ---- claims -------------------------------------------------------------------------------------------------------


def _claims(
    snapshot: PackSnapshot, case: Case, trace: list[dict[str, Any]], turns: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Look for claims with no write behind them; what the agent has read to be so is none."""
    intents = Intents(snapshot.spec.intents)
    for turn, after in itertools.zip_longest(turns, turns[1:]):
        if turn["speaker"] != "agent" or turn["spoken"] == snapshot.spec.greeting:
            continue
        until_s = float("inf") if after is None else max(after["start_s"], turn["end_s"])
        done = [line for line in trace if line["name"] in ("tool", "handoff") and line["start_ns"] / 1e9 <= until_s]
        deeds = _Deeds(snapshot, [line["attributes"] for line in done])
        empty = [claim for claim in claims_in(turn["spoken"]) if deeds.lack(claim)]
        for claim in empty:
            sentence = f"The agent said “{claim.sentence}”, and no tool that does so had done it."
            yield _finding("claim_without_write", sentence, turn, tools=sorted(doers(claim, snapshot.tools.values())))
        if not empty and not deeds.wrote and intents.match("heard", case.caller.hangs_up.heard, turn["spoken"]):
            sentence = (
                f"The agent said “{turn['spoken']}”, which is what the caller waits for, and had written nothing."
            )
            yield _finding("claim_without_write", sentence, turn)


def doers(claim: Claim, tools: Iterable[ToolSpec]) -> set[str]:
    """Return the writing tools that do what is claimed, by their names; an empty set if a pack has none."""
    return {tool.name for tool in tools if tool.writes and claim.is_done_by(tool.name)}


class _Deeds:
    """What an agent had done by some time."""

    def __init__(self, snapshot: PackSnapshot, acts: list[Mapping[str, Any]]) -> None:
        self._tools = snapshot.tools
        tools = [one for one in acts if "gen_ai.tool.name" in one]
        calls = [(str(one["gen_ai.tool.name"]), one["gen_ai.tool.call.result"]) for one in tools]
        done = [(name, result) for name, result in calls if result.get("ok") is True]
        self.wrote = {name for name, _ in done if self._writes(name)}
        self._read = json.dumps([result for name, result in done if not self._writes(name)]).lower()
        self._handed_over = len(tools) < len(acts)

    def _writes(self, name: str) -> bool:
        return name in self._tools and self._tools[name].writes

    def lack(self, claim: Claim) -> bool:
        """Whether nothing is behind a claim: no tool that does it, no handoff, and no answer that says it was so."""
        able = doers(claim, self._tools.values())
        handed_over = claim.doing == HANDOVER and self._handed_over
        return (
            bool(able) and not able & self.wrote and not handed_over and not (claim.word and claim.word in self._read)
        )


# ---- read-backs ---------------------------------------------------------------------------------------------------


def _read_back(
    snapshot: PackSnapshot,
    case: Case,
    trace: list[dict[str, Any]],
    agent: list[dict[str, Any]],
    facts: list[dict[str, Any]],
) -> Iterator[dict[str, Any]]:
    """Look for facts that the agent repeats with another value, just after the caller gave them.

    A value that a tool has told the agent is not a read-back: a balance beside the amount that the caller wants to pay.
    """
    given = [one for one in facts if one["speaker"] == "caller"]
    results = [line["attributes"]["gen_ai.tool.call.result"] for line in trace if line["name"] == "tool"]
    told = list(_leaves(results))
    for turn in agent:
        before = [one for one in given if one["start_s"] <= turn["start_s"]]
        last = [one for one in before if one["start_s"] == before[-1]["start_s"]]
        names = [one["fact"] for one in last]
        back = read_backs(turn["spoken"], case.caller.facts, snapshot.spec.facts, names)
        for name, value in back.wrong.items():
            if any(compare_values(snapshot.spec.facts[name].type, one, value).equal for one in told):
                continue
            saying = next(one for one in last if one["fact"] == name)
            heard = "" if saying["right"] is None else f", which it had heard {'right' if saying['right'] else 'wrong'}"
            meant = case.caller.facts[name].value
            sentence = f"The agent read {name} back as {value}{heard}; it is {meant}."
            evidence = [*saying["span_ids"], *saying["heard_span_ids"]]
            yield _finding("read_back_wrong", sentence, turn, evidence, fact=name, said=value, meant=meant)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield value


# ---- words that were not played -----------------------------------------------------------------------------------


def _unheard(
    trace: list[dict[str, Any]], exchanges: list[dict[str, Any]], agent: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Compare the model's context after a cut with what was played of the turn until then."""
    requests = [line for line in exchanges if line["kind"] == "llm" and line.get("party") != "caller"]
    for turn in (one for one in agent if one["interrupted"]):
        request = next((one for one in requests if one["start_ns"] / 1e9 >= turn["end_s"]), None)
        if request is None:
            continue
        kept, played = _words_kept(request["request"]["messages"]), _words_played(trace, turn)
        if len(kept) > played + _SPARE_WORDS:
            words = " ".join(kept[played:])
            sentence = f"The agent was cut off, and its model goes on as if the caller had heard “{words}”."
            yield _finding("unheard_in_context", sentence, turn, [request["span_id"]])


def _words_kept(messages: list[dict[str, Any]]) -> list[str]:
    """Return the words that the model is told to have said between the caller's last words and those before."""
    users = [number for number, message in enumerate(messages) if message["role"] == "user"]
    begin, end = (-1, *users)[-2], (users or [len(messages)])[-1]
    said = [one for one in messages[begin + 1 : end] if one["role"] == "assistant" and one.get("content")]
    return " ".join(str(one["content"]) for one in said).split()


def _words_played(trace: list[dict[str, Any]], turn: Mapping[str, Any]) -> int:
    """Return how many words of a turn were played, by the lengths of its clauses."""
    speeches = [line for line in trace if line["name"] == "agent.speech"]
    played = 0
    for number, speech in enumerate(speeches):
        if speech["span_id"] in turn["span_ids"]:
            before_ns = speeches[number - 1]["start_ns"] if number else -1
            clauses = [line for line in trace if line["name"] == "tts" and line["start_ns"] > before_ns]
            played += _words_of(speech, [line["attributes"] for line in clauses])
    return played


def _words_of(speech: Mapping[str, Any], clauses: list[Mapping[str, Any]]) -> int:
    """Return the words played of one answer; over text, and of one that was not cut, all that it says were spoken."""
    rest, played = str(speech["attributes"]["spoken"]), 0
    left_s = (speech["end_ns"] - speech["start_ns"]) / 1e9
    if not speech["attributes"]["interrupted"] or left_s == 0:
        return len(rest.split())
    for clause in clauses:
        if rest and rest.startswith(clause["text"]) and clause["audio_s"]:
            rest = rest[len(clause["text"]) :].lstrip()
            played += round(min(1.0, left_s / clause["audio_s"]) * len(clause["text"].split()))
            left_s = max(0.0, left_s - clause["audio_s"])
    return played
