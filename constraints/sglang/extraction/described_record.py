"""The functions through which the engine views its record, declares values and runs its passes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from constraints.expression.syntax import (
    NONE,
    Expression,
    Literal,
)
from constraints.sglang.extraction.overrides import collected_overrides
from constraints.sglang.extraction.record import with_fallback
from constraints.sglang.extraction.values import (
    Function,
    Keywords,
    Value,
    View,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


def resolving_view(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """A live view: it sees every declaration so far."""
    return View(None)


def resolved_view(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """A snapshot: it sees the declarations made before it."""
    return View(dict(x.log.versions))


def record_of(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """The record behind a view."""
    return x.record.self_reference


def declare_resolution(
    x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    """Declares new values for fields."""
    fields = {k: v for k, v in keywords.items() if k not in ("server_args", "source")}
    x.record.declare(x, fields, node)
    return NONE


def resolution_result(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """A field's value as it stands, with its fallback."""
    name = arguments[1]
    if not isinstance(name, Literal) or name.value not in x.record.flags:
        return x.unknown(node, "the resolution of a field that is not known")
    field = str(name.value)
    value = x.record.read(x, field, None)
    return with_fallback(x.record.flags[field], value) if isinstance(value, Expression) else value


def run_post_process_pass(
    x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    """Runs a pass on a snapshot, and declares what it returns."""
    function = arguments[1]
    declared = x.call(function, [View(dict(x.log.versions))], {}, node)
    if x.state.dead:
        return NONE
    from constraints.sglang.extraction.expressions import entries_of

    entries = entries_of(x, declared)
    name = function.name if isinstance(function, Function) else "a pass"
    if entries is None:
        x.record.lose(x, list(x.record.flags), node, f"what {name} returns is not known")
        return NONE
    at = x.site(node)
    if isinstance(function, Function):
        at = f"{function.module.relative}:{function.node.lineno}"
    x.record.declare(x, {str(k): v for k, v in entries.items()}, node, at, name)
    return NONE


def record_foreign_defaults(
    x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    """A plug-in platform's own defaults: no plug-in is described."""
    return NONE


def run_hook(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """A step that a plug-in may replace: none does."""
    return x.call(arguments[0], arguments[1:], {}, node)


def collect_overrides(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """What the registered model overrides declare for an architecture."""
    return collected_overrides(x, arguments, node)
