"""voicebench: phone a voice agent over a simulated line, and score the call.

``import voicebench as vb`` gives what the commands do, as functions, and what comes of them, as objects. Arguments have
the names of the flags, and their defaults; paths may be strings. Everything that is raised on purpose is a
``vb.VoicebenchError``. What is stored of a call is described field by field in ``docs/records.md``. Nothing is loaded
before it is first used.

Example:
    import voicebench as vb

    run = vb.run("fast", tasks=["T2-H3"], trials=2, channel="text", model="reference", out="runs/a")
    print(run.calls[0].verdict, run.summary.pass_rate)
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voicebench.api import (
        Call,
        Run,
        RunSummary,
        ScoredCall,
        call,
        compare,
        dry_run,
        leaderboard,
        load_call,
        load_run,
        run,
        score,
    )
    from voicebench.errors import (
        AgentError,
        CallerInvalid,
        ClockError,
        ConfigError,
        CorruptFile,
        ModelMissing,
        NotWritable,
        PackError,
        ProviderError,
        StoreError,
        VoicebenchError,
    )
    from voicebench.line import Line, LineSettings, preset, presets
    from voicebench.packs import Pack, load_pack
    from voicebench.runner import Estimate, Interrupted, Progress, ProgressReporter

__version__ = "0.1.0"

__all__ = [
    "AgentError",
    "Call",
    "CallerInvalid",
    "ClockError",
    "ConfigError",
    "CorruptFile",
    "Estimate",
    "Interrupted",
    "Line",
    "LineSettings",
    "ModelMissing",
    "NotWritable",
    "Pack",
    "PackError",
    "Progress",
    "ProgressReporter",
    "ProviderError",
    "Run",
    "RunSummary",
    "ScoredCall",
    "StoreError",
    "VoicebenchError",
    "__version__",
    "call",
    "compare",
    "dry_run",
    "leaderboard",
    "load_call",
    "load_pack",
    "load_run",
    "preset",
    "presets",
    "run",
    "score",
]

_HOMES = {
    "voicebench.api": (
        *("Call", "Run", "RunSummary", "ScoredCall", "call", "compare", "dry_run", "leaderboard"),
        *("load_call", "load_run", "run", "score"),
    ),
    "voicebench.errors": (
        *("AgentError", "CallerInvalid", "ClockError", "ConfigError", "CorruptFile", "ModelMissing", "NotWritable"),
        *("PackError", "ProviderError", "StoreError", "VoicebenchError"),
    ),
    "voicebench.line": ("Line", "LineSettings", "preset", "presets"),
    "voicebench.packs": ("Pack", "load_pack"),
    "voicebench.runner": ("Estimate", "Interrupted", "Progress", "ProgressReporter"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Function:
    """A function of the door that has the name of a package, whose names are attributes of it too.

    An import of ``voicebench.call`` or ``voicebench.leaderboard`` binds the package to that name here, and would hide
    the function behind it: such a binding is dropped. So that ``import voicebench.call.run as made`` finds the module
    all the same, the function has the package's names. Anything else that is bound, as by a test, stays.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, door: ModuleType, kind: type) -> Any:
        if self._name in vars(door):
            return vars(door)[self._name]
        function = __getattr__(self._name)
        package = vars(sys.modules[f"{__name__}.{self._name}"])
        vars(function).update({name: value for name, value in package.items() if not name.startswith("_")})
        return function

    def __set__(self, door: ModuleType, value: Any) -> None:
        if not isinstance(value, ModuleType):
            vars(door)[self._name] = value

    def __delete__(self, door: ModuleType) -> None:
        vars(door).pop(self._name, None)


class _Door(ModuleType):
    call = _Function("call")
    leaderboard = _Function("leaderboard")


sys.modules[__name__].__class__ = _Door
