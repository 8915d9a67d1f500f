"""Checks what the agent said against what it did and what was played; shown with the verdict, never part of it.

- ``claim_without_write``: it said that something was done, and no tool that does such a thing had done it.
- ``read_back_wrong``: it repeated a fact of the caller's with another value.
- ``unheard_in_context``: it was cut off, and its model went on as if the caller had heard what was not played any more.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence

from voicebench.language.claims import HANDOVER, Claim, claims_in
from voicebench.language.compare import compare_values
from voicebench.language.intents import Intents
from voicebench.language.readback import read_backs
from voicebench.packs import PackSnapshot
from voicebench.packs.models import Case, ToolSpec
from voicebench.record.exchanges import Exchange, LlmExchange
from voicebench.record.json_types import JsonValue
from voicebench.record.spans import AgentSpeechSpan, HandoffSpan, ToolSpan, TtsSpan
from voicebench.record.trace import TraceRecord
from voicebench.record.transcript import ClaimCheck, FactMention, TranscriptTurn

__all__ = ["check_claims", "doers"]

_SPARE_WORDS = 2
"""Words by which the count of those played may be off: a word is not as long as its share of the clause."""


def check_claims(
    snapshot: PackSnapshot,
    case: Case,
    trace: Sequence[TraceRecord],
    exchanges: Sequence[Exchange],
    turns: Sequence[TranscriptTurn],
    mentions: Sequence[FactMention],
) -> list[ClaimCheck]:
    """Return what does not fit together, in the order of time.

    Args:
        snapshot: the run's copy of the pack.
        case: the task.
        trace: spans and events.
        exchanges: requests to the agent's model.
        turns: of the transcript.
        mentions: of the task's facts.
    """
    agent = [turn for turn in turns if turn.speaker == "agent"]
    found = [
        *_claims(snapshot, case, trace, turns),
        *_read_back(snapshot, case, trace, agent, mentions),
        *_unheard(trace, exchanges, agent),
    ]
    return sorted(found, key=lambda one: one.at_s)


# ---- claims -------------------------------------------------------------------------------------------------------


def _claims(
    snapshot: PackSnapshot, case: Case, trace: Sequence[TraceRecord], turns: Sequence[TranscriptTurn]
) -> Iterator[ClaimCheck]:
    """Look for claims with no write behind them; what the agent has read to be so is none."""
    intents = Intents(snapshot.spec.intents)
    acts = [span for span in trace if isinstance(span, ToolSpan | HandoffSpan)]
    for turn, after in itertools.zip_longest(turns, turns[1:]):
        if turn.speaker != "agent" or turn.spoken == snapshot.spec.greeting:
            continue
        until_s = float("inf") if after is None else max(after.start_s, turn.end_s)
        actions = _Actions(snapshot, [act for act in acts if act.start_ns / 1e9 <= until_s])
        empty = [claim for claim in claims_in(turn.spoken) if not actions.support(claim)]
        for claim in empty:
            yield ClaimCheck(
                kind="claim_without_write",
                sentence=f"The agent said “{claim.sentence}”, and no tool that does so had done it.",
                at_s=turn.start_s,
                evidence=turn.span_ids,
                tools=tuple(sorted(doers(claim, snapshot.tools.values()))),
            )
        if not empty and not actions.wrote and intents.match("heard", case.caller.hangs_up.heard, turn.spoken):
            what = "which is what the caller waits for, and had written nothing"
            yield ClaimCheck(
                kind="claim_without_write",
                sentence=f"The agent said “{turn.spoken}”, {what}.",
                at_s=turn.start_s,
                evidence=turn.span_ids,
            )


def doers(claim: Claim, tools: Iterable[ToolSpec]) -> set[str]:
    """Return the writing tools that do what is claimed, by their names; an empty set if a pack has none."""
    return {tool.name for tool in tools if tool.writes and claim.is_done_by(tool.name)}


class _Actions:
    """What an agent had done by some time."""

    def __init__(self, snapshot: PackSnapshot, spans: Sequence[ToolSpan | HandoffSpan]) -> None:
        self._tools = snapshot.tools
        writing = {name for name, tool in snapshot.tools.items() if tool.writes}
        done = [span for span in spans if isinstance(span, ToolSpan) and span.result.get("ok") is True]
        self.wrote = {span.tool for span in done} & writing
        self._read = json.dumps([span.result for span in done if span.tool not in writing]).lower()
        self._handed_over = any(isinstance(span, HandoffSpan) for span in spans)

    def support(self, claim: Claim) -> bool:
        """Whether something is behind a claim: a tool that does it, a handoff, or an answer that says it was so.

        A claim of what no tool of the pack does is taken to be true.
        """
        able = doers(claim, self._tools.values())
        handed_over = claim.doing == HANDOVER and self._handed_over
        read = bool(claim.word) and claim.word in self._read
        return not able or bool(able & self.wrote) or handed_over or read


# ---- read-backs ---------------------------------------------------------------------------------------------------


def _read_back(
    snapshot: PackSnapshot,
    case: Case,
    trace: Sequence[TraceRecord],
    agent: Sequence[TranscriptTurn],
    mentions: Sequence[FactMention],
) -> Iterator[ClaimCheck]:
    """Look for facts that the agent repeats with another value after the caller gave them.

    A value that a tool has answered is not a read-back: a balance is said with the amount that the caller wants to pay.
    """
    given = [one for one in mentions if one.speaker == "caller"]
    answered = [value for span in trace if isinstance(span, ToolSpan) for value in _leaves(span.result)]
    for turn in agent:
        before = [one for one in given if one.start_s <= turn.start_s]
        last = [one for one in before if one.start_s == before[-1].start_s]
        names = [one.fact for one in last]
        back = read_backs(turn.spoken, case.caller.facts, snapshot.spec.facts, names, {one.fact for one in before})
        for name, value in back.wrong.items():
            if any(compare_values(snapshot.spec.facts[name].type, one, value).equal for one in answered):
                continue
            mention = next((one for one in reversed(before) if one.fact == name), None)
            if mention is None:
                continue
            heard = "" if mention.right is None else f", which it had heard {'right' if mention.right else 'wrong'}"
            meant = case.caller.facts[name].value
            spans = (*turn.span_ids, *mention.span_ids, *mention.heard_span_ids)
            yield ClaimCheck(
                kind="read_back_wrong",
                sentence=f"The agent read {name} back as {value}{heard}; it is {meant}.",
                at_s=turn.start_s,
                evidence=tuple(dict.fromkeys(spans)),
                fact=name,
                said=value,
                meant=meant,
            )


def _leaves(value: JsonValue) -> Iterator[str | int | float]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield value


# ---- words that were not played -----------------------------------------------------------------------------------


def _unheard(
    trace: Sequence[TraceRecord], exchanges: Sequence[Exchange], agent: Sequence[TranscriptTurn]
) -> Iterator[ClaimCheck]:
    """Compare the model's context after a cut with what was played of the turn until then."""
    requests = [line for line in exchanges if isinstance(line, LlmExchange) and line.party != "caller"]
    for turn in (one for one in agent if one.interrupted):
        request = next((one for one in requests if one.start_ns / 1e9 >= turn.end_s), None)
        if request is None:
            continue
        kept, played = _words_kept(request.request["messages"]), _words_played(trace, turn)
        if len(kept) > played + _SPARE_WORDS:
            words = " ".join(kept[played:])
            yield ClaimCheck(
                kind="unheard_in_context",
                sentence=f"The agent was cut off, and its model goes on as if the caller had heard “{words}”.",
                at_s=turn.start_s,
                evidence=tuple(dict.fromkeys([*turn.span_ids, request.span_id])),
            )


