"""A condition in the form in which people say it: for sentences, not for evaluation.

The result is true of the same values, but for faults: negation is pushed inward to what it denies, nested
conjunctions are flattened, `x == 'a' or x == 'b'` becomes `x in ('a', 'b')`, and a guard that only keeps its
neighbour from failing, as in `x is not None and x > 1`, is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from constraints.expression.redundant import EQUALITIES, FLIPPED, is_guard, narrowed
from constraints.expression.syntax import (
    FALSE,
    NONE,
    TRUE,
    And,
    Call,
    Collection,
    Comparison,
    ComparisonOperator,
    Comprehension,
    Conditional,
    Expression,
    Literal,
    Mapping,
    Not,
    Or,
)

INVERSE: Final[dict[ComparisonOperator, ComparisonOperator]] = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    "in": "not in",
    "not in": "in",
    "is": "is not",
    "is not": "is",
}
"""What denies each comparison."""


def readable(condition: Expression, *, holds: bool = True) -> Expression:
    """The condition, or if not `holds` its denial, in the form described above.

    In the result, `Not` stands only before names, calls and other expressions that have no opposite of
    their own. Recursive: about as many levels of Python's stack as the condition has.
    """
    if isinstance(condition, Not):
        return readable(condition.operand, holds=not holds)
    if isinstance(condition, And | Or):
        return _junction(condition, holds=holds)
    if isinstance(condition, Comparison):
        return _comparison(condition, holds=holds)
    if isinstance(condition, Conditional):
        return _conditional(condition, holds=holds)
    if isinstance(condition, Comprehension) and condition.kind in {"any", "all"}:
        return _quantified(condition, holds=holds)
    if isinstance(condition, Call) and condition.function == "bool":
        return readable(condition.arguments[0], holds=holds)
    if isinstance(condition, Literal):
        return Literal(bool(condition.value) is holds)
    return condition if holds else Not(condition)


def _junction(node: And | Or, *, holds: bool) -> Expression:
    is_and = isinstance(node, And) is holds
    parts = [readable(operand, holds=holds) for operand in node.operands]
    return _conjunction(parts) if is_and else _disjunction(parts)


def _conjunction(parts: Iterable[Expression]) -> Expression:
    operands = _flattened(parts, And)
    if FALSE in operands:
        return FALSE
    operands = [each for each in operands if each != TRUE]
    kept = narrowed([each for each in operands if not is_guard(each, operands)], denied=False)
    return kept[0] if len(kept) == 1 else And(tuple(kept)) if kept else TRUE


def _disjunction(parts: Iterable[Expression]) -> Expression:
    operands = _flattened(parts, Or)
    if TRUE in operands:
        return TRUE
    kept = narrowed([each for each in operands if each != FALSE], denied=True)
    return kept[0] if len(kept) == 1 else Or(tuple(kept)) if kept else FALSE


def _flattened(parts: Iterable[Expression], kind: type[And | Or]) -> list[Expression]:
    """The operands in order, each once."""
    operands: dict[Expression, None] = {}
    for part in parts:
        operands.update(dict.fromkeys(part.operands if isinstance(part, kind) else (part,)))
    return list(operands)


def _comparison(node: Comparison, *, holds: bool) -> Expression:
    operator, left, right = node.operator, node.left, node.right
    if operator in {"in", "not in"} and _is_empty(right):
        return Literal((operator == "not in") is holds)
    is_search = isinstance(left, Call) and left.function in SEARCHES
    if is_search and right == NONE and operator in EQUALITIES:
        return left if EQUALITIES[operator] is not holds else Not(left)
    if operator in FLIPPED and isinstance(left, Literal) and not isinstance(right, Literal):
        operator, left, right = FLIPPED[operator], right, left
    return Comparison(operator if holds else INVERSE[operator], left, right)


SEARCHES: Final = frozenset({"re_match", "re_search", "re_fullmatch"})
"""Functions that give None where they find nothing, and else something true."""


def _conditional(node: Conditional, *, holds: bool) -> Expression:
    test = readable(node.test)
    then, otherwise = readable(node.then, holds=holds), readable(node.otherwise, holds=holds)
    if then == TRUE:
        return _disjunction((test, otherwise))
    if then == FALSE:
        return _conjunction((readable(test, holds=False), otherwise))
    if otherwise == TRUE:
        return _disjunction((readable(test, holds=False), then))
    if otherwise == FALSE:
        return _conjunction((test, then))
    if isinstance(test, Not):
        return Conditional(test.operand, otherwise, then)
    return Conditional(test, then, otherwise)


def _quantified(node: Comprehension, *, holds: bool) -> Expression:
    if _is_empty(node.iterable):
        return Literal((node.kind == "all") is holds)
    condition = None if node.condition is None else readable(node.condition)
    is_any = (node.kind == "any") is holds
    element = readable(node.element, holds=holds)
    return Comprehension("any" if is_any else "all", element, node.variable, node.iterable, condition)


def _is_empty(node: Expression) -> bool:
    if isinstance(node, Mapping):
        return not node.keys
    return isinstance(node, Collection) and not node.elements
