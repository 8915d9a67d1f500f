"""Tools: schema from signature and docstring, tolerance of spoken arguments, envelopes."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Callable
from typing import Annotated, Any

import pytest

from voicebench.errors import AgentError, ConfigError
from voicebench.packs import (
    SESSION_TOOLS,
    Bool,
    Date,
    Desk,
    Enum,
    Id,
    Name,
    Number,
    Phone,
    Prose,
    Result,
    ToolContext,
    ok,
    refuse,
    tool,
)

pytestmark = pytest.mark.unit


@tool(writes=True)
def book(
    desk: ToolContext,
    order_number: Annotated[str, Id()],
    kind: Annotated[str, Enum("bench", "mail_in")],
    phone: Annotated[str, Phone()] | None = None,
    date: Annotated[str | None, Date()] = None,
    fee: Annotated[float, Number()] = 0.0,
    seats: int = 1,
    disclosed: bool = False,
    who: Annotated[str, Name()] = "",
    issue: Annotated[str, Prose()] = "",
) -> Result:
    """Book a slot.

    The first free one
    if no date is given.

    Args:
        order_number: what stands
            on the receipt.
        kind: bench or by mail.
        phone: a number to call back.
        date: leave it out for the first.
        fee: what was quoted.
        seats: how many.
        disclosed: whether the caller was told.
        who: name.
        issue: in the caller's words.
    """
    desk.set_state("order", order_number)
    return ok({"got": [order_number, kind, phone, date, fee, seats, disclosed, who, issue]})


@tool(writes=True)
def fail(desk: ToolContext, how: Annotated[str, Prose()]) -> Result:
    """Fail.

    Args:
        how: in which way.
    """
    desk.set_state("broken", True)
    if how == "return":
        return None  # type: ignore[return-value]
    if how == "json":
        return ok({"day": desk.today})  # type: ignore[dict-item]
    if how == "refuse":
        return refuse("NOT_TODAY", "Not today, sorry.")
    raise RuntimeError(how)


@pytest.fixture
def desk() -> ToolContext:
    return ToolContext(sqlite3.connect(":memory:"), dt.date(2026, 7, 30))


def test_signature_and_docstring_give_the_schema() -> None:
    spec = book.spec
    assert spec.name == "book"
    assert spec.description == "Book a slot. The first free one if no date is given."
    assert spec.writes
    assert not spec.ends_call
    assert spec.required == ["order_number", "kind"]
    assert spec.parameters["additionalProperties"] is False
    properties = spec.schemas
    assert properties["order_number"] == {"type": "string", "description": "what stands on the receipt."}
    assert properties["kind"]["enum"] == ["bench", "mail_in"]
    assert properties["date"]["format"] == "date"
    assert [properties[name]["type"] for name in ("fee", "seats", "disclosed")] == ["number", "integer", "boolean"]
    assert spec.arg_types == {
        "order_number": "id",
        "kind": "enum",
        "phone": "phone",
        "date": "date",
        "fee": "number",
        "seats": "number",
        "disclosed": "bool",
        "who": "name",
        "issue": "prose",
    }


def test_spoken_arguments_reach_the_function_in_plain_form(desk: ToolContext) -> None:
    answer = book.invoke(
        desk,
        {
            "order_number": "K E four four seven, 1860",
            "kind": "Mail-in",
            "phone": "541 555 0146",
            "date": "August third",
            "fee": "$44.99",
            "seats": "2",
            "disclosed": "yes",
            "who": " Tomas Ferreira ",
            "issue": None,
        },
    )
    assert answer == {
        "ok": True,
        "data": {
            "got": ["KE4471860", "mail_in", "5415550146", "2026-08-03", 44.99, 2, True, "Tomas Ferreira", ""],
        },
        "error_code": None,
        "caller_safe_message": None,
    }


def test_words_that_are_no_date_reach_the_function_to_be_refused_there(desk: ToolContext) -> None:
    answer: dict[str, Any] = book.invoke(desk, {"order_number": "1", "kind": "bench", "date": "first available"})
    assert answer["data"]["got"][3] == "first available"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"kind": "bench"}, "order_number: missing"),
        ({"order_number": None, "kind": "bench"}, "order_number: missing"),
        ({"order_number": "1", "kind": "sofa"}, "kind: expected one of bench, mail_in"),
        ({"order_number": "1", "kind": "bench", "colour": "red"}, "colour: unknown argument"),
        ({"order_number": "1", "kind": "bench", "fee": "a lot"}, "fee: expected a number"),
        ({"order_number": "1", "kind": "bench", "fee": "nan"}, "fee: expected a number"),
        ({"order_number": "1", "kind": "bench", "fee": True}, "fee: expected a number"),
        ({"order_number": "1", "kind": "bench", "seats": 1.5}, "seats: expected a whole number"),
        ({"order_number": "1", "kind": "bench", "disclosed": "perhaps"}, "disclosed: expected true or false"),
        ({"order_number": ["1"], "kind": "bench"}, "order_number: expected text"),
        ({"order_number": "--", "kind": "bench"}, "order_number: expected an identifier"),
        ({"order_number": "1", "kind": "bench", "phone": "none"}, "phone: expected a phone number"),
        ([], "arguments must be a JSON object"),
        (None, "arguments must be a JSON object"),
    ],
)
def test_arguments_of_the_wrong_kind_are_refused_without_running(
    desk: ToolContext, arguments: Any, problem: str
) -> None:
    answer = book.invoke(desk, arguments)
    assert answer["ok"] is False
    assert answer["error_code"] == "INVALID_ARGUMENTS"
    assert answer["data"] == {"problems": [problem]}
    assert desk.state("order") is None


@pytest.mark.parametrize("how", ["raise", "return", "json"])
def test_a_broken_tool_is_the_harness_s_error_and_leaves_nothing(desk: ToolContext, how: str) -> None:
    with pytest.raises(AgentError, match="tool 'fail' failed"):
        fail.invoke(desk, {"how": how})
    assert desk.state("broken") is None


def test_a_refusal_has_a_code_and_a_sentence_and_keeps_what_was_remembered(desk: ToolContext) -> None:
    assert fail.invoke(desk, {"how": "refuse"}) == {
        "ok": False,
        "data": None,
        "error_code": "NOT_TODAY",
        "caller_safe_message": "Not today, sorry.",
    }
    assert desk.state("broken") is True


def test_new_ids_are_the_same_in_each_call() -> None:
    for _ in range(2):
        desk = ToolContext(sqlite3.connect(":memory:"), dt.date(2026, 7, 30))
        assert [desk.new_id("APT-"), desk.new_id("APT-"), desk.new_id("ESC-")] == ["APT-0001", "APT-0002", "ESC-0001"]


def test_sql_compares_by_type(desk: ToolContext) -> None:
    desk.db.execute("CREATE TABLE orders (number TEXT, phone TEXT)")
    desk.insert("orders", number="KE-4471860", phone="541-555-0146")
    assert desk.one("SELECT number FROM orders WHERE same_id(number, ?)", "KE4471860") is not None
    assert desk.one("SELECT number FROM orders WHERE same_phone(phone, ?)", "5415550147") is None
    assert [row["number"] for row in desk.all("SELECT * FROM orders WHERE same_phone(phone, '5415550146')")] == [
        "KE-4471860"
    ]


def test_the_first_argument_is_the_context_also_by_its_older_name(desk: ToolContext) -> None:
    @tool(writes=False)
    def day(context: ToolContext) -> Result:
        """Return the day."""
        return ok({"day": context.today.isoformat()})

    assert Desk is ToolContext
    assert day.invoke(desk, {})["data"] == {"day": "2026-07-30"}


def test_end_call_is_the_session_s_own(desk: ToolContext) -> None:
    end_call = SESSION_TOOLS["end_call"]
    assert end_call.ends_call
    assert not end_call.writes
    assert end_call.invoke(desk, {"reason": "all done"})["ok"] is True
    assert list(end_call.spec.schemas) == ["reason"]


def test_a_tool_says_what_its_author_forgot() -> None:
    def no_docstring(desk: ToolContext) -> Result:
        return ok()

    def no_type(desk: ToolContext, order: str) -> Result:
        """Do.

        Args:
            order: which.
        """
        return ok()

    def no_line(desk: ToolContext, order: Annotated[str, Id()]) -> Result:
        """Do."""
        return ok()

    def stale_line(desk: ToolContext) -> Result:
        """Do.

        Args:
            order: which.
        """
        return ok()

    mistakes: list[tuple[Callable[..., Result], str]] = [
        (no_docstring, "write a docstring"),
        (no_type, "'order' needs Annotated"),
        (no_line, "'order' is missing under 'Args:'"),
        (stale_line, r"describes \['order'\]"),
    ]
    for function, reason in mistakes:
        with pytest.raises(ConfigError, match=reason):
            tool(writes=False)(function)


@pytest.mark.parametrize(
    "hint",
    [
        Annotated[list[str], Id()],
        Annotated[dict[str, str], Prose()],
        Annotated[str | int, Id()],
        Annotated[str | list[str] | None, Id()],
        Annotated[int, Id()],
        Annotated[str, Bool()],
        Annotated[str, Number()],
        list[str],
        str | int,
        dict[str, Any],
    ],
)
def test_arguments_that_are_no_single_value_of_their_type_are_refused_when_a_pack_is_loaded(hint: Any) -> None:
    def take(context: ToolContext, which: Any) -> Result:
        """Take.

        Args:
            which: one or more.
        """
        return ok()

    take.__annotations__["which"] = hint
    with pytest.raises(ConfigError, match=r"'which' needs Annotated.*a tool takes single values"):
        tool(writes=False)(take)


def test_bool_marks_a_truth_value() -> None:
    assert Bool().read("no", dt.date(2026, 7, 30)) is False
