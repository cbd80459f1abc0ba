"""Reading `owner.name` and `owner[index]` of symbolic values."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from constraints.expression.simplify import (
    comparison,
    conjunction,
    constant,
    disjunction,
    is_constant,
    negation,
    value_of,
)
from constraints.expression.syntax import (
    FALSE,
    NONE,
    TRUE,
    Call,
    Collection,
    Expression,
    Item,
    Literal,
    Name,
    Unknown,
)
from constraints.sglang.extraction import attempts
from constraints.sglang.extraction.operations import as_expression, as_key, spread
from constraints.sglang.extraction.state import choice
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
    Lost,
    Method,
    ModuleValue,
    Ref,
    Structured,
    Value,
    Variable,
    View,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


def attribute(x: Executor, value: Value, name: str, node: ast.AST, default: Value | None = None) -> Value:
    """`value.name`; with `default`, `getattr(value, name, default)`."""
    match value:
        case Unknown():
            return value
        case Choice():
            return spread(x, value, lambda v: attribute(x, v, name, node, default))
        case Ref():
            return _object_attribute(x, value, name, node, default)
        case View() | Structured():
            return x.record.attribute(x, value, name, node, default)
        case Facts(path=path):
            return x.facts.attribute(x, path, name, default)
        case ModuleValue(module=module):
            found = x.lookup_global(module, name, node)
            if found is not None:
                return found
            submodule = x.source.module(f"{module.name}.{name}")
            if submodule is not None:
                return ModuleValue(submodule)
        case External(path=path):
            return x.described.external_value(f"{path}.{name}") or External(f"{path}.{name}")
        case Class():
            return x.classes.attribute(x, value, name, node, default)
        case EnumMember(owner=owner):
            if name == "name":
                return Literal(value.name)
            if name == "value":
                return value.value
            found = x.classes.method(x, owner, name)
            if found is not None:
                return x.bound(value, found, node)
            if x.classes.is_subclass(owner, ("str",)):
                return Method(value.value, name)
        case Variable():
            return Method(value, name)
        case Method() | Function() if name in ("__name__", "__qualname__"):
            function = value.function if isinstance(value, Method) else value
            return Literal(function.name if isinstance(function, Function) else str(function))
        case Expression():
            return _plain_attribute(x, value, name, node, default)
    if default is not None:
        return default
    return x.unknown(node, f"attribute {name} of a {type(value).__name__.lower()}")


def _object_attribute(x: Executor, value: Ref, name: str, node: ast.AST, default: Value | None) -> Value:
    content = x.state.content(value)
    match content:
        case Instance(owner=owner, attributes=attributes, facts=facts):
            if name == "__dict__":
                return x.state.allocate(Entries({k: (TRUE, v) for k, v in attributes.items()}))
            if value == x.record.self_reference and (own := x.record.own_attribute(name)) is not None:
                return own
            if name in attributes:
                return attributes[name]
            if name == "__class__" and owner is not None:
                return owner
            if name in ("__struct_fields__", "_fields", "__dataclass_fields__") and owner is not None:
                return x.classes.attribute(x, owner, name, node, None)
            if owner is not None and (found := x.classes.method(x, owner, name)) is not None:
                return x.bound(value, found, node)
            if facts:
                return x.facts.attribute(x, facts, name, default)
            if owner is not None and (constant_ := x.classes.constant(x, owner, name)) is not None:
                return constant_
            if default is not None:
                return default
            return x.unknown(node, f"attribute {name} that nobody set")
        case Lost(site=site, cause=cause):
            return x.unknown_at(site, cause)
    return Method(value, name)


def _plain_attribute(
    x: Executor, value: Expression, name: str, node: ast.AST, default: Value | None
) -> Value:
    if isinstance(value, Name) and value.path.startswith("model."):
        return x.facts.attribute(x, value.path, name, default)
    if name in _DATA_METHODS and default is None and not isinstance(value, Name):
        return Method(value, name)
    if isinstance(value, Call) and value.function == "default" and len(value.arguments) == 2:
        first, second = value.arguments
        if isinstance(first, Name) and first.path.startswith("model."):
            there = x.facts.attribute(x, first.path, name, default)
            if second == NONE or isinstance(second, Name):
                other = (
                    attribute(x, second, name, node, default)
                    if isinstance(second, Name)
                    else default or x.unknown(node, f"attribute {name} of None")
                )
                return choice(((Call("has", (first,)), there), (TRUE, other)))
    if value == NONE and default is not None:
        return default
    if (isinstance(value, Literal) and isinstance(value.value, str)) or not isinstance(value, Literal):
        if default is not None and name not in _STRING_METHODS:
            return default
        return Method(value, name)
    return default if default is not None else Method(value, name)


_DATA_METHODS = frozenset({
    "get", "items", "keys", "values", "to_dict", "lower", "upper", "startswith", "strip",
    "update", "append", "extend", "add", "pop", "setdefault", "remove", "discard", "insert", "clear",
})  # fmt: skip


_STRING_METHODS = frozenset(dir(str)) | frozenset(dir(dict)) | frozenset(dir(list)) | frozenset(dir(set))


def item(x: Executor, value: Value, index: Value, node: ast.AST) -> Value:
    """`value[index]`."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Choice):
        return spread(x, value, lambda v: item(x, v, index, node))
    if isinstance(index, Choice):
        return spread(x, index, lambda i: item(x, value, i, node))
    if isinstance(value, Ref):
        content = x.state.content(value)
        match content:
            case Entries(entries=entries, computed=None):
                return _entry(x, entries, as_key(x, index), node)
            case Items(elements=elements):
                position = as_expression(x, index)
                if isinstance(position, Literal) and isinstance(position.value, int):
                    if all(g == TRUE for g, _ in elements):
                        if -len(elements) <= position.value < len(elements):
                            return elements[position.value][1]
                    return Item(as_expression(x, value), position)
                if elements and all(g == TRUE for g, _ in elements):
                    rows = [(comparison("==", position, Literal(i)), v) for i, (_, v) in enumerate(elements)]
                    return choice(rows)
            case Lost(site=site, cause=cause):
                return x.unknown_at(site, cause)
            case Instance(owner=owner) if owner is not None:
                found = x.classes.method(x, owner, "__getitem__")
                if found is not None:
                    return x.call(Method(value, found), [index], {}, node)
    if isinstance(value, Class) and x.classes.is_enum(value):
        return x.classes.member_named(x, value, as_expression(x, index), node)
    if isinstance(value, Facts) and value.path == "given" and isinstance(index, Literal):
        return x.record.raw(str(index.value))
    if value == External("os.environ") and isinstance(index, Literal):
        return x.log.current(f"environ.{index.value}")
    if isinstance(value, External | Class):
        return value  # a subscripted generic
    if isinstance(value, Structured):
        key = as_key(x, index)
        if isinstance(key, str):
            return attribute(x, value, key, node)
    plain, position = as_expression(x, value, node), as_expression(x, index, node)
    if is_constant(plain) and is_constant(position):
        try:
            return constant(value_of(plain)[value_of(position)])
        except (LookupError, TypeError, ValueError):
            pass
    if isinstance(plain, Collection) and isinstance(position, Literal) and isinstance(position.value, int):
        if -len(plain.elements) <= position.value < len(plain.elements):
            return plain.elements[position.value]
    return Item(plain, position)


def _entry(x: Executor, entries: object, key: object, node: ast.AST) -> Value:
    assert isinstance(entries, dict)
    if key is not None and not isinstance(key, Expression):
        guard, held = entries.get(key, (FALSE, x.fault("KeyError", node)))
        attempts.fails(x, negation(guard), "KeyError", node)
        return held  # type: ignore[no-any-return]
    if isinstance(key, Expression):
        rows = [
            (conjunction((comparison("==", key, constant(k)), guard)), v)
            for k, (guard, v) in entries.items()
            if not isinstance(k, EnumMember)
        ]
        if rows:
            if all(guard == TRUE for guard, _ in entries.values()):
                found = comparison(
                    "in", key, constant(tuple(k for k in entries if not isinstance(k, EnumMember)))
                )
            else:
                found = disjunction(condition for condition, _ in rows)
            attempts.fails(x, negation(found), "KeyError", node)
            return choice(rows) if found != FALSE else x.fault("KeyError", node)
        if not entries:
            attempts.raised(x, "KeyError", node)
    return x.unknown(node, "an item of a dict by a key that is not known")
