"""Expressions to text that `parse` reads back to the same expression, with no bracket too many.

Only for machines and rule writers; `phrase` makes sentences.
"""

from __future__ import annotations

import keyword
import math
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from constraints.errors import ExpressionError, Position
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

# How tightly an expression binds, loosest first.
ANY: Final = 0
CONDITIONAL: Final = 1
OR: Final = 2
AND: Final = 3
NOT: Final = 4
COMPARISON: Final = 5
OPERAND: Final = 6
"""What an operand of a comparison must bind at least as tightly as."""
OPERATORS: Final = {"|": 6, "^": 7, "&": 8, "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10, "**": 12}
NEGATIVE: Final = 11
POWER: Final = 12
ATOM: Final = 13

Piece: TypeAlias = "str | tuple[Expression, int]"
"""Finished text, or an expression with how tightly it must bind to stand there without brackets."""


def text(expression: Expression) -> str:
    """The expression as text. Iterative, so that depth is no limit.

    `parse(text(e)) == e` for every expression that `parse` can give. A NaN, which no literal stands for,
    comes out as the call `float('nan')`.

    Raises:
        ExpressionError: a name in it could not be read back; `text` is the name then.
    """
    out: list[str] = []
    waiting: list[Piece] = [(expression, ANY)]
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, str):
            out.append(piece)
        else:
            node, least = piece
            binding, pieces = _WRITERS[type(node)](node)
            if binding < least:
                waiting.append(")")
                waiting.extend(reversed(pieces))
                waiting.append("(")
            else:
                waiting.extend(reversed(pieces))
    return "".join(out)


_Written: TypeAlias = tuple[int, Sequence[Piece]]


def literal_text(value: object) -> str:
    """A scalar as source text: what `repr` gives, but for numbers that are not finite."""
    if isinstance(value, float) and not math.isfinite(value):
        return "float('nan')" if math.isnan(value) else "1e999" if value > 0 else "-1e999"
    return repr(value)


def literal_binding(value: object) -> int:
    """How tightly `literal_text(value)` binds: a number below zero is one with a sign."""
    is_number = isinstance(value, int | float)
    return NEGATIVE if is_number and literal_text(value).startswith("-") else ATOM


def _literal(node: Literal) -> _Written:
    return literal_binding(node.value), (literal_text(node.value),)


def _name(node: Name) -> _Written:
    for part in node.path.split("."):
        if not (part.isascii() and part.isidentifier()) or keyword.iskeyword(part):
            raise ExpressionError(node.path, Position(1, 1), f"{part!r} cannot be part of a name")
    return ATOM, (node.path,)


def _unknown(node: Unknown) -> _Written:
    words = (node.site, node.cause) if node.cause else (node.site,)
    return ATOM, (f"unknown({', '.join(map(repr, words))})",)


def _not(node: Not) -> _Written:
    return NOT, ("not ", (node.operand, NOT))


def _and(node: And) -> _Written:
    return AND, _separated(node.operands, " and ", NOT)


def _or(node: Or) -> _Written:
    return OR, _separated(node.operands, " or ", AND)


def _comparison(node: Comparison) -> _Written:
    return COMPARISON, ((node.left, OPERAND), f" {node.operator} ", (node.right, OPERAND))


def _arithmetic(node: Arithmetic) -> _Written:
    binding = OPERATORS[node.operator]
    if node.operator == "**":
        return binding, ((node.left, ATOM), " ** ", (node.right, NEGATIVE))
    return binding, ((node.left, binding), f" {node.operator} ", (node.right, binding + 1))


def _negative(node: Negative) -> _Written:
    return NEGATIVE, ("-", (node.operand, NEGATIVE))


def _conditional(node: Conditional) -> _Written:
    return CONDITIONAL, ((node.then, OR), " if ", (node.test, OR), " else ", (node.otherwise, CONDITIONAL))


def _call(node: Call) -> _Written:
    return ATOM, (f"{node.function}(", *_separated(node.arguments, ", ", ANY), ")")


def _item(node: Item) -> _Written:
    return ATOM, ((node.value, ATOM), "[", (node.index, ANY), "]")


def _collection(node: Collection) -> _Written:
    elements = _separated(node.elements, ", ", ANY)
    if node.kind == "list":
        return ATOM, ("[", *elements, "]")
    if node.kind == "set":
        return ATOM, ("{", *elements, "}") if elements else ("set()",)
    return ATOM, ("(", *elements, ",)" if len(node.elements) == 1 else ")")


def _mapping(node: Mapping) -> _Written:
    pieces: list[Piece] = ["{"]
    for key, value in zip(node.keys, node.values, strict=True):
        pieces += [", " if len(pieces) > 1 else "", (key, ANY), ": ", (value, ANY)]
    return ATOM, (*pieces, "}")


def _comprehension(node: Comprehension) -> _Written:
    opening, closing = {"list": ("[", "]"), "set": ("{", "}")}.get(node.kind, (f"{node.kind}(", ")"))
    condition: tuple[Piece, ...] = () if node.condition is None else (" if ", (node.condition, OR))
    variable = f" for {node.variable} in "
    return ATOM, (opening, (node.element, ANY), variable, (node.iterable, OR), *condition, closing)


def _separated(nodes: Sequence[Expression], separator: str, least: int) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    for node in nodes:
        pieces += [separator, (node, least)]
    return tuple(pieces[1:])


_WRITERS: Final[dict[type[Expression], Callable[[Any], _Written]]] = {
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
