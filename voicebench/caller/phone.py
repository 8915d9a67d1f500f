"""The caller on the telephone: an ear, a voice and the timing of its turns around a mind that knows only text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from voicebench.caller.base import Caller, Decision, Utterance
from voicebench.caller.speech_jobs import recognise, synthesise
from voicebench.caller.speech_listener import Ear, Heard
from voicebench.errors import ConfigError
from voicebench.speech.asr import Transcriber
from voicebench.speech.tts import Voice
from voicebench.speech.vad import FRAME, Vad
from voicebench.store.exchanges import Exchanges
from voicebench.store.trace import Tracer

__all__ = ["HangUpReason", "PhoneCaller"]

HangUpReason = Literal["closing", "give_up"]

_SLOT_NS = 20_000_000
_SLOT_MS = 20
_SAMPLE_NS = 62_500
_HELLO_SLOTS = 500
_LONG_NOISE_FRAMES = 50
_WORDS_A_SECOND = 2.5
_SILENCE = np.zeros(FRAME, np.int16)
_SILENCE.flags.writeable = False


@dataclass(frozen=True)
class _Thought:
    """Something to think about, in order; ``round`` and ``stretch`` say whether it is still worth it afterwards."""

    kind: Literal["turn", "overhear", "hello"]
    heard: Heard | None
    due: int
    round: int
    stretch: int
    after_words: int | None = None


@dataclass(frozen=True)
class _Reply:
    """An utterance that is ready; it is begun at slot ``due``, also over the agent if it is an interruption."""

    decision: Decision
    utterance: Utterance
    samples: npt.NDArray[np.int16]
    due: int
    interrupts: bool
    retractable: bool


@dataclass
class _Speech:
    """An utterance that is being spoken."""

    reply: _Reply
    start: int
    sent: int = 0


class PhoneCaller:
    """Hears and speaks 20 ms frames; decides by its mind, the ``brain``.

    At each tick call ``hear`` with what came through the line, then ``speak`` for what goes into it: both frames lie in
    the same 20 ms slot of the call, counted from the first tick. The caller begins ``turn_end_ms + reaction_ms`` after
    the last speech on its ear. If the agent goes on before, the reply is dropped and the brain decides again on all it
    has heard. If the agent speaks while the caller does, the caller goes on; what the agent said is kept only when it
    goes on past the caller's end (an agent that stopped has yielded, and will answer). After 10 s in which nobody spoke
    it asks once whether somebody is there.

    A rule with ``interrupt_after_words: N`` is tried N / 2.5 seconds into the agent's speech (150 words a minute), as
    words cannot be counted by ear: on what was recognised until then.

    Recognition and synthesis are free jobs on the call's clock. In real mode they take the time they take, and a reply
    that is not ready when it is due begins when it is.

    Args:
        brain: the caller's mind.
        voice: what it speaks with.
        recognizer: what it hears with; None to be told the agent's words by ``agent_text`` instead.
        tracer: gets the spans ``caller.speech`` and ``caller.heard`` and the events ``barge_in``, ``caller.held`` and
            ``caller.waits`` (it was asked for a reply, and decided to say nothing).
        exchanges: gets each recognition and synthesis.
        seed: the work unit's; the n-th utterance is synthesised with a seed derived from it.
        turn_end_ms: silence after which the agent's turn counts as ended.
        reaction_ms: time from then to the caller's first sound.
        agent_text: returns what the agent has said since it was last called, as it was meant to be said. The timing
            comes from the audio all the same. Beside a recognizer it is asked for interruptions alone: in real time
            they cannot wait for recognition.

    Attributes:
        hung_up: set when the last word of the closing has been spoken.
        hang_up_reason: why, once ``hung_up`` is set.
        reactions_ms: from the end of each of the agent's turns to the first sound of the answer: ``reaction_ms``, or
            more where the answer was not ready.

    Raises:
        ConfigError: neither ``recognizer`` nor ``agent_text`` is given.
    """

    def __init__(
        self,
        brain: Caller,
        voice: Voice,
        recognizer: Transcriber | None,
        *,
        tracer: Tracer,
        exchanges: Exchanges,
        seed: int,
        turn_end_ms: float = 700,
        reaction_ms: float = 300,
        agent_text: Callable[[], str] | None = None,
    ) -> None:
        if recognizer is None and agent_text is None:
            raise ConfigError("a caller hears by a recognizer or by the agent's text: give one of them")
        self._brain = brain
        self._voice = voice
        self._recognizer = recognizer
        self._agent_text = agent_text
        self._tracer = tracer
        self._exchanges = exchanges
        self._seed = seed
        self._turn_end = round(turn_end_ms / _SLOT_MS)
        self._reaction = round(reaction_ms / _SLOT_MS)
        self.hung_up = asyncio.Event()
        self.hang_up_reason: HangUpReason | None = None
        self.reactions_ms: list[float] = []
        self._ear = Ear(Vad())
        self._thoughts: asyncio.Queue[_Thought | None] = asyncio.Queue()
        self._thinking: asyncio.Task[None] | None = None
        self._start_ns = 0
        self._closed = False
        self._opened = False
        self._reply: _Reply | None = None
        self._speech: _Speech | None = None
        self._gathered: list[str] = []
        self._overheard: list[str] = []
        self._deciding = 0
        self._round = 0
        self._stretch = 0
        self._in_turn = False
        self._tried: set[int] = set()
        self._quiet_since = 0
        self._greeted = False
        self._utterances = 0

    # ---- what the call's session does ----------------------------------------------------------------------

    async def start(self) -> None:
        """Begin to think; call it once, before the first tick."""
        self._thinking = asyncio.create_task(self._think(), name="caller")

    def hear(self, frame: npt.NDArray[np.int16]) -> None:
        """Take this tick's frame from the line, int16[320].

        Raises:
            VoicebenchError: recognising, deciding or synthesising has failed since the last tick.
        """
        if self._thinking is not None and self._thinking.done():
            self._thinking.result()
        if self._closed:
            return
        if self._ear.slot < 0:
            self._start_ns = round(asyncio.get_running_loop().time() * 1e9)
        if self._ear.hear(frame):
            self._agent_begins()
        if self._ear.is_speaking:
            self._quiet_since = self._ear.slot + 1
        if self._speech is None:
            self._notice()

    def speak(self) -> npt.NDArray[np.int16]:
        """Return this tick's frame for the line, int16[320]; zeros while the caller is quiet."""
        reply = self._reply
        if (
            reply is not None
            and self._ear.slot >= reply.due
            and self._speech is None
            and (reply.interrupts or not self._ear.is_stirring)
        ):
            self._begin(reply)
        if self._closed or self._speech is None:
            return _SILENCE
        speech = self._speech
        samples = speech.reply.samples[speech.sent : speech.sent + FRAME]
        speech.sent += len(samples)
        if speech.sent == len(speech.reply.samples):
            self._end(speech)
        return samples if len(samples) == FRAME else np.concatenate([samples, _SILENCE[len(samples) :]])

    @property
    def saying(self) -> str | None:
        """The rule behind what is being said in this tick, ``hello`` for "hello?"; None while the caller is quiet."""
        return None if self._speech is None else self._speech.reply.utterance.rule

    def agent_hung_up(self) -> None:
        """The line is closed: stop hearing and speaking; what was being said ends here."""
        self._closed = True
        self._reply = None
        if self._speech is not None:
            self._trace_speech(self._speech)
            self._speech = None

    async def finish(self) -> None:
        """Close the line if it is open, recognise what was heard last, and end."""
        self.agent_hung_up()
        if self._thinking is not None:
            self._thoughts.put_nowait(None)
            await self._thinking
        heard = self._ear.take()
        if heard is not None:
            await self._understand(heard)

    # ---- turn taking, tick by tick -------------------------------------------------------------------------

    def _agent_begins(self) -> None:
        self._stretch += 1
        self._in_turn = True
        self._greeted = False
        if self._speech is None and (self._reply is not None or self._deciding):
            self._tracer.event("caller.held", self._ns(self._ear.slot))
            self._hold()

    def _hold(self) -> None:
        """Drop a reply that is ready but not begun; one in the making is dropped by ``_consider``."""
        if self._reply is not None and not self._reply.interrupts:
            if self._reply.retractable:
                self._brain.retract()
            self._reply = None

    def _notice(self) -> None:
        """Think about the agent's turn if it has ended or may be interrupted, or about a long silence."""
        ear = self._ear
        if self._in_turn and ear.quiet_frames >= self._turn_end:
            self._in_turn = False
            due = ear.slot - ear.quiet_frames + 1 + self._turn_end + self._reaction
            self._add(_Thought("turn", ear.take(), due, self._round, self._stretch))
        elif self._in_turn and ear.is_speaking:
            words = ear.kept_slots * _SLOT_MS / 1000 * _WORDS_A_SECOND
            for point in self._brain.interrupt_points():
                if point <= words and point not in self._tried and not self._deciding:
                    self._tried.add(point)
                    self._add(_Thought("overhear", ear.peek(), ear.slot, self._round, self._stretch, point))
        elif ear.slot + 1 >= self._quiet_since + _HELLO_SLOTS and not (self._greeted or self._deciding or self._reply):
            self._greeted = True
            self._add(_Thought("hello", None, ear.slot + 1, self._round, self._stretch))

    def _begin(self, reply: _Reply) -> None:
        self._reply = None
        self._speech = _Speech(reply, self._ear.slot)
        self._opened = self._opened or reply.utterance.rule == "opening"
        self._round += 1
        self._utterances += 1
        if not reply.interrupts:
            self.reactions_ms.append((self._ear.slot - reply.due + self._reaction) * float(_SLOT_MS))
        self._gathered.clear()
        self._tried.clear()
        if self._ear.is_speaking:
            self._tracer.event("barge_in", self._ns(self._ear.slot), party="caller", turn=self._utterances)
        if reply.interrupts:
            self._forget()
        elif self._recognizer is not None:
            self._forget_text()

    def _end(self, speech: _Speech) -> None:
        self._speech = None
        self._quiet_since = self._ear.slot + 1
        self._trace_speech(speech)
        if speech.reply.decision.action == "hang_up":
            self._closed = True
            self.hang_up_reason = speech.reply.decision.reason
            self.hung_up.set()
        elif self._in_turn and not self._ear.is_speaking:
            self._forget()
            self._in_turn = False

    def _forget(self) -> None:
        """Forget what the agent said until now: the caller has spoken over it."""
        self._ear.drop()
        self._forget_text()

    def _forget_text(self) -> None:
        self._overheard.clear()
        if self._agent_text is not None:
            self._agent_text()

    # ---- thinking: one thing after the other, as jobs on the call's clock ----------------------------------

    def _add(self, thought: _Thought) -> None:
        self._deciding += 1
        self._thoughts.put_nowait(thought)

    async def _think(self) -> None:
        while (thought := await self._thoughts.get()) is not None:
            await self._consider(thought)
            self._deciding -= 1

    async def _consider(self, thought: _Thought) -> None:
        if thought.kind == "overhear" and self._is_told_ahead:
            self._overheard += self._agent_text().split() if self._agent_text is not None else []
            await self._decide(thought, " ".join(self._overheard))
            return
        text = "" if thought.heard is None else await self._understand(thought.heard, thought.after_words)
        if self._is_stale(thought):
            return
        if thought.kind == "hello":
            await self._prepare(Decision("speak", self._brain.still_there()), thought, retractable=False)
            return
        if thought.kind == "overhear" and self._agent_text is None:
            said = " ".join([*self._gathered, text])
        else:
            self._gathered += [text] if text else []
            said = " ".join(self._gathered)
        if thought.kind == "turn" and (thought.stretch != self._stretch or self._is_noise(thought, said)):
            return
        await self._decide(thought, said)

    @property
    def _is_told_ahead(self) -> bool:
        """Whether interruptions are decided on what is told rather than on what is heard."""
        return self._recognizer is not None and self._agent_text is not None

    async def _decide(self, thought: _Thought, said: str) -> None:
        if not self._opened:
            if thought.kind == "turn" and (first := await self._brain.begin(said)).action != "wait":
                await self._prepare(first, thought, retractable=False)
            return
        if thought.after_words is not None:
            said = " ".join(said.split()[: thought.after_words]) if self._agent_text is not None else said
        decision = await self._brain.answer(said, after_words=thought.after_words)
        if decision.action != "wait":
            await self._prepare(decision, thought, retractable=True)
        elif thought.after_words is None:
            self._tracer.event("caller.waits", heard=said)

    async def _prepare(self, decision: Decision, thought: _Thought, *, retractable: bool) -> None:
        """Synthesise a reply and hold it ready, unless it has come too late."""
        assert decision.utterance is not None
        interrupts = thought.kind == "overhear"
        spoken = decision.utterance.spoken
        samples = _SILENCE  # of who hangs up without a word
        if spoken:
            samples = await synthesise(self._voice, spoken, self._exchanges, seed=self._seed, n=self._utterances)
        if self._is_stale(thought) or (thought.stretch != self._stretch and not interrupts):
            if retractable:
                self._brain.retract()
            return
        self._reply = _Reply(decision, decision.utterance, samples, thought.due, interrupts, retractable)

    def _is_stale(self, thought: _Thought) -> bool:
        """Whether the caller has spoken since, or nothing matters any more."""
        return self._closed or thought.round != self._round

    def _is_noise(self, thought: _Thought, said: str) -> bool:
        return not said and thought.heard is not None and thought.heard.speech_frames < _LONG_NOISE_FRAMES

    async def _understand(self, heard: Heard, after_words: int | None = None) -> str:
        """Return the words of some speech, and trace them."""
        start_ns, end_ns = self._ns(heard.start), self._ns(heard.end)
        if self._recognizer is not None:
            text = await recognise(self._recognizer, heard.samples, self._exchanges, start_ns=start_ns, end_ns=end_ns)
        else:
            text = self._agent_text() if self._agent_text is not None else ""
        attributes: dict[str, Any] = {"text": text, "party": "caller"}
        if after_words is not None:
            attributes["after_words"] = after_words
        self._tracer.span("caller.heard", start_ns, end_ns, **attributes)
        return text

    # ---- the trace -----------------------------------------------------------------------------------------

    def _ns(self, slot: int) -> int:
        return self._start_ns + slot * _SLOT_NS

    def _trace_speech(self, speech: _Speech) -> None:
        utterance = speech.reply.utterance
        start_ns = self._ns(speech.start)
        end_ns = start_ns + speech.sent * _SAMPLE_NS
        interrupted = speech.sent < len(speech.reply.samples)
        self._tracer.add(utterance.span(start_ns, end_ns, turn=self._utterances, interrupted=interrupted))
