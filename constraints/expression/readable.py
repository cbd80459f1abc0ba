"""A condition in the form in which people say it: for sentences, not for evaluation.

The result is true of the same values, but for faults: negation is pushed inward to what it denies, nested
conjunctions are flattened, `x == a or x == b` becomes `x in (a, b)`, and a guard that only keeps its
neighbour from failing, as in `x is not None and x > 1`, is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

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

FLIPPED: Final[dict[ComparisonOperator, ComparisonOperator]] = {
    "==": "==",
    "!=": "!=",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}
"""What says the same with the operands exchanged."""


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
    operands = _grouped([each for each in operands if each != TRUE], "!=", "not in")
    kept = [each for each in operands if not _is_guard(each, operands)]
    return kept[0] if len(kept) == 1 else And(tuple(kept)) if kept else TRUE


def _disjunction(parts: Iterable[Expression]) -> Expression:
    operands = _flattened(parts, Or)
    if TRUE in operands:
        return TRUE
    kept = _grouped([each for each in operands if each != FALSE], "==", "in")
    return kept[0] if len(kept) == 1 else Or(tuple(kept)) if kept else FALSE


def _flattened(parts: Iterable[Expression], kind: type[And | Or]) -> list[Expression]:
    """The operands in order, each once."""
    operands: dict[Expression, None] = {}
    for part in parts:
        operands.update(dict.fromkeys(part.operands if isinstance(part, kind) else (part,)))
    return list(operands)


def _grouped(
    operands: list[Expression], equal: ComparisonOperator, among: ComparisonOperator
) -> list[Expression]:
    """The operands with all comparisons of one thing with literals as one comparison, where the first is."""
    values: dict[Expression, dict[Expression, None]] = {}
    for each in operands:
        if isinstance(each, Comparison):
            literals = _compared_literals(each, equal, among)
            if literals:
                values.setdefault(each.left, {}).update(dict.fromkeys(literals))
    result: list[Expression] = []
    for each in operands:
        if isinstance(each, Comparison) and _compared_literals(each, equal, among):
            literals = tuple(values.pop(each.left, ()))
            if len(literals) == 1:
                result.append(Comparison(equal, each.left, literals[0]))
            elif literals:
                result.append(Comparison(among, each.left, Collection("tuple", literals)))
        else:
            result.append(each)
    return result


def _compared_literals(
    node: Comparison, equal: ComparisonOperator, among: ComparisonOperator
) -> tuple[Expression, ...]:
    """The literals that a comparison by one of these operators is with; none if it is with others."""
    if node.operator == equal and isinstance(node.right, Literal) and not _is_singleton(node.right):
        return (node.right,)
    if node.operator == among and isinstance(node.right, Collection):
        elements = node.right.elements
        return elements if all(isinstance(each, Literal) for each in elements) else ()
    return ()


def _is_singleton(node: Literal) -> bool:
    return node.value is None or isinstance(node.value, bool)


def _is_guard(operand: Expression, operands: list[Expression]) -> bool:
    """Whether another operand can only hold where this one does."""
    if isinstance(operand, Comparison) and operand.operator in {"is not", "!="} and operand.right == NONE:
        return any(_shows(each, operand.left, _is_given) for each in operands if each is not operand)
    return any(_shows(each, operand, _is_truthy) for each in operands if each is not operand)


def _is_given(operator: str, bound: object) -> bool:
    return operator in {"<", "<=", ">", ">="} or (operator == "==" and bound is not None)


def _is_truthy(operator: str, bound: object) -> bool:
    if operator == "==":
        return bool(bound)
    if not isinstance(bound, int | float):
        return False
    return (operator == ">" and bound >= 0) or (operator == ">=" and bound > 0)


def _shows(operand: Expression, subject: Expression, judge: Callable[[str, object], bool]) -> bool:
    """Whether what an operand says of the subject is, by the judge, enough."""
    if operand == subject:
        return judge("==", True)
    if isinstance(operand, Call):
        names = operand.function in {"startswith", "endswith"} and operand.arguments[0] == subject
        return names and isinstance(operand.arguments[1], Literal) and judge("==", operand.arguments[1].value)
    if not isinstance(operand, Comparison):
        return False
    if operand.left == subject:
        if isinstance(operand.right, Literal):
            return judge(operand.operator, operand.right.value)
        if isinstance(operand.right, Collection) and operand.operator == "in":
            elements = operand.right.elements
            return all(isinstance(each, Literal) and judge("==", each.value) for each in elements)
    return subject in (operand.left, operand.right) and judge(operand.operator, None)


def _comparison(node: Comparison, *, holds: bool) -> Expression:
    operator, left, right = node.operator, node.left, node.right
    if operator in FLIPPED and isinstance(left, Literal) and not isinstance(right, Literal):
        operator, left, right = FLIPPED[operator], right, left
    return Comparison(operator if holds else INVERSE[operator], left, right)


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
    condition = None if node.condition is None else readable(node.condition)
    is_any = (node.kind == "any") is holds
    element = readable(node.element, holds=holds)
    return Comprehension("any" if is_any else "all", element, node.variable, node.iterable, condition)
