"""Makes configuration objects as SGLang's and transformers' classes would, without importing either.

Follows a constructor from the recorded class (`config_classes`) up to transformers' base class, which is
said here. The programs in between are run by `config_programs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from constraints.expression.values import UNKNOWN, is_known
from constraints.sglang import config_rope
from constraints.sglang.config_classes import ConfigClasses, Program
from constraints.sglang.config_object import ConfigObject
from constraints.sglang.config_programs import Frame, Step, copied

Value: TypeAlias = Any

_MAX_DEPTH = 40
_VALIDATION = "validate"
_TAKEN_AWAY = (
    "dtype",
    "torch_dtype",
    "rope_parameters",
    "rope_scaling",
    "rope_theta",
    "partial_rotary_factor",
)
_LAYER_TYPES = {
    # Older names that transformers replaces while it loads a configuration.
    "mamba": "linear_attention",
    "attention": "full_attention",
    "deepseek_sparse_attention": "indexed_attention",
    "qwen_sparse_attention": "indexed_attention",
}


class Builder:
    """Makes configuration objects out of a table of classes."""

    __slots__ = ("_depth", "classes")

    def __init__(self, classes: ConfigClasses) -> None:
        self.classes = classes
        self._depth = 0

    def build(self, name: str | None, given: Mapping[str, Value]) -> ConfigObject:
        """What constructing a class with arguments gives.

        Args:
            name: a class of the table; a class that is not recorded, or None, gives an open object.
            given: the arguments by name.
        """
        lineage = self.classes.lineage(name) if name is not None else ()
        is_whole = bool(lineage) and lineage[-1].parent is None
        made = ConfigObject(self, lineage if is_whole else (), is_open=not is_whole)
        if not is_whole or self._depth > _MAX_DEPTH:
            self._keep(made, given)
            return made
        self._depth += 1
        try:
            self._initialise(made, 0, dict(given))
        finally:
            self._depth -= 1
        if lineage[0].opaque:
            made.forget()
        return made

    def result(self, owner: ConfigObject, program: Program) -> Value:
        """The value that a property's program comes to."""
        frame = Frame(self, owner)
        frame.run(program["steps"])
        return frame.lookup(program["result"])

    def run(self, owner: ConfigObject, program: Program, value: Value) -> None:
        """Runs a property's setter."""
        frame = Frame(self, owner)
        frame.locals = dict.fromkeys(program.get("required", ()), value)
        frame.run(program["steps"])

    def _keep(self, made: ConfigObject, given: Mapping[str, Value]) -> None:
        """An unknown class keeps its arguments as they are, but for those that the base class takes away."""
        for name, value in given.items():
            if name not in self.classes.generation and name not in _TAKEN_AWAY:
                made.values[name] = value
        dtype = given.get("dtype") or given.get("torch_dtype")
        if isinstance(dtype, str):
            made.values["dtype"] = dtype
        made.is_open = True

    def _initialise(self, made: ConfigObject, index: int, given: dict[str, Value]) -> None:
        cls = made.lineage[index]
        program = cls.programs.get("init")
        if program is not None:
            frame = Frame(self, made)
            frame.take(program, given)
            frame.run(program["steps"])
        else:
            for name, default in (cls.fields or {}).items():
                made.write(name, given.pop(name) if name in given else copied(default))
            for name in cls.unknown:
                made.write(name, given.pop(name, UNKNOWN))
            self._post(made, -1, given)
        if _VALIDATION in cls.methods:
            config_rope.name_types(made)

    def _post(self, made: ConfigObject, after: int, keywords: dict[str, Value]) -> None:
        program = _next_program(made, "post", after)
        if program is None:
            self._base_post(made, keywords)
            return
        frame = Frame(self, made)
        frame.take(program, keywords)
        frame.run(program["steps"])

    def _base_post(self, made: ConfigObject, keywords: dict[str, Value]) -> None:
        """What transformers' base class does with the arguments that no class took."""
        older_dtype = keywords.pop("torch_dtype", None)
        if made.read("dtype") is None and older_dtype is not None:
            made.write("dtype", older_dtype)
        if made.has("rope_parameters") or _has_older_rope(keywords):
            keywords = self._convert_rope(made, -1, keywords)
        for name in (*self.classes.generation, "name_or_path", "_commit_hash"):
            keywords.pop(name, None)
        for name in ("output_attentions", "attn_implementation", "experts_implementation"):
            keywords.pop(name, None)
        per_layer = keywords.pop("per_layer_config", None)
        for name, value in keywords.items():
            if name not in {"_attn_implementation_internal", "_experts_implementation_internal"}:
                made.write(name, value)
        if per_layer is not None:
            _differ_by_layer(made, per_layer)
        for name in ("layer_types", "mtp_layer_types"):
            listed = made.read(name)
            if isinstance(listed, (list, tuple, str, dict)):
                newer = [_newer_layer_type(each) for each in listed]
                if newer != listed:
                    made.write(name, newer)

    def _convert_rope(self, made: ConfigObject, after: int, keywords: dict[str, Value]) -> dict[str, Value]:
        """Takes rotary parameters out of the keywords; the others are left."""
        keywords = dict(keywords)
        program = _next_program(made, "rope", after)
        if program is None:
            config_rope.convert(made, keywords)
            return keywords
        frame = Frame(self, made)
        frame.keywords = keywords
        frame.locals = dict(program.get("parameters", {}))
        frame.run(program["steps"])
        if frame.is_lost:
            made.forget()
        return frame.keywords

    def ascend(self, made: ConfigObject, step: Step, keywords: dict[str, Value]) -> dict[str, Value]:
        """A call of a method of the class above the one that a step stands in; the keywords it leaves."""
        index = next((i for i, cls in enumerate(made.lineage) if cls.name == step["of"]), None)
        if index is None:
            made.forget()
        elif step["super"] == "init":
            self._initialise(made, index + 1, keywords)
        elif step["super"] == "post":
            self._post(made, index, keywords)
        else:
            return self._convert_rope(made, index, keywords)
        return keywords


def _newer_layer_type(name: Value) -> Value:
    return _LAYER_TYPES.get(name, name) if isinstance(name, str) else name


def _next_program(made: ConfigObject, kind: str, after: int) -> Program | None:
    for cls in made.lineage[after + 1 :]:
        if kind in cls.programs:
            return cls.programs[kind]
    return None


def _has_older_rope(keywords: Mapping[str, Value]) -> bool:
    scaling, theta = keywords.get("rope_scaling"), keywords.get("rope_theta")
    return not (is_known(scaling) and is_known(theta)) or bool(scaling and theta)


def _differ_by_layer(made: ConfigObject, per_layer: Value) -> None:
    """Attributes of single layers; those that say what the whole says anyway are left out."""
    if not isinstance(per_layer, dict):
        made.forget()
        return
    layers: dict[int, dict[str, Value]] = {}
    for layer, overrides in per_layer.items():
        kept = {
            name: value for name, value in overrides.items() if made.values.get(made.alias(name)) != value
        }
        if kept:
            layers[int(layer)] = kept
    made.layers = layers
