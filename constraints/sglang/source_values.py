"""What the constants of a package can be: data, and things of its source that stand for themselves."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from constraints.sglang.modules import Module


class NotConstant(Exception):
    """An expression whose value cannot be told from the source.

    Attributes:
        at: `file:line`.
        reason: what was not understood.
    """

    def __init__(self, at: str, reason: str) -> None:
        super().__init__(at, reason)
        self.at = at
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.at}: {self.reason}"


@dataclass(frozen=True, slots=True)
class External:
    """Something defined outside the package, by its dotted path: `typing.Optional`, `builtins.int`."""

    path: str


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function or lambda of the package. `local` are the names around it, if any."""

    module: Module
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    local: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name

    @property
    def path(self) -> str:
        return f"{self.module.name}.{self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class Class:
    """A class of the package."""

    module: Module
    node: ast.ClassDef

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def path(self) -> str:
        return f"{self.module.name}.{self.name}"


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enumeration."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """An object of a class of the package, as it was constructed; its class is not run."""

    cls: Class
    positional: tuple[Any, ...]
    keywords: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """An object described in our own words, by its attributes."""

    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """An entry of a table whose value cannot be told; such a table is often read for its keys alone."""

    why: NotConstant


class Effect:
    """An object whose methods are called for what they do. Subclasses take note of the calls."""

    def member(self, name: str) -> Any:
        """The attribute NAME: a value, or a function.

        Raises:
            AttributeError: where there is no such.
        """
        raise NotImplementedError


def plain(value: Any) -> Any:
    """A value as data: sets sorted to tuples, enum members by their values.

    Raises:
        TypeError: for functions, classes and objects, which are no data.
    """
    if isinstance(value, EnumMember):
        return plain(value.value)
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return tuple(sorted((plain(item) for item in value), key=repr))
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{value!r} is no data")