def _words_kept(messages: JsonValue) -> list[str]:
    """Return the words that the model's context has as its own between the caller's last words and those before."""
    context = [one for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []
    users = [number for number, message in enumerate(context) if message["role"] == "user"]
    begin, end = (-1, *users)[-2], (users or [len(context)])[-1]
    said = [one for one in context[begin + 1 : end] if one["role"] == "assistant" and one.get("content")]
    return " ".join(str(one["content"]) for one in said).split()


def _words_played(trace: Sequence[TraceRecord], turn: TranscriptTurn) -> int:
    """Return how many words of a turn were played, by the lengths of its clauses."""
    speeches = [span for span in trace if isinstance(span, AgentSpeechSpan)]
    clauses = [span for span in trace if isinstance(span, TtsSpan)]
    played = 0
    for number, speech in enumerate(speeches):
        if speech.span_id in turn.span_ids:
            before_ns = speeches[number - 1].start_ns if number else -1
            played += _words_of(speech, [clause for clause in clauses if clause.start_ns > before_ns])
    return played


def _words_of(speech: AgentSpeechSpan, clauses: Iterable[TtsSpan]) -> int:
    """Return the words played of one answer; over text, and of one that was not cut, all that it says were spoken."""
    rest, played = speech.spoken, 0
    left_s = (speech.end_ns - speech.start_ns) / 1e9
    if not speech.interrupted or left_s == 0:
        return len(rest.split())
    for clause in clauses:
        if rest and rest.startswith(clause.text) and clause.audio_s:
            rest = rest[len(clause.text) :].lstrip()
            played += round(min(1.0, left_s / clause.audio_s) * len(clause.text.split()))
            left_s = max(0.0, left_s - clause.audio_s)
    return played
