"""All that is looked at, in order: first what is installed, then the machine, last a call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from voicebench.engines.endpoints import missing_keys
from voicebench.errors import ConfigError, VoicebenchError
from voicebench.machine.capacity import MeasuredCall, capacity_checks, measure_call, remember
from voicebench.machine.checks import Check, Diagnosis
from voicebench.machine.hardware import gpu_checks, machine_checks, read_gpu, read_machine
from voicebench.machine.installed import (
    codec_checks,
    model_checks,
    package_checks,
    read_codecs,
    read_engines,
    read_models,
    read_versions,
    read_wanted,
    voice_checks,
    weights_packages,
)
from voicebench.machine.needs import Needs, read_needs
from voicebench.machine.provider import ask_provider, key_checks, provider_checks, read_keys
from voicebench.speech.voices import voice_names, voice_spec

__all__ = ["diagnose"]


def diagnose(runs: Path, wanted_by: tuple[Needs, Check] | None = None, *, measure: bool = True) -> Diagnosis:
    """Look at everything that a run of a pipeline needs, and at what else voicebench can use.

    Args:
        runs: the folder of runs; it need not exist.
        wanted_by: what :func:`read_needs` says of the pipeline; of ``local-cpu`` by default.
        measure: whether to ask the models and to make a short call at the end, if nothing is missing for it.
    """
    needs, settings = wanted_by or read_needs()
    machine = read_machine(runs)
    wanted = read_wanted()
    versions = read_versions(each.requirement.name for each in wanted)
    checks = [
        *package_checks(wanted, versions, weights=weights_packages()),
        settings,
        *_speech(needs),
        *codec_checks(read_codecs(), needs.codecs),
        *key_checks(read_keys(needs.pipeline), missing_keys(needs.pipeline)),
        *machine_checks(machine),
        *gpu_checks(read_gpu()),
    ]
    model = needs.pipeline.agent.served.model
    if why_not := _why_not(checks, measure):
        checks.append(Check("provider", model, "info", f"not asked{why_not}", "voicebench doctor"))
    else:
        checks += provider_checks(model, ask_provider(needs.pipeline))
    if why_not := _why_not(checks, measure):
        checks.append(Check("capacity", "call", "info", f"not measured{why_not}", "voicebench doctor"))
    else:
        checks += capacity_checks(_measured(), machine.cores, machine.memory_mb)
    return Diagnosis(checks)


def _why_not(checks: Sequence[Check], measure: bool) -> str:
    """Return why neither models are asked nor a call is made; empty if they are."""
    if not measure:
        return " (--quick)"
    return "" if Diagnosis(checks).ok else ": what is missing comes first"


def _speech(needs: Needs) -> list[Check]:
    try:
        readings = read_models(needs.models)
    except (ConfigError, OSError) as error:
        return [Check("models", "files", "missing", str(error), "export VOICEBENCH_CACHE=DIR")]
    here = {reading.row.name for reading in readings if reading.row.hash_ok}
    voices = [voice_spec(name) for name in voice_names()]
    return [
        *model_checks(readings, needs.models),
        *voice_checks(voices, here, read_engines(), needs.voices),
    ]


def _measured() -> MeasuredCall | VoicebenchError:
    try:
        cost = measure_call()
        remember(cost.share)
        return cost
    except VoicebenchError as error:
        return error
    except Exception as error:  # whatever a library that is broken throws, the other checks are still wanted
        return VoicebenchError(f"{type(error).__name__}: {error}")
