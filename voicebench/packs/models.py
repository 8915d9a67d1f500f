"""The models of a pack and of its tasks, as they are written in YAML."""

from __future__ import annotations

from typing import Literal, cast

from pydantic import BaseModel, Field, model_validator

from voicebench.language.slots import YAML, Fact, FactSpec, FactType, IntentsSpec, StrList
from voicebench.record.json_types import JsonObject

__all__ = [
    "AgentSpec",
    "AnswerRule",
    "CallerScript",
    "Case",
    "Changed",
    "Company",
    "Duty",
    "Expect",
    "Forbid",
    "HandoffSpec",
    "HangUp",
    "PackSnapshot",
    "PackSpec",
    "RowChange",
    "StateTable",
    "Step",
    "StepAlternative",
    "ToolSpec",
]


class _PackModel(BaseModel):
    model_config = YAML


# ---- a task -------------------------------------------------------------------------------------------------


class AnswerRule(_PackModel):
    """What the caller does when it is asked for something, or hears something.

    Exactly one of ``asked`` and ``heard`` names the intent; ``give`` names facts, ``say`` is spoken as it stands.
    """

    asked: str | None = None
    heard: str | None = None
    give: StrList = []
    say: str | None = None
    times: int | None = None
    sets: str | None = None
    needs: StrList = []
    interrupt_after_words: int | None = None

    @model_validator(mode="after")
    def _one_trigger(self) -> AnswerRule:
        if (self.asked is None) == (self.heard is None):
            raise ValueError("an answer rule has either 'asked' or 'heard'")
        if not self.give and self.say is None:
            raise ValueError("an answer rule gives facts ('give') or says something ('say')")
        return self


class Forbid(_PackModel):
    """An intent that the caller must not voice: ``before`` a mark is set, ``except`` in the opening.

    Attributes:
        said: the intent.
        offered: what the agent says when it offers just that (``heard``); a bare yes to it is forbidden as well.
        before: a mark; what is forbidden is fair once it is set.
        except_: where it is fair.
    """

    said: str
    offered: str | None = None
    before: str | None = None
    except_: str | None = Field(default=None, alias="except")


class HangUp(_PackModel):
    """The only condition under which the caller hangs up."""

    heard: str
    needs: StrList = []


class CallerScript(_PackModel):
    """The locked script of one caller.

    ``forbids`` comes on top of what the pack forbids all its callers; ``allows`` names what this one may voice of that.
    ``voice`` is what the caller speaks with where the pipeline leaves that to the task; None is the usual voice.
    """

    voice: str | None = None
    facts: dict[str, Fact]
    opening: str
    brief: str
    answers: list[AnswerRule]
    forbids: list[Forbid] = []
    allows: StrList = []
    closing: str
    hangs_up: HangUp
    give_up: str


class StepAlternative(_PackModel):
    """Another call that satisfies the same step; without ``call`` the same tool with other arguments."""

    call: str | None = None
    with_: JsonObject = Field(default={}, alias="with")


class Step(_PackModel):
    """One step of a solution: exactly one of ``hand_off``, ``ask``, ``call``, ``say``.

    An argument in ``with`` is a constant, ``$fact.NAME``, ``$result.TOOL.path``, ``{any: true}`` or
    ``{one_of: [...]}``. ``say`` may hold ``$result.TOOL.path`` too. ``because`` is the sentence of the active agent's
    prompt that demands the call in this situation; a call that is refused and has none is shown and does not gate.
    """

    hand_off: str | None = None
    ask: StrList = []
    call: str | None = None
    with_: JsonObject = Field(default={}, alias="with")
    alternatives: list[StepAlternative] = []
    refused: str | None = None
    because: str | None = None
    say: str | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Step:
        kinds = [bool(self.hand_off), bool(self.ask), bool(self.call), bool(self.say)]
        if sum(kinds) != 1:
            raise ValueError("a solution step is exactly one of hand_off, ask, call, say")
        if self.because and not self.call:
            raise ValueError("'because' stands beside 'call': it is why the call must be made")
        return self


class Changed(_PackModel):
    """A row found by ``where`` whose columns in ``set`` have new values."""

    where: JsonObject
    set: JsonObject


class RowChange(_PackModel):
    """One expected difference of a table from its seed; columns not written are not compared."""

    added: JsonObject | None = None
    removed: JsonObject | None = None
    changed: Changed | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> RowChange:
        if sum(x is not None for x in (self.added, self.removed, self.changed)) != 1:
            raise ValueError("a row change is exactly one of added, removed, changed")
        return self


