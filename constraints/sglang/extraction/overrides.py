"""The registry of model overrides: which provider applies to which architecture, read from decorators.

All providers of an architecture are asked first and declared afterwards, so none sees another's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from constraints.expression.simplify import comparison, constant, disjunction
from constraints.expression.syntax import FALSE, TRUE, Expression, Literal
from constraints.sglang.extraction import attributes, expressions, operations
from constraints.sglang.extraction.source import Module
from constraints.sglang.extraction.state import Frame
from constraints.sglang.extraction.values import Entries, Function, Items, Ref, Value

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor

_REGISTRARS = ("_register_for", "register_model_override", "register_model_override_predicate")


def collected_overrides(x: Executor, arguments: list[Value], node: ast.AST) -> Value:
    """`collect_model_override_declarations(architecture, record, config)`: a list of (source, fields)."""
    architecture, record, config = arguments
    plain = operations.as_expression(x, architecture, node)
    base = x.source.module("sglang.srt.arg_groups.model_override_base")
    rows: list[tuple[Expression, Value]] = []
    if base is not None:
        table = x.lookup_global(base, "MODEL_OVERRIDES", node)
        if isinstance(table, Ref):
            content = x.state.content(table)
            if isinstance(content, Entries):
                for key, (_, fields) in content.entries.items():
                    pair = ((TRUE, Literal(f"MODEL_OVERRIDES[{key!r}]")), (TRUE, fields))
                    rows.append(
                        (comparison("==", plain, constant(key)), x.state.allocate(Items("tuple", pair)))
                    )
    exact: list[tuple[Expression, Value]] = []
    by_predicate: list[tuple[Expression, Value]] = []
    for function, decorator, module in _providers(x):
        condition = _condition(x, decorator, module, plain, architecture)
        if condition == FALSE:
            continue
        with x.under(condition):
            declared = x.call(function, [record, config], {}, node)
            refused, x.state.dead = bool(x.state.dead), ""
        if refused:
            continue
        row = (
            condition,
            x.state.allocate(Items("tuple", ((TRUE, Literal(function.name)), (TRUE, declared)))),
        )
        is_predicate = ast.unparse(decorator.func).endswith("predicate")
        (by_predicate if is_predicate else exact).append(row)
    return x.state.allocate(Items("list", (*rows, *exact, *by_predicate)))


def declare_collected(x: Executor, collected: Value, node: ast.AST) -> None:
    """Declares what `collected_overrides` gave, in order."""
    rows = operations.elements_of(x, collected, node)
    if rows is None:
        x.record.lose(x, list(x.record.flags), node, "which overrides apply is not known")
        return
    for guard, pair in rows:
        function = attributes.item(x, pair, Literal(0), node)
        fields = attributes.item(x, pair, Literal(1), node)
        entries = expressions.entries_of(x, fields)
        name = str(function.value) if isinstance(function, Literal) else ""
        with x.under(guard):
            if entries is None:
                x.record.lose(x, list(x.record.flags), node, f"what {name} returns is not known")
            else:
                x.record.declare(x, {str(k): v for k, v in entries.items()}, node, "", name)


def _condition(
    x: Executor, decorator: ast.Call, module: Module, plain: Expression, architecture: Value
) -> Expression:
    x.state.frames.append(Frame(module))
    try:
        if ast.unparse(decorator.func).endswith("predicate"):
            predicate = expressions.evaluate(x, decorator.args[0])
            return operations.truth(x, x.call(predicate, [architecture], {}, decorator))
        names: list[Value] = []
        for argument in decorator.args:
            if isinstance(argument, ast.Starred):
                value = expressions.evaluate(x, argument.value)
                names.extend(v for _, v in operations.elements_of(x, value, argument) or ())
            else:
                names.append(expressions.evaluate(x, argument))
        return disjunction(comparison("==", plain, operations.as_expression(x, n)) for n in names)
    finally:
        x.state.frames.pop()


def _providers(x: Executor) -> Iterator[tuple[Function, ast.Call, Module]]:
    """Every registered provider in the order of registration: the family modules, then the rest."""
    modules: list[Module] = []
    package = x.source.module("sglang.srt.arg_groups.model_overrides")
    if package is not None:
        for statement in package.tree.body:
            if isinstance(statement, ast.ImportFrom):
                for alias in statement.names:
                    for name in (f"{package.name}.{alias.name}", package.absolute(statement)):
                        module = x.source.module(name)
                        if module is not None and module is not package and module not in modules:
                            modules.append(module)
            elif isinstance(statement, ast.Import):
                for alias in statement.names:
                    module = x.source.module(alias.name)
                    if module is not None and module not in modules:
                        modules.append(module)
    last = x.source.module("sglang.srt.arg_groups.overrides")
    if last is not None:
        modules.append(last)
    for module in modules:
        for statement in module.tree.body:
            if isinstance(statement, ast.FunctionDef):
                for decorator in reversed(statement.decorator_list):
                    if (
                        isinstance(decorator, ast.Call)
                        and ast.unparse(decorator.func).split(".")[-1] in _REGISTRARS
                    ):
                        yield Function(statement, module), decorator, module
