"""Packages: what the installed distribution asks for, what of it is here, and in which version."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata

from packaging.requirements import Requirement

from voicebench import __version__
from voicebench.machine.findings import Finding, Status

__all__ = ["DISTRIBUTION", "Wanted", "package_findings", "read_versions", "read_wanted"]

DISTRIBUTION = "voicebench-sim"

CORE = "core"
"""What is asked for without any extra."""

_NEEDED = (CORE, "local")
_FOR = {
    CORE: "always",
    "local": "calls on this machine's CPU",
    "cuda": "recognition on a GPU",
    "realtime": "speech-to-speech services",
    "ray": "runs on several machines",
    "dev": "work on voicebench itself",
}


@dataclass(frozen=True)
class Wanted:
    """One requirement, and the extra that asks for it."""

    extra: str
    requirement: Requirement


def read_wanted() -> list[Wanted]:
    """Return what the installed distribution asks for on this machine; nothing if it is not installed."""
    try:
        about = metadata.metadata(DISTRIBUTION)
        requirements = [Requirement(line) for line in metadata.requires(DISTRIBUTION) or ()]
    except metadata.PackageNotFoundError:
        return []
    extras = (CORE, *(about.get_all("Provides-Extra") or ()))
    return [Wanted(extra, each) for extra in extras for each in requirements if _asks(each, extra)]


def _asks(requirement: Requirement, extra: str) -> bool:
    def here(value: str) -> bool:
        return requirement.marker is None or requirement.marker.evaluate({"extra": value})

    return here("") if extra == CORE else here(extra) and not here("")


def read_versions(names: Iterable[str]) -> dict[str, str]:
    """Return the version of each package that is installed."""
    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def package_findings(
    wanted: Sequence[Wanted], versions: Mapping[str, str], *, weights: Collection[str] = ()
) -> list[Finding]:
    """Judge each extra.

    Args:
        wanted: what is asked for.
        versions: of what is installed, by the names in ``wanted``.
        weights: packages that carry nothing but weights: these may come from elsewhere, so their absence is told but
            stops nothing.
    """
    system = f"{__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    if not wanted:
        reason = f"{system}; it is not installed, so the packages it needs are not known"
        return [Finding("packages", "voicebench", "warning", reason, "pip install -e '.[local]'")]
    extras = sorted(dict.fromkeys(each.extra for each in wanted), key=lambda extra: extra not in _NEEDED)
    asked = {extra: [each.requirement for each in wanted if each.extra == extra] for extra in extras}
    return [
        Finding("packages", "voicebench", "ok", system),
        *(_extra(extra, asked[extra], versions, weights) for extra in extras),
    ]


def _extra(extra: str, asked: list[Requirement], versions: Mapping[str, str], weights: Collection[str]) -> Finding:
    absent = [each for each in asked if each.name not in versions]
    present = [each for each in asked if each.name in versions]
    other = [each for each in present if not each.specifier.contains(versions[each.name], prereleases=True)]
    status: Status = "ok"
    if extra in _NEEDED and any(each.name not in weights for each in absent):
        status = "missing"
    elif other:
        status = "warning"
    elif absent:
        status = "info"
    told = {
        "not here: ": [each.name for each in absent],
        "another version than asked for: ": [f"{each.name} {versions[each.name]}{_not(each)}" for each in other],
        "": [f"{each.name} {versions[each.name]}" for each in present if each not in other],
    }
    detail = "; ".join(words + ", ".join(names) for words, names in told.items() if names)
    purpose = f"for {_FOR[extra]}: " if extra in _FOR and extra not in _NEEDED and absent else ""
    wrong = [*absent, *other]
    return Finding("packages", extra, status, purpose + detail, _install(wrong) if wrong else "")


def _not(requirement: Requirement) -> str:
    return f" (not {requirement.specifier})"


def _install(requirements: list[Requirement]) -> str:
    asked = (f"{each.name}{_extras(each)}{each.specifier}" for each in requirements)
    return f"pip install {' '.join(shlex.quote(each) for each in asked)}"


def _extras(requirement: Requirement) -> str:
    return f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
