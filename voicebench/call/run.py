"""Running one work unit: models, line, caller and agent put together, and the files that come of it."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from voicebench.agent import CallContext
from voicebench.agent.router import AgentRouter
from voicebench.call.audio import audio_session
from voicebench.call.costs import cost_of_call
from voicebench.call.scoring import score_call
from voicebench.call.service import ServiceTarget
from voicebench.call.session import CallSession
from voicebench.call.setup import CallFiles, CallSetup, WorkUnit
from voicebench.call.text import TextSession
from voicebench.call.timing import from_start, ticks, timing_problem
from voicebench.caller import CallerPolicy, LlmCaller, ScriptedCaller
from voicebench.caller.caller_task import caller_task
from voicebench.clock import current_loop, patch_time, run_call
from voicebench.clock.priority import LINE, ahead_of_others
from voicebench.config import Pipeline
from voicebench.config.charges import FREE, RECORDED, Charge
from voicebench.config.models import CascadeAgent
from voicebench.errors import CallerInvalid, ConfigError, ModelMissing, PackError, ProviderError, VoicebenchError
from voicebench.language.intents import Intents
from voicebench.llm import LlmClient, LlmTarget
from voicebench.metrics import find_fact_mentions, quantiles, transcript
from voicebench.metrics.service import service_began_s
from voicebench.packs import State, diff_state
from voicebench.packs.models import Case, PackSpec
from voicebench.packs.reference_task import reference_task
from voicebench.record.base import Party
from voicebench.record.call import CallEnd, CallRecord
from voicebench.record.events import FactEvent
from voicebench.record.figures import CallLoad, DeviceLoad
from voicebench.record.spans import CallSpan
from voicebench.record.state import StateRecord
from voicebench.record.verdict import ErrorSource
from voicebench.store import SCHEMA_VERSION, Exchanges, Tracer, to_json, to_jsonl

__all__ = ["run_call_unit"]


def run_call_unit(unit: WorkUnit, setup: CallSetup) -> CallFiles:
    """Hold one call and return its files; a failure of the infrastructure becomes a call with verdict ``error``.

    Nothing is looked up and nothing written: all that the call needs is in its setup, and its files are bytes.

    Raises:
        ModelMissing: weights are absent.
        ConfigError: the configuration cannot be used.
        ProviderError: the model's server refuses the key or does not know the model.
    """
    patch_time()
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    call = _OngoingCall(unit, setup)
    if setup.pipeline.clock.mode == "real":
        Intents(setup.pack.spec.intents, setup.models.encoder).encode_examples()
    try:
        with _punctual(setup.pipeline):
            run_call(call.hold(), mode=setup.pipeline.clock.mode)
    except (ModelMissing, ConfigError):
        raise
    except CallerInvalid as error:
        call.end = CallEnd(end_reason="error", error=None, void=str(error))
    except VoicebenchError as error:
        by: ErrorSource = "service" if isinstance(error, ProviderError) and error.party == "agent" else "harness"
        # A refusal stops the run, yet a call that the service had begun to answer is kept: a rerun is no second try
        began = service_began_s(call.context.exchanges.records()) is not None
        if isinstance(error, ProviderError) and error.refused and not (by == "service" and began):
            raise
        call.end = CallEnd(end_reason="error", error=str(error), error_by=by, void=None)
    if setup.pipeline.clock.mode == "real" and call.session is not None and call.end.error is None:
        # A call whose line was late, or whose caller was, measures the machine, and none of the parties
        problem = call.session.slow_job or timing_problem(call.session.late_ms)
        call.end = call.end.model_copy(update={"error": problem, "error_by": "harness" if problem else None})
    wall_s, cpu_s = time.perf_counter() - wall_s, time.process_time() - cpu_s
    return call.files(wall_s, cpu_s)


@contextlib.contextmanager
def _punctual(pipeline: Pipeline) -> Iterator[None]:
    """Hold a call in real time before all else that the machine does, and without collecting garbage meanwhile."""
    if pipeline.clock.mode != "real":
        yield
        return
    # A collection can take longer than a tick of the line
    collects = gc.isenabled()
    gc.disable()
    try:
        with ahead_of_others(LINE):
            yield
    finally:
        if collects:
            gc.enable()


class _OngoingCall:
    """One call from the first party that is built to its files."""

    def __init__(self, unit: WorkUnit, setup: CallSetup) -> None:
        def now_ns() -> int:
            return current_loop().now_ns

        self.unit = unit
        self.setup = setup
        self.end = CallEnd(end_reason="error", error=None, void=None)
        self.tracer = Tracer(unit.seed, now_ns, setup.watch)
        exchanges = Exchanges() if setup.recorded is None else setup.recorded.exchanges
        self.context = CallContext(unit.call_id, unit.seed, self.tracer, now_ns, exchanges, setup.recorded)
        self.root = self.tracer.reserve()
        self.session: CallSession | TextSession | None = None
        self.load: CallLoad | None = None
        self.state: StateRecord | None = None

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

    def _read_state(self, router: AgentRouter, seed: State) -> None:
        final = router.tool_context.dump(self.setup.pack.spec)
        difference = diff_state(seed, final, self.setup.pack.spec)
        final_rows, seed_rows = ({table: tuple(rows) for table, rows in state.items()} for state in (final, seed))
        self.state = StateRecord(final=final_rows, seed=seed_rows, difference=difference)

    async def _talk(self, router: AgentRouter) -> None:
        setup, pipeline = self.setup, self.setup.pipeline
        script, spec = setup.case.caller, setup.pack.spec
        agent_model = caller_model = None
        if isinstance(pipeline.agent, CascadeAgent):
            agent_model = self._client(self._target(), pipeline.clock.charges.llm, "agent")
        policy: CallerPolicy = ScriptedCaller(script, spec, setup.models.encoder)
        if pipeline.caller.kind != "scripted":
            caller_model = self._client(self._caller_target(), FREE, "caller")
            policy = LlmCaller(script, spec, caller_model)
        if pipeline.channel == "text":
            assert agent_model is not None
            self.session = TextSession(policy, router, agent_model, self.context, pipeline.limits)
        else:
            model = agent_model or ServiceTarget(self._target())
            self.session = audio_session(setup, policy, router, model, self.context)
        try:
            reason = await self.session.run()
            self.end = CallEnd(end_reason=reason, error=None, void=None)
            if isinstance(self.session, CallSession) and self.session.agent.failure is not None:
                raise self.session.agent.failure
        finally:
            for client in (agent_model, caller_model):
                if client is not None:
                    await client.close()
            loop = current_loop()
            self.load = CallLoad(
                undeclared_jobs=loop.undeclared_jobs,
                llm_wait_s=loop.fetch_wall_s,
                harness_s=loop.harness_wall_s,
                longest_callback_ms=round(loop.longest_callback_s * 1e3, 3),
                jobs={name: DeviceLoad(**vars(totals)) for name, totals in loop.job_totals.items()},
            )

    def _client(self, target: LlmTarget, charge: Charge, party: Party) -> LlmClient:
        recorded = self.setup.recorded
        if recorded is None:
            return LlmClient(target, charge, self.context, party=party)
        return LlmClient(target, RECORDED, self.context, party=party, fetcher=recorded.fetcher(party))

    def _target(self) -> LlmTarget:
        """Return where the model under test answers; an endpoint of our own is also given the task."""
        setup = self.setup
        if not setup.target.own:
            return setup.target
        task = reference_task(setup.case, setup.pack.snapshot(), self.unit.seed)
        return replace(setup.target, metadata={"voicebench_call": self.unit.call_id, "voicebench_task": task})

    def _caller_target(self) -> LlmTarget:
        """Return where the model that plays the caller answers; an endpoint of our own is also given the script."""
        target = self.setup.caller
        if target is None:
            raise ConfigError("caller.kind is llm, and this call was given no model that plays it")
        if not target.own:
            return target
        handed = caller_task(self.setup.case.caller, self.setup.pack.spec, self.setup.pipeline.caller.understanding)
        metadata = {"voicebench_caller": handed.model_dump_json(by_alias=True, exclude_defaults=True)}
        return replace(target, metadata=metadata)

    def files(self, wall_s: float, cpu_s: float) -> CallFiles:
        """Return the files of the call."""
        unit, setup, session = self.unit, self.setup, self.session
        start_ns, length_ns = (session.start_ns, session.length_ns) if session is not None else (0, 0)
        self.tracer.add(
            CallSpan(
                span_id=self.root,
                start_ns=start_ns,
                end_ns=start_ns + length_ns,
                pack=unit.pack,
                task=unit.task,
                trial=unit.trial,
                attempt=unit.attempt,
                end_reason=self.end.end_reason or "error",
            )
        )
        record_facts(self.tracer, setup.case, setup.pack.spec)
        trace = from_start(self.tracer.records(), start_ns)
        exchanges = from_start(self.context.exchanges.records(), start_ns)
        recording = session.recording() if session is not None else None
        files = {
            "trace.jsonl": to_jsonl(each.to_json() for each in trace),
            "exchanges.jsonl": to_jsonl(each.to_json() for each in exchanges),
            "state.json": to_json(None if self.state is None else self.state.to_json()),
        }
        if recording is not None:
            files["recording.wav"] = recording
        line = session.line_report() if session is not None else None
        snapshot, encoder = setup.pack.snapshot(), setup.models.encoder
        files_of_call = trace, exchanges, self.state, recording
        score = score_call(snapshot, setup.case, self.end, *files_of_call, line=line, encoder=encoder)
        record = CallRecord(
            schema_version=SCHEMA_VERSION,
            pack=unit.pack,
            task=unit.task,
            trial=unit.trial,
            attempt=unit.attempt,
            title=setup.case.title,
            seed=unit.seed,
            call_id=unit.call_id,
            trace_id=self.tracer.trace_id,
            pipeline=setup.pipeline.name,
            model=setup.target.model,
            caller_voice=setup.caller_voice if setup.pipeline.channel == "audio" else None,
            config_hash=setup.pipeline.config_hash,
            end_reason=self.end.end_reason,
            error=self.end.error,
            void=self.end.void,
            call_s=length_ns / 1e9,
            **dict(score),
            cost=cost_of_call(setup.pipeline, trace, exchanges, datetime.now(UTC).date()),
            wall_s=wall_s,
            cpu_s=cpu_s,
            load=self.load,
            ticks=ticks(session.late_ms if session is not None else []),
            caller_reaction_ms=quantiles(session.reactions_ms if session is not None else []),
            line=line,
            files={name: len(data) for name, data in files.items()},
        )
        return CallFiles({"call.json": to_json(record.to_json()), **files})


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
