"""Lookups: what evaluation gets the values of names from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from constraints.expression.values import UNKNOWN, Value

Lookup: TypeAlias = Callable[[str], Value]
"""From a name's path to its value, `UNKNOWN`, `MISSING` or a `Fault`. Must not raise."""


class Bound:
    """The lookup inside a comprehension, for one value of its variable.

    Attributes:
        outer: the lookup around the comprehension.
    """

    __slots__ = ("_value", "_variable", "outer")

    def __init__(self, variable: str, value: Value, outer: Lookup) -> None:
        self._variable = variable
        self._value = value
        self.outer = outer

    def __call__(self, path: str) -> Value:
        return self._value if path == self._variable else self.outer(path)


class Watch:
    """A lookup that remembers what it met.

    Attributes:
        met_unknown: whether evaluation read an unknown name, or came to an `Unknown` node.
    """

    __slots__ = ("_lookup", "met_unknown")

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self.met_unknown = False

    def __call__(self, path: str) -> Value:
        value = self._lookup(path)
        if value is UNKNOWN:
            self.met_unknown = True
        return value


def tell_of_unknown(lookup: Lookup) -> None:
    """Lets a `Watch`, if `lookup` is one or is in one, know that evaluation came to an `Unknown` node."""
    while isinstance(lookup, Bound):
        lookup = lookup.outer
    if isinstance(lookup, Watch):
        lookup.met_unknown = True
