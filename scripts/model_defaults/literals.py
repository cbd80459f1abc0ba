"""The small pieces of a translation: constants as data, and the rule language's names and calls as trees."""

from __future__ import annotations

import ast
import enum
import math
from collections.abc import Callable
from typing import Any, TypeAlias

Step: TypeAlias = Any
ClassName: TypeAlias = Callable[[type], str]

NOTHING = object()
"""What a name stands for that has no Python object behind it."""


class Untranslatable(Exception):
    """A statement or expression that the translation has no words for."""


def plain(value: Any) -> Any:
    """A default as JSON data.

    Raises:
        Untranslatable: where it is none.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Untranslatable("a float that JSON lacks")
        return value
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: plain(item) for key, item in value.items()}
    if type(value).__module__ == "torch" and type(value).__name__ == "dtype":
        return str(value).removeprefix("torch.")
    raise Untranslatable(f"{type(value).__name__} is no data")


def name(path: str) -> ast.expr:
    """A name of the rule language, by its dotted path."""
    return ast.Name(path, ast.Load())


def call(function: str, *arguments: ast.expr) -> ast.expr:
    """A call of one of the rule language's functions."""
    return ast.Call(ast.Name(function, ast.Load()), list(arguments), [])


def literal(value: Any) -> Any:
    """A constant of the module as a literal; tuples and sets stay what they are."""
    if isinstance(value, (set, frozenset)):
        return {plain(each) for each in sorted(value, key=repr)}
    if isinstance(value, tuple):
        return tuple(plain(each) for each in value)
    if isinstance(value, dict):
        return {plain(key): literal(item) for key, item in value.items()}
    return plain(value)


class Substitution(ast.NodeTransformer):
    """Puts an expression in the place of a name."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self.name, self.value = name, value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.value if node.id == self.name else node


def _remapped(function: Any, layers: ast.expr) -> ast.expr:
    table = ast.parse(repr(dict(function.__globals__["_LEGACY_LAYER_TYPE_REMAP"])), mode="eval").body
    each = ast.Name("each", ast.Load())
    return ast.ListComp(call("get", table, each, each), [ast.comprehension(each, layers, [], 0)])


DESCRIBED: dict[str, Callable[[Any, ast.expr], ast.expr]] = {"remap_legacy_layer_types": _remapped}
"""Functions that are not entered but said in our own words, by name."""
