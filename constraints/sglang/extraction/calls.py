"""Calling a value: a function of the source is executed in place, a class makes an object."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from constraints.expression.simplify import conjunction, negation
from constraints.expression.syntax import NONE, TRUE, Expression, Unknown
from constraints.sglang.extraction import attempts, builtin, containers, expressions, operations, validation
from constraints.sglang.extraction.state import Frame, choice, merged_value
from constraints.sglang.extraction.values import (
    Choice,
    Class,
    Entries,
    External,
    Function,
    Instance,
    Items,
    Keywords,
    Method,
    Partial,
    Value,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor

_DEEPEST = 48
_MOST_RECURSIVE = 4


def call(x: Executor, function: Value, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value:
    """The value of a call. Described helpers come first, then what the source itself defines."""
    if isinstance(function, Unknown):
        return function
    if isinstance(function, Choice):
        return _any_of(x, function, arguments, keywords, node)
    described = x.described.call(x, function, arguments, keywords, node)
    if described is not None:
        return described
    match function:
        case Function():
            return _inlined(x, function, arguments, keywords, node)
        case Method(receiver=receiver, function=Function() as inner):
            return _inlined(x, inner, [receiver, *arguments], keywords, node)
        case Method(receiver=Class() as owner, function="model_validate_json"):
            return validation.validated(x, owner, operations.as_expression(x, arguments[0], node), node)
        case Method(receiver=receiver, function=str() as name):
            return containers.method(x, receiver, name, arguments, keywords, node)
        case Partial(function=inner, arguments=first, keywords=more):
            given = {name: (TRUE, value) for name, value in more}
            return call(x, inner, [*first, *arguments], {**given, **keywords}, node)
        case Class():
            return construct(x, function, arguments, keywords, node)
        case External(path=path):
            return builtin.call(x, path, arguments, keywords, node)
    return x.unknown(node, "a call of a value that is not known")


def _any_of(
    x: Executor, function: Choice, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value:
    rows: list[tuple[Expression, Value]] = []
    taken: list[Expression] = []
    depth = len(x.state.guard)
    for condition, alternative in function.alternatives:
        guard = conjunction((*(negation(t) for t in taken), condition))
        if guard != TRUE:
            x.state.guard.append(guard)
        rows.append((condition, call(x, alternative, arguments, keywords, node)))
        del x.state.guard[depth:]
        if x.state.dead == "raise":
            x.state.dead = ""  # refused already under this alternative's condition
            rows.pop()
        taken.append(condition)
    if not rows:
        x.state.dead = "raise"
        return NONE
    return choice(rows)


def construct(x: Executor, owner: Class, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value:
    """An object of a class of the source."""
    if x.classes.is_enum(owner):
        return x.classes.member_of_value(x, owner, operations.as_expression(x, arguments[0], node), node)
    initializer = x.classes.method(x, owner, "__init__")
    if initializer is not None:
        made = x.state.allocate(Instance(owner))
        _inlined(x, initializer, [made, *arguments], keywords, node)
        return made
    fields = x.classes.fields(x, owner)
    if fields is None and x.classes.is_exception(x, owner):
        return x.unknown(node, "an exception as a value")
    attributes: dict[str, Value] = {}
    positional = list(arguments)
    for name, default in (fields or {}).items():
        if positional:
            attributes[name] = positional.pop(0)
        elif name in keywords:
            guard, value = keywords[name]
            attributes[name] = value if guard == TRUE else merged_value(guard, value, default or NONE)
        elif default is not None:
            attributes[name] = default
    made = x.state.allocate(Instance(owner, attributes))
    after = x.classes.method(x, owner, "__post_init__")
    if after is not None:
        _inlined(x, after, [made], {}, node)
    return made


def _inlined(
    x: Executor, function: Function, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value:
    state = x.state
    here = (function.module.relative, function.name)
    if len(state.frames) >= _DEEPEST or sum(f.function is function or (
        f.function is not None and f.function.node is function.node) for f in state.frames
    ) >= _MOST_RECURSIVE:  # fmt: skip
        return x.unknown(node, f"a call of {function.name} too deep to follow")
    if isinstance(function.node, ast.FunctionDef):
        x.entered.setdefault(here, function)
        if any(isinstance(n, ast.Yield | ast.YieldFrom) for n in _own_nodes(function.node)):
            return x.unknown(node, f"{function.name} is a generator")
    frame = Frame(function.module, function, closure=function.closure, base=len(state.guard))
    try:
        frame.locals = _bound_arguments(x, function, arguments, keywords, node)
    except _Mismatch:
        return x.unknown(node, f"a call of {function.name} whose arguments do not fit")
    before = attempts.counts(x)
    state.frames.append(frame)
    heap_before = state.heap
    if isinstance(function.node, ast.Lambda):
        value = expressions.evaluate(x, function.node.body)
        state.frames.pop()
        del state.guard[frame.base :]
        return value
    x.execute(function.node.body)
    all_raised = state.dead and state.dead != "return" and not frame.returns
    value = NONE if all_raised else x.join_returns(frame)
    state.frames.pop()
    del state.guard[frame.base :]
    if all_raised:
        state.heap = state.heap or heap_before
        return NONE
    state.dead = ""
    state.guard.extend(attempts.not_caught_since(x, before, frame.base))
    if isinstance(value, Expression):
        value = x.named(value, function.name.strip("_"), node)
    return value


def _own_nodes(function: ast.FunctionDef) -> list[ast.AST]:
    """The nodes of a function without those of functions inside it."""
    found: list[ast.AST] = []
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        found.append(node)
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            stack.extend(ast.iter_child_nodes(node))
    return found


class _Mismatch(Exception):
    """The arguments do not fit the function's parameters."""


def _bound_arguments(
    x: Executor, function: Function, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> dict[str, Value]:
    parameters = function.node.args
    positional = [*parameters.posonlyargs, *parameters.args]
    bound: dict[str, Value] = {}
    rest = list(arguments)
    for parameter in positional:
        if rest:
            bound[parameter.arg] = rest.pop(0)
    if parameters.vararg is not None:
        bound[parameters.vararg.arg] = x.state.allocate(Items("tuple", tuple((TRUE, v) for v in rest)))
    elif rest:
        raise _Mismatch
    defaults = dict(
        zip(
            [p.arg for p in positional[len(positional) - len(parameters.defaults) :]],
            parameters.defaults,
            strict=True,
        )
    )
    defaults |= {
        p.arg: d for p, d in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True) if d is not None
    }
    names = [p.arg for p in (*positional, *parameters.kwonlyargs)]
    extra = {k: v for k, v in keywords.items() if k not in names}
    if extra and parameters.kwarg is None:
        raise _Mismatch
    for name in names:
        if name in bound:
            continue
        guard, value = keywords.get(name, (None, None))
        if guard == TRUE and value is not None:
            bound[name] = value
            continue
        if name not in defaults:
            raise _Mismatch
        default = _default(x, function, defaults[name])
        bound[name] = default if guard is None or value is None else merged_value(guard, value, default)
    if parameters.kwarg is not None:
        bound[parameters.kwarg.arg] = x.state.allocate(Entries(dict(extra)))
    return bound


def _default(x: Executor, function: Function, node: ast.expr) -> Value:
    """A parameter's default, evaluated where the function is defined."""
    x.state.frames.append(Frame(function.module, closure=function.closure))
    try:
        return expressions.evaluate(x, node)
    finally:
        x.state.frames.pop()
