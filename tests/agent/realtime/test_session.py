"""Translation to and from OpenAI's realtime protocol, on messages written from its public documentation."""

from __future__ import annotations

import base64
from datetime import date
from typing import Any

import numpy as np
import pytest
from openai.types.realtime import RealtimeResponse, RealtimeSessionCreateRequest
from pydantic import TypeAdapter

from tests.agent.fakes import new_context, shop
from tests.agent.realtime.scene import SETTINGS
from tests.jsons import lines_of
from voicebench.agent.realtime import Connection, RealtimeHarness, SessionSettings, SpeechPlayout
from voicebench.agent.realtime.dialogue import Dialogue
from voicebench.agent.realtime.session import RATE, function_tools, greeting_event, session_update, token_usage
from voicebench.agent.router import AgentRouter
from voicebench.clock import run_call, sleep
from voicebench.errors import AgentError, ProviderError
from voicebench.metrics.cost import Service, call_cost
from voicebench.record.exchanges import TranscriptionExchange
from voicebench.record.spans import LlmSpan
from voicebench.runner.limiter import ProviderFailure
from voicebench.store import Exchanges

pytestmark = pytest.mark.unit

Event = dict[str, Any]

USAGE: Event = {
    "total_tokens": 1_500,
    "input_tokens": 1_200,
    "output_tokens": 300,
    "input_token_details": {
        "text_tokens": 900,
        "audio_tokens": 300,
        "image_tokens": 0,
        "cached_tokens": 1_000,
        "cached_tokens_details": {"text_tokens": 850, "audio_tokens": 150, "image_tokens": 0},
    },
    "output_token_details": {"text_tokens": 60, "audio_tokens": 240},
}


def response(name: str, status: str, *, output: list[Event] | None = None, **more: Any) -> Event:
    return {"object": "realtime.response", "id": name, "status": status, "output": output or [], **more}


def call_item(name: str, arguments: str, call_id: str = "call_1", status: str = "completed") -> Event:
    item = {"id": f"fc_{call_id}", "object": "realtime.item", "type": "function_call", "status": status}
    return {**item, "call_id": call_id, "name": name, "arguments": arguments}


class Probe:
    """A dialogue without a service: events go in, and what would be sent is kept."""

    def __init__(self, first: str = "reception", settings: SessionSettings = SETTINGS) -> None:
        self.sent: list[Event] = []
        self.context = new_context()
        self.router = AgentRouter(shop(), self.context, latency_ms=50.0)
        self.router.active = next(spec for spec in shop().spec.agents if spec.name == first)
        self.playout = SpeechPlayout(self.context, RATE)
        self.dialogue = Dialogue(
            self.router, self.playout, settings, self.context, self.sent.append, model="m", timeout_s=5.0
        )
        self._count = 0

    def tell(self, kind: str, **fields: Any) -> None:
        self._count += 1
        self.dialogue.handle({"event_id": f"event_{self._count}", "type": kind, **fields})

    def kinds(self) -> list[str]:
        return [event["type"] for event in self.sent]

    def attributes(self, name: str) -> list[Event]:
        return [line["attributes"] for line in lines_of(self.context.tracer) if line["name"] == name]


def probe_of(happens: Any, **options: Any) -> Probe:
    kept: list[Probe] = []

    async def main() -> None:
        kept.append(Probe(**options))
        await happens(kept[0])

    run_call(main())
    return kept[0]


# ---- pack to session ------------------------------------------------------------------------------------------------


def test_a_pack_becomes_a_session_that_the_official_types_take() -> None:
    tools: list[Event] = [
        {"type": "function", "function": {"name": "look", "description": "Look.", "parameters": {"type": "object"}}}
    ]
    update: Event = session_update(SETTINGS, "Be brief.", tools, first=True)
    session = TypeAdapter(RealtimeSessionCreateRequest).validate_python(update["session"])
    assert session.instructions == "Be brief."
    assert update["session"]["tools"] == [
        {"type": "function", "name": "look", "description": "Look.", "parameters": {"type": "object"}}
    ]
    assert session.audio is not None
    assert session.audio.output is not None
    assert (session.audio.output.voice, update["session"]["audio"]["input"]["format"]["rate"]) == ("joe", 24_000)
    assert not session.model_extra


def test_a_later_agent_swaps_prompt_and_tools_alone() -> None:
    update: Event = session_update(SETTINGS, "Another.", [], first=False)
    assert set(update["session"]) == {"type", "instructions", "tools", "tool_choice"}


