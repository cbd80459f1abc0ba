"""Expressions as plain tuples, for `marshal`: many times quicker to read back than text. No text of any kind.

A tree is a list of its distinct nodes, each after the nodes that it is made of, which it names by their
positions. What `unpack` gets must come from `pack`: it is not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

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

Packed: TypeAlias = tuple[Any, ...]
"""A node: the number of its class, then its fields; nodes in these are positions."""

Position: TypeAlias = Callable[[Expression], int]
Built: TypeAlias = Sequence[Expression]
Fields: TypeAlias = Callable[[Any, Position], Packed]
Build: TypeAlias = Callable[[Packed, Built], Expression]


def pack(expressions: Iterable[Expression]) -> tuple[tuple[Packed, ...], tuple[int, ...]]:
    """The distinct nodes of some expressions, and the positions of the expressions among them."""
    positions: dict[Expression, int] = {}
    nodes: list[Packed] = []
    roots = tuple(expressions)
    waiting = list(reversed(roots))
    while waiting:
        node = waiting[-1]
        missing = [] if node in positions else [each for each in node.children() if each not in positions]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        if node not in positions:
            number, fields, _ = _FORMS[type(node)]
            nodes.append((number, *fields(node, positions.__getitem__)))
            positions[node] = len(positions)
    return tuple(nodes), tuple(positions[root] for root in roots)


def unpack(nodes: Iterable[Packed]) -> list[Expression]:
    """The nodes, in the order in which they were packed."""
    built: list[Expression] = []
    for packed in nodes:
        built.append(_BUILDERS[packed[0]](packed, built))
    return built


def _at(position: Position, nodes: Iterable[Expression]) -> tuple[int, ...]:
    return tuple(map(position, nodes))


def _these(built: Built, positions: Iterable[int]) -> tuple[Expression, ...]:
    return tuple([built[each] for each in positions])


_ROWS: tuple[tuple[type[Expression], Fields, Build], ...] = (
    (Literal, lambda e, _: (e.value,), lambda p, _: Literal(p[1])),
    (Name, lambda e, _: (e.path,), lambda p, _: Name(p[1])),
    (Unknown, lambda e, _: (e.site, e.cause), lambda p, _: Unknown(p[1], p[2])),
    (Not, lambda e, at: (at(e.operand),), lambda p, b: Not(b[p[1]])),
    (Negative, lambda e, at: (at(e.operand),), lambda p, b: Negative(b[p[1]])),
    (And, lambda e, at: _at(at, e.operands), lambda p, b: And(_these(b, p[1:]))),
    (Or, lambda e, at: _at(at, e.operands), lambda p, b: Or(_these(b, p[1:]))),
    (
        Comparison,
        lambda e, at: (e.operator, at(e.left), at(e.right)),
        lambda p, b: Comparison(p[1], b[p[2]], b[p[3]]),
    ),
    (
        Arithmetic,
        lambda e, at: (e.operator, at(e.left), at(e.right)),
        lambda p, b: Arithmetic(p[1], b[p[2]], b[p[3]]),
    ),
    (
        Conditional,
        lambda e, at: (at(e.test), at(e.then), at(e.otherwise)),
        lambda p, b: Conditional(b[p[1]], b[p[2]], b[p[3]]),
    ),
    (Call, lambda e, at: (e.function, *_at(at, e.arguments)), lambda p, b: Call(p[1], _these(b, p[2:]))),
    (Item, lambda e, at: (at(e.value), at(e.index)), lambda p, b: Item(b[p[1]], b[p[2]])),
    (
        Collection,
        lambda e, at: (e.kind, *_at(at, e.elements)),
        lambda p, b: Collection(p[1], _these(b, p[2:])),
    ),
    (
        Mapping,
        lambda e, at: (_at(at, e.keys), _at(at, e.values)),
        lambda p, b: Mapping(_these(b, p[1]), _these(b, p[2])),
    ),
    (
        Comprehension,
        lambda e, at: (
            *(e.kind, at(e.element), e.variable, at(e.iterable)),
            None if e.condition is None else at(e.condition),
        ),
        lambda p, b: Comprehension(p[1], b[p[2]], p[3], b[p[4]], None if p[5] is None else b[p[5]]),
    ),
)
"""For each class what goes into a tuple, and how the node is made of it again."""

_FORMS = {kind: (number, fields, build) for number, (kind, fields, build) in enumerate(_ROWS)}
_BUILDERS = tuple(build for _, _, build in _ROWS)