class Expect(_PackModel):
    """What a passing call leaves behind."""

    handoffs: list[str]
    allow_hops: list[str] = []
    exact_path: bool = False
    rows: dict[str, list[RowChange]] = {}
    reads_required: dict[str, str] = {}
    forbidden_tools: list[str] = []


class Duty(_PackModel):
    """What the agent must say, or may not: exactly one of ``tell``, ``never_tell`` and ``read_back``.

    Attributes:
        tell: an intent of the group ``heard`` that it must express.
        never_tell: one that it must not.
        read_back: a fact of the caller's whose value it must repeat.
        before: a tool: by the time that it is first called with success. Without one: by the end of the call.
        holds: an argument of that tool: the words must hold its value.
    """

    tell: str | None = None
    never_tell: str | None = None
    read_back: str | None = None
    before: str | None = None
    holds: str | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Duty:
        if sum(x is not None for x in (self.tell, self.never_tell, self.read_back)) != 1:
            raise ValueError("a duty is exactly one of tell, never_tell, read_back")
        if self.holds and not (self.tell and self.before):
            raise ValueError("'holds' is an argument of the tool in 'before', for a duty to tell something")
        return self

    def __str__(self) -> str:
        kind = next(kind for kind in ("tell", "never_tell", "read_back") if getattr(self, kind))
        before = f" before {self.before}" if self.before else ""
        return f"{kind} {getattr(self, kind)}{before}" + (f", with its {self.holds}" if self.holds else "")


class Case(_PackModel):
    """One task of a pack: one locked request of one caller."""

    id: str = Field(pattern=r"^[A-Z]{1,2}\d?-[EMH]\d+$")
    title: str
    category: str
    difficulty: Literal["easy", "medium", "hard"]
    measures: str
    why: str
    succeeds_when: str
    caller: CallerScript
    solution: list[Step]
    expect: Expect
    duties: list[Duty] = []


# ---- a pack -------------------------------------------------------------------------------------------------


class Company(_PackModel):
    """Who answers the phone."""

    name: str
    description: str = ""


class HandoffSpec(_PackModel):
    """A tool that passes the conversation to another agent of the pack, unheard by the caller."""

    to: str
    description: str


class AgentSpec(_PackModel):
    """One agent of the pack. ``prompt`` is a file name in ``prompts/``; ``tools`` are names from tools.py."""

    name: str
    prompt: str
    tools: list[str]
    handoffs: dict[str, HandoffSpec] = {}


class StateTable(_PackModel):
    """How one state table is compared.

    Attributes:
        key: columns that say which row is the same row before and after; the table's first column if none is named.
        ignore: columns that are never compared: generated ids, timestamps.
        types: how other columns are compared; numbers by value and the rest exactly where nothing is said.
    """

    key: StrList = []
    ignore: StrList = []
    types: dict[str, FactType] = {}


class PackSpec(_PackModel):
    """``pack.yaml``. The first agent takes the call; ``forbids`` holds for every caller who does not want just that."""

    name: str
    industry: str
    company: Company
    today: str
    greeting: str
    agents: list[AgentSpec] = Field(min_length=1)
    state: dict[str, StateTable]
    facts: dict[str, FactSpec]
    intents: IntentsSpec
    forbids: list[Forbid] = []


# ---- a pack as stored with a run ----------------------------------------------------------------------------------


class ToolSpec(_PackModel):
    """What is known of a tool without its code.

    Attributes:
        parameters: JSON schema of its arguments, as a model gets it.
        writes: whether it changes the database.
        ends_call: whether the call ends after it.
        arg_types: how each argument is compared.
    """

    name: str
    description: str
    parameters: JsonObject
    writes: bool
    ends_call: bool
    arg_types: dict[str, FactType]

    @property
    def schemas(self) -> dict[str, JsonObject]:
        """The JSON schema of each argument."""
        return cast("dict[str, JsonObject]", self.parameters["properties"])

    @property
    def required(self) -> list[str]:
        """The arguments that may not be left out."""
        return cast("list[str]", self.parameters["required"])


class PackSnapshot(_PackModel):
    """A pack as it was when a run used it: everything but the code of its tools.

    Attributes:
        prompts: by agent name, includes expanded.
        tools: by name, the session's own (``end_call``) included.
        hash: SHA-256 over the pack's files.
    """

    spec: PackSpec
    cases: dict[str, Case]
    prompts: dict[str, str]
    tools: dict[str, ToolSpec]
    schema_sql: str
    seed_sql: str
    hash: str
