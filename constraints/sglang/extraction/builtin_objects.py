"""Objects and their attributes: `getattr`, `hasattr`, copies, and the helpers of dataclasses."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from constraints.expression.simplify import (
    conditional,
    conjunction,
)
from constraints.expression.syntax import (
    FALSE,
    NONE,
    TRUE,
    Call,
    Expression,
    Literal,
    Name,
)
from constraints.sglang.extraction import attributes, operations
from constraints.sglang.extraction.values import (
    Choice,
    Class,
    Entries,
    EnumMember,
    Facts,
    Instance,
    Items,
    Keywords,
    Ref,
    Structured,
    Value,
    View,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


def getattr_(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`getattr(object, name)`, with or without a default."""
    name = arguments[1]
    if isinstance(name, Choice):
        return operations.spread(
            x, name, lambda n: getattr_(x, [arguments[0], n, *arguments[2:]], {}, node) or NONE
        )
    if isinstance(name, Literal) and isinstance(name.value, str):
        default = arguments[2] if len(arguments) > 2 else None
        return attributes.attribute(x, arguments[0], name.value, node, default)
    return x.unknown(node, "an attribute whose name is not known")


def hasattr_(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`hasattr(object, name)`."""
    owner, name = arguments
    if not isinstance(name, Literal):
        return x.unknown(node, "hasattr of a name that is not known")
    return has_attribute(x, owner, str(name.value), node)


def has_attribute(x: Executor, owner: Value, name: str, node: ast.AST) -> Expression:
    """Whether an object has an attribute."""
    match owner:
        case Choice():
            found = operations.spread(x, owner, lambda v: has_attribute(x, v, name, node))
            return operations.as_expression(x, found, node)
        case Ref():
            content = x.state.content(owner)
            if isinstance(content, Instance):
                if name in content.attributes:
                    return TRUE
                if content.facts:
                    return x.facts.has(content.facts, name)
                if content.owner is not None and x.classes.method(x, content.owner, name) is not None:
                    return TRUE
                return FALSE
        case Facts(path=path):
            return x.facts.has(path, name)
        case Name(path=path) if path.startswith("model."):
            return x.facts.has(path, name)
        case Call(function="default", arguments=(Name(path=path) as first, second)) if path.startswith(
            "model."
        ):
            there = conjunction((Call("has", (first,)), x.facts.has(path, name)))
            if isinstance(second, Name):
                return conditional(
                    Call("has", (first,)),
                    x.facts.has(path, name),
                    x.facts.has(second.path, name),
                    boolean=True,
                )
            return there
        case View() | Structured():
            return TRUE if x.record.has(x, owner, name) else FALSE
        case Class():
            found_attribute = x.classes.attribute(x, owner, name, node, NONE)
            return FALSE if found_attribute == NONE else TRUE
        case EnumMember(owner=enum):
            return TRUE if x.classes.method(x, enum, name) is not None else FALSE
        case Expression():
            if owner == NONE:
                return FALSE
            if name in ("lower", "strip", "startswith"):
                return Call("is_instance", (owner, Literal("str")))
            if name in ("keys", "items", "get", "values"):
                return Call("is_instance", (owner, Literal("dict")))
            if name == "value":
                return FALSE
    return x.unknown(node, f"hasattr of {name}")


def setattr_(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`setattr(object, name, value)`."""
    owner, name, value = arguments
    if isinstance(name, Literal) and isinstance(name.value, str):
        x.set_attribute(owner, name.value, value, node)
        return NONE
    return x.unknown(node, "setattr of a name that is not known")


def copied(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`copy.copy(object)`."""
    value = arguments[0]
    if isinstance(value, Ref):
        content = x.state.content(value)
        if isinstance(content, Instance) and content.facts:
            return value
        return x.state.allocate(content)
    return value


def deepcopy(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`copy.deepcopy(object)`."""
    return deep_copied(x, arguments[0])


def deep_copied(x: Executor, value: Value) -> Value:
    """A copy of an object and of the objects in it."""
    if not isinstance(value, Ref):
        return value
    match x.state.content(value):
        case Instance(owner=owner, attributes=attributes, facts=facts):
            if facts:
                return value
            return x.state.allocate(Instance(owner, {k: deep_copied(x, v) for k, v in attributes.items()}))
        case Items(kind=kind, elements=elements):
            return x.state.allocate(Items(kind, tuple((g, deep_copied(x, v)) for g, v in elements)))
        case Entries(entries=entries):
            return x.state.allocate(Entries({k: (g, deep_copied(x, v)) for k, (g, v) in entries.items()}))
    return value


def replaced(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`dataclasses.replace(object, …)`."""
    value = arguments[0]
    owner: Class | None = None
    held: dict[str, Value] = {}
    if isinstance(value, Structured):
        owner = value.owner
        for name in x.classes.fields(x, owner) or ():
            held[name] = attributes.attribute(x, value, name, node)
    elif isinstance(value, Ref):
        content = x.state.content(value)
        if isinstance(content, Instance):
            owner, held = content.owner, dict(content.attributes)
    if owner is None:
        return x.unknown(node, "replace of an object that is not known")
    from constraints.sglang.extraction.state import merged_value

    for name, (guard, changed) in keywords.items():
        held[name] = merged_value(guard, changed, held.get(name, NONE))
    return x.state.allocate(Instance(owner, held))


def fields_of(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """`dataclasses.fields(object)`: objects that have a field's name."""
    value = arguments[0]
    owner = value if isinstance(value, Class) else value.owner if isinstance(value, Structured) else None
    if isinstance(value, Ref):
        content = x.state.content(value)
        owner = content.owner if isinstance(content, Instance) else None
    if owner is None:
        return x.unknown(node, "the fields of an object that is not known")
    rows = [
        (TRUE, x.state.allocate(Instance(None, {"name": Literal(name)})))
        for name in x.classes.fields(x, owner) or ()
    ]
    return x.state.allocate(Items("tuple", tuple(rows)))
