"""From a pipeline's name, variables and flags to one checked :class:`Pipeline`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import yaml
from pydantic import BaseModel, ValidationError

from voicebench.config.environment import PREFIX, data_dir, settings_layers
from voicebench.config.models import Pipeline, agent_model
from voicebench.errors import ConfigError
from voicebench.record.json_types import JsonObject, JsonValue

__all__ = ["load_pipeline", "pipeline_names"]

_MODEL_KEYS = ("model", "base_url")
"""Keys of the model under test; where they stand depends on the harness."""
_UNDER_TEST = "(model under test)"
"""Where they stand until the harness is known."""


@dataclass(frozen=True)
class _Layer:
    """Settings of one source; later layers win."""

    source: str
    values: JsonObject


def pipeline_names() -> list[str]:
    """Return the names of the shipped pipelines, sorted."""
    return sorted(path.stem for path in data_dir("pipelines").glob("*.yaml"))


def load_pipeline(
    name_or_path: str | Path,
    overrides: Sequence[str] = (),
    *,
    model: str | None = None,
    base_url: str | None = None,
) -> Pipeline:
    """Return a pipeline: its file, then ``.env``, ``VOICEBENCH_*`` variables, and overrides, the later the stronger.

    Args:
        name_or_path: a shipped pipeline's name, or the path of a YAML file.
        overrides: ``dotted.key=VALUE`` each, the value in YAML.
        model: the model under test, above all else: ``agent.llm.model``, or ``agent.model`` of a realtime harness.
        base_url: where it answers, likewise.

    Raises:
        ConfigError: no such pipeline, a file that is no YAML mapping, an unknown key (the message names the file, the
            key and the nearest valid one), or a value that a key does not take.
    """
    path = _find(str(name_or_path))
    flags = {"model": model, "base_url": base_url}
    asked = [_Layer(f"--{key.replace('_', '-')}", {_UNDER_TEST: {key: flags[key]}}) for key in flags if flags[key]]
    layers = [_Layer(str(path), _read(path)), *_layers(overrides), *asked]
    agent: JsonObject = {}
    for layer in layers:
        section = layer.values.get("agent")
        agent = _merge(agent, section if isinstance(section, dict) else {})
    fields = _Fields(agent_model(agent))
    for number, layer in enumerate(layers):
        if _UNDER_TEST in layer.values:  # where the keys of the model stand is known now that the harness is
            keys = layer.values[_UNDER_TEST]
            layers[number] = _Layer(
                layer.source, {"agent": {"llm": keys} if "llm" in fields.agent.model_fields else keys}
            )
    merged: JsonObject = {}
    for layer in layers:
        _refuse_unknown(layer.source, layer.values, fields)
        merged = _merge(merged, layer.values)
    try:
        return Pipeline.model_validate(merged).named(path.stem)
    except ValidationError as error:
        raise _explain(error, layers) from error


# ---- sources ------------------------------------------------------------------------------------------------


def _find(name: str) -> Path:
    names = ", ".join(pipeline_names())
    if "/" in name or name.endswith((".yaml", ".yml")):
        if Path(name).is_file():
            return Path(name)
        raise ConfigError(f"pipeline {name}: no such file; give a YAML file's path, or one of {names}")
    path = data_dir("pipelines") / f"{name}.yaml"
    if path.is_file():
        return path
    near = get_close_matches(name, pipeline_names(), n=1)
    hint = f"did you mean '{near[0]}'? Shipped are {names}" if near else f"shipped are {names}"
    raise ConfigError(f"pipeline '{name}': no such pipeline; {hint}; or give the path of a YAML file")


def _read(path: Path) -> JsonObject:
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"pipeline {path}: cannot be read ({error}); check the path and its permissions") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"pipeline {path}: not valid YAML; {' '.join(str(error).split())}") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ConfigError(f"pipeline {path}: holds a {type(values).__name__}; a pipeline is a mapping of keys")
    return values


def _layers(overrides: Sequence[str]) -> Iterator[_Layer]:
    """Give the settings of variables, and then those of flags."""
    for source, variables in settings_layers():
        for name, text in sorted(variables.items()):
            short = name.removeprefix(PREFIX)
            if short.lower() in _MODEL_KEYS:
                yield _Layer(f"{name} in {source}", {_UNDER_TEST: {short.lower(): text}})
            elif short == "LINE":
                yield _Layer(f"{name} in {source}", _nest("line.preset", text))
            else:
                key = short.lower().replace("__", ".")
                yield _Layer(f"{name} in {source}", _nest(key, _yaml_value(text, name)))
    for text in overrides:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"--set {text}: not understood; write KEY=VALUE, for example agent.llm.ttft_ms=1500")
        yield _Layer(f"--set {text}", _nest(key.strip(), _yaml_value(value, f"--set {text}")))


def _yaml_value(text: str, source: str) -> JsonValue:
    try:
        value: JsonValue = yaml.safe_load(text)
        return value
    except yaml.YAMLError as error:
        raise ConfigError(f"{source}: the value is not valid YAML; quote it") from error


def _nest(key: str, value: JsonValue) -> JsonObject:
    *sections, name = key.split(".")
    nested: JsonObject = {name: value}
    for section in reversed(sections):
        nested = {section: nested}
    return nested


def _merge(base: JsonObject, over: JsonObject) -> JsonObject:
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


# ---- what is wrong, where, and what to do ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Fields:
    """The keys of a pipeline whose agent has this model."""

    agent: type[BaseModel]

    def inner(self, model: type[BaseModel], name: str) -> type[BaseModel] | None:
        """Return the model of a key's section; None for a plain value."""
        if model is Pipeline and name == "agent":
            return self.agent
        annotation = model.model_fields[name].annotation
        return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None

    def keys(self, model: type[BaseModel] = Pipeline, prefix: str = "") -> Iterator[str]:
        """Give all keys, dotted."""
        for name in model.model_fields:
            yield prefix + name
            inner = self.inner(model, name)
            if inner is not None:
                yield from self.keys(inner, f"{prefix}{name}.")


