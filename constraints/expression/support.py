"""Which names an expression's value rests on: a cheapest set that suffices, whatever all others are.

Goes through the expression once, as `evaluate` does, but looks on where that one stops: of a true `or`
any true side suffices, of a false `and` any false one, and the cheapest is chosen. What suffices is meant
up to faults: with other values the others might make evaluation fail before it gets that far.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from constraints.expression.alternatives import NOTHING, Alternatives, Cost, NameSets
from constraints.expression.evaluate import evaluate_exactly
from constraints.expression.faults import DIVISIONS, attempt, missing_fault, unknown_divided_by
from constraints.expression.forms import free_names, is_boolean
from constraints.expression.functions import ARITHMETIC, COMPARISONS, FUNCTIONS, LAZY, ordered
from constraints.expression.lookups import Bound, Lookup
from constraints.expression.syntax import (
    And,
    Arithmetic,
    Call,
    Collection,
    Comparison,
    Comprehension,
    Conditional,
    Expression,
    Item,
    Literal,
    Mapping,
    Name,
    Negative,
    Not,
    Or,
    Unknown,
)
from constraints.expression.values import MISSING, POISON, UNKNOWN, Fault, Value, is_known, same


def support(expression: Expression, lookup: Lookup, cost: Cost) -> frozenset[str]:
    """A cheapest set of names whose values suffice for what `evaluate` gives.

    However the other names change (faults apart), the value stays the same; where it is True or False,
    it stays as true. For an unknown value: the unknown names that make it so.

    Cheapest is the sum of costs, then the number of names, then what is written first. Names that several
    alternatives share are counted once as long as there are not more than `KEPT` alternatives; beyond
    that a slightly dearer set may come out, still one that suffices.

    Args:
        expression: any tree. Of one too deep for the stack at hand all names are given.
        lookup: as in `evaluate`.
        cost: asked at least once for each name that may be in the set.
    """
    return _support(expression, lookup, cost, truth_alone=False)


def truth_support(expression: Expression, lookup: Lookup, cost: Cost) -> frozenset[str]:
    """The same for what `truth` gives: a set of names that suffices for whether a condition holds."""
    return _support(expression, lookup, cost, truth_alone=True)


def exact_support(expression: Expression, lookup: Lookup, cost: Cost) -> frozenset[str]:
    """The same for what `evaluate_exactly` gives: the very value stays, also where it is True or False."""
    try:
        return _Finder(cost).find(expression, lookup, exactly=True).names
    except RecursionError:
        return free_names(expression)


def _support(expression: Expression, lookup: Lookup, cost: Cost, *, truth_alone: bool) -> frozenset[str]:
    finder = _Finder(cost)
    try:
        found = finder.find(expression, lookup, exactly=False)
        if not truth_alone and is_known(found.value) and not isinstance(found.value, bool):
            found = finder.find(expression, lookup, exactly=True)
    except RecursionError:
        return free_names(expression)
    return found.names


@dataclass(frozen=True, slots=True)
class _Found:
    """A value, and the sets of names that suffice for it, the cheapest first; at least one.

    For `UNKNOWN` there is one set, of the names that make it unknown.
    """

    value: Value
    sets: NameSets

    @property
    def names(self) -> frozenset[str]:
        return self.sets[0]


class _Finder:
    """One search under one notion of what is cheap."""

    def __init__(self, cost: Cost) -> None:
        self._alternatives = Alternatives(cost)

    def find(self, node: Expression, lookup: Lookup, *, exactly: bool = True) -> _Found:
        """The value and its supports; if not `exactly`, those of its truth where it is an `and` or `or`."""
        if exactly and isinstance(node, And | Or):
            return self._exact_junction(node, lookup)
        if isinstance(node, Conditional):
            return self._conditional(node, lookup, exactly=exactly)
        return self._FINDERS[type(node)](self, node, lookup)

    def _all(self, found: Iterable[_Found]) -> NameSets:
        """What suffices for all of them together."""
        return self._alternatives.for_all(each.sets for each in found)

    def _one(self, alternatives: Sequence[NameSets]) -> NameSets:
        """What suffices for one of them."""
        return self._alternatives.for_one(alternatives)

    def _unknown_of(self, found: Iterable[_Found]) -> _Found:
        """The unknown value that the unknown ones among these lead to."""
        names = [each.names for each in found if each.value is UNKNOWN]
        return _Found(UNKNOWN, (frozenset[str]().union(*names),))

    def _strict(self, nodes: Sequence[Expression], lookup: Lookup, apply: Callable[..., Value]) -> _Found:
        """A function of the values of all nodes, of which the first that is poison decides."""
        found: list[_Found] = []
        poisoned: _Found | None = None
        for node in nodes:
            found.append(self.find(node, lookup))
            if poisoned is None and found[-1].value.__class__ in POISON:
                poisoned = found[-1]
                if poisoned.value.__class__ is Fault:
                    return poisoned
        if poisoned is not None:
            return self._unknown_of(found)
        return _Found(attempt(apply, *[each.value for each in found]), self._all(found))

    # One method a kind of node.

    def _literal(self, node: Literal, _: Lookup) -> _Found:
        return _Found(node.value, NOTHING)

    def _name(self, node: Name, lookup: Lookup) -> _Found:
        value = lookup(node.path)
        value = missing_fault(node.path) if value is MISSING else value
        return _Found(value, (frozenset((node.path,)),))

    def _unknown(self, _: Unknown, __: Lookup) -> _Found:
        return _Found(UNKNOWN, NOTHING)

    def _not(self, node: Not, lookup: Lookup) -> _Found:
        found = self.find(node.operand, lookup, exactly=False)
        value = found.value if found.value.__class__ in POISON else not found.value
        return _Found(value, found.sets)

    def _and(self, node: And, lookup: Lookup) -> _Found:
        return self._junction(node, lookup, passed_over=True)

    def _or(self, node: Or, lookup: Lookup) -> _Found:
        return self._junction(node, lookup, passed_over=False)

    def _junction(self, node: And | Or, lookup: Lookup, *, passed_over: bool) -> _Found:
        """The truth of an `and` (passing over what is true) or an `or`."""
        found: list[_Found] = []
        unknown = False
        deciding: list[_Found] = []
        for operand in node.operands:
            each = self.find(operand, lookup, exactly=False)
            found.append(each)
            if each.value is UNKNOWN:
                unknown = True
            elif each.value.__class__ is Fault:
                if deciding:
                    continue
                return self._unknown_of(found) if unknown else _Found(each.value, self._all(found))
            elif bool(each.value) is not passed_over:
                deciding.append(each)
        if deciding:
            return _Found(deciding[0].value, self._one([each.sets for each in deciding]))
        return self._unknown_of(found) if unknown else _Found(found[-1].value, self._all(found))

    def _exact_junction(self, node: And | Or, lookup: Lookup) -> _Found:
        """The value of an `and` or `or`: what the operands before the one that gives it are counts too."""
        passed_over = isinstance(node, And)
        if is_boolean(node):
            return self._junction(node, lookup, passed_over=passed_over)
        found: list[_Found] = []
        for operand in node.operands:
            each = self.find(operand, lookup, exactly=False)
            is_last = operand is node.operands[-1]
            if is_known(each.value) and (is_last or bool(each.value) is not passed_over):
                each = self.find(operand, lookup)
                is_last = True
            found.append(each)
            if is_last or each.value.__class__ is Fault:
                break
        if any(each.value is UNKNOWN for each in found):
            return self._unknown_of(found)
        return _Found(found[-1].value, self._all(found))

    def _conditional(self, node: Conditional, lookup: Lookup, *, exactly: bool) -> _Found:
        # A chain of `else` is followed in a loop: it may be longer than Python's stack is deep.
        links: list[tuple[_Found, _Found]] = []
        last: Expression = node
        while isinstance(last, Conditional):
            test = self.find(last.test, lookup, exactly=False)
            links.append((test, self.find(last.then, lookup, exactly=exactly)))
            last = last.otherwise
        found = self.find(last, lookup, exactly=exactly)
        for test, then in reversed(links):
            found = self._choice(test, then, found)
        return found

    def _choice(self, test: _Found, then: _Found, otherwise: _Found) -> _Found:
        if test.value.__class__ is Fault:
            return test
        alike = then.value is not UNKNOWN and same(then.value, otherwise.value)
        if test.value is UNKNOWN:
            if alike:
                return _Found(then.value, self._all((then, otherwise)))
            return self._unknown_of((test, then, otherwise))
        chosen = then if test.value else otherwise
        if chosen.value is UNKNOWN:
            return chosen
        alternatives = [self._all((test, chosen))]
        if alike:
            alternatives.append(self._all((then, otherwise)))
        return _Found(chosen.value, self._one(alternatives))

    def _comparison(self, node: Comparison, lookup: Lookup) -> _Found:
        if node.operator in {"in", "not in"}:
            return self._membership(node, lookup)
        return self._strict((node.left, node.right), lookup, COMPARISONS[node.operator])

    def _membership(self, node: Comparison, lookup: Lookup) -> _Found:
        """`left in (a, b, c)`: of several elements that are equal to it, one suffices."""
        value = evaluate_exactly(node, lookup)
        left = self.find(node.left, lookup)
        elements = node.right.elements if isinstance(node.right, Collection) else (node.right,)
        rights = [self.find(each, lookup) for each in elements]
        if value is UNKNOWN:
            return self._unknown_of((left, *rights))
        for each in (left, *rights):
            if each.value.__class__ is Fault:
                return each
        if isinstance(node.right, Collection) and value is (node.operator == "in"):
            equal = [each for each in rights if is_known(each.value) and _equal(left.value, each.value)]
            return _Found(value, self._one([self._all((left, each)) for each in equal]))
        return _Found(value, self._all(rights if left.value is UNKNOWN else (left, *rights)))

    def _arithmetic(self, node: Arithmetic, lookup: Lookup) -> _Found:
        found = self._strict((node.left, node.right), lookup, ARITHMETIC[node.operator])
        if found.value is UNKNOWN and node.operator in DIVISIONS:
            divisor = self.find(node.right, lookup)
            quotient = unknown_divided_by(divisor.value)
            if quotient is not UNKNOWN:
                return _Found(quotient, divisor.sets)
        return found

    def _negative(self, node: Negative, lookup: Lookup) -> _Found:
        return self._strict((node.operand,), lookup, operator.neg)

    def _item(self, node: Item, lookup: Lookup) -> _Found:
        return self._strict((node.value, node.index), lookup, operator.getitem)

    def _collection(self, node: Collection, lookup: Lookup) -> _Found:
        return self._strict(node.elements, lookup, _MAKERS[node.kind])

    def _mapping(self, node: Mapping, lookup: Lookup) -> _Found:
        return self._strict(node.children(), lookup, _mapping)

    def _call(self, node: Call, lookup: Lookup) -> _Found:
        if node.function not in LAZY:
            return self._strict(node.arguments, lookup, FUNCTIONS[node.function].apply)
        if node.function == "crashes":
            return self._crashes(node, lookup)
        value = evaluate_exactly(node, lookup)
        asked = node.arguments[0]
        found = _Found(value, (free_names(asked),))
        if node.function == "default" and isinstance(asked, Name) and lookup(asked.path) is MISSING:
            fallback = self.find(node.arguments[1], lookup)
            return fallback if value is UNKNOWN else _Found(value, self._all((found, fallback)))
        return found

    def _crashes(self, node: Call, lookup: Lookup) -> _Found:
        """Here faults count, and any name that is read might bring one about."""
        read: dict[str, Value] = {}

        def noting(path: str) -> Value:
            read[path] = lookup(path)
            return read[path]

        value = evaluate_exactly(node, noting)
        if value is UNKNOWN:
            return _Found(UNKNOWN, (frozenset(path for path in read if read[path] is UNKNOWN),))
        return _Found(value, (frozenset(read),))

    def _comprehension(self, node: Comprehension, lookup: Lookup) -> _Found:
        iterable = self.find(node.iterable, lookup)
        if iterable.value.__class__ in POISON:
            return iterable
        value = evaluate_exactly(node, lookup)
        if node.kind in {"any", "all"}:
            return self._quantified(node, lookup, iterable, value)
        parts = [iterable]
        for item in _elements(iterable.value):
            inner = Bound(node.variable, item, lookup)
            counts = _Found(True, NOTHING)
            if node.condition is not None:
                counts = self._free(node, self.find(node.condition, inner, exactly=False))
            parts.append(counts)
            if is_known(counts.value) and counts.value:
                parts.append(self._free(node, self.find(node.element, inner)))
        if value is UNKNOWN:
            return self._unknown_of(parts)
        return _Found(value, self._all(parts))

    def _quantified(self, node: Comprehension, lookup: Lookup, iterable: _Found, value: Value) -> _Found:
        """An `any` or `all`: one element that decides suffices, else it takes something of each."""
        sought = node.kind == "any"
        parts = [iterable]
        deciding: list[NameSets] = []
        for item in _elements(iterable.value):
            inner = Bound(node.variable, item, lookup)
            element = self._free(node, self.find(node.element, inner, exactly=False))
            counts = _Found(True, NOTHING)
            if node.condition is not None:
                counts = self._free(node, self.find(node.condition, inner, exactly=False))
            is_out = is_known(counts.value) and not counts.value
            is_spent = is_known(element.value) and bool(element.value) is not sought
            if is_out or is_spent:
                ways = [each.sets for each, is_way in ((counts, is_out), (element, is_spent)) if is_way]
                parts.append(_Found(False, self._one(ways)))
            elif is_known(counts.value) and is_known(element.value):
                deciding.append(self._all((iterable, counts, element)))
            else:
                parts += counts, element
        if value is UNKNOWN:
            return self._unknown_of(parts)
        if value is sought:
            return _Found(value, self._one(deciding))
        return _Found(value, self._all(parts))

    def _free(self, node: Comprehension, found: _Found) -> _Found:
        """What was found inside a comprehension, seen from outside: its variable is no name there."""
        variable = {node.variable}
        if not any(variable <= names for names in found.sets):
            return found
        return _Found(found.value, self._one([tuple(names - variable for names in found.sets)]))

    _FINDERS: ClassVar[dict[type[Expression], Callable[[_Finder, Any, Lookup], _Found]]] = {
        Literal: _literal,
        Name: _name,
        Unknown: _unknown,
        Not: _not,
        And: _and,
        Or: _or,
        Comparison: _comparison,
        Arithmetic: _arithmetic,
        Negative: _negative,
        Call: _call,
        Item: _item,
        Collection: _collection,
        Mapping: _mapping,
        Comprehension: _comprehension,
    }


def _equal(left: Value, right: Value) -> bool:
    """As elements of a collection are: a NaN is in a list that holds that very NaN."""
    return left is right or left == right


def _collected(make: Callable[[tuple[Value, ...]], Value]) -> Callable[..., Value]:
    return lambda *elements: make(elements)


def _mapping(*parts: Value) -> dict[Value, Value]:
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _elements(iterable: Value) -> list[Value]:
    """What a comprehension goes through; nothing where that fails."""
    items = attempt(list, attempt(ordered, iterable))
    return items if isinstance(items, list) else []


_MAKERS: Final = {"tuple": _collected(tuple), "list": _collected(list), "set": _collected(set)}
