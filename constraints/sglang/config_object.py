"""A configuration object as SGLang would hold it: attributes, aliases, and what its classes compute.

`config_building` makes them. What is not known of one is UNKNOWN, what it is known not to have is MISSING.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from constraints.expression.values import MISSING, UNKNOWN
from constraints.sglang.config_classes import ConfigClass, Program

Value: TypeAlias = Any

_MAX_DEPTH = 40
_NEVER_KNOWN = frozenset(("id2label", "label2id", "num_labels", "transformers_version", "name_or_path"))


class Runner(Protocol):
    """What runs the programs of properties."""

    def result(self, owner: ConfigObject, program: Program) -> Value:
        """The value that a property's program comes to."""

    def run(self, owner: ConfigObject, program: Program, value: Value) -> None:
        """Runs a property's setter."""


class ConfigObject:
    """One configuration: attributes, those of its classes included.

    Attributes:
        lineage: its class and those above; empty for a class that is not recorded.
        values: what has been written to it, after aliases.
        is_open: whether more may have been written than is known; reading anything else is then UNKNOWN.
        layers: attributes that single layers have instead, by layer.
    """

    __slots__ = ("_reading", "_runner", "is_open", "layers", "lineage", "values")

    def __init__(self, runner: Runner, lineage: tuple[ConfigClass, ...], *, is_open: bool = False) -> None:
        self._runner = runner
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
            self._runner.run(self, owner.setters[name], value)

    def has(self, name: str) -> bool:
        """Whether reading the attribute gives something, if only UNKNOWN."""
        return self.read(name) is not MISSING

    def class_names(self) -> tuple[str, ...]:
        """The names of its class and those above it, as far as they are SGLang's own, nearest first."""
        return tuple(cls.name.rpartition(".")[2] for cls in self.lineage if cls.name.startswith("s."))

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
        """The object as a dict, nested objects too; UNKNOWN where it may have more than is known."""
        if self.is_open or depth > _MAX_DEPTH:
            return UNKNOWN
        return {name: as_data(self.read(name), depth + 1) for name in self.values}

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
            return self._runner.result(self, program)
        finally:
            self._reading.discard(name)


def as_data(value: Value, depth: int = 0) -> Value:
    """A value with its configuration objects as dicts."""
    if isinstance(value, ConfigObject):
        return value.data(depth)
    if isinstance(value, list):
        return [as_data(item, depth + 1) for item in value]
    return value
