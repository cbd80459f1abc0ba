"""Registries that the source fills while its modules are imported, read from the modules' own statements."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from constraints.expression.syntax import TRUE, Expression
from constraints.sglang.extraction import expressions
from constraints.sglang.extraction.source import Module
from constraints.sglang.extraction.state import Frame
from constraints.sglang.extraction.values import Class, Entries, Items, Value

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


def registered_calls(x: Executor, package: str, function: str) -> Value:
    """The first argument of every call of `function` at the top of a module of the package, in order."""
    found: list[tuple[Expression, Value]] = []
    for module in _modules(x, package):
        for statement in module.tree.body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                call = statement.value
                if ast.unparse(call.func).split(".")[-1] == function and call.args:
                    x.state.frames.append(Frame(module))
                    found.append((TRUE, expressions.evaluate(x, call.args[0])))
                    x.state.frames.pop()
    return x.state.allocate(Items("list", tuple(found)))


def classes_named(x: Executor, package: str, name: str) -> Value:
    """What `name` is in each module of the package that has it, by the name of the class."""
    entries: dict[object, tuple[Expression, Value]] = {}
    for module in _modules(x, package):
        if name in module.bindings:
            value = x.lookup_global(module, name, module.tree)
            if isinstance(value, Class):
                entries[value.name] = (TRUE, value)
    return x.state.allocate(Entries(entries))


def _modules(x: Executor, package: str) -> Iterator[Module]:
    folder = x.source.root.joinpath(*package.split("."))
    for path in sorted(folder.glob("*.py")):
        if path.stem != "__init__":
            module = x.source.module(f"{package}.{path.stem}")
            if module is not None:
                yield module
