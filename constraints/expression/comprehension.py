"""The value of a comprehension, from those of its parts. `evaluate` knows how to get these."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from constraints.expression.faults import attempt
from constraints.expression.functions import ordered
from constraints.expression.lookups import Bound, Lookup
from constraints.expression.syntax import Comprehension, Expression
from constraints.expression.values import POISON, UNKNOWN, Fault, Value

Evaluator: TypeAlias = Callable[[Expression, Lookup], Value]


def comprehension_value(
    node: Comprehension, iterable: Value, lookup: Lookup, *, decide: Evaluator, exactly: Evaluator
) -> Value:
    """The value of a comprehension over an ordinary value.

    Args:
        node: the comprehension.
        iterable: what it goes through.
        lookup: the values of the names around it.
        decide: evaluates where only truth counts.
        exactly: evaluates where the value counts.
    """
    items = attempt(list, attempt(ordered, iterable))
    if items.__class__ in POISON:
        return items
    if node.kind in {"any", "all"}:
        return _quantified(node, items, lookup, decide)
    return _COLLECTORS[node.kind](_elements(node, items, lookup, decide, exactly))


def _quantified(node: Comprehension, items: list[Value], lookup: Lookup, decide: Evaluator) -> Value:
    """Whether an element has the truth that decides an `any` (True) or an `all` (False)."""
    sought = node.kind == "any"
    unknown = False
    for item in items:
        inner = Bound(node.variable, item, lookup)
        counts: Value = True
        if node.condition is not None:
            counts = decide(node.condition, inner)
            if counts.__class__ is Fault:
                return UNKNOWN if unknown else counts
            if counts is not UNKNOWN and not counts:
                continue
        value = decide(node.element, inner)
        if value.__class__ is Fault:
            return UNKNOWN if unknown or counts is UNKNOWN else value
        if value is UNKNOWN:
            unknown = True
        elif bool(value) is sought:
            if counts is not UNKNOWN:
                return sought
            unknown = True
    return UNKNOWN if unknown else not sought


def _elements(
    node: Comprehension, items: list[Value], lookup: Lookup, decide: Evaluator, exactly: Evaluator
) -> Iterator[Value]:
    """The elements one after the other, as Python would come to them; poison is the last."""
    for item in items:
        inner = Bound(node.variable, item, lookup)
        if node.condition is not None:
            counts = decide(node.condition, inner)
            if counts.__class__ in POISON:
                yield counts
                return
            if not counts:
                continue
        yield exactly(node.element, inner)


def _sum(elements: Iterator[Value]) -> Value:
    total: Value = 0
    for element in elements:
        total = element if element.__class__ in POISON else attempt(operator.add, total, element)
        if total.__class__ in POISON:
            return total
    return total


def _list(elements: Iterator[Value]) -> Value:
    values = []
    for element in elements:
        if element.__class__ in POISON:
            return element
        values.append(element)
    return values


def _set(elements: Iterator[Value]) -> Value:
    values: set[Value] = set()
    for element in elements:
        failure = element if element.__class__ in POISON else attempt(values.add, element)
        if failure is not None:
            return failure
    return values


_COLLECTORS: Final[dict[str, Callable[[Iterator[Value]], Value]]] = {"sum": _sum, "list": _list, "set": _set}
