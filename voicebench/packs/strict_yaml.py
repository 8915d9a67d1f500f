"""YAML in which everything but ``true``, ``false`` and ``null`` is text, read into a model or refused with a reason."""

from __future__ import annotations

import difflib
import re
import types
import typing
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from voicebench.errors import ConfigError

__all__ = ["nearest", "parse_yaml", "read_model"]

M = TypeVar("M", bound=BaseModel)

_Base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _StringLoader(_Base):  # type: ignore[misc, valid-type]
    """A safe loader that takes ``0225`` and ``2026-08-03`` for text, and refuses a key given twice."""

    yaml_implicit_resolvers: typing.ClassVar[dict[str, Any]] = {}

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Construct a mapping whose keys are unique."""
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key.value!r} is given twice", key.start_mark)
            seen.add(key.value)
        return typing.cast("dict[Hashable, Any]", super().construct_mapping(node, deep=deep))


_StringLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))
_StringLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^null$"), ["n"])


def nearest(name: object, valid: Iterable[str]) -> str:
    """Return "did you mean ...?" or, when nothing is near, the valid names."""
    names = sorted(valid)
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"valid are: {', '.join(names)}" if names else "there are none"


def parse_yaml(text: str, where: str) -> Any:
    """Parse YAML text.

    Raises:
        ConfigError: it is no YAML, or gives a key twice.
    """
    try:
        return yaml.load(text, Loader=_StringLoader)  # noqa: S506
    except yaml.YAMLError as error:
        raise ConfigError(f"{where}: {' '.join(str(error).split())}") from error


def read_model(path: Path, model: type[M]) -> M:
    """Read a file into a model.

    Raises:
        ConfigError: the file is missing or is no YAML, or a key is unknown, missing or wrong; names file and key.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    content = parse_yaml(text, str(path))
    try:
        return model.model_validate(content)
    except ValidationError as error:
        lines = [_explain(item, model) for item in error.errors(include_url=False)]
        raise ConfigError("\n".join(f"{path}: {line}" for line in lines)) from error


def _explain(item: Any, model: type[BaseModel]) -> str:
    location = [part for part in item["loc"] if part != "function-before"]
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")
    if item["type"] == "extra_forbidden":
        return f"unknown key {key!r}; {nearest(location[-1], _keys_at(model, location[:-1]))}"
    if item["type"] == "missing":
        return f"key {key!r} is missing"
    message = str(item["msg"]).removeprefix("Value error, ")
    return f"{key or 'the file'}: {message} (given: {item['input']!r:.80})"


def _keys_at(model: type[BaseModel], location: list[Any]) -> list[str]:
    """Return the valid keys of the model that ``location`` leads to."""
    here: Any = model
    for part in location:
        here = _fields(here).get(str(part)) if _is_model(here) else typing.get_args(here)[-1]
        if typing.get_origin(here) in {types.UnionType, typing.Union}:
            here = next(option for option in typing.get_args(here) if option is not type(None))
    return list(_fields(here)) if _is_model(here) else []


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _fields(model: type[BaseModel]) -> dict[str, Any]:
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}
