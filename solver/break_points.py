"""The values of a flag at which some rule may change its mind: what it is compared with and divided by.

Found in the expressions of the steps that read the flag, directly or through values named after it. Decides
nothing about which of them a repair may take.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import Literal as OneOf
from typing import TypeGuard

from constraints.domain import distinct
from constraints.expression.evaluate import evaluate
from constraints.expression.forms import free_names
from constraints.expression.syntax import Arithmetic, Collection, Comparison, Expression, Literal
from constraints.expression.values import is_known
from constraints.vocabulary import Value
from solver.identity import Identity
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
    values: list[Value] = []
    moduli: set[int] = set()
    now = resolution.values
    present = now[resolution.program.leaf_of_flag[flag]]
    for meeting in _meetings(Identity(resolution.program), flag):
        for value in _values_of(meeting.other, meeting.terms, now):
            if meeting.how == "compared":
                values.append(value)
                values += (value - 1, value + 1) if _is_integer(value) else ()
            elif _is_integer(value) and value > 0:
                if meeting.how == "divided":
                    moduli.add(value)
                values += _multiples(value, present) if meeting.how == "divided" else _divisors(value)
    return BreakPoints(tuple(distinct(values)), tuple(sorted(moduli)))


@dataclass(frozen=True, slots=True)
class _Meeting:
    """A place in a step where a flag, or a value made of it, meets another expression.

    Attributes:
        how: whether the flag is compared with the other, divided by it, or divides it.
        other: the other expression; not about the flag where it is compared.
        terms: of the step.
    """

    how: OneOf["compared", "divided", "divides"]
    other: Expression
    terms: Terms


@lru_cache(maxsize=2048)
def _meetings(program: Identity, flag: str) -> tuple[_Meeting, ...]:
    """All such places, in pipeline order, those that are alike once."""
    nodes = readers(program.of)[flag]
    named = frozenset(node for node in nodes if program.of.kinds[node] == Kind.LET)
    found: dict[tuple[str, Expression, tuple[int, ...]], _Meeting] = {}
    for node in nodes:
        terms: Terms = program.of.terms(node)
        for expression in (terms.when,) if terms.value is None else (terms.when, terms.value):
            for part in expression.distinct():
                for meeting in _meetings_in(part, terms, flag, named):
                    read = tuple(terms.producers.get(path, 0) for path in sorted(free_names(meeting.other)))
                    found.setdefault((meeting.how, meeting.other, read), meeting)
    return tuple(found.values())


def _meetings_in(part: Expression, terms: Terms, flag: str, named: frozenset[int]) -> Iterator[_Meeting]:
    def is_about(expression: Expression) -> bool:
        return any(
            path.removeprefix("given.") == flag or terms.producers.get(path) in named
            for path in free_names(expression)
        )

    if isinstance(part, Comparison):
        about = is_about(part.left), is_about(part.right)
        if about == (True, False):
            yield _Meeting("compared", part.right, terms)
        elif about == (False, True):
            yield _Meeting("compared", part.left, terms)
    elif isinstance(part, Arithmetic) and part.operator in {"%", "//"}:
        if is_about(part.left):
            yield _Meeting("divided", part.right, terms)
        if is_about(part.right):
            yield _Meeting("divides", part.left, terms)


def _values_of(expression: Expression, terms: Terms, values: list[Value]) -> Iterator[Value]:
    """The value of an expression, or those of the elements of a list; none where it is not known."""
    if isinstance(expression, Literal):
        yield expression.value
        return
    if not free_names(expression) <= terms.producers.keys():
        return  # it is about the variable of a comprehension
    value = evaluate(expression, lambda path: values[terms.producers[path]])
    if is_known(value):
        yield from value if isinstance(value, (list, tuple, set, frozenset)) else (value,)
    elif isinstance(expression, Collection):
        for element in expression.elements:
            yield from _values_of(element, terms, values)


def _multiples(divisor: int, present: Value) -> tuple[int, ...]:
    """The multiples of a divisor next to the flag's value, and the divisor itself."""
    if not _is_integer(present):
        return (divisor,)
    below = present // divisor * divisor
    return (divisor, below, below + divisor)


def _is_integer(value: Value) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _divisors(number: int) -> list[int]:
    """The divisors of a positive number, smallest first, at most `_MAX_DIVISORS`."""
    small = [each for each in range(1, min(isqrt(number), 10_000) + 1) if number % each == 0]
    return sorted({*small, *(number // each for each in small)})[:_MAX_DIVISORS]
