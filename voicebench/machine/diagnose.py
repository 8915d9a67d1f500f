"""All that is looked at, in order: first what is installed, then the machine, last a call."""

from __future__ import annotations

from pathlib import Path

from voicebench.engines.endpoints import missing_keys
from voicebench.errors import ConfigError, VoicebenchError
from voicebench.machine.capacity import CallCost, capacity_findings, measure_call
from voicebench.machine.codecs import codec_findings, read_codecs
from voicebench.machine.findings import Diagnosis, Finding
from voicebench.machine.gpu import gpu_findings, read_gpu
from voicebench.machine.hardware import MachineReading, machine_findings, read_machine
from voicebench.machine.keys import key_findings, read_keys
from voicebench.machine.needs import Needs, read_needs
from voicebench.machine.packages import package_findings, read_versions, read_wanted
from voicebench.machine.provider import ask_provider, provider_findings
from voicebench.machine.real_time import remember
from voicebench.machine.weights import (
    model_findings,
    read_engines,
    read_models,
    voice_findings,
    weights_packages,
)
from voicebench.speech.voices import voice_names, voice_spec

__all__ = ["diagnose"]


def diagnose(runs: Path, wanted_by: tuple[Needs, Finding] | None = None, *, measure: bool = True) -> Diagnosis:
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
    findings = [
        *package_findings(wanted, versions, weights=weights_packages()),
        settings,
        *_speech(needs),
        *codec_findings(read_codecs(), needs.codecs),
        *key_findings(read_keys(needs.pipeline), missing_keys(needs.pipeline)),
        *machine_findings(machine),
        *gpu_findings(read_gpu()),
    ]
    findings += _provider(needs, measure, ready=Diagnosis(findings).ok)
    return Diagnosis([*findings, *_capacity(machine, measure, ready=Diagnosis(findings).ok)])


def _provider(needs: Needs, measure: bool, *, ready: bool) -> list[Finding]:
    model = needs.pipeline.agent.served.model
    if not measure:
        return [Finding("provider", model, "info", "not asked (--quick)", "voicebench doctor")]
    if not ready:
        return [Finding("provider", model, "info", "not asked: what is missing comes first", "voicebench doctor")]
    return provider_findings(model, ask_provider(needs.pipeline))


def _speech(needs: Needs) -> list[Finding]:
    try:
        readings = read_models(needs.models)
    except (ConfigError, OSError) as error:
        return [Finding("models", "files", "missing", str(error), "export VOICEBENCH_CACHE=DIR")]
    here = {reading.row.name for reading in readings if reading.row.hash_ok}
    voices = [voice_spec(name) for name in voice_names()]
    return [
        *model_findings(readings, needs.models),
        *voice_findings(voices, here, read_engines(), needs.voices),
    ]


def _capacity(machine: MachineReading, measure: bool, *, ready: bool) -> list[Finding]:
    if not measure:
        return [Finding("capacity", "call", "info", "not measured (--quick)", "voicebench doctor")]
    if not ready:
        return [Finding("capacity", "call", "info", "not measured: what is missing comes first", "voicebench doctor")]
    return capacity_findings(_measured(), machine.cores, machine.memory_mb)


def _measured() -> CallCost | VoicebenchError:
    try:
        cost = measure_call()
        remember(cost.share)
        return cost
    except VoicebenchError as error:
        return error
    except Exception as error:  # whatever a library that is broken throws, the other findings are still wanted
        return VoicebenchError(f"{type(error).__name__}: {error}")
