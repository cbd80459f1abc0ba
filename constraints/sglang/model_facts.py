"""Facts about a model, `model.*`, from its config.json or from the name of its architecture alone.

`model.config.PATH` is an attribute of the configuration object that SGLang would hold, its class's defaults
included, and `model.text_config.PATH` one of the language model's part of it (`model_loading` makes both).
The last part of PATH may be `__mro__`: the names of SGLang's classes that the object is an instance of.
`model.text_config_is_config` says whether the two are one object; `model.has_fp8_weights` and
`model.is_mistral_native_format` what the files beside config.json tell (`model_files`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from constraints.errors import FactError
from constraints.expression.values import MISSING, UNKNOWN
from constraints.user_files import read_start

if TYPE_CHECKING:
    from constraints.sglang.model_loading import Loaded

Value: TypeAlias = Any

OPTION = "model_config"
_MAX_BYTES = 64_000_000
_CONFIG, _TEXT, _LINEAGE = "config", "text_config", "__mro__"
_MARKS = ("model_type", "architectures", "d_model")


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Answers `model.*`. Two are equal if they were made from the same content.

    Attributes:
        source: the content of config.json.
        is_whole: whether that is all there is to know; if not, what the source does not say is unknown.
        folder: where the model's other files would be, if it is known.
        overrides: attributes that the command gives other values; None where it is not known which.
    """

    source: Mapping[str, Value]
    is_whole: bool = True
    folder: Path | None = None
    overrides: Mapping[str, Value] | None = field(default_factory=dict)
    _loaded: list[Loaded] = field(default_factory=list, repr=False, compare=False)
    _key: list[str] = field(default_factory=list, repr=False, compare=False)

    def get(self, path: str) -> Value:
        """The value of a fact.

        Args:
            path: a name that starts with `model.`, or with that of another role of a model.

        Returns:
            A value (nested configurations as dicts), MISSING where SGLang's object has no such attribute,
            UNKNOWN where that cannot be told.
        """
        _, part, *attributes = path.split(".")
        if self.overrides is None:
            return UNKNOWN
        if not self.is_whole:
            known = part == _CONFIG and len(attributes) == 1 and attributes[0] in self.source
            return self.source[attributes[0]] if known else UNKNOWN
        if part in {_CONFIG, _TEXT}:
            model = self._model()
            return _attribute(model.config if part == _CONFIG else model.text, attributes, model.config)
        if part == "text_config_is_config":
            return self._model().text_is_config
        return self._of_files(part)

    def key(self) -> str:
        """A text that is the same for equal facts, for caches."""
        if not self._key:
            self._key.append(json.dumps(self._content(), sort_keys=True, default=repr))
        return self._key[0]

    def __hash__(self) -> int:
        return hash(self.key())

    def _content(self) -> list[Value]:
        return [self.is_whole, self.source, str(self.folder or ""), self.overrides]

    def _of_files(self, part: str) -> Value:
        from constraints.sglang import model_files

        if part == "has_fp8_weights":
            return UNKNOWN if self.folder is None else model_files.has_fp8_weights(self.folder)
        if part == "is_mistral_native_format":
            if self.folder is not None:
                return model_files.is_mistral_native_format(self.folder)
            return UNKNOWN if model_files.may_be_mistral_native(self.source) else False
        return UNKNOWN

    def _model(self) -> Loaded:
        if not self._loaded:
            from constraints.sglang.config_classes import shipped_classes
            from constraints.sglang.model_loading import load

            self._loaded.append(load(self.source, shipped_classes(), self.overrides))
        return self._loaded[0]


def model_facts(config: Mapping[str, Value] | os.PathLike[str] | str, *, option: str = OPTION) -> ModelFacts:
    """The facts of a model.

    Args:
        config: the content of its config.json, that file, or the folder that holds it. The files beside one
            of that name are taken to be the model's, as the engine takes them, were it given the folder.
        option: what the caller calls this, for errors.

    Raises:
        FactError: if there is no such file, or what it holds is no model's configuration.
    """
    if isinstance(config, Mapping):
        return ModelFacts(_checked(config, "<config>", option))
    path = Path(config)
    try:
        if path.is_dir():
            path /= "config.json"
        content = read_start(str(path), _MAX_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FactError(option, str(path), reason.lower()) from error
    if len(content) > _MAX_BYTES:
        raise FactError(option, str(path), f"is longer than {_MAX_BYTES // 1_000_000} MB")
    try:
        folder = path.parent if path.name == "config.json" else None
        return ModelFacts(_checked(json.loads(content), str(path), option), folder=folder)
    except (ValueError, RecursionError) as error:
        raise FactError(option, str(path), f"is no JSON: {_reason(error)}") from error


def architecture_facts(name: str) -> ModelFacts:
    """What the name of an architecture says by itself, `LlamaForCausalLM`: nothing of shapes or numbers.

    Raises:
        FactError: if that cannot be the name of a class.
    """
    if not name.isidentifier():
        raise FactError("--model-arch", name, "is no name of an architecture, such as LlamaForCausalLM")
    return ModelFacts({"architectures": [name]}, is_whole=False)


def _checked(content: Value, path: str, option: str) -> Mapping[str, Value]:
    if not isinstance(content, Mapping):
        raise FactError(
            option, path, f"is no model configuration: it is {_kind(content)} in JSON, not an object"
        )
    if not any(mark in content for mark in _MARKS):
        found = ", ".join(sorted(map(str, content))[:3]) or "nothing"
        raise FactError(option, path, f"is no model configuration: it has no model_type, but {found}")
    architectures = content.get("architectures")
    if architectures is not None and not (
        isinstance(architectures, list) and all(isinstance(each, str) for each in architectures)
    ):
        raise FactError(option, path, "is no model configuration: architectures is not a list of names")
    return content


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.lower()} in line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text"
    return "nested too deeply" if isinstance(error, RecursionError) else "a number in it is too long"


def _kind(content: Value) -> str:
    """What JSON calls a value that is no object."""
    match content:
        case None:
            return "null"
        case bool():
            return "true" if content else "false"
        case str():
            return "a text"
        case list():
            return "a list"
    return "a number"


def _attribute(owner: Value, attributes: list[str], whole: Value) -> Value:
    from constraints.sglang.config_object import ConfigObject, as_data

    value = owner
    for attribute in attributes:
        if value is UNKNOWN:
            return UNKNOWN
        if attribute == _LINEAGE:
            return _class_names(value, is_nested=value is not whole)
        value = value.read(attribute) if isinstance(value, ConfigObject) else MISSING
    return as_data(value)


def _class_names(value: Value, *, is_nested: bool) -> Value:
    """A class that the checkpoint brings along is none of SGLang's, but may hold one that is."""
    from constraints.sglang.config_object import ConfigObject

    if not isinstance(value, ConfigObject):
        return ()
    return UNKNOWN if is_nested and not value.lineage else value.class_names()
