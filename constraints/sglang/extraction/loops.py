"""Loops: unrolled where what they go over is known, turned into a quantifier where it is not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from constraints.catalog import Let, Refuse, Set
from constraints.expression.simplify import conjunction, disjunction, is_constant, negation
from constraints.expression.syntax import (
    FALSE,
    TRUE,
    Call,
    Collection,
    Comprehension,
    Expression,
    Name,
    Unknown,
)
from constraints.sglang.extraction import attempts, expressions, operations
from constraints.sglang.extraction.state import Exit, Loop, choice, joined
from constraints.sglang.extraction.steps import Entry
from constraints.sglang.extraction.values import Choice, Content, Entries, Items, Lost, Ref, Value

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor

_MOST_PASSES = 256


def for_(x: Executor, node: ast.For) -> None:
    """Runs a `for` statement."""
    _over(x, node, expressions.evaluated(x, node.iter))


def _over(x: Executor, node: ast.For, iterable: Value) -> None:
    rows = operations.elements_of(x, iterable, node)
    if rows is None and isinstance(iterable, Choice):
        # Each alternative by itself: what is known of one must not be lost to another.
        (condition, first), *rest = iterable.alternatives
        others = choice(rest) if rest else first
        x.branch(condition, lambda: _over(x, node, first), lambda: _over(x, node, others))
        return
    if rows is not None and len(rows) <= _MOST_PASSES:
        _unrolled(x, node, rows)
    else:
        _quantified(x, node, operations.as_expression(x, iterable, node))


def _unrolled(x: Executor, node: ast.For, rows: list[tuple[Expression, Value]]) -> None:
    state = x.state
    loop = Loop(len(state.guard))
    state.frame.loops.append(loop)
    for guard, element in rows:
        if state.dead:
            break

        def one_pass(element: Value = element) -> None:
            loop.pass_base, loop.continues = len(state.guard), []
            x.assign(node.target, element)
            x.execute(node.body)
            _rejoin(x, loop.continues, loop.pass_base, "continue")

        x.branch(guard, one_pass, lambda: None)
    state.frame.loops.pop()
    if not state.dead and node.orelse:
        x.execute(node.orelse)
    _rejoin(x, loop.breaks, loop.base, "break")


def _rejoin(x: Executor, exits: list[Exit], base: int, kind: str) -> None:
    """Brings the paths that left by `kind` back together with the one that did not."""
    state = x.state
    if not exits:
        return
    guards = [exit_.guard for exit_ in exits]
    if state.dead:
        state.restore(joined(exits[:-1], exits[-1].snapshot))
    else:
        guards.append(state.since(base))
        state.restore(joined(exits, state.snapshot()))
    alive = x.short(disjunction(guards))
    state.dead = ""
    state.guard[base:] = [] if alive == TRUE else [alive]


def _quantified(x: Executor, node: ast.For, iterable: Expression) -> None:
    """A loop over something not known in advance: its rules hold for some element.

    Anything else the body does (a flag set, a local computed) depends on elements nobody knows, so it
    is unknown afterwards.
    """
    state = x.state
    variable = _variable(x, node.target)
    depth = len(state.guard)
    snapshot = state.snapshot()
    naming, x.naming = x.naming, False
    loop = Loop(depth)
    written = len(x.log.entries)
    returns = len(state.frame.returns)
    state.frame.loops.append(loop)
    with steps_for_some(x, variable, iterable, node):
        x.assign(node.target, Name(variable))
        x.execute(node.body)
        state.dead = ""
    state.frame.loops.pop()
    x.naming = naming
    exits = state.frame.returns[returns:]
    del state.frame.returns[returns:]
    if loop.breaks or exits:
        _undecided(x, x.log.entries[written:], node)
    changed = [n for n, v in state.frame.locals.items() if snapshot.locals.get(n) is not v]
    heap = [i for i, c in state.heap.items() if i in snapshot.heap and snapshot.heap[i] is not c]
    mapped = {i: _mapped(x, snapshot.heap[i], state.heap[i], variable, iterable, node) for i in heap}
    state.restore(snapshot)
    for name in changed:
        state.frame.locals[name] = _lost(
            x, node, iterable, f"{name} is computed in a loop over unknown elements"
        )
    for identity, made in mapped.items():
        cause = _lost(x, node, iterable, "changed in a loop over unknown elements")
        lost = Lost(cause.site, cause.cause)
        if made is None:
            state.heap[identity] = lost
            continue
        state.heap[identity] = lost
        for name, value in state.frame.locals.items():
            if value == Ref(identity):
                state.frame.locals[name] = made
    for exit_ in exits:
        found = _some(exit_.guard, variable, iterable)
        returned = exit_.value
        if isinstance(returned, Expression) and not is_constant(returned):
            returned = x.unknown(node, "returned from a loop over unknown elements")
        state.frame.returns.append(
            Exit(conjunction((*state.guard[state.frame.base :], found)), state.snapshot(), returned)
        )
        state.guard.append(negation(found))
    if not node.orelse:
        return
    if loop.breaks:
        ends_early = x.unknown(node, "whether a loop over unknown elements ends early")
        x.branch(ends_early, lambda: x.execute(node.orelse), lambda: None)
    else:
        x.execute(node.orelse)


def _undecided(x: Executor, entries: list[Entry], node: ast.AST) -> None:
    """Rules of a loop that may end before it comes to an element that breaks them: nobody knows."""
    for entry in entries:
        if isinstance(entry.step, Refuse):
            entry.guards = (*entry.guards, x.unknown(node, "raised in a loop that may end before"))


def _lost(x: Executor, node: ast.AST, iterable: Expression, cause: str) -> Unknown:
    """What a loop leaves unknown: because of what it goes over, where that is not known itself."""
    root = next((n for n in iterable.distinct() if isinstance(n, Unknown)), None)
    return root or x.unknown(node, cause)


def _mapped(
    x: Executor, before: Content, after: Content, variable: str, iterable: Expression, node: ast.AST
) -> Expression | None:
    """A list or dict that every pass adds one element to, as a comprehension; None for any other change."""
    if isinstance(before, Entries) and isinstance(after, Entries) and not before.entries:
        if after.computed is None or after.entries:
            return None
        key, value = after.computed
        pair = Collection("tuple", (key, operations.as_expression(x, value, node)))
        return Call("dict", (Comprehension("list", pair, variable, iterable),))
    if not (isinstance(before, Items) and isinstance(after, Items) and before.kind == after.kind == "list"):
        return None
    added = after.elements[len(before.elements) :]
    if before.elements or not added or after.elements[: len(before.elements)] != before.elements:
        return None
    if disjunction(guard for guard, _ in added) != TRUE and len(added) == 1:
        guard, value = added[0]
        return Comprehension("list", operations.as_expression(x, value, node), variable, iterable, guard)
    element = operations.as_expression(x, choice(added), node)
    return Comprehension("list", element, variable, iterable)


@contextmanager
def steps_for_some(x: Executor, variable: str, iterable: Expression, node: ast.AST) -> Iterator[None]:
    """What is written inside is about one element: as rules, it holds for some element of `iterable`."""
    state = x.state
    start, depth, before = len(x.log.entries), len(state.guard), dict(x.log.versions)
    caught = attempts.counts(x)
    yield
    del state.guard[depth:]
    written = x.log.entries[start:]
    del x.log.entries[start:]
    touched: dict[str, str] = {}
    for entry in written:
        match entry.step:
            case Refuse():
                x.log.entries.append(_for_some(entry, depth, variable, iterable))
            case Set(target=target, at=at):
                touched[target] = at
            case Let():
                x.log.entries.append(entry)
    x.log.versions = before
    for target, at in touched.items():
        x.log.set(tuple(state.guard), at, state.frame.name, target, x.unknown(node, "set inside a loop"))
    for attempt, counts in caught:
        for handler, ((_, exits), count) in enumerate(zip(attempt.handlers, counts, strict=True)):
            for exit_ in exits[count:]:
                found = _some(conjunction(exit_.path[depth:]), variable, iterable)
                exit_.path = (*exit_.path[:depth], found)
                said = attempt.negations
                exit_.guard = conjunction(g for g in exit_.path[attempt.base :] if said.get(g) != handler)
                state.guard.append(negation(found))
                said[negation(found)] = handler


def _for_some(entry: Entry, depth: int, variable: str, iterable: Expression) -> Entry:
    inner = conjunction(entry.guards[depth:])
    assert isinstance(entry.step, Refuse)
    step = Refuse(entry.step.at, entry.step.function, exception=entry.step.exception)
    return Entry((*entry.guards[:depth], _some(inner, variable, iterable)), step)


def _some(test: Expression, variable: str, iterable: Expression) -> Expression:
    """`any(test for variable in iterable)`; the test itself where it does not read the element."""
    if test == FALSE:
        return FALSE
    return Comprehension("any", test, variable, iterable)


def _variable(x: Executor, target: ast.expr) -> str:
    name = target.id if isinstance(target, ast.Name) else "element"
    while name in x.log.reserved:
        name += "_"
    return name


def while_(x: Executor, node: ast.While) -> None:
    """A `while` loop is not followed: what it may write is unknown afterwards."""
    test = operations.truth(x, expressions.evaluate(x, node.test))
    if test == FALSE:
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            x.state.frame.locals[inner.id] = x.unknown(node, "computed in a while loop")
        if isinstance(inner, ast.Raise | ast.Assert):
            unknown = x.unknown(inner, "raised in a while loop")
            x.log.refuse((*x.state.guard, unknown), x.site(inner), x.state.frame.name, TRUE, "")
            x.described.site_reached(x, inner)
