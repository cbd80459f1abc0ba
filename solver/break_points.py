"""The values of a flag at which some rule may change its mind: what it is compared with and divided by.

Found in the expressions of the steps that read the flag, directly or through values named after it. Decides
nothing about which of them a repair may take.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from math import isqrt
from typing import TypeGuard

from constraints.domain import distinct
from constraints.expression.evaluate import evaluate
from constraints.expression.forms import free_names
from constraints.expression.syntax import Arithmetic, Collection, Comparison, Expression, Literal
from constraints.expression.values import is_known
from constraints.vocabulary import Value
from solver.program import Kind, Program, Terms
from solver.resolution import Resolution

_MAX_DIVISORS = 32
"""Of a number with more, those nearest to the flag's value matter least often."""


@dataclass(frozen=True, slots=True)
class BreakPoints:
    """What the rules tell values of one flag apart by.

    Attributes:
        values: in no special order, without repetitions.
        moduli: numbers that the flag is divided by, ascending.
    """

    values: tuple[Value, ...] = ()
    moduli: tuple[int, ...] = ()


@lru_cache(maxsize=8)
def readers(program: Program) -> dict[str, tuple[int, ...]]:
    """For each flag the nodes that read it, itself or through named values, ascending."""
    found: dict[str, dict[int, None]] = {name: {} for name in program.flags}
    reached: list[frozenset[str]] = []
    for node, (kind, bindings) in enumerate(zip(program.kinds, program.details().bindings, strict=True)):
        read: set[str] = set()
        for path, producer in bindings:
            flag = path.removeprefix("given.")
            if flag in found:
                read.add(flag)
            elif program.kinds[producer] == Kind.LET:
                read |= reached[producer]
        for flag in read:
            found[flag][node] = None
        reached.append(frozenset(read) if kind == Kind.LET else frozenset())
    return {flag: tuple(nodes) for flag, nodes in found.items()}


def break_points(resolution: Resolution, flag: str) -> BreakPoints:
    """The break-points of a flag, where it is compared with other values as they are in a resolution."""
    collected = _Collected(resolution, flag)
    for node in readers(resolution.program)[flag]:
        collected.look_at(resolution.program.terms(node))
    return BreakPoints(tuple(distinct(collected.values)), tuple(sorted(collected.moduli)))


@dataclass(slots=True)
class _Collected:
    """Break-points while they are found."""

    resolution: Resolution
    flag: str
    values: list[Value] = field(default_factory=list)
    moduli: set[int] = field(default_factory=set)

    def look_at(self, terms: Terms) -> None:
        """Goes through the expressions of a node."""
        expressions = (terms.when,) if terms.value is None else (terms.when, terms.value)
        for expression in expressions:
            for part in expression.distinct():
                if isinstance(part, Comparison):
                    self._compared(part, terms)
                elif isinstance(part, Arithmetic) and part.operator in {"%", "//"}:
                    self._divided(part, terms)

    def _compared(self, comparison: Comparison, terms: Terms) -> None:
        sides = ((comparison.left, comparison.right), (comparison.right, comparison.left))
        for side, other in sides:
            if self._is_about(side, terms) and not self._is_about(other, terms):
                for value in self._values_of(other, terms):
                    self._add(value)

    def _values_of(self, expression: Expression, terms: Terms) -> Iterator[Value]:
        if isinstance(expression, Literal):
            yield expression.value
            return
        value = self._value(expression, terms)
        if is_known(value):
            yield from value if isinstance(value, (list, tuple, set, frozenset)) else (value,)
        elif isinstance(expression, Collection):
            for element in expression.elements:
                yield from self._values_of(element, terms)

    def _add(self, value: Value) -> None:
        self.values.append(value)
        if _is_integer(value):
            self.values += (value - 1, value + 1)

    def _divided(self, division: Arithmetic, terms: Terms) -> None:
        dividend, divisor = (self._value(each, terms) for each in (division.left, division.right))
        if self._is_about(division.left, terms) and _is_integer(divisor) and divisor > 0:
            self.moduli.add(divisor)
            self.values += self._multiples(divisor)
        if self._is_about(division.right, terms) and _is_integer(dividend) and dividend > 0:
            self.values += _divisors(dividend)

    def _multiples(self, divisor: int) -> Iterable[int]:
        """The multiples next to the flag's value, and the divisor itself."""
        present = self.resolution.values[self.resolution.program.leaf_of_flag[self.flag]]
        if not _is_integer(present):
            return (divisor,)
        below = present // divisor * divisor
        return (divisor, below, below + divisor)

    def _is_about(self, expression: Expression, terms: Terms) -> bool:
        """Whether an expression reads the flag, itself or through named values."""
        program = self.resolution.program
        for path in free_names(expression):
            if path.removeprefix("given.") == self.flag:
                return True
            producer = terms.producers.get(path, 0)
            if program.kinds[producer] == Kind.LET and producer in _reader_set(program, self.flag):
                return True
        return False

    def _value(self, expression: Expression, terms: Terms) -> Value:
        values = self.resolution.values
        if not free_names(expression) <= terms.producers.keys():
            return None  # it is about the variable of a comprehension
        return evaluate(expression, lambda path: values[terms.producers[path]])


@lru_cache(maxsize=1024)
def _reader_set(program: Program, flag: str) -> frozenset[int]:
    return frozenset(readers(program)[flag])


def _is_integer(value: Value) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _divisors(number: int) -> list[int]:
    """The divisors of a positive number, smallest first, at most `_MAX_DIVISORS`."""
    small = [each for each in range(1, min(isqrt(number), 10_000) + 1) if number % each == 0]
    return sorted({*small, *(number // each for each in small)})[:_MAX_DIVISORS]