def test_parameters_are_passed_on_and_the_task_is_told_to_our_own_server_only() -> None:
    settings = SessionSettings("marin", {"type": "server_vad"}, None, {"max_output_tokens": 512})
    update: Event = session_update(settings, "", [], first=True)
    session = update["session"]
    assert (session["max_output_tokens"], session["audio"]["input"]["transcription"]) == (512, None)
    assert "tracing" not in session


def test_the_greeting_is_asked_for_word_for_word_and_calls_nothing() -> None:
    event: Event = greeting_event("Good day.")
    wanted = event["response"]
    assert "Say exactly this and nothing else: Good day." in wanted["instructions"]
    assert (wanted["tool_choice"], wanted["metadata"]) == ("none", {"say": "Good day."})


def test_tools_of_every_agent_have_a_name_a_description_and_a_schema() -> None:
    async def happens(probe: Probe) -> None:
        await sleep(0)

    probe = probe_of(happens)
    tools: list[Event] = TypeAdapter(list[Event]).validate_python(function_tools(probe.router.tools()))
    for tool in tools:
        assert set(tool) == {"type", "name", "description", "parameters"}


# ---- usage to cost --------------------------------------------------------------------------------------------------


def test_cached_tokens_are_counted_once_in_text_and_in_sound() -> None:
    RealtimeResponse.model_validate(response("resp_1", "completed", usage=USAGE))
    span = LlmSpan(start_ns=0, end_ns=1, **token_usage(USAGE), ttft_ms=300.0)
    free = Service("own", local=True)
    services = {"agent": Service("gpt-realtime-2"), "caller": free, "asr": free, "tts": free}
    cost = call_cost([span], [], services, {}, date(2026, 11, 1)).agent
    text, audio, cached_text, cached_audio = 900 - 850, 300 - 150, 850, 150
    by_hand = text * 4 + cached_text * 0.4 + audio * 32 + cached_audio * 0.4 + 60 * 24 + 240 * 64
    assert cost.usd == pytest.approx(by_hand / 1e6, abs=1e-8)


def test_a_response_without_usage_has_an_unknown_cost() -> None:
    assert set(token_usage(None).values()) == {None}
    assert token_usage({"input_tokens": 5, "output_tokens": 1})["cached_tokens"] is None


@pytest.mark.parametrize(
    ("usage", "usd"),
    [
        ({"type": "duration", "seconds": 36.0}, None),
        ({"type": "tokens", "input_tokens": 1_000, "output_tokens": 100, "total_tokens": 1_100}, 0.00175),
        (
            {
                "type": "tokens",
                "input_tokens": 1_000,
                "output_tokens": 100,
                "total_tokens": 1_100,
                "input_token_details": {"audio_tokens": 900, "text_tokens": 100},
            },
            (100 * 1.25 + 900 * 3 + 100 * 5) / 1e6,
        ),
    ],
)
def test_writing_the_caller_down_has_a_price_of_its_own(usage: Event, usd: float | None) -> None:
    exchanges = Exchanges()
    exchanges.add(TranscriptionExchange(party="agent", model="gpt-4o-mini-transcribe", usage=usage))
    free = Service("own", local=True)
    services = {"agent": free, "caller": free, "asr": Service("gpt-4o-mini-transcribe"), "tts": free}
    assert call_cost([], exchanges.records(), services, {}, date(2026, 11, 1)).asr.usd == usd


# ---- events to trace ------------------------------------------------------------------------------------------------


def test_a_turn_is_traced_from_the_services_own_times() -> None:
    async def happens(probe: Probe) -> None:
        probe.dialogue.audio_begins()
        await sleep(2.0)
        probe.tell("input_audio_buffer.speech_started", audio_start_ms=500, item_id="item_1")
        await sleep(1.0)
        probe.tell("input_audio_buffer.speech_stopped", audio_end_ms=2_900, item_id="item_1")
        probe.tell("input_audio_buffer.committed", item_id="item_1", previous_item_id=None)
        await sleep(0.25)
        heard: Event = {"item_id": "item_1", "content_index": 0, "transcript": " Where is it? "}
        usage = {"type": "duration", "seconds": 2.4}
        probe.tell("conversation.item.input_audio_transcription.completed", usage=usage, **heard)

    probe = probe_of(happens)
    [end] = [line for line in lines_of(probe.context.tracer) if line["name"] == "turn.end"]
    assert (end["start_ns"], end["end_ns"]) == (2_300_000_000, 3_000_000_000)  # 2,900 ms less 600 ms of silence
    [heard] = [line for line in lines_of(probe.context.tracer) if line["name"] == "asr"]
    assert (heard["attributes"]["text"], heard["start_ns"], heard["end_ns"]) == (
        "Where is it?",
        2_300_000_000,
        3_250_000_000,
    )
    assert probe.dialogue.turns == 1


