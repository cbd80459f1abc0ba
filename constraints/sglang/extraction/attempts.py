"""`raise`, and the `try` statements that may catch it.

An exception that no handler of the source catches is a rule. One that is caught is a branch: its
conditions stay in the guard of what follows, and the handler runs under them.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from constraints.expression.simplify import conjunction, disjunction, negation
from constraints.expression.syntax import FALSE, TRUE, Expression
from constraints.sglang.extraction.state import Attempt, Exit, Snapshot, joined
from constraints.sglang.extraction.values import Class, External

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor

# The part of Python's exception hierarchy that the source's handlers name.
_PARENTS = {
    "ValueError": "Exception", "TypeError": "Exception", "AssertionError": "Exception",
    "RuntimeError": "Exception", "NotImplementedError": "RuntimeError", "KeyError": "LookupError",
    "IndexError": "LookupError", "LookupError": "Exception", "AttributeError": "Exception",
    "ImportError": "Exception", "ModuleNotFoundError": "ImportError", "OSError": "Exception",
    "FileNotFoundError": "OSError", "UnicodeDecodeError": "ValueError", "OverflowError": "Exception",
    "json.JSONDecodeError": "ValueError", "JSONDecodeError": "ValueError", "ZeroDivisionError": "Exception",
    "argparse.ArgumentTypeError": "Exception", "Exception": "BaseException", "SystemExit": "BaseException",
}  # fmt: skip


def try_(x: Executor, node: ast.Try) -> None:
    """Runs a `try` statement."""
    state = x.state
    # With nothing outside to catch it, what is raised anew may as well be refused where it was raised.
    handlers = [h for h in node.handlers if state.attempts or not _reraises(h)]
    attempt = Attempt(len(state.guard), state.frame, tuple((_names(h), []) for h in handlers))
    left_before = [len(exits) for exits in _ways_out(x)]
    outer = counts(x)
    if handlers:
        state.attempts.append(attempt)
    depth = len(state.guard)
    x.execute(node.body)
    if handlers:
        state.attempts.remove(attempt)
    if not state.dead and node.orelse:
        x.execute(node.orelse)
    if handlers:
        _run_handlers(x, handlers, attempt, depth)
    if node.finalbody:
        for exits, count in zip(_ways_out(x), left_before, strict=True):
            exits[count:] = [e for exit_ in exits[count:] if (e := _finished(x, exit_, node)) is not None]
        for around, before in outer:
            for (_, exits), count in zip(around.handlers, before, strict=True):
                exits[count:] = [
                    e for exit_ in exits[count:] if (e := _finished(x, exit_, node, around)) is not None
                ]
        dead, state.dead = state.dead, ""
        if dead in {"", "raise"}:
            x.execute(node.finalbody)
        state.dead = state.dead or dead


def _ways_out(x: Executor) -> list[list[Exit]]:
    """The lists of exits that a statement here may add to, but for exceptions."""
    frame = x.state.frame
    loops = frame.loops[-1:]
    return [frame.returns, *(loop.continues for loop in loops), *(loop.breaks for loop in loops)]


def _finished(x: Executor, exit_: Exit, node: ast.Try, around: Attempt | None = None) -> Exit | None:
    """A way out of a `try`, for an exception to the `try` around, after its `finally` has run on it.

    None where that ends otherwise.
    """
    state = x.state
    guard, dead, here = state.guard, state.dead, state.snapshot()
    state.guard, state.dead = list(exit_.path), ""
    state.restore(Snapshot(exit_.inner.get(state.frame, exit_.snapshot.locals), exit_.snapshot.heap))
    x.execute(node.finalbody)
    finished = None
    if not state.dead:
        narrowed = state.guard[len(exit_.path) :]
        test = conjunction((exit_.guard, *narrowed))
        local = exit_.snapshot.locals if around and around.frame is not state.frame else state.frame.locals
        snapshot = Snapshot(dict(local), dict(state.heap))
        finished = Exit(test, snapshot, exit_.value, tuple(state.guard), exit_.exception, exit_.inner)
    state.guard, state.dead = guard, dead
    state.restore(here)
    return finished


def _run_handlers(x: Executor, handlers: list[ast.ExceptHandler], attempt: Attempt, depth: int) -> None:
    state = x.state
    ends: list[tuple[Expression, str, list[Expression], Snapshot]] = []
    fall = (state.dead, state.guard[depth:], state.snapshot())
    for handler, (_, exits) in zip(handlers, attempt.handlers, strict=True):
        if not exits:
            continue
        caught = x.short(disjunction(exit_.guard for exit_ in exits))
        state.restore(joined(exits, None))
        state.guard[depth:] = [caught] if caught != TRUE else []
        state.dead = ""
        inner = len(state.guard)
        if handler.name:
            x.bind(handler.name, x.unknown(handler, "an exception's text"))
        kinds = {exit_.exception for exit_ in exits}
        state.handling.append(kinds.pop() if len(kinds) == 1 else "Exception")
        x.execute(handler.body)
        state.handling.pop()
        ends.append((caught, state.dead, state.guard[inner:], state.snapshot()))
    dead, narrowed, snapshot = fall
    if not ends:
        state.dead = dead
        state.guard[depth:] = narrowed
        return
    alive = [] if dead else [(conjunction(narrowed), snapshot)]
    exits = [Exit(conjunction((caught, *more)), snap) for caught, end, more, snap in ends if not end]
    raised = conjunction(narrowed)
    if not alive and not exits:
        kinds = {dead, *(end for _, end, _, _ in ends)}
        state.dead = (
            "raise" if kinds == {"raise"} else next(k for k in sorted(kinds, reverse=True) if k != "raise")
        )
        state.guard[depth:] = []
        return
    state.dead = ""
    state.restore(joined(exits, alive[0][1] if alive else None) if exits else alive[0][1])
    some_leave = state.attempts or any(map(_leaves, handlers))
    left_for_good = [negation(caught) for caught, end, _, _ in ends if end and (end != "raise" or some_leave)]
    if alive and not exits:
        # What was caught and raised anew is refused already; what returned does not go on.
        state.guard[depth:] = [g for g in narrowed if not _is_negated(g, ends)] + left_for_good
    elif alive:
        rest = x.short(disjunction((raised, *(e.guard for e in exits))))
        state.guard[depth:] = [] if _covers(raised, exits) else [rest]
    else:
        rest = disjunction(e.guard for e in exits)
        state.guard[depth:] = [] if rest == TRUE else [rest]


def _covers(narrowed: Expression, exits: list[Exit]) -> bool:
    """Whether the exits are just what the fall-through excludes."""
    return negation(disjunction(e.guard for e in exits)) == narrowed or narrowed == TRUE


def _is_negated(guard: Expression, ends: list[tuple[Expression, str, list[Expression], Snapshot]]) -> bool:
    return any(guard == negation(caught) for caught, end, _, _ in ends if end == "raise")


def raise_(x: Executor, node: ast.Raise) -> None:
    """Runs a `raise` statement."""
    name = x.state.handling[-1] if node.exc is None and x.state.handling else "Exception"
    target = node.exc
    if target is not None:
        callee = target.func if isinstance(target, ast.Call) else target
        if isinstance(callee, ast.Name | ast.Attribute):
            name = ast.unparse(callee)
            if isinstance(callee, ast.Name):
                value = x.lookup(callee.id, node)
                if isinstance(value, Class):
                    name = _known_base(x, value)
                elif isinstance(value, External):
                    name = value.path
    raised(x, name, node)


def raised(x: Executor, exception: str, node: ast.AST) -> None:
    """The exception is raised here: caught by the nearest handler that names it, or a rule."""
    exits = _catcher(x, exception)
    state = x.state
    if exits is not None:
        attempt, handler = exits
        attempt.handlers[handler][1].append(_caught(x, attempt, handler, exception))
        state.dead, state.caught_by = "caught", (attempt, handler)
        return
    x.log.refuse(tuple(state.guard), x.site(node), state.frame.name, TRUE, exception)
    x.described.site_reached(x, node)
    state.dead = "raise"


def may_raise(x: Executor, value: Expression, exception: str, node: ast.AST) -> None:
    """Evaluating `value` here may raise: inside a `try` that is told from what other exceptions do."""
    if x.state.attempts:
        x.refuse_fault(value, exception, node)


def raises_when(x: Executor, test: Expression, exception: str, node: ast.AST) -> bool:
    """An exception raised here where `test` holds. False where no handler would catch it."""
    exits = _catcher(x, exception)
    if exits is None:
        return False
    attempt, handler = exits
    state = x.state
    with x.under(test):
        attempt.handlers[handler][1].append(_caught(x, attempt, handler, exception))
    if test != FALSE:
        state.guard.append(negation(test))
        attempt.negations[negation(test)] = handler
    return True


def fails(x: Executor, test: Expression, exception: str, node: ast.AST) -> None:
    """What is done here raises an exception where `test` holds: it is caught, or a rule."""
    known = x.known(test)
    if known is False:
        return
    if known:
        raised(x, exception, node)
    elif not raises_when(x, test, exception, node):
        x.log.refuse((*x.state.guard, test), x.site(node), x.state.frame.name, TRUE, exception)


def _caught(x: Executor, attempt: Attempt, handler: int, exception: str) -> Exit:
    """The present point as one that a handler catches. That it has caught nothing so far is left out."""
    exit_ = x.state.leave(attempt.base, frame=attempt.frame)
    exit_.exception = exception
    left = x.state.frames[x.state.frames.index(attempt.frame) + 1 :]
    exit_.inner = {frame: dict(frame.locals) for frame in left}
    exit_.guard = conjunction(g for g in exit_.path[attempt.base :] if attempt.negations.get(g) != handler)
    return exit_


def would_catch(x: Executor, exception: str) -> bool:
    """Whether a handler around this point names the exception."""
    return _catcher(x, exception) is not None


def not_caught_since(x: Executor, counts: list[tuple[Attempt, list[int]]], base: int) -> list[Expression]:
    """After a call: the conditions that say that nothing in it was caught outside it."""
    tests = []
    for attempt, before in counts:
        for handler, ((_, exits), count) in enumerate(zip(attempt.handlers, before, strict=True)):
            for exit_ in exits[count:]:
                inner = (g for g in exit_.path[base:] if attempt.negations.get(g) != handler)
                test = negation(x.short(conjunction(inner)))
                attempt.negations[test] = handler
                tests.append(test)
    return [t for t in tests if t not in (TRUE, FALSE)]


def counts(x: Executor) -> list[tuple[Attempt, list[int]]]:
    """How many exits each handler around this point has collected so far."""
    return [(a, [len(exits) for _, exits in a.handlers]) for a in x.state.attempts]


def _catcher(x: Executor, exception: str) -> tuple[Attempt, int] | None:
    """The handler that catches an exception raised here, by its `try` and its place in that."""
    for attempt in reversed(x.state.attempts):
        for index, (names, _) in enumerate(attempt.handlers):
            if _matches(exception, names):
                return attempt, index
    return None


def _matches(exception: str, names: frozenset[str]) -> bool:
    seen: str | None = exception
    while seen is not None:
        if seen in names or seen.split(".")[-1] in names:
            return True
        seen = _PARENTS.get(seen) or ("Exception" if seen not in ("Exception", "BaseException") else None)
    return "BaseException" in names


def _names(handler: ast.ExceptHandler) -> frozenset[str]:
    match handler.type:
        case None:
            return frozenset({"BaseException"})
        case ast.Tuple(elts=elements):
            return frozenset(ast.unparse(e) for e in elements)
        case other:
            return frozenset({ast.unparse(other)})


def _reraises(handler: ast.ExceptHandler) -> bool:
    """Whether the handler does nothing but end by raising what it caught: then it does not catch."""
    last = handler.body[-1]
    ends = isinstance(last, ast.Raise) and last.exc is None
    return ends and not _leaves(handler)


def _leaves(handler: ast.ExceptHandler) -> bool:
    """Whether a handler may leave the `try` other than by its end or an exception."""
    return any(isinstance(node, ast.Return | ast.Continue | ast.Break) for node in ast.walk(handler))


def _known_base(x: Executor, owner: Class) -> str:
    for base in x.classes.base_names(x, owner):
        if base in _PARENTS:
            return base
    return owner.name
