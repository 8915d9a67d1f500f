"""Running one work unit: models, line, caller and agent put together, and the files that come of it."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from voicebench.agent import CallContext
from voicebench.agent.router import AgentRouter
from voicebench.call.audio import audio_session, line_settings, load_models
from voicebench.call.costs import cost_of_call
from voicebench.call.scoring import score_call
from voicebench.call.service import ServiceTarget
from voicebench.call.session import CallSession
from voicebench.call.setup import CallFiles, CallSetup, RecordedModels, WorkUnit
from voicebench.call.text import TextSession
from voicebench.call.timing import from_start, ticks, timing_problem
from voicebench.caller import CallerPolicy, LlmCaller, ScriptedCaller
from voicebench.caller.caller_task import caller_task
from voicebench.caller.prompt import check_prompt
from voicebench.clock import current_loop, patch_time, run_call
from voicebench.clock.priority import LINE, ahead_of_others
from voicebench.config import Pipeline
from voicebench.config.charges import FREE, RECORDED
from voicebench.config.models import CascadeAgent
from voicebench.errors import CallerInvalid, ConfigError, ModelMissing, PackError, ProviderError, VoicebenchError
from voicebench.llm import LlmClient, LlmTarget
from voicebench.metrics import find_fact_mentions, quantiles, transcript
from voicebench.packs import State, diff_state
from voicebench.packs.models import Case, PackSpec
from voicebench.packs.reference_task import reference_task
from voicebench.record.call import CallEnd
from voicebench.record.events import FactEvent
from voicebench.record.spans import CallSpan
from voicebench.record.state import StateRecord
from voicebench.store import SCHEMA_VERSION, Exchanges, Tracer, to_json, to_jsonl

__all__ = ["prepare", "run_call_unit"]

REFUSED = (401, 403, 404)
"""HTTP statuses that no other call of the run would fare better with."""


def prepare(pipeline: Pipeline, caller_voices: Collection[str], recorded: RecordedModels | None = None) -> None:
    """Load what calls of this pipeline need, once a process, so that no call's time holds it.

    Args:
        pipeline: the configuration.
        caller_voices: the names of the voices that speak the callers.
        recorded: what the models answered, if a call is made again.

    Raises:
        ModelMissing: weights are absent or differ from their hash.
        ConfigError: a voice, recognizer, preset or key of the line is unknown; the caller's prompt is an earlier one.
    """
    patch_time()
    check_prompt(pipeline.caller)
    if pipeline.channel == "audio":
        line_settings(pipeline)
        load_models(pipeline, caller_voices, recorded)


def run_call_unit(unit: WorkUnit, setup: CallSetup) -> CallFiles:
    """Hold one call and return its files; trouble of the infrastructure becomes a call with verdict ``error``.

    Raises:
        ModelMissing: weights are absent.
        ConfigError: the configuration cannot be used.
        ProviderError: the model's server refuses the key or does not know the model.
    """
    prepare(setup.pipeline, [setup.caller_voice], setup.recorded)
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    call = _OngoingCall(unit, setup)
    try:
        with _punctual(setup.pipeline):
            run_call(call.hold(), mode=setup.pipeline.clock.mode)
    except (ModelMissing, ConfigError):
        raise
    except CallerInvalid as error:
        call.outcome.update(end_reason="error", void=str(error))
    except VoicebenchError as error:
        if isinstance(error, ProviderError) and error.status in REFUSED:
            raise
        call.outcome.update(end_reason="error", error=str(error))
    call.check_timing()
    wall_s, cpu_s = time.perf_counter() - wall_s, time.process_time() - cpu_s
    return call.files(wall_s, cpu_s)


@contextlib.contextmanager
def _punctual(pipeline: Pipeline) -> Iterator[None]:
    """Hold a call in real time before all else that the machine does, and without collecting garbage meanwhile."""
    if pipeline.clock.mode != "real":
        yield
        return
    collects = gc.isenabled()
    gc.disable()
    try:
        with ahead_of_others(LINE):
            yield
    finally:
        if collects:
            gc.enable()


class _OngoingCall:
    """One call in the making."""

    def __init__(self, unit: WorkUnit, setup: CallSetup) -> None:
        self.unit = unit
        self.setup = setup
        self.outcome: dict[str, Any] = {"end_reason": "error", "error": None, "void": None}
        self.tracer = Tracer(unit.seed, self._now_ns, setup.watch)
        exchanges = Exchanges() if setup.recorded is None else setup.recorded.exchanges
        self.context = CallContext(unit.call_id, unit.seed, self.tracer, self._now_ns, exchanges, setup.recorded)
        self.root = self.tracer.reserve()
        self.session: CallSession | TextSession | None = None
        self.load: dict[str, Any] = {}
        self.state: dict[str, Any] | None = None

    def _now_ns(self) -> int:
        return current_loop().now_ns

    async def hold(self) -> None:
        """Build the parties on the running loop, hold the call, and read the state it left."""
        setup, pipeline = self.setup, self.setup.pipeline
        router = AgentRouter(setup.pack, self.context, latency_ms=pipeline.tools.latency_ms)
        with contextlib.closing(router.tool_context):
            seed_state = router.tool_context.dump(setup.pack.spec)
            try:
                await self._talk(router)
            except BaseException:
                with contextlib.suppress(PackError):  # what broke the call may have taken the tools with it
                    self._read_state(router, seed_state)
                raise
            self._read_state(router, seed_state)

    async def _talk(self, router: AgentRouter) -> None:
        setup, pipeline = self.setup, self.setup.pipeline
        client = self._client() if isinstance(pipeline.agent, CascadeAgent) else None
        player = self._player()
        policy = self._policy(player)
        if pipeline.channel == "text":
            assert client is not None
            self.session = TextSession(policy, router, client, self.context, pipeline.limits)
        else:
            model = client or ServiceTarget(self._target())
            self.session = audio_session(
                pipeline, policy, setup.caller_voice, router, model, self.context, setup.recorded
            )
        try:
            self.outcome["end_reason"] = await self.session.run()
            if isinstance(self.session, CallSession) and self.session.agent.failure is not None:
                raise self.session.agent.failure
        finally:
            for model_client in (client, player):
                if model_client is not None:
                    await model_client.close()
            self.load = _load()

    def _read_state(self, router: AgentRouter, seed: State) -> None:
        final = router.tool_context.dump(self.setup.pack.spec)
        difference = diff_state(seed, final, self.setup.pack.spec)
        self.state = {"final": final, "seed": seed, "difference": difference.model_dump(mode="json")}

    def _client(self) -> LlmClient:
        recorded = self.setup.recorded
        if recorded is not None:
            return LlmClient(self._target(), RECORDED, self.context, fetcher=recorded.fetcher("agent"))
        return LlmClient(self._target(), self.setup.pipeline.clock.charges.llm, self.context)

    def _player(self) -> LlmClient | None:
        """Return the client of the model that plays the caller, if one does; what it takes is no part of the call."""
        target, recorded = self.setup.caller, self.setup.recorded
        if self.setup.pipeline.caller.kind == "scripted":
            return None
        if target is None:
            raise ConfigError("caller.kind is llm, and this call was told no model that plays it")
        if target.own:
            handed = caller_task(self.setup.case.caller, self.setup.pack.spec)
            metadata = {"voicebench_caller": handed.model_dump_json(by_alias=True, exclude_defaults=True)}
            target = replace(target, metadata=metadata)
        if recorded is not None:
            return LlmClient(target, RECORDED, self.context, party="caller", fetcher=recorded.fetcher("caller"))
        return LlmClient(target, FREE, self.context, party="caller")

    def _policy(self, player: LlmClient | None) -> CallerPolicy:
        script, spec = self.setup.case.caller, self.setup.pack.spec
        return ScriptedCaller(script, spec) if player is None else LlmCaller(script, spec, player)

    def _target(self) -> LlmTarget:
        setup = self.setup
        if not setup.target.own:
            return setup.target
        task = reference_task(setup.case, setup.pack.snapshot(), self.unit.seed)
        metadata = {"voicebench_call": self.unit.call_id, "voicebench_task": task}
        return replace(setup.target, metadata=metadata)

    def check_timing(self) -> None:
        """In real time, a call whose line was late is no measurement of anybody."""
        if self.setup.pipeline.clock.mode == "real" and self.session is not None and self.outcome["error"] is None:
            self.outcome["error"] = timing_problem(self.session.late_ms)

    def files(self, wall_s: float, cpu_s: float) -> CallFiles:
        """Return the files of the call."""
        session = self.session
        start_ns, length_ns = (session.start_ns, session.length_ns) if session is not None else (0, 0)
        unit = self.unit
        names: dict[str, Any] = {"pack": unit.pack, "task": unit.task, "trial": unit.trial, "attempt": unit.attempt}
        self.tracer.add(
            CallSpan(
                span_id=self.root,
                start_ns=start_ns,
                end_ns=start_ns + length_ns,
                pack=unit.pack,
                task=unit.task,
                trial=unit.trial,
                attempt=unit.attempt,
                end_reason=self.outcome["end_reason"],
            )
        )
        record_facts(self.tracer, self.setup.case, self.setup.pack.spec)
        trace = from_start(self.tracer.records(), start_ns)
        exchanges = from_start(self.context.exchanges.records(), start_ns)
        recording = session.recording() if session is not None else None
        snapshot = self.setup.pack.snapshot()
        files = {
            "trace.jsonl": to_jsonl(each.to_json() for each in trace),
            "exchanges.jsonl": to_jsonl(each.to_json() for each in exchanges),
            "state.json": to_json(self.state),
        }
        if recording is not None:
            files["recording.wav"] = recording
        end = CallEnd(**self.outcome, call_s=length_ns / 1e9)
        state = None if self.state is None else StateRecord.model_validate(self.state)
        score = score_call(snapshot, self.setup.case, end, trace, exchanges, state, recording)
        call = {
            "schema_version": SCHEMA_VERSION,
            **names,
            "title": self.setup.case.title,
            "seed": unit.seed,
            "call_id": unit.call_id,
            "trace_id": self.tracer.trace_id,
            "pipeline": self.setup.pipeline.name,
            "model": self.setup.target.model,
            "caller_voice": self.setup.caller_voice if self.setup.pipeline.channel == "audio" else None,
            "config_hash": self.setup.pipeline.config_hash,
            **end.to_json(),
            **score.to_json(),
            "cost": cost_of_call(self.setup.pipeline, trace, exchanges, datetime.now(UTC).date()).to_json(),
            "wall_s": wall_s,
            "cpu_s": cpu_s,
            "load": self.load,
            "ticks": ticks(session.late_ms if session is not None else []).to_json(),
            "caller_reaction_ms": quantiles(session.reactions_ms if session is not None else []).to_json(),
            "line": session.line_report() if session is not None else None,
            "files": {name: len(data) for name, data in files.items()},
        }
        return CallFiles({"call.json": to_json(call), **files})


def _load() -> dict[str, Any]:
    loop = current_loop()
    return {
        "undeclared_jobs": loop.undeclared_jobs,
        "llm_wait_s": loop.fetch_wall_s,
        "harness_s": loop.harness_wall_s,
        "longest_callback_ms": round(loop.longest_callback_s * 1e3, 3),
        "jobs": {name: vars(totals) for name, totals in loop.job_totals.items()},
    }


def record_facts(tracer: Tracer, case: Case, spec: PackSpec) -> None:
    """Record an event ``fact`` for each mention of a fact, under the span of its speech, where that begins.

    It is what :func:`voicebench.metrics.find_fact_mentions` says of it when the call ends. Nothing is computed from
    these events: scoring the call again looks for the mentions again.

    Args:
        tracer: of the call, after it.
        case: the task.
        spec: the pack's.
    """
    trace = tracer.records()
    for mention in find_fact_mentions(transcript(trace), trace, case, spec):
        tracer.add(
            FactEvent(
                span_id=mention.span_ids[0],
                time_ns=round(mention.start_s * 1e9),
                fact=mention.fact,
                value=mention.value,
                speaker=mention.speaker,
                form=mention.form,
                said=mention.said,
                heard=mention.heard,
                understood=mention.understood,
                right=mention.right,
                used=mention.used,
                heard_span_ids=mention.heard_span_ids,
            )
        )
