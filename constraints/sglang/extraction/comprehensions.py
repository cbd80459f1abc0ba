"""Comprehensions and generators: element by element where these are known, else as a quantifier."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from constraints.expression.simplify import conjunction
from constraints.expression.syntax import (
    FALSE,
    TRUE,
    Call,
    Collection,
    Comprehension,
    Expression,
    Item,
    Literal,
    Name,
)
from constraints.sglang.extraction import attributes, expressions, operations
from constraints.sglang.extraction.loops import steps_for_some
from constraints.sglang.extraction.values import Entries, Items, Value

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor

Node = ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp


def comprehension(x: Executor, node: Node) -> Value:
    """The value of a comprehension; a generator is taken for the list it would give."""
    saved = dict(x.state.frame.locals)
    try:
        rows = _rows(x, node, 0)
        if rows is not None:
            return _collected(x, node, rows)
        if len(node.generators) != 1:
            return x.unknown(node, "a comprehension over several things that are not known")
        return _quantified(x, node)
    finally:
        x.state.frame.locals = saved


def _rows(x: Executor, node: Node, depth: int) -> list[tuple[Expression, Value]] | None:
    """Each element with its condition; None where what is gone through is not known."""
    generator = node.generators[depth]
    iterable = expressions.evaluated(x, generator.iter)
    known = operations.elements_of(x, iterable, node)
    if known is None or len(known) > 512:
        return None
    rows: list[tuple[Expression, Value]] = []
    for guard, element in known:
        x.assign(generator.target, element)
        there = guard
        for condition in generator.ifs:
            with x.under(there):
                there = conjunction((there, operations.truth(x, expressions.evaluated(x, condition))))
        if there == FALSE:
            continue
        with x.under(there):
            inner = (
                _rows(x, node, depth + 1) if depth + 1 < len(node.generators) else [(TRUE, _element(x, node))]
            )
        if inner is None:
            return None
        rows.extend((conjunction((there, g)), v) for g, v in inner)
    return rows


def _element(x: Executor, node: Node) -> Value:
    if isinstance(node, ast.DictComp):
        key = expressions.evaluated(x, node.key)
        value = expressions.evaluated(x, node.value)
        return x.state.allocate(Items("tuple", ((TRUE, key), (TRUE, value))))
    return expressions.evaluated(x, node.elt)


def _collected(x: Executor, node: Node, rows: list[tuple[Expression, Value]]) -> Value:
    if isinstance(node, ast.DictComp):
        entries: dict[object, tuple[Expression, Value]] = {}
        for guard, pair in rows:
            key = operations.as_key(x, attributes.item(x, pair, Literal(0), node))
            if isinstance(key, Expression):
                return x.unknown(node, "a dict with a key that is not known")
            entries[key] = (guard, attributes.item(x, pair, Literal(1), node))
        return x.state.allocate(Entries(entries))
    kind = "set" if isinstance(node, ast.SetComp) else "list"
    if kind == "set":
        rows = [row for i, row in enumerate(rows) if row not in rows[:i]]
    return x.state.allocate(Items(kind, tuple(rows)))


def _quantified(x: Executor, node: Node) -> Value:
    generator = node.generators[0]
    iterable = operations.as_expression(x, expressions.evaluate(x, generator.iter), node)
    variable = generator.target.id if isinstance(generator.target, ast.Name) else "element"
    while variable in x.log.reserved:
        variable += "_"
    naming, x.naming = x.naming, False
    try:
        with steps_for_some(x, variable, iterable, node):
            return _element_by_element(x, node, variable, iterable)
    finally:
        x.naming = naming


def _element_by_element(x: Executor, node: Node, variable: str, iterable: Expression) -> Value:
    generator = node.generators[0]
    bound = Name(variable)
    if isinstance(generator.target, ast.Tuple):
        for index, target in enumerate(generator.target.elts):
            x.assign(target, Item(bound, Literal(index)))
    else:
        x.assign(generator.target, bound)
    tests = [operations.truth(x, expressions.evaluated(x, c)) for c in generator.ifs]
    condition = conjunction(tests) if tests else None
    with x.under(condition or TRUE):
        if isinstance(node, ast.DictComp):
            key = operations.as_expression(x, expressions.evaluated(x, node.key), node)
            value = operations.as_expression(x, expressions.evaluated(x, node.value), node)
            pair = Collection("tuple", (key, value))
            return Call("dict", (Comprehension("list", pair, variable, iterable, condition),))
        element = operations.as_expression(x, expressions.evaluated(x, node.elt), node)
    kind = "set" if isinstance(node, ast.SetComp) else "list"
    return Comprehension(kind, element, variable, iterable, condition)  # type: ignore[arg-type]