def test_a_response_is_a_request_of_the_trace_and_its_first_sound_is_timed_apart() -> None:
    async def happens(probe: Probe) -> None:
        probe.tell("input_audio_buffer.speech_stopped", audio_end_ms=0, item_id="item_1")
        await sleep(0.4)
        probe.tell("response.created", response=response("resp_1", "in_progress"))
        place = {"response_id": "resp_1", "item_id": "item_2", "output_index": 0, "content_index": 0}
        probe.tell("response.output_audio_transcript.delta", delta="Good day.", **place)
        await sleep(0.1)
        sound = base64.b64encode(np.full(2_400, 900, "<i2").tobytes()).decode()
        probe.tell("response.output_audio.delta", delta=sound, **place)
        probe.tell("response.output_audio.done", **place)
        probe.tell("response.done", response=response("resp_1", "completed", usage=USAGE))
        while not probe.playout.is_quiet:
            probe.playout.speak()

    probe = probe_of(happens)
    [request] = probe.attributes("llm")
    assert (request["ttft_ms"], request["first_audio_ms"]) == (400.0, 500.0)
    assert request["gen_ai.usage.cached_tokens"] == 1_000
    assert request["gen_ai.response.finish_reasons"] == ["completed"]
    [speech] = probe.attributes("agent.speech")
    assert (speech["intended"], speech["spoken"], speech["interrupted"]) == ("Good day.", "Good day.", False)


def test_a_call_is_run_once_answered_and_asked_about_when_its_response_has_ended() -> None:
    async def happens(probe: Probe) -> None:
        item = call_item("transfer_to_returns", "{}")
        probe.tell("response.created", response=response("resp_1", "in_progress"))
        probe.tell("response.output_item.done", response_id="resp_1", output_index=0, item=item)
        await sleep(0.2)
        assert probe.kinds() == ["conversation.item.create", "session.update"]
        probe.tell("response.done", response=response("resp_1", "completed", output=[item], usage=USAGE))
        await sleep(0.2)

    probe = probe_of(happens, first="orders")
    assert probe.kinds() == ["conversation.item.create", "session.update", "response.create"]
    assert probe.sent[0]["item"]["call_id"] == "call_1"
    assert len(probe.attributes("handoff")) == 1


def test_a_malformed_call_is_answered_with_an_error_result() -> None:
    async def happens(probe: Probe) -> None:
        probe.tell("response.created", response=response("resp_1", "in_progress"))
        item = call_item("get_order", '{"order_number": ')
        probe.tell("response.output_item.done", response_id="resp_1", output_index=0, item=item)
        await sleep(0.2)

    probe = probe_of(happens, first="orders")
    assert '"MALFORMED_ARGUMENTS"' in probe.sent[0]["item"]["output"]
    assert probe.dialogue.failure is None


def test_a_call_that_was_cut_in_its_arguments_is_never_run() -> None:
    async def happens(probe: Probe) -> None:
        item = call_item("transfer_to_returns", "{", status="incomplete")
        probe.tell("response.created", response=response("resp_1", "in_progress"))
        probe.tell("response.output_item.done", response_id="resp_1", output_index=0, item=item)
        done = response("resp_1", "cancelled", output=[item], status_details={"reason": "turn_detected"})
        probe.tell("response.done", response=done)
        await sleep(0.2)

    probe = probe_of(happens, first="orders")
    assert probe.sent == []
    assert probe.attributes("llm")[0]["gen_ai.response.finish_reasons"] == ["turn_detected"]


