"""A configuration object as SGLang would hold it, made from plain data by the recorded classes.

Runs the programs of `config_classes`: small lists of steps whose expressions are in the rule language. What a
program could not say, or what depends on it, is UNKNOWN; nothing of SGLang or transformers is imported.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from constraints.expression.evaluate import evaluate_exactly
from constraints.expression.parse import parse
from constraints.expression.syntax import Expression
from constraints.expression.values import MISSING, UNKNOWN, is_known
from constraints.sglang import config_rope
from constraints.sglang.config_classes import ConfigClass, ConfigClasses, Program

Value: TypeAlias = Any
Step: TypeAlias = Any

EVERYTHING = "*"
_MAX_DEPTH = 40
_VALIDATION = "validate"
_ALL_KEYWORDS = "_"
_LAYER_TYPES = {
    # Older names that transformers replaces while it loads a configuration.
    "mamba": "linear_attention",
    "attention": "full_attention",
    "deepseek_sparse_attention": "indexed_attention",
    "qwen_sparse_attention": "indexed_attention",
}
_NEVER_KNOWN = frozenset(("id2label", "label2id", "num_labels", "transformers_version", "name_or_path"))


class ConfigObject:
    """One configuration: attributes, those of its classes included.

    Attributes:
        lineage: its class and those above; empty for a class that is not recorded.
        values: what has been written to it, after aliases.
        is_open: whether more may have been written than is known; reading anything else is then UNKNOWN.
        layers: attributes that single layers have instead, by layer.
    """

    __slots__ = ("_builder", "_reading", "is_open", "layers", "lineage", "values")

    def __init__(self, builder: Builder, lineage: tuple[ConfigClass, ...], *, is_open: bool = False) -> None:
        self._builder = builder
        self._reading: set[str] = set()
        self.lineage = lineage
        self.values: dict[str, Value] = {}
        self.is_open = is_open
        self.layers: dict[int, dict[str, Value]] | None = None

    def __repr__(self) -> str:
        return f"ConfigObject({self.lineage[0].name if self.lineage else '?'})"

    def read(self, name: str) -> Value:
        """The attribute NAME: a value, another ConfigObject, UNKNOWN, or MISSING."""
        name = self.alias(name)
        if name in _NEVER_KNOWN or (self.lineage and name in self.lineage[0].untrusted):
            return UNKNOWN
        owner = self._owner_of_property(name)
        if owner is not None:
            return self._computed(name, owner.properties[name])
        if name in self.values:
            return self.values[name]
        if self.is_open or name.startswith("_"):
            return UNKNOWN
        return self.of_class(name)

    def of_class(self, name: str) -> Value:
        """An attribute that the class has, whatever the object has."""
        if name == "model_type" and self.lineage:
            return self.lineage[0].type
        for cls in self.lineage:
            if name in cls.constants:
                return cls.constants[name]
            if name in cls.methods or cls.opaque:
                return UNKNOWN
            if cls.fields is not None and name in cls.fields:
                return cls.fields[name]
        return MISSING

    def write(self, name: str, value: Value) -> None:
        """Sets an attribute; for one that is computed, does what its class does then."""
        name = self.alias(name)
        owner = self._owner_of_property(name)
        if owner is None:
            self.values[name] = value
        elif name in owner.setters:
            self._builder.run(self, owner.setters[name], value)

    def delete(self, name: str) -> None:
        self.values.pop(self.alias(name), None)

    def has(self, name: str) -> bool:
        """Whether reading the attribute gives something, if only UNKNOWN."""
        return self.read(name) is not MISSING

    def forget(self) -> None:
        """Everything but what is written from now on is unknown."""
        self.values = dict.fromkeys(self.values, UNKNOWN)
        self.is_open = True

    def alias(self, name: str) -> str:
        if not self.lineage:
            return name
        name = self.lineage[0].aliases.get(name, name)
        base = self.lineage[-1]
        if name in base.aliases and not self._defines(name):
            return base.aliases[name]
        return name

    def data(self, depth: int = 0) -> Value:
        """The object as a dict; nested objects too. UNKNOWN where it holds what is unknown."""
        if self.is_open or depth > _MAX_DEPTH:
            return UNKNOWN
        plain = {name: as_data(self.read(name), depth + 1) for name in self.values}
        return {name: value for name, value in plain.items() if is_known(value)}

    def _defines(self, name: str) -> bool:
        """Whether a class below the base has its own attribute of that name."""
        return any(
            name in cls.properties or name in cls.constants or (cls.fields is not None and name in cls.fields)
            for cls in self.lineage[:-1]
        )

    def _owner_of_property(self, name: str) -> ConfigClass | None:
        for cls in self.lineage:
            if name in cls.properties:
                return cls
            if (
                name in cls.constants
                or name in cls.methods
                or (cls.fields is not None and name in cls.fields)
            ):
                return None
        return None

    def _computed(self, name: str, program: Program | None) -> Value:
        if program is None or self.is_open or name in self._reading:
            return UNKNOWN
        self._reading.add(name)
        try:
            return self._builder.result(self, program)
        finally:
            self._reading.discard(name)


def as_data(value: Value, depth: int = 0) -> Value:
    """A value with its configuration objects as dicts."""
    if isinstance(value, ConfigObject):
        return value.data(depth)
    if isinstance(value, list):
        return [as_data(item, depth + 1) for item in value]
    return value


@dataclass(slots=True)
class Builder:
    """Makes configuration objects out of a table of classes."""

    classes: ConfigClasses
    _depth: int = field(default=0)

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
            made.values.update(given)
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
        frame = _Frame(self, owner)
        frame.run(program["steps"])
        return frame.lookup(program["result"])

    def run(self, owner: ConfigObject, program: Program, value: Value) -> None:
        """Runs a property's setter."""
        frame = _Frame(self, owner)
        frame.locals = dict.fromkeys(program.get("required", ()), value)
        frame.run(program["steps"])

    # --- construction

    def _initialise(self, made: ConfigObject, index: int, given: dict[str, Value]) -> None:
        cls = made.lineage[index]
        program = cls.programs.get("init")
        if program is not None:
            frame = _Frame(self, made)
            frame.take(program, given)
            frame.run(program["steps"])
        else:
            for name, default in (cls.fields or {}).items():
                made.write(name, given.pop(name) if name in given else _copied(default))
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
        frame = _Frame(self, made)
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
            if isinstance(listed, list) and any(
                each in _LAYER_TYPES for each in listed if isinstance(each, str)
            ):
                made.write(
                    name, [_LAYER_TYPES.get(each, each) if isinstance(each, str) else each for each in listed]
                )

    def _convert_rope(self, made: ConfigObject, after: int, keywords: dict[str, Value]) -> dict[str, Value]:
        """Takes rotary parameters out of the keywords; the others are left."""
        keywords = dict(keywords)
        program = _next_program(made, "rope", after)
        if program is None:
            config_rope.convert(made, keywords)
            return keywords
        frame = _Frame(self, made)
        frame.keywords = keywords
        frame.locals = dict(program.get("parameters", {}))
        frame.run(program["steps"])
        if frame.is_lost:
            made.forget()
        return frame.keywords

    def ascend(self, made: ConfigObject, step: Step, keywords: dict[str, Value]) -> dict[str, Value]:
        """A call of a method of the next class above the one that a step stands in; the keywords left after it."""
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


