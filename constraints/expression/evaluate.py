"""The value of an expression where names have values, some of them perhaps unknown. Never raises.

Three-valued, after Kleene: the unknown matters only where the value does depend on it. What Python would
raise is a `Fault`, a value like another. This is the definition of what expressions mean; `compile` makes
a quick way to the same values.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import getitem
from typing import Any, Final, TypeAlias

from constraints.expression.comprehension import comprehension_value
from constraints.expression.faults import DIVISIONS, attempt, fault, missing_fault, unknown_divided_by
from constraints.expression.forms import is_boolean
from constraints.expression.functions import ARITHMETIC, COMPARISONS, FUNCTIONS, LAZY
from constraints.expression.lookups import Lookup, Watch, tell_of_unknown
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
from constraints.expression.values import MISSING, POISON, UNKNOWN, Fault, Value, same


def evaluate(expression: Expression, lookup: Lookup) -> Value:
    """The value of the expression.

    An `and` or `or` with unknown operands is True or False where the others suffice for that: with `x`
    unknown, `x and False` is False, though Python might give another falsy value. Never is another value
    than True and False given away so: `x or 5` is unknown, though its truth is not.

    Args:
        expression: any tree. One too deep for the stack at hand is `UNKNOWN`.
        lookup: must not raise.

    Returns:
        An ordinary value, `UNKNOWN`, or a `Fault`; never `MISSING`.
    """
    value = truth_alike(expression, lookup)
    if value is True or value is False or value.__class__ in POISON:
        return value
    return evaluate_exactly(expression, lookup)


def truth(expression: Expression, lookup: Lookup) -> Value:
    """Whether a condition holds: True, False, `UNKNOWN` or a `Fault`. Arguments are those of `evaluate`."""
    value = truth_alike(expression, lookup)
    return value if value.__class__ in POISON else bool(value)


def truth_alike(expression: Expression, lookup: Lookup) -> Value:
    """A value as true or false as that of the expression: 5 for `x or 5` with `x` unknown."""
    try:
        return _DECIDED[expression.__class__](expression, lookup)
    except RecursionError:
        return UNKNOWN


def evaluate_exactly(expression: Expression, lookup: Lookup) -> Value:
    """The value of the expression, but nothing that another could take the place of.

    As `evaluate`, but with `x` unknown `x and False` is unknown, unless the form of `x` shows that it is
    True or False.
    """
    try:
        return _EXACT[expression.__class__](expression, lookup)
    except RecursionError:
        return UNKNOWN


def _literal(node: Literal, _: Lookup) -> Value:
    return node.value


def _name(node: Name, lookup: Lookup) -> Value:
    value = lookup(node.path)
    return missing_fault(node.path) if value is MISSING else value


def _unknown(_: Unknown, lookup: Lookup) -> Value:
    tell_of_unknown(lookup)
    return UNKNOWN


def _not(node: Not, lookup: Lookup) -> Value:
    operand = node.operand
    value = _DECIDED[operand.__class__](operand, lookup)
    return value if value.__class__ in POISON else not value


def _and(node: And, lookup: Lookup) -> Value:
    value: Value = True
    unknown = False
    for operand in node.operands:
        value = _DECIDED[operand.__class__](operand, lookup)
        if value is UNKNOWN:
            unknown = True
        elif value.__class__ is Fault:
            return UNKNOWN if unknown else value
        elif not value:
            return value
    return UNKNOWN if unknown else value


def _or(node: Or, lookup: Lookup) -> Value:
    value: Value = False
    unknown = False
    for operand in node.operands:
        value = _DECIDED[operand.__class__](operand, lookup)
        if value is UNKNOWN:
            unknown = True
        elif value.__class__ is Fault:
            return UNKNOWN if unknown else value
        elif value:
            return value
    return UNKNOWN if unknown else value


def _exact_and(node: And, lookup: Lookup) -> Value:
    return _exact_operand(node, lookup, passed_over=True)


def _exact_or(node: Or, lookup: Lookup) -> Value:
    return _exact_operand(node, lookup, passed_over=False)


def _exact_operand(node: And | Or, lookup: Lookup, *, passed_over: bool) -> Value:
    """The value of the first operand whose truth is not `passed_over`, or of the last."""
    last = node.operands[-1]
    unknown = False
    for operand in node.operands:
        value = _DECIDED[operand.__class__](operand, lookup)
        if value is UNKNOWN:
            if not is_boolean(operand):
                return UNKNOWN
            unknown = True
        elif value.__class__ is Fault:
            return UNKNOWN if unknown else value
        elif operand is last or bool(value) is not passed_over:
            value = _EXACT[operand.__class__](operand, lookup)
            return value if not unknown or value is (not passed_over) else UNKNOWN
    return UNKNOWN


def _conditional(node: Conditional, lookup: Lookup) -> Value:
    return _chosen(node, lookup, _DECIDED)


def _exact_conditional(node: Conditional, lookup: Lookup) -> Value:
    return _chosen(node, lookup, _EXACT)


def _chosen(node: Expression, lookup: Lookup, handlers: _Handlers) -> Value:
    # A long chain of `else` is followed in a loop; what it may come to while a test is unknown is kept.
    candidates: list[Value] = []
    while isinstance(node, Conditional):
        test = _DECIDED[node.test.__class__](node.test, lookup)
        if test.__class__ is Fault:
            return test if not candidates else UNKNOWN
        if test is UNKNOWN:
            candidates.append(handlers[node.then.__class__](node.then, lookup))
            if candidates[-1] is UNKNOWN or not same(candidates[0], candidates[-1]):
                return UNKNOWN
            node = node.otherwise
        else:
            node = node.then if test else node.otherwise
    value = handlers[node.__class__](node, lookup)
    return value if not candidates or same(candidates[0], value) else UNKNOWN


def _comparison(node: Comparison, lookup: Lookup) -> Value:
    left = _EXACT[node.left.__class__](node.left, lookup)
    if left.__class__ is Fault:
        return left
    if node.operator in {"in", "not in"}:
        return _membership(node, left, lookup)
    if left is UNKNOWN:
        return UNKNOWN
    right = _EXACT[node.right.__class__](node.right, lookup)
    if right.__class__ in POISON:
        return right
    return attempt(COMPARISONS[node.operator], left, right)


def _membership(node: Comparison, left: Value, lookup: Lookup) -> Value:
    """`left in right`, where not all elements of a collection that is written down need be known."""
    if isinstance(node.right, Collection):
        elements = [_EXACT[each.__class__](each, lookup) for each in node.right.elements]
        known: list[Value] = []
        unknown = left is UNKNOWN
        for element in elements:
            if element is UNKNOWN:
                unknown = True
            elif element.__class__ is Fault:
                return UNKNOWN if unknown else element
            else:
                known.append(element)
        right = attempt(_MAKERS[node.right.kind], known)
        if right.__class__ is Fault:
            return UNKNOWN if unknown else right
        is_complete = len(known) == len(elements)
    else:
        right = _EXACT[node.right.__class__](node.right, lookup)
        if right.__class__ in POISON:
            return UNKNOWN if left is UNKNOWN else right
        is_complete = True
    if left is UNKNOWN:
        is_empty = is_complete and isinstance(right, list | tuple) and not right
        return UNKNOWN if not is_empty else node.operator == "not in"
    result = attempt(COMPARISONS[node.operator], left, right)
    if is_complete or result.__class__ is Fault or result is (node.operator == "in"):
        return result
    return UNKNOWN


def _arithmetic(node: Arithmetic, lookup: Lookup) -> Value:
    left = _EXACT[node.left.__class__](node.left, lookup)
    if left is UNKNOWN and node.operator in DIVISIONS:
        return unknown_divided_by(_EXACT[node.right.__class__](node.right, lookup))
    if left.__class__ in POISON:
        return left
    right = _EXACT[node.right.__class__](node.right, lookup)
    if right.__class__ in POISON:
        return right
    return attempt(ARITHMETIC[node.operator], left, right)


def _negative(node: Negative, lookup: Lookup) -> Value:
    value = _EXACT[node.operand.__class__](node.operand, lookup)
    if value.__class__ in POISON:
        return value
    try:
        return -value
    except TypeError as error:
        return fault(error)


def _call(node: Call, lookup: Lookup) -> Value:
    if node.function in LAZY:
        return _lazy(node, lookup)
    arguments = []
    for argument in node.arguments:
        value = _EXACT[argument.__class__](argument, lookup)
        if value.__class__ in POISON:
            return value
        arguments.append(value)
    return attempt(FUNCTIONS[node.function].apply, *arguments)


def _lazy(node: Call, lookup: Lookup) -> Value:
    asked = node.arguments[0]
    if node.function == "crashes":
        return _crashes(asked, lookup)
    value = lookup(asked.path) if isinstance(asked, Name) else _EXACT[asked.__class__](asked, lookup)
    if node.function == "has":
        return value is not MISSING if value.__class__ is not Fault and value is not UNKNOWN else value
    if value is MISSING:
        fallback = node.arguments[1]
        return _EXACT[fallback.__class__](fallback, lookup)
    return value


def _crashes(asked: Expression, lookup: Lookup) -> Value:
    # Here it counts that what is unknown might be a fault, even where its value does not matter.
    watch = Watch(lookup)
    value = _DECIDED[asked.__class__](asked, watch)
    if value.__class__ is Fault:
        return True
    return UNKNOWN if watch.met_unknown or value is UNKNOWN else False


def _item(node: Item, lookup: Lookup) -> Value:
    value = _EXACT[node.value.__class__](node.value, lookup)
    if value.__class__ in POISON:
        return value
    index = _EXACT[node.index.__class__](node.index, lookup)
    if index.__class__ in POISON:
        return index
    return attempt(getitem, value, index)


def _collection(node: Collection, lookup: Lookup) -> Value:
    elements = []
    for element in node.elements:
        value = _EXACT[element.__class__](element, lookup)
        if value.__class__ in POISON:
            return value
        elements.append(value)
    return attempt(_MAKERS[node.kind], elements)


def _mapping(node: Mapping, lookup: Lookup) -> Value:
    parts = []
    for part in node.children():
        value = _EXACT[part.__class__](part, lookup)
        if value.__class__ in POISON:
            return value
        parts.append(value)
    return attempt(dict, zip(parts[::2], parts[1::2], strict=True))


def _comprehension(node: Comprehension, lookup: Lookup) -> Value:
    iterable = _EXACT[node.iterable.__class__](node.iterable, lookup)
    if iterable.__class__ in POISON:
        return iterable
    return comprehension_value(node, iterable, lookup, decide=_decide, exactly=_exactly)


def _decide(node: Expression, lookup: Lookup) -> Value:
    return _DECIDED[node.__class__](node, lookup)


def _exactly(node: Expression, lookup: Lookup) -> Value:
    return _EXACT[node.__class__](node, lookup)


_Handlers: TypeAlias = dict[type[Expression], Callable[[Any, Lookup], Value]]

_MAKERS: Final[dict[str, Callable[[list[Value]], Value]]] = {"tuple": tuple, "list": list, "set": set}
_DECIDED: Final[_Handlers] = {
    Literal: _literal,
    Name: _name,
    Unknown: _unknown,
    Not: _not,
    And: _and,
    Or: _or,
    Comparison: _comparison,
    Arithmetic: _arithmetic,
    Negative: _negative,
    Conditional: _conditional,
    Call: _call,
    Item: _item,
    Collection: _collection,
    Mapping: _mapping,
    Comprehension: _comprehension,
}
"""Handlers where only the truth of an `and` or `or` counts."""
_EXACT: Final[_Handlers] = {
    **_DECIDED,
    And: _exact_and,
    Or: _exact_or,
    Conditional: _exact_conditional,
}
"""Handlers where the value itself counts."""