def test_a_response_that_began_before_a_handoff_belongs_to_the_agent_that_it_knew() -> None:
    async def happens(probe: Probe) -> None:
        probe.dialogue.begin()
        probe.tell("session.updated", session={})
        probe.tell("response.created", response=response("resp_1", "in_progress"))
        item = call_item("transfer_to_returns", "{}")
        probe.tell("response.output_item.done", response_id="resp_1", output_index=0, item=item)
        await sleep(0.2)  # the update is sent, and the service has begun a response before it came
        probe.tell("response.done", response=response("resp_1", "completed"))
        probe.tell("response.created", response=response("resp_2", "in_progress"))
        probe.tell("session.updated", session={})
        probe.tell("response.done", response=response("resp_2", "completed"))
        probe.tell("response.created", response=response("resp_3", "in_progress"))
        probe.tell("response.done", response=response("resp_3", "completed"))

    probe = probe_of(happens, first="orders")
    assert [request["agent"] for request in probe.attributes("llm")] == ["orders", "orders", "returns"]


# ---- errors ---------------------------------------------------------------------------------------------------------


def error(probe: Probe, **detail: Any) -> None:
    probe.tell("error", error={"type": "invalid_request_error", "message": "no", "code": None, **detail})


def test_a_truncation_that_comes_too_late_is_no_failure() -> None:
    async def happens(probe: Probe) -> None:
        place = {"response_id": "resp_1", "item_id": "item_2", "output_index": 0, "content_index": 0}
        sound = base64.b64encode(np.full(24_000, 900, "<i2").tobytes()).decode()
        probe.tell("response.output_audio.delta", delta=sound, **place)
        for _ in range(10):
            probe.playout.speak()
        probe.tell("input_audio_buffer.speech_started", audio_start_ms=0, item_id="item_3")
        error(probe, code="invalid_value", event_id=probe.sent[0]["event_id"])

    probe = probe_of(happens)
    assert (probe.sent[0]["type"], probe.sent[0]["audio_end_ms"]) == ("conversation.item.truncate", 200)
    assert probe.dialogue.failure is None


def test_a_service_that_is_busy_is_asked_again_when_it_has_ended() -> None:
    async def happens(probe: Probe) -> None:
        probe.tell("response.created", response=response("resp_1", "in_progress"))
        item = call_item("log_disclosure", "{}")
        probe.tell("response.output_item.done", response_id="resp_1", output_index=0, item=item)
        probe.tell("response.done", response=response("resp_1", "completed"))
        await sleep(0.2)
        assert probe.kinds()[-1] == "response.create"
        probe.tell("response.created", response=response("resp_2", "in_progress"))  # by itself, before it heard of ours
        error(probe, code="conversation_already_has_active_response", event_id=probe.sent[-1]["event_id"])
        await sleep(0.2)
        probe.tell("response.done", response=response("resp_2", "completed"))
        await sleep(0.2)

    probe = probe_of(happens)
    assert probe.kinds().count("response.create") == 2
    assert probe.dialogue.failure is None


@pytest.mark.parametrize(
    ("happening", "kind", "retryable"),
    [
        ({"type": "server_error", "code": "server_error"}, ProviderError, True),
        ({"type": "invalid_request_error", "code": "session_expired"}, ProviderError, False),
        ({"type": "invalid_request_error", "code": "invalid_value", "event_id": "vb_1"}, AgentError, None),
    ],
)
def test_an_error_of_the_service_ends_the_call(happening: Event, kind: type[Exception], retryable: bool | None) -> None:
    async def happens(probe: Probe) -> None:
        probe.dialogue.begin()
        error(probe, **happening)

    failure = probe_of(happens).dialogue.failure
    assert type(failure) is kind
    assert getattr(failure, "retryable", None) == retryable


def test_a_response_that_fails_ends_the_call_with_what_the_service_says() -> None:
    async def happens(probe: Probe) -> None:
        details = {
            "type": "failed",
            "error": {"type": "server_error", "code": "rate_limit_exceeded", "message": "slow"},
        }
        probe.tell("response.done", response=response("resp_1", "failed", status_details=details))

    failure = probe_of(happens).dialogue.failure
    assert isinstance(failure, ProviderError)
    assert (failure.status, failure.retryable) == (429, True)
    assert str(failure) == "a response failed: slow (rate_limit_exceeded)"


def test_a_service_that_never_begins_a_response_is_given_up() -> None:
    async def happens(probe: Probe) -> None:
        probe.dialogue.greet("Good day.")
        await sleep(5.0)
        probe.dialogue.check()
        assert probe.dialogue.failure is None
        await sleep(0.1)
        probe.dialogue.check()

    failure = probe_of(happens).dialogue.failure
    assert str(failure) == "the service has sent nothing of the response that it owes for 5 s"