def _next_program(made: ConfigObject, kind: str, after: int) -> Program | None:
    for cls in made.lineage[after + 1 :]:
        if kind in cls.programs:
            return cls.programs[kind]
    return None


def _has_older_rope(keywords: Mapping[str, Value]) -> bool:
    scaling, theta = keywords.get("rope_scaling"), keywords.get("rope_theta")
    return not (is_known(scaling) and is_known(theta)) or bool(scaling and theta)


def _copied(default: Value) -> Value:
    return copy.deepcopy(default) if isinstance(default, (list, dict)) else default


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


class _Frame:
    """One run of a program: its names, and the object that it fills."""

    __slots__ = ("builder", "doubts", "is_lost", "keywords", "locals", "made")

    def __init__(self, builder: Builder, made: ConfigObject) -> None:
        self.builder, self.made = builder, made
        self.locals: dict[str, Value] = {}
        self.keywords: dict[str, Value] = {}
        self.is_lost = False
        self.doubts = 0

    def take(self, program: Program, given: dict[str, Value]) -> None:
        """Binds the parameters; the other arguments are keywords."""
        for name, default in program.get("parameters", {}).items():
            self.locals[name] = given.pop(name) if name in given else _copied(default)
        for name in program.get("required", ()):
            self.locals[name] = given.pop(name, UNKNOWN)
        self.keywords = given

    def lookup(self, path: str) -> Value:
        kind, _, rest = path.partition(".")
        name, *attributes = rest.split(".")
        if kind == "self":
            value = self.made.read(name)
        elif kind == "local":
            value = self.locals.get(name, UNKNOWN)
        elif self.is_lost:
            value = UNKNOWN
        else:
            value = dict(self.keywords) if name == _ALL_KEYWORDS else self.keywords.get(name, MISSING)
        for attribute in attributes:
            if value is UNKNOWN:
                return UNKNOWN
            value = value.read(attribute) if isinstance(value, ConfigObject) else MISSING
        return value

    def value(self, text: str) -> Value:
        """What an expression comes to; an error in it, which would stop SGLang from loading, is UNKNOWN."""
        result = evaluate_exactly(_parsed(text), self.lookup)
        if is_known(result):
            return result
        self.doubts += 1
        return UNKNOWN

    def run(self, steps: Iterable[Step]) -> bool:
        """Runs steps in order. True if one of them ended the program."""
        for step in steps:
            if isinstance(step, str):
                if step == "return":
                    return True
                target, _, text = step.partition(" = ")
                self.assign(target, self.value(text))
            elif self.compound(step):
                return True
        return False

    def compound(self, step: Step) -> bool:
        if "if" in step:
            test = self.value(step["if"])
            if test is UNKNOWN:
                # Whichever way it goes: what either writes is unknown, and so is whether it ended here.
                for branch in (step["then"], step.get("else", ())):
                    self.lose(branch)
                return False
            return self.run(step["then"] if test else step.get("else", ()))
        if "block" in step:
            self.run(step["block"])
        elif "try" in step:
            doubts = self.doubts
            ended = self.run(step["try"])
            if self.doubts > doubts:
                # It may have been an error that is caught.
                self.lose(step["except"])
            return ended
        elif "copy" in step:
            for name in step["copy"]:
                self.made.write(name, self.locals.get(name, UNKNOWN))
        elif "build" in step:
            self.assign(step["build"], self.built(step))
        elif "super" in step:
            given = self.arguments(step)
            if "from" in step:
                source = self.value(step["from"])
                if isinstance(source, dict):
                    given = {**source, **given}
                else:
                    self.is_lost = True
            left = self.builder.ascend(self.made, step, given)
            if step["super"] == "rope":
                self.keywords = left
            if self.is_lost:
                self.made.forget()
        elif "drop" in step:
            self.drop(step["drop"])
        elif "standardize" in step:
            config_rope.standardize(self.made)
        else:
            for target in step["unknown"]:
                self.assign(target, UNKNOWN)
        return False

    def drop(self, what: str) -> None:
        """Forgets a keyword, or those that a list names."""
        names = [what.removeprefix("keyword.")] if what.startswith("keyword.") else self.value(what)
        if names is UNKNOWN:
            self.is_lost = True
            return
        for name in names:
            self.keywords.pop(name, None)

    def built(self, step: Step) -> Value:
        given = self.arguments(step)
        if "from" in step:
            source = self.value(step["from"])
            if not isinstance(source, dict):
                return UNKNOWN
            given = {**source, **given}
        if "class" in step:
            return self.builder.build(step["class"], given)
        if "sub" in step:
            subs = self.made.lineage[0].subs
            return self.builder.build(subs.get(step["sub"]), given)
        type_name = self.value(step["type"]) if step["type"] else given.pop("model_type", UNKNOWN)
        if not isinstance(type_name, str):
            return UNKNOWN
        return self.builder.build(self.builder.classes.types.get(type_name), given)

    def arguments(self, step: Step) -> dict[str, Value]:
        given: dict[str, Value] = dict(self.keywords) if step.get("keywords") else {}
        given.update({name: self.value(text) for name, text in step.get("with", {}).items()})
        return given

    def assign(self, target: str, value: Value) -> None:
        kind, _, rest = target.partition(".")
        name, *attributes = rest.split(".")
        if name == EVERYTHING:
            if kind == "self":
                self.made.forget()
            else:
                self.is_lost = True
        elif attributes:
            owner = self.lookup(".".join((kind, name, *attributes[:-1])))
            if isinstance(owner, ConfigObject):
                owner.write(attributes[-1], value)
        elif kind == "self":
            self.made.write(name, value)
        elif kind == "local":
            self.locals[name] = value
        elif name != _ALL_KEYWORDS:
            self.keywords[name] = value
        elif isinstance(value, dict):
            self.keywords = dict(value)
        else:
            self.is_lost = True

    def lose(self, steps: Iterable[Step]) -> None:
        for target in _targets(steps):
            self.assign(target, UNKNOWN)


def _targets(steps: Iterable[Step]) -> Iterator[str]:
    """What steps may write, whichever of them run."""
    for step in steps:
        if isinstance(step, str):
            if step == "return":
                yield "self.*"
            else:
                yield step.partition(" = ")[0]
        elif "if" in step:
            yield from _targets(step["then"])
            yield from _targets(step.get("else", ()))
        elif "block" in step:
            yield from _targets(step["block"])
        elif "try" in step:
            yield from _targets(step["try"])
            yield from _targets(step["except"])
        elif "build" in step:
            yield step["build"]
        elif "copy" in step:
            yield from (f"self.{name}" for name in step["copy"])
        elif "drop" in step:
            yield step["drop"] if step["drop"].startswith("keyword.") else "keyword.*"
        elif "unknown" in step:
            yield from step["unknown"]
        else:
            yield "self.*"


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Expression:
    return parse(text)
