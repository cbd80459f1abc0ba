"""Replacing names in an expression by other expressions, simplifying on the way."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as NameMapping

from constraints.expression.simplify import (
    arithmetic,
    comparison,
    conditional,
    negation,
    negative,
)
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
    Mapping,
    Name,
    Negative,
    Not,
    Or,
)


def substituted(expression: Expression, names: NameMapping[str, Expression]) -> Expression:
    """The expression with every name of `names` replaced. Shared parts are rebuilt once."""
    done: dict[Expression, Expression] = {}

    def visit(node: Expression) -> Expression:
        known = done.get(node)
        if known is None:
            known = names.get(node.path, node) if isinstance(node, Name) else rebuilt(node, visit)
            done[node] = known
        return known

    return visit(expression)


def rebuilt(node: Expression, visit: Callable[[Expression], Expression]) -> Expression:
    """The node with each of its direct parts put through `visit`."""
    match node:
        case Not(operand=operand):
            return negation(visit(operand))
        case And(operands=operands):
            return And(tuple(map(visit, operands)))
        case Or(operands=operands):
            return Or(tuple(map(visit, operands)))
        case Comparison(operator=op, left=left, right=right):
            return comparison(op, visit(left), visit(right))
        case Arithmetic(operator=op, left=left, right=right):
            return arithmetic(op, visit(left), visit(right))
        case Negative(operand=operand):
            return negative(visit(operand))
        case Conditional(test=test, then=then, otherwise=otherwise):
            return conditional(visit(test), visit(then), visit(otherwise))
        case Call(function=function, arguments=arguments):
            return Call(function, tuple(map(visit, arguments)))
        case Item(value=value, index=index):
            return Item(visit(value), visit(index))
        case Collection(kind=kind, elements=elements):
            return Collection(kind, tuple(map(visit, elements)))
        case Mapping(keys=keys, values=values):
            return Mapping(tuple(map(visit, keys)), tuple(map(visit, values)))
        case Comprehension(kind=kind, element=element, variable=variable, iterable=iterable):
            condition = None if node.condition is None else visit(node.condition)
            return Comprehension(kind, visit(element), variable, visit(iterable), condition)
    return node
