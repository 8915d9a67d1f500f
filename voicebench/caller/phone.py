"""The caller on the telephone: recognition, a voice and the timing of turns around a policy that knows only text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from voicebench.caller.phone_turns import OngoingSpeech, PreparedReply, TurnEvent
from voicebench.caller.policy import CallerDecision, CallerPolicy
from voicebench.caller.speech_jobs import CallerJobs, recognise, synthesise
from voicebench.caller.speech_listener import CallerListener, HeardSpeech
from voicebench.errors import ConfigError
from voicebench.record.events import BargeInEvent, CallerHeldEvent, CallerWaitsEvent
from voicebench.record.spans import CallerHeardSpan
from voicebench.speech.asr import Transcriber
from voicebench.speech.tts import Voice
from voicebench.speech.vad import FRAME, Vad
from voicebench.store.trace import Exchanges, Tracer

__all__ = ["HangUpReason", "PhoneCaller"]

HangUpReason = Literal["closing", "give_up"]

_SLOT_NS = 20_000_000
_SLOT_MS = 20
_SAMPLE_NS = 62_500
_RATE = 16_000
_HELLO_SLOTS = 500  # 10 s
# A caller that has not spoken yet, and hears nothing more, begins after this silence, whatever it has heard: 4 s.
_OPENING_SLOTS = 200
# Sound without a pause for so long, before the caller has spoken, is noise or an agent that needs to be broken in upon.
_UNBROKEN_SLOTS = 750  # 15 s
# A second of sound without a recognised word is an agent that was not understood; less is noise, and gets no answer.
_LONG_NOISE_FRAMES = 50
_WORDS_A_SECOND = 2.5  # 150 words a minute
_SILENCE = np.zeros(FRAME, np.int16)
_SILENCE.flags.writeable = False


class PhoneCaller:
    """Takes and returns 20 ms frames; what is said is decided by its policy.

    At each tick call ``hear`` with what came through the line, then ``speak`` for what goes into it: both frames lie in
    the same 20 ms slot of the call, counted from the first tick. The caller begins ``turn_end_ms + reaction_ms`` after
    the last speech that it heard. If the agent goes on before, the reply is dropped and the policy decides again on all
    that was heard. If the agent speaks while the caller does, the caller goes on; what the agent said is kept only when
    it goes on past the caller's end (an agent that stopped has yielded, and will answer). After 10 s of silence on both
    sides it asks once whether the agent is there.

    Who has understood nothing says what it calls for all the same: 4 s after the last sound before its opening, or
    after its "Hello?", and in any case after 15 s of sound without a pause.

    A rule with ``interrupt_after_words: N`` is tried N / 2.5 seconds into the agent's speech (150 words a minute), as
    words of audio cannot be counted: on what was recognised until then.

    Recognition and synthesis are free jobs on the call's clock. In real mode they take the time they take, and a reply
    that is not ready when it is due begins when it is.

    Args:
        policy: what decides for the caller.
        voice: what it speaks with.
        recognizer: the caller's ASR; None to take the agent's words from ``agent_text`` instead.
        tracer: gets the spans ``caller.speech`` and ``caller.heard`` and the events ``barge_in``, ``caller.held`` and
            ``caller.waits`` (it was asked for a reply, and decided to say nothing).
        exchanges: gets each recognition and synthesis.
        seed: the work unit's; the n-th utterance is synthesised with a seed derived from it.
        turn_end_ms: silence after which the agent's turn counts as ended.
        reaction_ms: time from then to the caller's first sound.
        agent_text: returns what the agent has said since it was last called, as it was meant to be said. The timing
            comes from the audio all the same. With a recognizer it is asked for interruptions alone: in real time
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
        policy: CallerPolicy,
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
        self._policy = policy
        self._voice = voice
        self._recognizer = recognizer
        self._agent_text = agent_text
        self._tracer = tracer
        self._exchanges = exchanges
        self._seed = seed
        self._jobs = CallerJobs(tracer.now_ns)
        self._turn_end = round(turn_end_ms / _SLOT_MS)
        self._reaction = round(reaction_ms / _SLOT_MS)
        self.hung_up = asyncio.Event()
        self.hang_up_reason: HangUpReason | None = None
        self.reactions_ms: list[float] = []
        self._listener = CallerListener(Vad())
        self._events: asyncio.Queue[TurnEvent | None] = asyncio.Queue()
        self._decider: asyncio.Task[None] | None = None
        self._start_ns = 0
        self._closed = False
        self._opened = False
        self._reply: PreparedReply | None = None
        self._speech: OngoingSpeech | None = None
        self._gathered: list[str] = []
        self._overheard: list[str] = []
        self._deciding = 0
        self._round = 0
        self._stretch = 0
        self._in_turn = False
        self._tried: set[int] = set()
        self._quiet_since = 0
        self._greeted = False
        self._urged: tuple[int, bool] | None = None
        self._utterances = 0

    # ---- what the call's session does ----------------------------------------------------------------------

    async def start(self) -> None:
        """Begin to decide; call it once, before the first tick."""
        self._decider = asyncio.create_task(self._decide_all(), name="caller")

    def hear(self, frame: npt.NDArray[np.int16]) -> None:
        """Take this tick's frame from the line, int16[320].

        Raises:
            VoicebenchError: recognising, deciding or synthesising has failed since the last tick.
        """
        if self._decider is not None and self._decider.done():
            self._decider.result()
        if self._closed:
            return
        if self._listener.slot < 0:
            self._start_ns = round(asyncio.get_running_loop().time() * 1e9)
        if self._listener.hear(frame):
            self._agent_begins()
        if self._listener.is_speaking:
            self._quiet_since = self._listener.slot + 1
        if self._speech is None:
            self._notice()

    def speak(self) -> npt.NDArray[np.int16]:
        """Return this tick's frame for the line, int16[320]; zeros while the caller is quiet."""
        reply = self._reply
        if (
            reply is not None
            and self._listener.slot >= reply.due
            and self._speech is None
            and (reply.interrupts or not self._listener.is_stirring)
        ):
            self._begin(reply)
        if self._closed or self._speech is None:
            return _SILENCE
        speech = self._speech
        samples = speech.reply.samples[speech.sent : speech.sent + FRAME]
        speech.sent += len(samples)
        if speech.sent == len(speech.reply.samples):
            self._speech = None
            self._quiet_since = self._listener.slot + 1
            self._trace_speech(speech)
            if speech.reply.decision.action == "hang_up":
                self._closed = True
                self.hang_up_reason = speech.reply.decision.reason
                self.hung_up.set()
            elif self._in_turn and not self._listener.is_speaking:
                self._forget()
                self._in_turn = False
        return samples if len(samples) == FRAME else np.concatenate([samples, _SILENCE[len(samples) :]])

    @property
    def saying(self) -> str | None:
        """The rule behind what is being said in this tick, ``hello`` for "hello?"; None while the caller is quiet."""
        return None if self._speech is None else self._speech.reply.utterance.rule

    @property
    def is_working(self) -> bool:
        """Whether it recognises, decides or synthesises; on the call's own clock all of that takes no time."""
        return self._jobs.is_pending

    @property
    def slow_job(self) -> str | None:
        """What took, or has taken so far, longer than a person's head may; None if nothing has."""
        return self._jobs.check()

    def agent_hung_up(self) -> None:
        """The line is closed: stop hearing and speaking; what was being said ends here."""
        self._jobs.close()
        self._closed = True
        self._reply = None
        if self._speech is not None:
            self._trace_speech(self._speech)
            self._speech = None

    async def finish(self) -> None:
        """Close the line if it is open, recognise what was heard last, and end."""
        self.agent_hung_up()
        if self._decider is not None:
            self._events.put_nowait(None)
            await self._decider
        heard = self._listener.take()
        if heard is not None:
            await self._understand(heard)

    # ---- turn taking, tick by tick -------------------------------------------------------------------------

    def _agent_begins(self) -> None:
        self._stretch += 1
        self._in_turn = True
        self._greeted = False
        if self._speech is None and (self._reply is not None or self._deciding):
            self._tracer.add(CallerHeldEvent(time_ns=self._ns(self._listener.slot)))
            # A reply that is ready is dropped here; one in the making is dropped when it turns out to be stale.
            if self._reply is not None and not self._reply.interrupts:
                if self._reply.retractable:
                    self._policy.retract()
                self._reply = None

    def _notice(self) -> None:
        """Decide about the agent's turn if it has ended or may be interrupted, or about a long silence."""
        listener = self._listener
        if self._must_open():
            self._urged = (self._stretch, self._greeted)
            self._add(TurnEvent("open", listener.peek(), listener.slot + 1, self._round, self._stretch))
            return
        if self._in_turn and listener.quiet_frames >= self._turn_end:
            self._in_turn = False
            due = listener.slot - listener.quiet_frames + 1 + self._turn_end + self._reaction
            self._add(TurnEvent("turn", listener.take(), due, self._round, self._stretch))
        elif self._in_turn and listener.is_speaking:
            words = listener.kept_slots * _SLOT_MS / 1000 * _WORDS_A_SECOND
            for point in self._policy.interrupt_points():
                if point <= words and point not in self._tried and not self._deciding:
                    self._tried.add(point)
                    self._add(TurnEvent("overhear", listener.peek(), listener.slot, self._round, self._stretch, point))
        elif listener.slot + 1 >= self._quiet_since + _HELLO_SLOTS and not (
            self._greeted or self._deciding or self._reply
        ):
            self._greeted = True
            self._add(TurnEvent("hello", None, listener.slot + 1, self._round, self._stretch))

    def _must_open(self) -> bool:
        """Whether the caller, who has not spoken yet, has waited long enough for words that it understands.

        Asked so by the same sound once, a policy that waits is not asked again.
        """
        if self._opened or self._deciding or self._reply or self._urged == (self._stretch, self._greeted):
            return False
        quiet = self._listener.slot + 1 - self._quiet_since
        has_heard = self._stretch > 0 or self._greeted
        is_unbroken = self._in_turn and self._listener.kept_slots >= _UNBROKEN_SLOTS
        return is_unbroken or (has_heard and not self._in_turn and quiet >= _OPENING_SLOTS)

    def _begin(self, reply: PreparedReply) -> None:
        self._reply = None
        self._speech = OngoingSpeech(reply, self._listener.slot)
        self._opened = self._opened or reply.utterance.rule == "opening"
        self._round += 1
        self._utterances += 1
        if not reply.interrupts:
            self.reactions_ms.append((self._listener.slot - reply.due + self._reaction) * float(_SLOT_MS))
        self._gathered.clear()
        self._tried.clear()
        if self._listener.is_speaking:
            time_ns = self._ns(self._listener.slot)
            self._tracer.add(BargeInEvent(time_ns=time_ns, party="caller", turn=self._utterances))
        if reply.interrupts:
            self._forget()
        elif self._recognizer is not None:
            self._forget_text()

    def _forget(self) -> None:
        """Forget what the agent said until now: the caller has spoken over it."""
        self._listener.drop()
        self._forget_text()

    def _forget_text(self) -> None:
        self._overheard.clear()
        if self._agent_text is not None:
            self._agent_text()

    # ---- deciding: one thing after the other, as jobs on the call's clock ----------------------------------

    def _add(self, event: TurnEvent) -> None:
        self._deciding += 1
        self._events.put_nowait(event)

    async def _decide_all(self) -> None:
        while (event := await self._events.get()) is not None:
            await self._consider(event)
            self._deciding -= 1

    async def _consider(self, event: TurnEvent) -> None:
        if event.kind == "overhear" and self._recognizer is not None and self._agent_text is not None:
            self._overheard += self._agent_text().split()
            await self._decide(event, " ".join(self._overheard))
            return
        text = "" if event.heard is None else await self._understand(event.heard, event.after_words)
        if self._is_stale(event):
            return
        if event.kind == "open":
            first = await self._policy.begin(" ".join([*self._gathered, text]).strip())
            if first.action != "wait":
                await self._prepare(first, event, retractable=False)
            return
        if event.kind == "hello":
            await self._prepare(CallerDecision("speak", self._policy.still_there()), event, retractable=False)
            return
        if event.kind == "overhear" and self._agent_text is None:
            said = " ".join([*self._gathered, text])
        else:
            self._gathered += [text] if text else []
            said = " ".join(self._gathered)
        if event.kind == "turn":
            noise = not said and event.heard is not None and event.heard.speech_frames < _LONG_NOISE_FRAMES
            if noise or event.stretch != self._stretch:
                return
        await self._decide(event, said)

    async def _decide(self, event: TurnEvent, said: str) -> None:
        if not self._opened:
            if event.kind == "turn" and (first := await self._policy.begin(said)).action != "wait":
                await self._prepare(first, event, retractable=False)
            return
        if event.after_words is not None:
            said = " ".join(said.split()[: event.after_words]) if self._agent_text is not None else said
        heard_s = 0.0 if event.heard is None else len(event.heard.samples) / _RATE
        with self._jobs.running("language model", heard_s):
            decision = await self._policy.answer(said, after_words=event.after_words)
        if decision.action != "wait":
            await self._prepare(decision, event, retractable=True)
        elif event.after_words is None:
            self._tracer.add(CallerWaitsEvent(time_ns=self._tracer.now_ns(), heard=said))

    async def _prepare(self, decision: CallerDecision, event: TurnEvent, *, retractable: bool) -> None:
        """Synthesise a reply and hold it ready, unless it has come too late."""
        assert decision.utterance is not None
        interrupts = event.kind in ("overhear", "open")
        spoken = decision.utterance.spoken
        samples = _SILENCE  # of who hangs up without a word
        if spoken:
            samples = await synthesise(
                self._voice, spoken, self._exchanges, self._jobs, seed=self._seed, n=self._utterances
            )
        if self._is_stale(event) or (event.stretch != self._stretch and not interrupts):
            if retractable:
                self._policy.retract()
            return
        self._reply = PreparedReply(decision, decision.utterance, samples, event.due, interrupts, retractable)

    def _is_stale(self, event: TurnEvent) -> bool:
        """Whether the caller has spoken since, or nothing matters any more."""
        return self._closed or event.round != self._round

    async def _understand(self, heard: HeardSpeech, after_words: int | None = None) -> str:
        """Return the words of some speech, and trace them."""
        start_ns, end_ns = self._ns(heard.start), self._ns(heard.end)
        if self._recognizer is not None:
            text = await recognise(
                self._recognizer, heard.samples, self._exchanges, self._jobs, start_ns=start_ns, end_ns=end_ns
            )
        else:
            text = self._agent_text() if self._agent_text is not None else ""
        span = CallerHeardSpan(start_ns=start_ns, end_ns=end_ns, text=text, party="caller")
        if after_words is not None:
            span = span.model_copy(update={"after_words": after_words})
        self._tracer.add(span)
        return text

    # ---- the trace -----------------------------------------------------------------------------------------

    def _ns(self, slot: int) -> int:
        return self._start_ns + slot * _SLOT_NS

    def _trace_speech(self, speech: OngoingSpeech) -> None:
        utterance = speech.reply.utterance
        start_ns = self._ns(speech.start)
        end_ns = start_ns + speech.sent * _SAMPLE_NS
        interrupted = speech.sent < len(speech.reply.samples)
        self._tracer.add(utterance.span(start_ns, end_ns, turn=self._utterances, interrupted=interrupted))
