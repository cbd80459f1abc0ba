"""Facts about a model, `model.*`, from its config.json or from the name of its architecture alone.

`model.config.PATH` is an attribute of the configuration object that SGLang would hold, its class's defaults
included, and `model.text_config.PATH` one of the language model's part of it (`model_loading` makes both).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from constraints.errors import FactError
from constraints.expression.values import MISSING, UNKNOWN

if TYPE_CHECKING:
    from constraints.sglang.model_loading import Loaded

Value: TypeAlias = Any

OPTION = "model_config"
_MAX_BYTES = 64_000_000
_CONFIG, _TEXT = "config", "text_config"
_MARKS = ("model_type", "architectures", "d_model")


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Answers `model.*`. Two are equal if they were made from the same content.

    Attributes:
        source: the content of config.json.
        is_whole: whether that is all there is to know; if not, what the source does not say is unknown.
    """

    source: Mapping[str, Value]
    is_whole: bool = True
    _loaded: list[Loaded] = field(default_factory=list, repr=False, compare=False)
    _key: list[str] = field(default_factory=list, repr=False, compare=False)

    def get(self, path: str) -> Value:
        """The value of a fact.

        Args:
            path: a name that starts with `model.`.

        Returns:
            A value (nested configurations as dicts), MISSING where SGLang's object has no such attribute,
            UNKNOWN where that cannot be told.
        """
        _, part, *attributes = path.split(".")
        if part == "has_text_config":
            return self._model().has_text_part if self.is_whole else UNKNOWN
        if part not in {_CONFIG, _TEXT}:
            return UNKNOWN
        if not self.is_whole:
            known = part == _CONFIG and len(attributes) == 1 and attributes[0] in self.source
            return self.source[attributes[0]] if known else UNKNOWN
        model = self._model()
        return _attribute(model.config if part == _CONFIG else model.text, attributes)

    def key(self) -> str:
        """A text that is the same for equal facts, for caches."""
        if not self._key:
            self._key.append(json.dumps([self.is_whole, self.source], sort_keys=True, default=repr))
        return self._key[0]

    def __hash__(self) -> int:
        return hash(self.key())

    def _model(self) -> Loaded:
        if not self._loaded:
            from constraints.sglang.config_classes import shipped_classes
            from constraints.sglang.model_loading import load

            self._loaded.append(load(self.source, shipped_classes()))
        return self._loaded[0]


def model_facts(config: Mapping[str, Value] | Path | str) -> ModelFacts:
    """The facts of a model.

    Args:
        config: the content of its config.json, that file, or the folder that holds it.

    Raises:
        FactError: if there is no such file, or what it holds is no model's configuration.
    """
    if isinstance(config, Mapping):
        return ModelFacts(_checked(config, "<config>"))
    path = Path(config)
    if path.is_dir():
        path /= "config.json"
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise FactError(OPTION, str(path), (error.strerror or "cannot be read").lower()) from error
    if len(content) > _MAX_BYTES:
        raise FactError(OPTION, str(path), f"is longer than {_MAX_BYTES // 1_000_000} MB")
    try:
        return ModelFacts(_checked(json.loads(content), str(path)))
    except (ValueError, RecursionError) as error:
        raise FactError(OPTION, str(path), f"is no JSON: {_reason(error)}") from error


def architecture_facts(name: str) -> ModelFacts:
    """What the name of an architecture says by itself, `LlamaForCausalLM`: nothing of shapes or numbers."""
    return ModelFacts({"architectures": [name]}, is_whole=False)


def _checked(content: Value, path: str) -> Mapping[str, Value]:
    if not isinstance(content, Mapping):
        raise FactError(
            OPTION, path, f"is no model configuration: a JSON {type(content).__name__}, not an object"
        )
    if not any(mark in content for mark in _MARKS):
        found = ", ".join(sorted(map(str, content))[:3]) or "nothing"
        raise FactError(OPTION, path, f"is no model configuration: it has no model_type, but {found}")
    architectures = content.get("architectures")
    if architectures is not None and not (
        isinstance(architectures, list) and all(isinstance(each, str) for each in architectures)
    ):
        raise FactError(OPTION, path, "is no model configuration: architectures is not a list of names")
    return content


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.lower()} in line {error.lineno}, column {error.colno}"
    return "nested too deeply" if isinstance(error, RecursionError) else "not UTF-8 text"


def _attribute(owner: Value, attributes: list[str]) -> Value:
    from constraints.sglang.config_object import ConfigObject, as_data

    value = owner
    for attribute in attributes:
        if value is UNKNOWN:
            return UNKNOWN
        value = value.read(attribute) if isinstance(value, ConfigObject) else MISSING
    return as_data(value)
