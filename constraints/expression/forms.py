"""What the form of an expression shows by itself, whatever its names stand for."""

from __future__ import annotations

from functools import lru_cache

from constraints.expression.functions import FUNCTIONS
from constraints.expression.syntax import (
    And,
    Call,
    Comparison,
    Comprehension,
    Expression,
    Literal,
    Name,
    Not,
    Or,
)


@lru_cache(maxsize=8192)
def free_names(expression: Expression) -> frozenset[str]:
    """All names that an expression reads; the variable of a comprehension is none. Iterative.

    Kept for the expressions asked about last: the same few hundred are asked about with every command.
    """
    found: set[str] = set()
    waiting: list[tuple[Expression, frozenset[str]]] = [(expression, frozenset())]
    while waiting:
        node, variables = waiting.pop()
        if isinstance(node, Name):
            if node.path not in variables:
                found.add(node.path)
        elif isinstance(node, Comprehension):
            inside = variables | {node.variable}
            waiting.append((node.iterable, variables))
            waiting.append((node.element, inside))
            if node.condition is not None:
                waiting.append((node.condition, inside))
        else:
            waiting.extend((child, variables) for child in node.children())
    return frozenset(found)


def is_boolean(expression: Expression) -> bool:
    """Whether the form of the expression shows that its value, if it has one, is True or False."""
    if isinstance(expression, Comparison | Not):
        return True
    if isinstance(expression, And | Or):
        return all(map(is_boolean, expression.operands))
    if isinstance(expression, Call):
        function = FUNCTIONS.get(expression.function)
        return expression.function in ("has", "crashes") if function is None else function.boolean
    if isinstance(expression, Comprehension):
        return expression.kind in ("any", "all")
    return isinstance(expression, Literal) and isinstance(expression.value, bool)
