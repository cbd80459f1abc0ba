"""What is said twice in a conjunction or disjunction, and what goes without saying: for sentences only.

Works on operands in the form that `readable` gives them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from constraints.expression.functions import LAZY, METHODS
from constraints.expression.syntax import (
    FALSE,
    NONE,
    TRUE,
    Arithmetic,
    Call,
    Collection,
    Comparison,
    ComparisonOperator,
    Expression,
    Item,
    Literal,
    Not,
)

FLIPPED: Final[dict[ComparisonOperator, ComparisonOperator]] = {
    "==": "==",
    "!=": "!=",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}
"""What says the same with the operands exchanged."""

EQUALITIES: Final[dict[ComparisonOperator, bool]] = {
    "==": True,
    "is": True,
    "in": True,
    "!=": False,
    "is not": False,
    "not in": False,
}
"""The comparisons that say that something is one of some values, or that it is none of them."""


def narrowed(operands: list[Expression], *, denied: bool) -> list[Expression]:
    """The operands, with all that is said of which literals one thing is among said at once.

    Of an `and`: `x in ('a', 'b')` and `x != 'a'` become `x == 'b'`. Where `denied`, they are the operands of
    an `or`, which is the denial of the `and` of what denies them: `x == 'a'` and `x is None` become
    `x in ('a', None)`. What is said at once stands where the first of it stood.
    """
    said: dict[Expression, list[_Among]] = {}
    for each in operands:
        among = _among(each, denied=denied)
        if among is not None:
            said.setdefault(among.subject, []).append(among)
    result: list[Expression] = []
    for each in operands:
        among = _among(each, denied=denied)
        if among is None or len(said.get(among.subject, ())) == 1:
            result.append(each)
        elif among.subject in said:
            result.append(_together(said.pop(among.subject), denied=denied))
    return result


@dataclass(frozen=True, slots=True)
class _Among:
    """That something is one of some literals, or if not `holds` none of them."""

    subject: Expression
    literals: dict[Literal, None]
    holds: bool


def _among(node: Expression, *, denied: bool) -> _Among | None:
    if not isinstance(node, Comparison) or node.operator not in EQUALITIES:
        return None
    is_membership = node.operator in {"in", "not in"}
    if is_membership and not isinstance(node.right, Collection):
        return None
    elements = node.right.elements if isinstance(node.right, Collection) else (node.right,)
    literals = {each: None for each in elements if isinstance(each, Literal) and _is_told_apart(each)}
    if (
        not elements
        or len(literals) != len(elements)
        or is_membership is not isinstance(node.right, Collection)
    ):
        return None
    return _Among(node.left, literals, EQUALITIES[node.operator] is not denied)


def _is_told_apart(node: Literal) -> bool:
    """Whether Python calls no literal of another type equal to it, of those that pass here."""
    return node.value is None or type(node.value) in {str, int}


def _together(said: list[_Among], *, denied: bool) -> Expression:
    positive = [among.literals for among in said if among.holds]
    excluded = {literal: None for among in said if not among.holds for literal in among.literals}
    if not positive:
        return _is_among(said[0].subject, excluded, holds=denied)
    left = {
        literal: None
        for literal in positive[0]
        if literal not in excluded and all(literal in others for others in positive)
    }
    return _is_among(said[0].subject, left, holds=not denied)


def _is_among(subject: Expression, literals: dict[Literal, None], *, holds: bool) -> Expression:
    if not literals:
        return FALSE if holds else TRUE
    if len(literals) > 1:
        return Comparison("in" if holds else "not in", subject, Collection("tuple", tuple(literals)))
    (literal,) = literals
    if literal == NONE:
        return Comparison("is" if holds else "is not", subject, NONE)
    return Comparison("==" if holds else "!=", subject, literal)


def is_guard(operand: Expression, operands: list[Expression]) -> bool:
    """Whether another operand of the `and` can only hold, or be evaluated at all, where this one holds."""
    others = [each for each in operands if each is not operand]
    if isinstance(operand, Comparison) and operand.operator in {"is not", "!="} and operand.right == NONE:
        return any(_needs(each, operand.left) for each in others)
    return any(_shows_truth(each, operand) for each in others)


def _needs(node: Expression, subject: Expression) -> bool:
    """Whether a condition cannot hold of a subject that is None, or fails with one."""
    if node == subject:
        return True
    if isinstance(node, Comparison):
        if subject in (node.left, node.right):
            return _excludes_none(node, subject)
        return _needs(node.left, subject) or _needs(node.right, subject)
    if isinstance(node, Not):
        return node.operand != subject and _needs(node.operand, subject)
    if isinstance(node, Call):
        if node.function in METHODS and node.arguments[0] == subject:
            return True
        is_strict = node.function not in LAZY
        return is_strict and any(each != subject and _needs(each, subject) for each in node.arguments)
    if isinstance(node, Item):
        return subject in (node.value, node.index) or _needs(node.value, subject)
    return isinstance(node, Arithmetic) and any(_needs(each, subject) for each in node.children())


def _excludes_none(node: Comparison, subject: Expression) -> bool:
    if node.operator in {"<", "<=", ">", ">="}:
        return True
    if node.left != subject:
        return False
    if node.operator == "==":
        return isinstance(node.right, Literal) and node.right != NONE
    if node.operator != "in" or not isinstance(node.right, Collection):
        return False
    return all(isinstance(each, Literal) and each != NONE for each in node.right.elements)


def _shows_truth(node: Expression, subject: Expression) -> bool:
    """Whether a condition can only hold of a subject that is true."""
    if isinstance(node, Call) and node.function in {"startswith", "endswith"}:
        text = node.arguments[1]
        return node.arguments[0] == subject and isinstance(text, Literal) and bool(text.value)
    if not isinstance(node, Comparison) or node.left != subject:
        return False
    if node.operator == "in" and isinstance(node.right, Collection):
        return all(isinstance(each, Literal) and bool(each.value) for each in node.right.elements)
    if not isinstance(node.right, Literal):
        return False
    bound = node.right.value
    if node.operator == "==":
        return bool(bound)
    if not isinstance(bound, int | float):
        return False
    return (node.operator == ">" and bound >= 0) or (node.operator == ">=" and bound > 0)
