"""What a value is: `isinstance`, `issubclass`, `type`, `callable`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from constraints.expression.simplify import (
    disjunction,
    is_constant,
    value_of,
)
from constraints.expression.syntax import (
    FALSE,
    TRUE,
    Call,
    Expression,
    Literal,
    Name,
)
from constraints.sglang.extraction import operations
from constraints.sglang.extraction.values import (
    Choice,
    Class,
    Entries,
    EnumMember,
    External,
    Facts,
    Function,
    Instance,
    Items,
    Keywords,
    Method,
    Partial,
    Ref,
    Structured,
    Value,
    View,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


_TYPES = frozenset({"int", "float", "str", "bool", "list", "tuple", "dict", "set"})


def isinstance_(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`isinstance(value, classes)`."""
    value, classes = arguments
    wanted = operations.elements_of(x, classes, node)
    choices = [classes] if wanted is None else [v for _, v in wanted]
    if isinstance(value, Choice):
        result = operations.spread(x, value, lambda v: isinstance_(x, [v, classes], {}, node) or FALSE)
        return operations.as_expression(x, result, node)
    return disjunction(_is_a(x, value, one, node) for one in choices)


# Abstract classes of Python, by the types of plain data that they admit.
_ABSTRACT = {
    "Integral": ("int",),
    "Real": ("int", "float"),
    "Number": ("int", "float"),
    "Mapping": ("dict",),
    "Sequence": ("list", "tuple", "str"),
    "Iterable": ("list", "tuple", "dict", "set", "str"),
    "Set": ("set",),
    "Collection": ("list", "tuple", "dict", "set", "str"),
}


_NEVER_DATA = (
    "torch.",
    "numpy.",
    "pathlib.",
    "enum.",
    "PIL.",
    "transformers.",
    "argparse.",
    "dataclasses.",
    "bytes",
)


_PYTHON_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": (set, frozenset),
}


def _is_a(x: Executor, value: Value, wanted: Value, node: ast.AST) -> Expression:
    if isinstance(value, Name | Facts) and (isinstance(value, Facts) or value.path.startswith("model.")):
        path = value.path
        if isinstance(wanted, External) and wanted.path in _TYPES and isinstance(value, Name):
            return Call("is_instance", (value, Literal(wanted.path)))
        return x.facts.is_instance(path, wanted)
    if isinstance(value, Expression):
        if isinstance(wanted, External):
            name = wanted.path.split(".")[-1]
            if name in _ABSTRACT:
                return disjunction(_is_a(x, value, External(one), node) for one in _ABSTRACT[name])
            if is_constant(value) and name in _TYPES:
                held = value_of(value)
                python = _PYTHON_TYPES[name]
                return TRUE if isinstance(held, python) else FALSE
            if name in _TYPES:
                return Call("is_instance", (value, Literal(name)))
            if wanted.path.startswith(_NEVER_DATA):
                return FALSE
            return x.unknown(node, f"whether data is a {wanted.path}")
        return FALSE
    if isinstance(value, EnumMember):
        if isinstance(wanted, Class):
            return TRUE if value.owner == wanted else FALSE
        if isinstance(wanted, External):
            return TRUE if x.classes.is_subclass(value.owner, (wanted.path,)) else FALSE
    if isinstance(value, View):
        return (
            TRUE
            if isinstance(wanted, Class)
            and wanted.name == ("ResolvingConfig" if value.versions is None else "ResolvedView")
            else FALSE
        )
    if isinstance(value, Structured):
        return TRUE if isinstance(wanted, Class) and value.owner == wanted else FALSE
    if isinstance(value, Ref):
        content = x.state.content(value)
        match content:
            case Instance(owner=owner, facts=facts):
                if facts:
                    return x.facts.is_instance(facts, wanted)
                if isinstance(wanted, Class) and owner is not None:
                    return TRUE if owner == wanted or wanted.name in x.classes.base_names(x, owner) else FALSE
                return FALSE
            case Items(kind=kind):
                return (
                    TRUE
                    if isinstance(wanted, External) and wanted.path.split(".")[-1] in (kind, "Sequence")
                    else FALSE
                )
            case Entries():
                return (
                    TRUE
                    if isinstance(wanted, External) and wanted.path.split(".")[-1] in ("dict", "Mapping")
                    else FALSE
                )
    if isinstance(value, Function | Method):
        return FALSE
    return x.unknown(node, "isinstance of a value that is not known")


def type_(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`type(value)`."""
    value = arguments[0]
    if isinstance(value, Ref):
        content = x.state.content(value)
        if isinstance(content, Instance) and content.owner is not None:
            return content.owner
    if isinstance(value, EnumMember):
        return value.owner
    if isinstance(value, Expression):
        return Call("type_name", (value,))
    return x.unknown(node, "the type of a value that is not known")


def issubclass_(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`issubclass(one, other)`."""
    one, other = arguments
    if isinstance(one, Class) and isinstance(other, Class):
        return TRUE if one == other or other.name in x.classes.base_names(x, one) else FALSE
    return None


def callable_(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`callable(value)`."""
    return TRUE if isinstance(arguments[0], Function | Method | Class | Partial) else FALSE
