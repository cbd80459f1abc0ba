"""Environment variables as the engine reads and sets them: its own declared ones, and `os.environ`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from constraints.catalog import Fact
from constraints.expression.simplify import (
    comparison,
    constant,
)
from constraints.expression.syntax import (
    FALSE,
    NONE,
    TRUE,
    Call,
    Expression,
    Literal,
)
from constraints.sglang.extraction import operations
from constraints.sglang.extraction.facts import given_or
from constraints.sglang.extraction.values import (
    Choice,
    Keywords,
    Value,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


def environment_call(
    x: Executor, variable: str, name: str, arguments: list[Value], node: ast.AST
) -> Value | None:
    """A method of a declared variable: read, asked for, set."""
    state = f"env.{variable}"
    guards, at, function = tuple(x.state.guard), x.site(node), x.state.frame.name
    match name:
        case "get":
            return x.log.current(state)
        case "is_set":
            return x.log.current(f"env_set.{variable}")
        case "set":
            value = operations.as_expression(x, arguments[0], node)
            x.log.set(guards, at, function, state, value)
            x.log.set(guards, at, function, f"env_set.{variable}", TRUE)
            x.log.set(guards, at, function, f"environ.{variable}", Call("str", (value,)))
            return NONE
        case "clear":
            x.log.set(guards, at, function, f"env_set.{variable}", FALSE)
            return NONE
        case "name":
            return Literal(variable)
        case "default":
            fact = x.described.environment.get(state)
            return constant(fact.default) if fact is not None and fact.has_default else None
    return None


def set_environ(x: Executor, name: str, value: Expression, node: ast.AST) -> None:
    """`os.environ[NAME] = value`: a declared variable of that name changes with it."""
    guards, at, function = tuple(x.state.guard), x.site(node), x.state.frame.name
    x.log.set(guards, at, function, f"environ.{name}", value)
    fact = x.described.environment.get(f"env.{name}")
    if fact is not None:
        x.log.set(guards, at, function, f"env_set.{name}", TRUE)
        x.log.set(guards, at, function, f"env.{name}", _parsed(x, fact, value, node))


def _parsed(x: Executor, fact: Fact, value: Expression, node: ast.AST) -> Expression:
    if fact.type == "bool":
        return comparison("in", Call("lower", (value,)), constant(("true", "1", "yes", "y")))
    if fact.type == "int":
        return Call("int", (value,))
    if fact.type == "float":
        return Call("float", (value,))
    return value


def environ_get(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`os.environ.get(NAME)`, with or without a default."""
    name = arguments[0]
    if isinstance(name, Choice):
        return operations.spread(
            x, name, lambda n: environ_get(x, [n, *arguments[1:]], keywords, node) or NONE
        )
    if not isinstance(name, Literal):
        return x.unknown(node, "an environment variable whose name is not known")
    default = arguments[1] if len(arguments) > 1 else NONE
    if "default" in keywords:
        default = keywords["default"][1]
    return given_or(operations.as_expression(x, default, node), x.log.current(f"environ.{name.value}"))


def environ_setdefault(
    x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    """`os.environ.setdefault(NAME, value)`."""
    if isinstance(arguments[0], Literal):
        name = str(arguments[0].value)
        before = x.log.current(f"environ.{name}")
        with x.under(comparison("is", before, NONE)):
            set_environ(x, name, operations.as_expression(x, arguments[1], node), node)
        return x.log.current(f"environ.{name}")
    return None
