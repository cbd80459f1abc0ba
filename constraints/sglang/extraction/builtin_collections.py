"""Builtins that make, count, order and quantify over collections: `any`, `sum`, `dict`, `next`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from constraints.expression.simplify import (
    as_test,
    conditional,
    conjunction,
    disjunction,
    negation,
)
from constraints.expression.syntax import (
    NONE,
    TRUE,
    Call,
    Comprehension,
    Expression,
    Item,
    Literal,
    Name,
)
from constraints.sglang.extraction import operations
from constraints.sglang.extraction.values import (
    Entries,
    EnumMember,
    Helper,
    Items,
    Keywords,
    Ref,
    Value,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


def of_known_elements(x: Executor, path: str, value: Value, node: ast.AST) -> Value | None:
    """A function of one collection whose elements are known; None where they must be computed."""
    if isinstance(value, Expression):
        return None
    rows = operations.elements_of(x, value, node)
    if rows is None:
        return None
    certain = all(guard == TRUE for guard, _ in rows)
    if path == "len":
        if isinstance(value, Ref) and isinstance(x.state.content(value), Items):
            items = x.state.content(value)
            if isinstance(items, Items) and items.kind == "set" and not _surely_distinct(rows):
                return Call("len", (operations.as_expression(x, value, node),))
        if certain:
            return Literal(len(rows))
        total: Expression = Literal(0)
        from constraints.expression.simplify import arithmetic

        for guard, _ in rows:
            total = arithmetic("+", total, conditional(guard, Literal(1), Literal(0)))
        return total
    if path == "enumerate" and certain:
        pairs = (
            x.state.allocate(Items("tuple", ((TRUE, Literal(i)), (TRUE, v)))) for i, (_, v) in enumerate(rows)
        )
        return x.state.allocate(Items("list", tuple((TRUE, p) for p in pairs)))
    if path == "reversed":
        return x.state.allocate(Items("list", tuple(reversed(rows))))
    if path == "sorted":
        if all(isinstance(v, Literal) for _, v in rows):
            rows.sort(key=lambda row: row[1].value)  # type: ignore[union-attr, arg-type, return-value]
            return x.state.allocate(Items("list", tuple(rows)))
        if certain and len(rows) <= 1:
            return x.state.allocate(Items("list", tuple(rows)))
    if path in ("min", "max", "sum") and certain and rows:
        return Call(path, (operations.as_expression(x, value, node),))
    return None


def _surely_distinct(rows: list[tuple[Expression, Value]]) -> bool:
    values = [v for _, v in rows]
    return all(isinstance(v, Literal | EnumMember) for v in values) and len(set(values)) == len(values)


def zip_(x: Executor, arguments: list[Value], node: ast.AST) -> Value:
    """`zip(…)`."""
    columns = [operations.elements_of(x, a, node) for a in arguments]
    if all(c is not None and all(g == TRUE for g, _ in c) for c in columns):
        rows = [
            (TRUE, x.state.allocate(Items("tuple", tuple((TRUE, v) for _, v in row))))
            for row in zip(*(c for c in columns if c is not None), strict=False)
        ]
        return x.state.allocate(Items("list", tuple(rows)))
    return Call("zip", tuple(operations.as_expression(x, a, node) for a in arguments))


def any_(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`any(…)`: over known elements, else as a quantifier."""
    rows = operations.elements_of(x, arguments[0], node)
    if rows is not None:
        return disjunction(conjunction((g, operations.truth(x, v))) for g, v in rows)
    return _quantifier(x, "any", arguments[0], node)


def all_(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`all(…)`: over known elements, else as a quantifier."""
    rows = operations.elements_of(x, arguments[0], node)
    if rows is not None:
        return conjunction(disjunction((negation(g), operations.truth(x, v))) for g, v in rows)
    return _quantifier(x, "all", arguments[0], node)


def _quantifier(x: Executor, kind: str, value: Value, node: ast.AST) -> Expression:
    plain = operations.as_expression(x, value, node)
    if isinstance(plain, Comprehension) and plain.kind in ("list", "set"):
        return Comprehension(kind, as_test(plain.element), plain.variable, plain.iterable, plain.condition)  # type: ignore[arg-type]
    return Comprehension(kind, Name("element"), "element", plain)  # type: ignore[arg-type]


def sum_(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`sum(…)`."""
    if len(arguments) != 1 or keywords:
        return None
    rows = operations.elements_of(x, arguments[0], node)
    if rows is not None:
        from constraints.expression.simplify import arithmetic, is_boolean

        total: Expression = Literal(0)
        for guard, value in rows:
            plain = operations.as_expression(x, value, node)
            if is_boolean(plain):
                plain = conditional(plain, Literal(1), Literal(0))
            total = arithmetic("+", total, conditional(guard, plain, Literal(0)))
        return total
    plain = operations.as_expression(x, arguments[0], node)
    return Call("sum", (plain,))


def collection(kind: str) -> Helper:
    """The constructor of a list, tuple or set."""

    def make(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
        if not arguments:
            return x.state.allocate(Items(kind))
        rows = operations.elements_of(x, arguments[0], node)
        if rows is not None:
            if kind == "set":
                rows = [row for i, row in enumerate(rows) if row not in rows[:i]]
            return x.state.allocate(Items(kind, tuple(rows)))
        return Call(kind, (operations.as_expression(x, arguments[0], node),))

    return make


def dict_(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`dict(…)`."""
    entries: dict[object, tuple[Expression, Value]] = {}
    if arguments:
        from constraints.sglang.extraction.expressions import entries_of

        known = entries_of(x, arguments[0])
        if known is None:
            return Call("dict", (operations.as_expression(x, arguments[0], node),)) if not keywords else None
        entries.update(known)
    entries.update(keywords)
    return x.state.allocate(Entries(entries))


def next_(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`next(…)`: the first element whose condition holds."""
    from constraints.sglang.extraction.state import choice

    rows = operations.elements_of(x, arguments[0], node)
    default = arguments[1] if len(arguments) > 1 else x.fault("StopIteration", node)
    if rows is not None:
        return choice([*rows, (TRUE, default)])
    plain = operations.as_expression(x, arguments[0], node)
    if isinstance(default, Expression):
        return conditional(as_test(plain), Item(plain, Literal(0)), default)
    return x.unknown(node, "the first of something not known")


def fromkeys(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`dict.fromkeys(…)`."""
    rows = operations.elements_of(x, arguments[0], node)
    if rows is None:
        return Call("unique", (operations.as_expression(x, arguments[0], node),))
    entries = {}
    for guard, key in rows:
        plain = operations.as_key(x, key)
        if isinstance(plain, Expression):
            return x.unknown(node, "dict.fromkeys of something not known")
        entries[plain] = (guard, arguments[1] if len(arguments) > 1 else NONE)
    return x.state.allocate(Entries(entries))