def _refuse_unknown(
    source: str, values: JsonObject, fields: _Fields, model: type[BaseModel] = Pipeline, prefix: str = ""
) -> None:
    for name, value in values.items():
        if str(name) not in model.model_fields:
            key = f"{prefix}{name}"
            raise ConfigError(f"{source}: unknown key '{key}'; {_nearest(key, model, prefix, list(fields.keys()))}")
        inner = fields.inner(model, str(name))
        if inner is not None and isinstance(value, dict):
            _refuse_unknown(source, value, fields, inner, f"{prefix}{name}.")


def _nearest(key: str, model: type[BaseModel], prefix: str, keys: Sequence[str]) -> str:
    siblings = [f"{prefix}{name}" for name in model.model_fields]
    leaf = key.rpartition(".")[2]
    by_leaf = [valid for valid in keys if valid.rpartition(".")[2] == leaf]
    siblings_near = get_close_matches(key, siblings, n=1, cutoff=0.75)
    near = siblings_near or by_leaf or get_close_matches(key, keys, n=1)
    if near:
        return f"the nearest valid key is '{near[0]}'"
    return f"valid here are {', '.join(siblings)}"


def _explain(error: ValidationError, layers: Sequence[_Layer]) -> ConfigError:
    first = error.errors()[0]
    location = [str(part) for part in first["loc"]]
    if len(location) > 1 and location[0] == "agent":
        del location[1]  # pydantic's tag of the harness, which is no key of the file
    location += ["harness"] if first["type"] == "harness" else []
    source = next((layer.source for layer in reversed(layers) if _sets(layer.values, location)), layers[0].source)
    reason = str(first["msg"]).removeprefix("Value error, ")
    if not location:
        return ConfigError(f"{source}: {reason}")
    value = first["input"].get("harness") if first["type"] == "harness" else first["input"]
    return ConfigError(f"{source}: '{'.'.join(location)}' is {value!r}: {reason}")


def _sets(values: JsonValue, location: Sequence[str]) -> bool:
    for part in location:
        if not isinstance(values, dict) or part not in values:
            return not isinstance(values, dict)
        values = values[part]
    return True
