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

    def holds(requirement: Requirement, extra: str) -> bool:
        return requirement.marker is None or requirement.marker.evaluate({"extra": extra})

    core = [Wanted(CORE, each) for each in requirements if holds(each, "")]
    extras = about.get_all("Provides-Extra") or ()
    return core + [
        Wanted(extra, each) for extra in extras for each in requirements if holds(each, extra) and not holds(each, "")
    ]


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
    """Check each extra.

    Args:
        wanted: what is asked for.
        versions: of what is installed, by the names in ``wanted``.
        weights: packages that carry nothing but weights: these may come from elsewhere, so that their absence is
            reported and stops nothing.
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
    parts = {
        "not here: ": [each.name for each in absent],
        "another version than asked for: ": [
            f"{each.name} {versions[each.name]} (not {each.specifier})" for each in other
        ],
        "": [f"{each.name} {versions[each.name]}" for each in present if each not in other],
    }
    detail = "; ".join(words + ", ".join(names) for words, names in parts.items() if names)
    purpose = f"for {_FOR[extra]}: " if extra in _FOR and extra not in _NEEDED and absent else ""
    wrong = [
        shlex.quote(f"{each.name}[{','.join(sorted(each.extras))}]{each.specifier}".replace("[]", ""))
        for each in (*absent, *other)
    ]
    return Check("packages", extra, status, purpose + detail, f"pip install {' '.join(wrong)}" if wrong else "")


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

    def check(self, *, needed: bool) -> Check:
        """Check the model; one that is absent is missing only if it is needed."""
        row = self.row
        if row.hash_ok:
            files = ", ".join(f"{name} {digest[:_HASH_DIGITS]}" for name, digest in self.sha256.items())
            checked = "SHA-256 as pinned" if row.licence else "SHA-256, not pinned"
            return Check("models", row.name, "ok", f"{row.source} {row.path}; {checked}: {files}")
        detail, command = split_remedy(row.problem)
        if self.own_folder is not None:
            old = shlex.quote(str(self.own_folder))
            command = f"mv {old} {shlex.quote(f'{self.own_folder}.wrong')}"
        status: Status = "warning" if row.hash_ok is False else "info"
        return Check("models", row.name, "missing" if needed else status, detail, command or "voicebench models list")


def read_models(needed: Iterable[str]) -> list[ModelReading]:
    """Look for every known model, and for what else is needed, and check the hashes; loads none.

    Raises:
        ConfigError: files cannot be joined, because the cache cannot be written.
    """
    rows = list_models()
    known = {row.name for row in rows}
    for name in sorted(set(needed) - known):  # a folder, or a name that may be a typing error
        try:
            found = locate(name)
            rows.append(ModelRow(name, "asr", found.source, found.folder, True, "", "", ""))
        except (ModelMissing, ConfigError) as error:
            rows.append(ModelRow(name, "asr", None, None, None, "", "", str(error)))
    root = os.environ.get("VOICEBENCH_MODELS")
    readings = []
    for row in rows:
        folder = Path(root).expanduser() / row.name if root else None
        own = folder if folder is not None and folder.is_dir() else None
        readings.append(ModelReading(row, locate(row.name).sha256 if row.hash_ok else {}, own))
    return readings


def model_checks(readings: Iterable[ModelReading], needed: Collection[str]) -> list[Check]:
    """Check each model; one that is absent is missing only if it is needed."""
    return [reading.check(needed=reading.row.name in needed) for reading in readings]


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
    """Check each voice.

    Args:
        voices: all of them.
        weights: names of the models whose files are here and right.
        engines: whose library is here.
        needed: names of the voices that a run needs.
    """
    checks = []
    for voice in voices:
        detail = f"{voice.description} ({voice.engine}, {voice.sample_rate} Hz, {voice.licence})"
        lacks = {f"the engine {voice.engine}": voice.engine_package} if voice.engine not in engines else {}
        lacks |= {f"weights {voice.entry.name}": voice.package} if voice.entry.name not in weights else {}
        if not lacks:
            checks.append(Check("voices", voice.name, "ok", detail))
            continue
        status: Status = "missing" if voice.name in needed else "info"
        reason = f"{detail}; not usable without {' and '.join(lacks)}"
        fix = f"pip install {' '.join(dict.fromkeys(lacks.values()))}"
        checks.append(Check("voices", voice.name, status, reason, fix))
    return checks


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

    def check(self, *, needed: bool) -> Check:
        """Check the codec; one that cannot run is missing only if it is needed."""
        used = f"presets {', '.join(self.presets)}" if self.presets else "no preset uses it"
        if self.problem is None:
            return Check("line", self.name, "ok", used)
        named = [package for package in _SYSTEM_PACKAGES if package in self.problem]
        install = f"apt-get install {named[0]}" if named else "pip install av"
        return Check("line", self.name, "missing" if needed else "info", f"{used}; {self.problem}", install)


def read_codecs() -> list[CodecReading]:
    """Ask each codec whether its libraries are here."""
    readings = []
    for name, codec in CODECS.items():
        users = tuple(each.name for each in presets() if any(each.settings.leg(leg).codec == name for leg in LEGS))
        try:
            codec.require()
            readings.append(CodecReading(name, users))
        except (ConfigError, OSError) as error:
            readings.append(CodecReading(name, users, str(error)))
    return readings


def codec_checks(readings: Iterable[CodecReading], needed: Collection[str]) -> list[Check]:
    """Check each codec; one that cannot run is missing only if it is needed."""
    return [reading.check(needed=reading.name in needed) for reading in readings]