def after_the_turn(*events: tuple[float, str, Event]) -> Exception | None:
    """What a dialogue comes to in which the caller's turn is committed after a second, and then these events come."""

    async def happens(probe: Probe) -> None:
        turn: Event = {"item_id": "item_1", "previous_item_id": None}
        told: dict[float, list[tuple[str, Event]]] = {
            1.0: [("input_audio_buffer.speech_stopped", {**turn, "audio_end_ms": 900})]
        }
        told[1.0] += [("input_audio_buffer.committed", turn), ("conversation.item.added", {"item": {"id": "item_1"}})]
        for at_s, kind, event in events:
            told.setdefault(at_s, []).append((kind, event))
        for tenth in range(80):
            for kind, event in told.get(tenth / 10, []):
                probe.tell(kind, **event)
            probe.dialogue.check()
            await sleep(0.1)

    return probe_of(happens).dialogue.failure


def test_a_service_that_takes_a_turn_and_never_answers_is_given_up() -> None:
    assert "nothing of the response that it owes for 5 s" in str(after_the_turn())
    heard = {"item_id": "item_1", "content_index": 0, "transcript": "My parcel is late."}
    transcribed = ("conversation.item.input_audio_transcription.completed", heard)
    hello = ("input_audio_buffer.speech_started", {"item_id": "item_2", "audio_start_ms": 4_000})
    assert "nothing of the response that it owes for 5 s" in str(after_the_turn((2.0, *transcribed), (4.0, *hello)))


def test_a_service_that_says_nothing_to_the_results_of_a_tool_is_given_up() -> None:
    async def happens(probe: Probe) -> None:
        probe.tell("response.created", response=response("resp_1", "in_progress"))
        probe.tell(
            "response.done", response=response("resp_1", "completed", output=[call_item("transfer_to_orders", "{}")])
        )
        await sleep(1.0)
        assert probe.kinds()[-1] == "response.create"
        probe.dialogue.check()
        assert probe.dialogue.failure is None
        await sleep(5.0)
        probe.dialogue.check()

    assert "nothing of the response that it owes for 5 s" in str(probe_of(happens).dialogue.failure)


def test_a_turn_without_words_needs_no_answer_and_one_that_is_answered_has_it() -> None:
    breath = {"item_id": "item_1", "content_index": 0, "transcript": ""}
    assert after_the_turn((2.0, "conversation.item.input_audio_transcription.completed", breath)) is None
    begun = (3.0, "response.created", {"response": response("resp_1", "in_progress")})
    assert after_the_turn(begun, (5.0, "response.done", {"response": response("resp_1", "completed")})) is None


def test_a_service_that_goes_silent_in_a_response_is_given_up_and_one_that_drips_is_not() -> None:
    async def happens(probe: Probe) -> None:
        probe.tell("response.created", response=response("resp_1", "in_progress"))
        place = {"response_id": "resp_1", "item_id": "item_2", "output_index": 0, "content_index": 0}
        for _ in range(4):
            await sleep(4.0)
            probe.tell("response.output_audio_transcript.delta", delta="so ", **place)
            probe.dialogue.check()
        assert probe.dialogue.failure is None
        await sleep(5.1)
        probe.dialogue.check()

    assert isinstance(probe_of(happens).dialogue.failure, ProviderError)


def test_a_session_that_cannot_be_opened_is_told_to_the_run_and_never_tried_again() -> None:
    opened: list[int] = []

    async def refuse() -> Connection:
        opened.append(1)
        raise ProviderError("the session answered 429", retryable=True, status=429)

    async def main() -> None:
        context = new_context()
        probe = AgentRouter(shop(), context, latency_ms=50.0)
        harness = RealtimeHarness(probe, SETTINGS, refuse, context, model="m", timeout_s=5.0)
        with pytest.raises(ProviderError, match="429"):
            await harness.start()
        assert isinstance(harness.failure, ProviderError)
        assert ProviderFailure.of(context.exchanges.records()) == ProviderFailure("429", 0.0)

    run_call(main())
    assert opened == [1]


def test_what_is_no_event_of_the_protocol_ends_the_call() -> None:
    async def happens(probe: Probe) -> None:
        probe.tell("response.output_audio.delta", response_id="resp_1", item_id="item_1", delta="%%%")

    assert "not of the protocol" in str(probe_of(happens).dialogue.failure)
